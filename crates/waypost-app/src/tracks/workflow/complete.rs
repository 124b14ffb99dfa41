//! Completing a phase: looking whether everything that must hold does, and going on if so.

use serde_json::{Map, Value};
use waypost_core::command::{Command, CompletePhase, Refusal, decide};
use waypost_core::evidence::Provenance;
use waypost_core::gate::proof::fields::FieldsProof;
use waypost_core::gate::{Before, Gate};
use waypost_core::id::SessionId;
use waypost_core::next_step::{Look, NextStep, Voice, amid, to as to_do};
use waypost_core::text::{did_you_mean, one_line, shortened};
use waypost_core::track::{Definition, Next, Phase};

use super::validation::Validation;
use super::{Workflow, back};
use crate::config::workflow::COMPLETE;
use crate::error::AppError;
use crate::rulings::fields;
use crate::tracks::catalogue;
use crate::view::human;
use crate::view::{Session, View};

/// No more than this is told of what nobody asked for.
const MAX_UNASKED: usize = 20;

/// What came of trying to complete a phase.
#[derive(Debug)]
pub struct Completed {
    /// The session.
    pub session: SessionId,
    /// The phase that was to be completed.
    pub phase: String,
    /// Whether everything that must hold does.
    pub passed: bool,
    /// What must hold and does not.
    pub errors: Vec<String>,
    /// What should hold and does not.
    pub warnings: Vec<String>,
    /// What to do next.
    pub next_steps: Vec<String>,
    /// The phase that the workflow is in now.
    pub current_phase: String,
    /// The phase that was entered, if one was.
    pub next_phase: Option<String>,
    /// Whether the workflow is complete.
    pub workflow_complete: bool,
    /// What somebody should be told about how the session is kept.
    pub told: Vec<String>,
}

/// Completes the phase that the workflow is in, if everything that must hold does. If not, that is
/// recorded, and the phase stays.
pub fn complete(
    view: &View<'_>,
    session: Option<&str>,
    phase: Option<&str>,
    evidence: Map<String, Value>,
) -> Result<Completed, AppError> {
    let workflow = Workflow::of(view, session)?;
    let phase = workflow.current(phase)?.name.clone();
    finish(view, &workflow, &phase, evidence, None)
}

/// Completes the phase that the workflow is in to enter `to`; after the last one comes
/// [`COMPLETE`]. Phases between them are left out where they may be; with a `reason`, so is the one that it is in.
pub fn transition(
    view: &View<'_>,
    session: Option<&str>,
    to: &str,
    reason: Option<&str>,
) -> Result<Completed, AppError> {
    let workflow = Workflow::of(view, session)?;
    let current = workflow.current(None)?;
    let phase = current.name.clone();
    let skipped = on_the_way(&workflow, &phase, to, reason)?;
    if let (None, Some(reason), true) = (&skipped, reason, current.is_skippable()) {
        let moved = back::skip(view, session, None, reason)?;
        let done = Completed {
            told: moved.warnings,
            ..Completed::of(&moved.session, &phase, Validation::default())
        };
        let to = Some(moved.to).filter(|to| *to != phase);
        return Ok(done.went_on(to, Some(phase), view.voice()));
    }
    let completed = finish(view, &workflow, &phase, Map::new(), skipped)?;
    if completed.passed {
        return Ok(completed);
    }
    let error = AppError::refused(format!(
        "phase {phase} is not complete: {}",
        completed.errors.join("; ")
    ));
    Err(completed.next_steps.into_iter().fold(error, AppError::hint))
}

