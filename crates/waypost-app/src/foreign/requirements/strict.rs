//! `strict_preflight`: nothing is changed in a checkout whose own file of requirements enables none. What the framework
//! asks of its own tracing and tools beside that is nothing that Waypost needs.

use waypost_core::gate::proof::approval::ApprovalProof;
use waypost_core::gate::proof::file::FileProof;
use waypost_core::gate::{Before, Gate, OnError, Proof, Scope, Source};
use waypost_store::look;

use super::cascade::{Cascade, Given};
use super::places::Places;

const ID: &str = "strict_preflight";

/// The gate, where the project asks for it and the checkout does not comply.
pub(super) fn gate(cascade: &Cascade, places: &Places) -> Option<Gate> {
    let asked = cascade.get(ID).filter(|asked| asked.is_true())?;
    if places.strict_off || look::is_there(places.opted_out()) {
        return None;
    }
    let file = places.of_checkout().name;
    let (proof, message) = match &cascade.of_checkout {
        None => (
            Proof::File(FileProof { pattern: file.clone() }),
            format!(
                "This project asks for strict compliance, and this checkout has no {file}; the user writes it."
            ),
        ),
        Some(given) if has_enabled(given) => return None,
        Some(_) => (
            Proof::Approval(ApprovalProof { signed_by: None, ttl: None }),
            format!(
                "This project asks for strict compliance, and {file} enables no requirement; the user enables one."
            ),
        ),
    };
    let tools = ["Bash", "EnterPlanMode", "ExitPlanMode"].map(|tool| Before::Tool(tool.to_owned()));
    let before = std::iter::once(Before::Edit).chain(tools).collect();
    Some(Gate {
        scope: Scope::Conversation,
        on_error: OnError::Allow,
        imported: true,
        message,
        source: Source::new(asked.at.file.to_string(), asked.at.line),
        ..Gate::new(ID, before, proof)
    })
}

fn has_enabled(given: &Given) -> bool {
    let all = given.get("requirements").and_then(Given::as_map).unwrap_or_default();
    all.iter().any(|entry| entry.given.get("enabled").is_some_and(Given::is_true))
}
