//! Lines that call Waypost's hook as a client does, where it cannot be told for certain that it was not the client.

use std::path::Path;

use waypost_core::shell::{Analysis, Simple};

use super::Call;
use crate::harness::Calls;
use crate::view::View;

/// Why an agent may not run the line; `None` if it may.
pub(super) fn from_running(view: &View<'_>, call: &Call, analysis: &Analysis) -> Option<String> {
    let facts = view.host.harness(call.harness)?.facts();
    if facts.calls != Calls::Pipe
        || !analysis.commands.iter().any(|simple| calls_hook(view, simple))
    {
        return None;
    }
    Some(format!(
        "Waypost: only {} itself calls Waypost's hook. What anybody else tells it is no evidence.\n\
         Next: run what the gate asks for, as it stands there.",
        facts.title
    ))
}

fn calls_hook(view: &View<'_>, simple: &Simple) -> bool {
    let own = view.host.exe.file_name();
    simple.words.windows(2).any(|pair| {
        let name = Path::new(&pair[0].text).file_name();
        let is_own = name.is_some_and(|name| name == "waypost" || Some(name) == own);
        is_own && pair[1].text == "hook"
    })
}
