//! One session of another program becomes one of this project's.

use std::path::Path;

use waypost_core::command::{ProjectCommand, redact_import};
use waypost_core::event::{ImportSource, Past, SessionImported, SharedFact};
use waypost_core::evidence::{Mark, Provenance};
use waypost_core::gate::modes;
use waypost_core::session::SessionState;
use waypost_core::text::{one_line, shortened};
use waypost_core::track::Definition;
use waypost_store::look;

use super::copying::{Copying, Hashes};
use super::gathering::{Source, What};
use super::own::OwnSession;
use super::place::Place;
use super::{FoundSession, Outcome, SatisfiedGate, together};
use crate::documents::artifacts;
use crate::error::AppError;
use crate::foreign::requirement_state::SharedMark;
use crate::foreign::session::Brought;
use crate::foreign::session_folder;
use crate::share::adopt;
use crate::share::export::DERIVED;
use crate::tracks::catalogue;
use crate::view::View;

/// How much of an objective is told.
const MAX_OBJECTIVE: usize = 200;

/// Brings a session in. Fails if it cannot be taken; nothing of it is here then.
pub(super) fn bring(
    view: &View<'_>,
    source: Source,
    dry_run: bool,
) -> Result<FoundSession, AppError> {
    match source.what {
        What::Own(own) => bring_own(view, own, &source.shown, source.folder.as_deref(), dry_run),
        What::Foreign(brought) => {
            let from = ImportSource { path: source.shown, sha256: source.sha256 };
            bring_foreign(view, *brought, from, source.folder.as_deref(), dry_run)
        }
    }
}

fn bring_own(
    view: &View<'_>,
    own: OwnSession,
    shown: &str,
    folder: Option<&Path>,
    dry_run: bool,
) -> Result<FoundSession, AppError> {
    let (outcome, state, remarks) = own.bring(view, dry_run)?;
    let before = Hashes::new();
    let copying = Copying { view, id: &own.id, before: &before, dry_run };
    let mut copied = folder.map(|folder| copying.folder(folder, false)).unwrap_or_default();
    for (name, bytes) in &own.files {
        if is_plain(name) {
            copying.put(Path::new(name), bytes, &mut copied);
        } else {
            copied.remarks.push(format!("not copied: {}, no file of a session", one_line(name)));
        }
    }
    let remarks = remarks.into_iter().chain(copied.remarks).collect();
    Ok(FoundSession {
        outcome,
        format: "waypost".to_owned(),
        source: shown.to_owned(),
        objective: state.objective.clone().unwrap_or_default(),
        lifecycle: view.lifecycle(&state),
        phase: state.track.is_some().then(|| state.phase().to_owned()),
        files: copied.number,
        remarks,
        session_id: own.id,
    })
}

/// Whether a name is one of a file that people and agents write in a session's folder: it stays there, and nothing reads
/// it as anything else.
fn is_plain(name: &str) -> bool {
    let path = Path::new(name);
    let parts = || path.components();
    let stays = parts().next().is_some()
        && parts().all(|part| matches!(part, std::path::Component::Normal(_)));
    stays && !DERIVED.contains(&name) && artifacts::is_harmless(path)
}

fn bring_foreign(
    view: &View<'_>,
    mut brought: Brought,
    from: ImportSource,
    folder: Option<&Path>,
    dry_run: bool,
) -> Result<FoundSession, AppError> {
    let place = Place::of(view, &brought, &from.sha256)?;
    let id = place.id;
    if id.as_str() != brought.name {
        brought.remarks.push(format!("its name in the source is {}", one_line(&brought.name)));
    }
    let mut found = FoundSession {
        session_id: id.clone(),
        outcome: place.outcome,
        format: brought.format.to_owned(),
        source: from.path.clone(),
        objective: String::new(),
        lifecycle: waypost_core::session::Lifecycle::Unstarted,
        phase: None,
        files: 0,
        remarks: Vec::new(),
    };
    if !matches!(found.outcome, Outcome::Imported | Outcome::Updated) {
        let state = view.load(&id)?;
        describe(view, &mut found, &state);
        found.remarks.extend(place.why.map(str::to_owned));
        return Ok(found);
    }
    follow_here(view, &mut brought);
    let name = brought.name.clone();
    let mut imported = imported(view, brought, from);
    let before = place.known.as_ref().map(|known| known.files.clone()).unwrap_or_default();
    if let Some(known) = place.known {
        imported = together::with_what_is_known(view, &name, imported, &known);
        let has_files = folder.is_some();
        if together::says_the_same(&imported, &known) && !has_files {
            found.outcome = Outcome::Unchanged;
            let state = view.load(&id)?;
            describe(view, &mut found, &state);
            return Ok(found);
        }
    }
    if let Some(folder) = folder {
        let copying = Copying { view, id: &id, before: &before, dry_run };
        let copied = copying.folder(folder, true);
        found.files = copied.number;
        imported.files = copied.files;
        imported.remarks.extend(copied.remarks);
    }
    let redacted = match redact_import(&mut imported) {
        0 => None,
        1 => Some("1 text that looked like a credential was taken out".to_owned()),
        many => Some(format!("{many} texts that looked like credentials were taken out")),
    };
    imported.remarks.extend(redacted);
    found.remarks.clone_from(&imported.remarks);
    describe(view, &mut found, &foretold(view, &imported));
    if !dry_run && !adopt::import(view, &id, imported)? {
        // Somebody else imported just that meanwhile.
        found.outcome = Outcome::Unchanged;
    }
    Ok(found)
}