/// The phases that are left out on the way to `to`; `None` leaves it to the workflow.
fn on_the_way(
    workflow: &Workflow,
    from: &str,
    to: &str,
    reason: Option<&str>,
) -> Result<Option<Vec<(String, String)>>, AppError> {
    let definition = &workflow.definition;
    let follow = definition.phases.iter().skip_while(|phase| phase.name != from).skip(1);
    let next = workflow.next_after(definition, from);
    if next.to.as_deref().unwrap_or(COMPLETE) == to {
        return Ok(None);
    }
    let not_next = || {
        let (from, to) = (from.to_owned(), to.to_owned());
        let next = Some(next.to.clone().unwrap_or_else(|| COMPLETE.to_owned()));
        let refusal = Refusal::NotNext { from, to, next };
        AppError::of_session(&workflow.session.id, &refusal)
    };
    let meant = definition.meant(to).map(|phase| phase.name.as_str());
    let between: Vec<_> = follow.take_while(|phase| Some(phase.name.as_str()) != meant).collect();
    let ahead = match meant {
        Some(name) => name != from && !is_behind(workflow, name),
        None => to == COMPLETE && definition.phases_from.is_none(),
    };
    let why = |phase: &Phase| {
        let by_itself = workflow.left_out(phase);
        let given =
            || reason.map_or_else(|| format!("{from} went straight to {to}"), str::to_owned);
        let on_request = || phase.is_skippable().then(given);
        Some((phase.name.clone(), by_itself.or_else(on_request)?))
    };
    let skipped: Option<Vec<_>> = between.into_iter().map(why).collect();
    skipped.filter(|_| ahead).map(Some).ok_or_else(not_next)
}

fn is_behind(workflow: &Workflow, phase: &str) -> bool {
    workflow.session.state.track.as_deref().is_some_and(|track| track.is_behind(phase))
}

fn finish(
    view: &View<'_>,
    workflow: &Workflow,
    phase: &str,
    evidence: Map<String, Value>,
    skipped: Option<Vec<(String, String)>>,
) -> Result<Completed, AppError> {
    refuse_early(workflow, phase, &evidence)?;
    let id = &workflow.session.id;
    let mut found = Validation::default();
    let extended = workflow.unfold(view, phase).unwrap_or_else(|error| {
        found.next_steps.extend(error.next(view.voice()));
        found.errors.push(error.message);
        None
    });
    let is_known = found.errors.is_empty();
    let definition = extended.as_ref().unwrap_or(&workflow.definition);
    let next = match skipped {
        Some(skipped) => {
            let last = skipped.last().map_or(phase, |(name, _)| name);
            let to = definition.after(last).map(|phase| phase.name.clone());
            Next { skipped, to }
        }
        None => workflow.next_after(definition, phase),
    };
    let provenance = human::word(view);
    let gates = super::between(definition, phase, next.to.as_deref());
    give(view, id, &gates, &evidence, provenance)?;
    found.warnings.extend(unasked(&gates, &evidence));
    found.look(view, workflow, phase, &gates)?;
    let entered = Before::Phase(next.to.clone().unwrap_or_else(|| COMPLETE.to_owned()));
    if let Some(current) = definition.phase(phase) {
        found.take(&workflow.ask_project(view, current, &entered)?, phase, view.voice());
    }
    if is_known {
        found.ask(view, workflow, entered)?;
    }
    let last = definition.phases.last().map(|phase| phase.name.clone());
    let complete = CompletePhase {
        phase: phase.to_owned(),
        evidence,
        provenance,
        errors: found.errors.clone(),
        warnings: found.warnings.clone(),
        next_steps: found.next_steps.clone(),
        extended,
        skipped: next.skipped,
    };
    let command = Command::CompletePhase(Box::new(complete));
    let told = view.execute(id, &view.actor(), command)?.warnings;
    let done = Completed { told, ..Completed::of(id, phase, found) };
    Ok(done.went_on(next.to, last, view.voice()))
}

impl Completed {
    /// A try to complete `phase`, of which nothing has come yet.
    fn of(session: &SessionId, phase: &str, found: Validation) -> Self {
        let Validation { errors, warnings, next_steps } = found;
        Self {
            session: session.clone(),
            phase: phase.to_owned(),
            passed: errors.is_empty(),
            errors,
            warnings,
            next_steps,
            current_phase: phase.to_owned(),
            next_phase: None,
            workflow_complete: false,
            told: Vec::new(),
        }
    }

    /// The same with what came of it: `to` was entered, or `last` is where it ended.
    fn went_on(mut self, to: Option<String>, last: Option<String>, voice: Voice) -> Self {
        if !self.passed {
            let again = NextStep::Complete(self.phase.clone());
            self.next_steps.push(to_do("then complete the phase", again).words(voice));
            return self;
        }
        self.workflow_complete = to.is_none();
        let step = match &to {
            Some(to) => {
                let work = format!("work on phase {to}: ");
                amid(work, Look::Phase(None), " tells what is to be done").words(voice)
            }
            None => "the workflow is complete: end the session".to_owned(),
        };
        self.next_steps.insert(0, step);
        if let Some(current) = to.clone().or(last) {
            self.current_phase = current;
        }
        self.next_phase = to;
        self
    }
}

