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
        calls::note(view, &call.conversation, Moment::Began(id(tool)));
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
    if matches!(tool.does, Does::Edit(_)) {
        for path in &seen.paths {
            calls::edited(view, &call.conversation, path);
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
    calls::note(view, &call.conversation, moment);
}

/// The user sent a prompt, and the work tree was looked at.
pub(super) fn turn(view: &View<'_>, call: &Call, tree: Option<&Tree>) {
    calls::note(view, &call.conversation, Moment::Turn);
    calls::saw(view, tree);
}

/// The agent wants to stop, and nothing of it runs any more.
pub(super) fn quiet(view: &View<'_>, call: &Call) {
    calls::note(view, &call.conversation, Moment::Quiet);
}

/// Whether nobody can tell beforehand which files it changes.
fn may_write(tool: &Tool, seen: &SeenCall) -> bool {
    let is_shell = matches!(tool.does, Does::Shell { .. });
    (is_shell || seen.is_served()) && !matches!(tool.does, Does::Read(_))
}

fn id(tool: &Tool) -> String {
    tool.call.clone().unwrap_or_default()
}