fn describe(view: &View<'_>, found: &mut FoundSession, state: &SessionState) {
    found.objective = shortened(&one_line(state.objective.as_deref().unwrap_or("")), MAX_OBJECTIVE);
    found.lifecycle = view.lifecycle(state);
    // What is over keeps the phase that it was last in.
    found.phase = state.track.as_ref().map(|track| track.phase.clone());
}

/// What the session's state will be.
fn foretold(view: &View<'_>, imported: &SessionImported) -> SessionState {
    let record = waypost_core::record::Record {
        seq: 1,
        time: view.host.now(),
        actor: view.actor(),
        event: waypost_core::event::Known::SessionImported(imported.clone()).into(),
    };
    SessionState::fold([&record])
}

/// A workflow that this project has too is followed by its own definition, where all phases are there that the session
/// knows: then what has to hold in them holds here as well.
fn follow_here(view: &View<'_>, brought: &mut Brought) {
    let (past, Some(sketch)) = (&mut brought.past, &brought.definition) else { return };
    if brought.format == session_folder::FORMAT || past.complete {
        return;
    }
    let name = past.workflow.clone().unwrap_or_else(|| sketch.name.clone());
    let Ok(Some(own)) = catalogue::definition(view, &name) else { return };
    let own = unfolded(view, own, past, sketch);
    let here = |number: u64| {
        let at = usize::try_from(number.checked_sub(own.first)?).ok()?;
        own.phases.get(at).map(|phase| phase.name.clone())
    };
    let current = past.phase.as_deref().and_then(|phase| sketch.number(phase)).and_then(here);
    let names: Option<Vec<String>> = past.phases.iter().map(|phase| here(phase.number)).collect();
    let (Some(current), Some(names)) = (current, names) else { return };
    for (phase, name) in past.phases.iter_mut().zip(names) {
        phase.name = name;
    }
    past.phase = Some(current);
    brought.remarks.push(format!("it goes on by the workflow {name} as this project has it now"));
    brought.definition = Some(own);
}

/// With the phases that follow from a file, where the session has come to one of them.
fn unfolded(view: &View<'_>, own: Definition, past: &Past, sketch: &Definition) -> Definition {
    let has_come_further = sketch.phases.len() > own.phases.len();
    let Some(file) = own.phases_from.as_deref().filter(|_| has_come_further) else { return own };
    let target = catalogue::target_of(&own, past.target.as_deref(), &past.options);
    catalogue::unfold(view, &own, file, target).unwrap_or(own)
}

fn imported(view: &View<'_>, brought: Brought, from: ImportSource) -> SessionImported {
    let mut past = brought.past;
    // What an import says can make nothing looser.
    let mode = view.configuration().policy.mode.as_str();
    past.mode = past.mode.filter(|told| modes::looseness(told) <= modes::looseness(mode));
    SessionImported {
        format: brought.format.to_owned(),
        worktree: view.project.worktree(),
        manifest: brought.manifest,
        from: Some(from),
        past: Box::new(past),
        definition: brought.definition.map(Box::new),
        original: brought.original,
        files: Hashes::new(),
        remarks: brought.remarks,
    }
}

/// Lets what was satisfied beyond a session count as somebody's claim, unless it does already. Returns what was new. What
/// is said of another project that is there counts there.
pub(super) fn share(
    view: &View<'_>,
    marks: Vec<SharedMark>,
    dry_run: bool,
) -> Result<Vec<SatisfiedGate>, AppError> {
    let mut new = Vec::new();
    for SharedMark { project, branch, gate, time, until, note } in marks {
        if is_of_another_project(view, &project) {
            continue;
        }
        let satisfied = time.map(|time| format!(" at {time}")).unwrap_or_default();
        let mark = Mark {
            gate: gate.clone(),
            provenance: Provenance::Claimed,
            conversation: None,
            until,
            tree: None,
            note: Some(format!("imported; satisfied{satisfied}: {note}")),
            shown: None,
            signature: None,
            signed_at: None,
        };
        let known = view
            .project_state()?
            .shared(&branch)
            .is_some_and(|ledger| ledger.marks.iter().any(|one| one.mark == mark));
        if known {
            continue;
        }
        new.push(SatisfiedGate { gate, branch: Some(branch.clone()).filter(|it| !it.is_empty()) });
        if !dry_run {
            let what = SharedFact::Mark(mark);
            view.execute_for_project(&view.actor(), ProjectCommand::Share { branch, what })?;
        }
    }
    Ok(new)
}

fn is_of_another_project(view: &View<'_>, project: &str) -> bool {
    let own = look::real(&view.project.root);
    let said = look::real(Path::new(project));
    // A project that was moved is not where it was.
    !project.is_empty() && matches!((own, said), (Ok(own), Ok(said)) if own != said)
}