/// Refuses what would be refused at the end, before anything that was given is recorded.
fn refuse_early(
    workflow: &Workflow,
    phase: &str,
    evidence: &Map<String, Value>,
) -> Result<(), AppError> {
    let failing = CompletePhase {
        phase: phase.to_owned(),
        evidence: evidence.clone(),
        provenance: Provenance::Claimed,
        // One that fails depends on nothing that is to be found out yet.
        errors: vec![String::new()],
        warnings: Vec::new(),
        next_steps: Vec::new(),
        extended: None,
        skipped: Vec::new(),
    };
    let Session { id, state } = &workflow.session;
    decide(state, Command::CompletePhase(Box::new(failing)))
        .map(drop)
        .map_err(|refusal| AppError::of_session(id, &refusal))
}

impl Workflow {
    pub(super) fn next_after(&self, definition: &Definition, phase: &str) -> Next {
        let track = self.session.state.track.as_deref();
        let target = track.and_then(|track| track.target.as_deref());
        definition.next_after(Some(phase), target, &self.course.options)
    }

    /// Why a phase leaves itself out; `None` if it does not.
    fn left_out(&self, phase: &Phase) -> Option<String> {
        let track = self.session.state.track.as_deref();
        let target = track.and_then(|track| track.target.as_deref());
        phase.left_out(target, &self.course.options)
    }

    /// The definition with the phases that follow, where none that is known does, and more are to
    /// be found in a file.
    pub(super) fn unfold(
        &self,
        view: &View<'_>,
        phase: &str,
    ) -> Result<Option<Definition>, AppError> {
        let is_last = self.next_after(&self.definition, phase).to.is_none();
        let file = self.definition.phases_from.as_deref().filter(|_| is_last);
        let track = self.session.state.track.as_deref();
        let (Some(file), Some(track)) = (file, track) else { return Ok(None) };
        let target = track.target.as_deref();
        let target = catalogue::target_of(&self.definition, target, &self.course.options);
        let extended = catalogue::unfold(view, &self.definition, file, target)?;
        view.blobs.keep_definition(&extended)?;
        Ok(Some(extended))
    }
}

/// Records what was given for the gates that ask for fields.
fn give(
    view: &View<'_>,
    session: &SessionId,
    gates: &[Gate],
    evidence: &Map<String, Value>,
    provenance: Provenance,
) -> Result<(), AppError> {
    for gate in gates {
        let Some(wanted) = fields::wanted(gate) else { continue };
        let found: Map<String, Value> = wanted
            .names()
            .into_iter()
            .filter_map(|name| {
                let given = given_as(evidence, &name)?.clone();
                Some((name, given))
            })
            .collect();
        if found.is_empty() {
            continue;
        }
        let evidence = fields::given(gate, found, provenance);
        view.execute(session, &view.actor(), Command::RecordEvidence(evidence))?;
    }
    Ok(())
}

/// What was given and no gate asks for, where gates ask for fields: most often another field was meant.
fn unasked(gates: &[Gate], evidence: &Map<String, Value>) -> Vec<String> {
    let wanted: Vec<String> =
        gates.iter().filter_map(fields::wanted).flat_map(FieldsProof::names).collect();
    let names: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let asked = |key: &str| wanted.iter().any(|name| is_spelt(key, name));
    let unasked = evidence.keys().filter(|key| !names.is_empty() && !asked(key));
    let told = |key: &String| {
        let meant = did_you_mean(key, &names)
            .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
        format!("`{}` is not asked for{meant}", shortened(&one_line(key), 60))
    };
    unasked.take(MAX_UNASKED).map(told).collect()
}

/// What was given under a field's name, or under words that spell it: `All tests pass` for `all_tests_pass`.
fn given_as<'e>(evidence: &'e Map<String, Value>, field: &str) -> Option<&'e Value> {
    let other = || evidence.iter().find(|(key, _)| is_spelt(key, field)).map(|(_, value)| value);
    evidence.get(field).or_else(other)
}

fn is_spelt(key: &str, field: &str) -> bool {
    let words = key.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    key == field || words.map(str::to_lowercase).collect::<Vec<_>>().join("_") == field
}
