//! Tool calls as activity: all of them, whether a gate cares or not.

use super::Call;
use crate::harness::{Does, Tool};
use crate::view::activity::{self, Deed};
use crate::view::registry::Registration;
use crate::view::{View, agent};

/// A call that was denied before any gate was asked is activity too.
pub(super) fn denied(view: &View<'_>, call: &Call, tool: &Tool, registration: &Registration) {
    note(view, call, registration, tool, &format!("{} (denied)", tool.name), None);
}

/// Notes a call under a name, and how it ended.
pub(super) fn note(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
    tool: &Tool,
    name: &str,
    status: Option<i32>,
) {
    let what = match &tool.does {
        Does::Shell { command, .. } => command.clone(),
        Does::Edit(path) | Does::Read(path) | Does::Look(path) => {
            path.to_string_lossy().into_owned()
        }
        Does::Skill(name) => name.clone(),
        Does::Ask | Does::Other => String::new(),
    };
    let actor = &agent(call.harness, &call.conversation, call.subagent.as_deref());
    let deed = Deed { actor, tool: name, what: &what, status };
    activity::note(view, &registration.session, &deed);
}
