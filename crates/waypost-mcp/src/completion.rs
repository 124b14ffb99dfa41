//! Completions: what fits what the user has typed so far, told by the argument's name.

use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};
use waypost_app::enforce::gates;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::tracks::protocol;
use waypost_app::view::View;

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
            let ids = View::open(host)?.known_ids()?;
            Ok(ids.iter().rev().map(ToString::to_string).collect())
        }
        (Reference::Prompt(_), "gate" | "name") => {
            let view = View::open(host)?;
            let own = gates::list(&view)?.policy.gates.into_iter().map(|gate| gate.id);
            Ok(own.chain(protocol::names(&view)?.1).collect())
        }
        (Reference::Prompt(_), "phase") => {
            let phases = PHASES.iter().map(ToString::to_string);
            Ok(phases.chain(protocol::names(&View::open(host)?)?.0).collect())
        }
        _ => Ok(Vec::new()),
    }
}
