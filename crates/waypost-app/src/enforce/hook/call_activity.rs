//! Tool calls as activity: all of them, whether a gate cares or not.

use super::Call;
use crate::harness::{Does, Tool};
use crate::view::activity::{self, Deed};
use crate::view::registry::Registration;
use crate::view::{View, agent};

/// A call that was denied before any gate was asked is activity too.
pub(super) fn denied(view: &View<'_>, call: &Call, tool: &Tool, registration: &Registration) {
    note(
        view,
        call,
        registration,
        tool,
        &CallEnd { name: &format!("{} (denied)", tool.name), ..CallEnd::default() },
    );
}

/// How a call ended.
#[derive(Debug, Default)]
pub(super) struct CallEnd<'a> {
    /// The name that it is noted under.
    pub(super) name: &'a str,
    /// Its status, where that is known.
    pub(super) status: Option<i32>,
    /// The files of the project that it changed.
    pub(super) files: &'a [String],
}

/// Notes a call, and how it ended.
pub(super) fn note(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
    tool: &Tool,
    end: &CallEnd<'_>,
) {
    let what = match &tool.does {
        Does::Shell { command, .. } => command.clone(),
        Does::Edit(path) | Does::Read(path) | Does::Look(path) => {
            path.to_string_lossy().into_owned()
        }
        Does::Skill(name) => name.clone(),
        Does::EditUnnamed | Does::Git { .. } | Does::Ask | Does::Other => String::new(),
    };
    let actor = &agent(call.harness, &call.conversation, call.subagent.as_deref());
    let CallEnd { name, status, files } = *end;
    activity::note(
        view,
        &registration.session,
        &Deed { actor, tool: name, what: &what, status, files },
    );
}

/// Notes which files a turn changed that no call of it named.
pub(super) fn found(view: &View<'_>, call: &Call, registration: &Registration, files: &[String]) {
    let actor = &agent(call.harness, &call.conversation, call.subagent.as_deref());
    let deed = Deed { actor, tool: "(found at the stop)", what: "", status: None, files };
    activity::note(view, &registration.session, &deed);
}
