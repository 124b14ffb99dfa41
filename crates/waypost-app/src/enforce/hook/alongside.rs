//! Several agents in one work tree: whoever is about to change a file is told that another conversation changed it
//! minutes ago, and whoever sees a run fail, that it names only files of others. Nobody is held by this; gates are.

use std::borrow::Cow;

use waypost_core::alongside::{AT_IT, NamedFiles, OtherConversation};
use waypost_core::gate::policy::Excerpt;
use waypost_core::gate::{Before, Proof};
use waypost_core::shell::{self, Analysis};

use super::Call;
use super::seen_call::SeenCall;
use crate::enforce::alongside;
use crate::enforce::counting::Terms;
use crate::harness::{Answer, ToolEnd};
use crate::rulings::judge::Rules;
use crate::view::View;
use crate::view::edits::{self, Doer};
use crate::view::registry::Registration;

fn doer<'a>(call: &'a Call, registration: &'a Registration) -> Doer<'a> {
    Doer {
        harness: call.harness,
        conversation: &call.conversation,
        session: &registration.session,
        subagent: call.subagent.as_deref(),
        agent_type: call.agent_type.as_deref(),
    }
}

/// What others changed minutes ago that a call is about to change, unless its agent was told of that change already.
pub(super) fn warning(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
    seen: &SeenCall,
) -> Option<String> {
    let doer = doer(call, registration);
    let here = || {
        let is_edit = seen.kinds.contains(&Before::Edit);
        if is_edit { changed(view, &doer, &seen.paths) } else { Vec::new() }
    };
    let mut told = here();
    for other in seen.elsewhere.iter().filter(|other| other.kinds.contains(&Before::Edit)) {
        told.extend(view.within(&other.project, || changed(view, &doer, &other.paths)));
    }
    let now = view.host.moment();
    let told: Vec<String> = told.iter().map(|other| other.told(now)).collect();
    (!told.is_empty()).then(|| {
        format!(
            "Waypost: {}. Read it again before you change it, and keep what was done there",
            told.join("; ")
        )
    })
}

fn changed(view: &View<'_>, doer: &Doer<'_>, paths: &[String]) -> Vec<OtherConversation> {
    if paths.is_empty() {
        return Vec::new();
    }
    let others = edits::of_others_at(view, doer.conversation, AT_IT, paths);
    if others.is_empty() {
        return Vec::new();
    }
    let (now, files) = (view.host.moment(), edits::real_names(view, paths));
    let others = others.iter().filter_map(|other| other.within(now, AT_IT, &files));
    edits::untold(view, doer, others.collect())
}

/// The same on top of what gates warn of, unless one of them asks for it anyway.
pub(super) fn on_top(
    answer: Answer,
    rules: &Rules,
    warning: impl FnOnce() -> Option<String>,
) -> Answer {
    let asks = |proof: &Proof| {
        let mut found = false;
        proof.each(&mut |one| found |= *one == Proof::AlonePaths);
        found
    };
    match answer {
        Answer::Context(_) if !rules.gates.iter().any(|gate| asks(&gate.proof)) => {
            also(answer, warning())
        }
        answer => answer,
    }
}

/// An answer, and what else the agent is told.
pub(super) fn also(answer: Answer, told: Option<String>) -> Answer {
    match (answer, told) {
        (Answer::Silence, Some(told)) => Answer::Context(told),
        (Answer::Context(text), Some(told)) => Answer::Context(format!("{text}\n{told}")),
        (answer, _) => answer,
    }
}

/// Notes what a call changed.
pub(super) fn changed_by(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
    seen: &SeenCall,
) {
    let doer = doer(call, registration);
    if seen.kinds.contains(&Before::Edit) {
        edits::note(view, &doer, &seen.paths);
    }
    for other in seen.elsewhere.iter().filter(|other| other.kinds.contains(&Before::Edit)) {
        view.within(&other.project, || edits::note(view, &doer, &other.paths));
    }
}

/// What to know of a run that failed.
pub(super) fn failed(
    view: &View<'_>,
    call: &Call,
    excerpt: &Excerpt,
    line: &Analysis,
    ended: ToolEnd,
    printed: &[Cow<'_, str>],
) -> Option<String> {
    if !matches!(ended, ToolEnd::Failed(_)) {
        return None;
    }
    let terms = Terms { root: &view.place().project.root, own: &excerpt.runners };
    let is_run = excerpt
        .watched
        .ran
        .iter()
        .any(|watched| shell::ran(line, &terms.awaited(watched).with_parts()).is_some());
    if !is_run {
        return None;
    }
    let mut named = NamedFiles::default();
    for text in printed {
        named.feed(text.as_bytes());
        named.feed(b"\n");
    }
    let told = alongside::blamed(view, &call.conversation, &call.cwd, named)?;
    Some(format!("Waypost: {told}."))
}
