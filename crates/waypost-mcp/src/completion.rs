//! Completions: what fits what the user has typed so far, told by the argument's name.

use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};
use waypost_app::error::AppError;
use waypost_app::gates;
use waypost_app::host::Host;
use waypost_app::workspace::Workspace;

/// The phases of the workflows that come with Waypost.
const PHASES: [&str; 5] = ["spec", "plan", "build", "docs", "complete"];

/// What fits. Blocks. Where nothing can be found out, nothing fits.
pub(crate) fn complete(host: &Host, request: &CompleteRequestParams) -> CompletionInfo {
    let typed = request.argument.value.as_str();
    let mut fitting = candidates(host, request).unwrap_or_default();
    fitting.retain(|candidate| candidate.starts_with(typed));
    let total = fitting.len();
    fitting.truncate(CompletionInfo::MAX_VALUES);
    let has_more = fitting.len() < total;
    CompletionInfo::with_pagination(fitting, u32::try_from(total).ok(), has_more)
        .unwrap_or_default()
}

fn candidates(host: &Host, request: &CompleteRequestParams) -> Result<Vec<String>, AppError> {
    match (&request.r#ref, request.argument.name.as_str()) {
        (_, "session_id") => {
            // The newest first: that is the one that is meant most often.
            let ids = Workspace::open(host)?.known_ids()?;
            Ok(ids.iter().rev().map(ToString::to_string).collect())
        }
        (Reference::Prompt(_), "gate" | "name") => {
            let policy = gates::in_force(&Workspace::open(host)?)?;
            Ok(policy.gates.into_iter().map(|gate| gate.id).collect())
        }
        (Reference::Prompt(_), "phase") => Ok(PHASES.map(str::to_owned).to_vec()),
        _ => Ok(Vec::new()),
    }
}
