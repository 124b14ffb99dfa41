//! When calls that may change files begin and end, so that it can be told later whose a change is.

use waypost_core::evidence::Tree;
use waypost_core::shell::Analysis;

use super::Call;
use super::seen_call::SeenCall;
use crate::harness::{Does, Tool};
use crate::view::View;
use crate::view::calls::{self, Moment};

/// A call is about to begin.
pub(super) fn began(view: &View<'_>, call: &Call, tool: &Tool, seen: &SeenCall) {
    if may_write(tool, seen) {
        wherever(view, seen, || note(view, call, Moment::Began(id(tool))));
    }
    match (&tool.does, &call.subagent) {
        (Does::Ask, None) => view.registry().ask(call.harness, &call.conversation),
        // Whoever goes on has an answer, or waits for none.
        (_, None) => view.registry().answered(call.harness, &call.conversation),
        (_, Some(_)) => {}
    }
}

/// A call ended, or what it started goes on.
pub(super) fn ended(view: &View<'_>, call: &Call, tool: &Tool, seen: &SeenCall) {
    if tool.does == Does::Ask {
        view.registry().answered(call.harness, &call.conversation);
    }
    if let Some(task) = &tool.starts {
        wherever(view, seen, || note(view, call, Moment::Task(task.clone())));
    }
    if matches!(tool.does, Does::Edit(_)) {
        let subagent = call.subagent.as_deref();
        for path in &seen.paths {
            calls::edited(view, &call.conversation, subagent, path);
        }
        for other in &seen.elsewhere {
            view.within(&other.project, || {
                for path in &other.paths {
                    calls::edited(view, &call.conversation, subagent, path);
                }
            });
        }
    }
    if !may_write(tool, seen) {
        return;
    }
    // A server's tools may say nothing of how a command ends, and have ended all the same.
    let goes_on = matches!(tool.does, Does::Shell { background: true, .. }) && !seen.is_served();
    let leaves = seen.analysis.as_ref().is_some_and(Analysis::leaves_running);
    let moment = match (leaves, goes_on) {
        (true, _) => Moment::LeftBehind(id(tool)),
        (false, true) => Moment::Backgrounded(id(tool)),
        (false, false) => Moment::Ended(id(tool)),
    };
    wherever(view, seen, || note(view, call, moment.clone()));
}

/// The user sent a prompt, and the work tree was looked at.
pub(super) fn turn(view: &View<'_>, call: &Call, tree: Option<&Tree>) {
    note(view, call, Moment::Turn);
    calls::saw(view, tree);
}

/// The agent wants to stop, and nothing of it runs any more.
pub(super) fn quiet(view: &View<'_>, call: &Call) {
    note(view, call, Moment::Quiet);
}

fn note(view: &View<'_>, call: &Call, moment: Moment) {
    calls::note(view, &call.conversation, call.subagent.as_deref(), moment);
}

/// Does something in every work tree that the call may change.
fn wherever(view: &View<'_>, seen: &SeenCall, act: impl Fn()) {
    act();
    for other in &seen.elsewhere {
        view.within(&other.project, &act);
    }
}

/// Whether nobody can tell beforehand which files it changes.
pub(super) fn may_write(tool: &Tool, seen: &SeenCall) -> bool {
    let is_unclear = matches!(tool.does, Does::Shell { .. } | Does::EditUnnamed | Does::Git { .. });
    (is_unclear || seen.is_served()) && !matches!(tool.does, Does::Read(_))
}

fn id(tool: &Tool) -> String {
    tool.call.clone().unwrap_or_default()
}
