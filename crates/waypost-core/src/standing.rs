//! Where a session stands: what holds, what is open and why, and the next step. Every surface renders
//! this and nothing else, so that no two of them disagree.

mod looked;
mod work;

use serde::Serialize;

use crate::gate::ruling::GateFinding;
use crate::gate::{Before, FindingStatus, Level, Source};
use crate::id::SessionId;
use crate::next_step::{NextStep, NumberedPhase, Voice};
use crate::session::{Build, Lifecycle};
use crate::text::spoken;
use crate::track::builtin::{WORKFLOW_SOURCE, WORKING};

pub use looked::{GateStatus, Looked, LookedStep, StepStatus};
pub use work::{CurrentTask, FailedPhase, Progress};

/// Where a session stands.
#[derive(Debug, Clone)]
pub struct Standing {
    /// Every gate that applies or could: the protocol's in their order, then the others, the
    /// strictest first.
    pub gates: Vec<GateStanding>,
    /// The next step.
    pub next: NextStep,
    /// The gate that the next step is for, if it is for one.
    pub next_for: Option<String>,
}

/// What a gate finds.
#[derive(Debug, Clone)]
pub struct GateStanding {
    /// Its name.
    pub gate: String,
    /// How much it insists.
    pub level: Level,
    /// How far it is from what it wants.
    pub status: FindingStatus,
    /// Whether nothing that it asks for is there, so that it asks for nothing.
    pub skipped: bool,
    /// What it says.
    pub message: String,
    /// Why it holds or not.
    pub why: String,
    /// What would satisfy it.
    pub next: NextStep,
    /// What it stands before.
    pub before: Vec<Before>,
    /// Whether it keeps work from going on while it is open.
    pub blocking: bool,
    /// Whether what it asks for is to be done: it is open, and if it only stands before what follows a change, something
    /// has changed.
    pub due: bool,
    /// Where it is written down.
    pub source: Source,
}

/// A gate as surfaces show it, in the words of whoever asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownGate {
    /// Its name.
    pub gate: String,
    /// How much it insists.
    pub level: Level,
    /// How far it is from what it wants.
    pub status: FindingStatus,
    /// What it says.
    pub message: String,
    /// Why it holds or not.
    pub why: String,
    /// The exact step that would satisfy it.
    pub next: String,
    /// What it stands before.
    pub before: Vec<Before>,
    /// Whether what it asks for is to be done now; else it is asked for once something has changed.
    pub due: bool,
    /// Where it is written down.
    pub source: Source,
}

/// Where a conversation is in the protocol that it follows, or would follow.
#[derive(Debug, Clone)]
pub struct Following {
    /// The phase that it is in; none before it began.
    pub phase: Option<String>,
    /// The gates that were missed and hold it.
    pub blocked_by: Vec<String>,
    /// Whether that comes after the work.
    pub is_behind_the_work: bool,
    /// The phase that comes next, and whether it is the last one.
    pub after: Option<(String, bool)>,
    /// Whether an agent asks, or has begun: otherwise nobody follows it.
    pub is_followed: bool,
    /// The protocol's gates.
    pub gates: Vec<Looked>,
}

/// What a standing depends on.
#[derive(Debug)]
pub struct Situation<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// Where it is in its life now.
    pub lifecycle: Lifecycle,
    /// Whether somebody said what it is for.
    pub is_named: bool,
    /// What the gates of the project and of the workflow find, and what each stands before.
    pub findings: Vec<(GateFinding, Vec<Before>)>,
    /// Where the conversation is in the protocol, if there is one.
    pub following: Option<Following>,
    /// Where the workflow is, if the session follows one.
    pub progress: Option<&'a Progress>,
    /// The phase whose completion failed.
    pub failed: Option<&'a FailedPhase>,
    /// How far building has come.
    pub build: &'a Build,
    /// What is to be done now.
    pub task: Option<&'a CurrentTask>,
    /// Whether something has changed that gates before a stop or a commit ask about.
    pub is_changed: bool,
}

impl Standing {
    /// Where a session stands, of which this is known.
    pub fn of(known: &Situation<'_>) -> Self {
        let protocol = known.following.iter().flat_map(|following| &following.gates);
        let mut gates: Vec<GateStanding> = protocol.map(GateStanding::of_protocol).collect();
        let mut others: Vec<GateStanding> =
            known.findings.iter().map(|(found, before)| GateStanding::of(found, before)).collect();
        others.sort_by_key(|gate| gate.level);
        gates.extend(others);
        for gate in &mut gates {
            gate.due = gate.is_open() && (known.is_changed || !follows_a_change(&gate.before));
        }
        let (next, next_for) = known.next(&gates);
        Self { gates, next, next_for }
    }

    /// The gates that are open.
    pub fn open(&self) -> impl Iterator<Item = &GateStanding> {
        self.gates.iter().filter(|gate| gate.is_open())
    }

    /// Whether the next step does not depend on gates that ask only when the work is over.
    pub fn is_held(&self) -> bool {
        let moves =
            matches!(self.next, NextStep::Begin | NextStep::Resume(_) | NextStep::Advance(_));
        moves || self.next_for.is_some()
    }

    /// Whether every must holds.
    pub fn holds(&self) -> bool {
        !self.open().any(|gate| gate.level == Level::Must)
    }

    /// The next step in the words of whoever asks, as a sentence.
    pub fn next_words(&self, voice: Voice) -> String {
        let gate = self.next_for.as_deref();
        let words = self.next.words_for(voice, gate);
        match gate {
            Some(gate) => format!("{words} (for {gate})."),
            None => format!("{words}."),
        }
    }
}

impl GateStanding {
    /// What a gate that stands before these actions finds.
    pub fn of(found: &GateFinding, before: &[Before]) -> Self {
        Self {
            gate: found.gate.clone(),
            level: found.level,
            status: found.status,
            skipped: false,
            message: found.message.clone(),
            why: found.why.clone(),
            next: found.next.clone(),
            before: before.to_vec(),
            blocking: found.level == Level::Must,
            due: false,
            source: found.source.clone(),
        }
    }

    fn of_protocol(looked: &Looked) -> Self {
        let open = looked.open().filter(|step| step.level == looked.level);
        let message: Vec<&str> = open.map(|step| step.requirement.as_str()).collect();
        Self {
            gate: looked.gate.clone(),
            level: looked.level,
            status: match looked.status {
                GateStatus::Fail => FindingStatus::Missing,
                GateStatus::Pass | GateStatus::Skipped => FindingStatus::Met,
            },
            skipped: looked.status == GateStatus::Skipped,
            message: message.join(" "),
            why: looked.evidence(),
            next: looked.next(),
            before: vec![Before::Phase(looked.before.clone())],
            blocking: looked.blocking && !looked.waits_for_end(),
            due: false,
            source: looked.source.clone(),
        }
    }

    /// Whether it asks for something that is not there.
    pub fn is_open(&self) -> bool {
        !self.skipped && self.status != FindingStatus::Met
    }

    /// In the words of whoever asks.
    pub fn shown(&self, voice: Voice) -> ShownGate {
        ShownGate {
            gate: self.gate.clone(),
            level: self.level,
            status: self.status,
            message: self.message.clone(),
            why: self.why.clone(),
            next: self.next.words_for(voice, Some(&self.gate)),
            before: self.before.clone(),
            due: self.due,
            source: self.source.clone(),
        }
    }

    /// Whether it is what a phase of a built-in workflow asks for.
    fn is_of_built_in_workflow(&self) -> bool {
        self.source.file == WORKFLOW_SOURCE
    }

    /// Whether it asks only when work is done.
    fn is_late(&self) -> bool {
        let late = |before: &Before| {
            matches!(
                before,
                Before::Stop | Before::End | Before::Commit | Before::Push | Before::Phase(_)
            )
        };
        self.before.iter().all(late)
    }
}

/// Whether a gate only stands before what somebody does who has changed something.
pub fn follows_a_change(before: &[Before]) -> bool {
    let follows = |before: &Before| matches!(before, Before::Stop | Before::Commit | Before::Push);
    !before.is_empty() && before.iter().all(follows)
}

impl Situation<'_> {
    /// The next step, and the gate that it is for.
    fn next(&self, gates: &[GateStanding]) -> (NextStep, Option<String>) {
        if self.lifecycle == Lifecycle::Paused || self.lifecycle.is_over() {
            return (NextStep::Resume(self.session.clone()), None);
        }
        let following = self.following.as_ref().filter(|following| following.is_followed);
        if let Some(step) = following.and_then(Following::early) {
            return step;
        }
        let own = || gates.iter().filter(|gate| !self.is_of_protocol(gate));
        let musts = || own().filter(|gate| gate.is_open() && gate.level == Level::Must);
        // Once everything holds that it failed for, there is nothing to mend any more.
        if let Some((failed, steps)) =
            self.failed.and_then(|failed| Some((failed, failed.steps(gates)?)))
        {
            let phase = NumberedPhase { name: spoken::name(&failed.phase), number: failed.number };
            return (NextStep::RetryPhase { steps, phase }, None);
        }
        if let Some(first) = musts().find(|gate| !gate.is_late()) {
            return (first.next.clone(), Some(first.gate.clone()));
        }
        if !self.is_named && following.is_none() {
            return (NextStep::Name, None);
        }
        if let Some(step) = following.and_then(Following::late) {
            return step;
        }
        let now = self.work(musts().find(|gate| gate.is_of_built_in_workflow()));
        // What the phase itself asks for is told by what is done now.
        let due = musts().filter(|gate| gate.due && !gate.is_of_built_in_workflow());
        let then: Vec<_> = due.map(|gate| (gate.gate.clone(), gate.next.clone())).collect();
        let is_free = now == NextStep::Work && !gates.iter().any(GateStanding::is_open);
        if then.is_empty() && !is_free {
            return (now, None);
        }
        (NextStep::Before { now: Box::new(now), then }, None)
    }

    fn is_of_protocol(&self, gate: &GateStanding) -> bool {
        let looked = self.following.iter().flat_map(|following| &following.gates);
        looked.into_iter().any(|looked| looked.gate == gate.gate)
    }

    /// What to work on, and how it is completed. `asks` is the gate by which the phase says what is missing.
    fn work(&self, asks: Option<&GateStanding>) -> NextStep {
        match (self.task, self.build.current(), self.progress) {
            (Some(task), _, _) => NextStep::CompleteTask {
                task: spoken::name(&task.id),
                title: spoken::quoted(&task.title, 120),
            },
            (None, Some(current), _) => NextStep::CompleteCheckpoint(current),
            (None, None, Some(progress)) if progress.complete => NextStep::End,
            (None, None, Some(progress)) => {
                let (name, number) = (spoken::name(&progress.phase), progress.number);
                let complete = NextStep::CompletePhase(NumberedPhase { name, number });
                match asks.map(|gate| gate.next.clone()) {
                    None => complete,
                    Some(step) if step.begins_build() => step,
                    Some(step) => step.then(complete),
                }
            }
            (None, None, None) => NextStep::Work,
        }
    }
}

impl Following {
    /// What the protocol asks for before the work.
    fn early(&self) -> Option<(NextStep, Option<String>)> {
        let Some(phase) = &self.phase else { return Some((NextStep::Begin, None)) };
        let missed = self.gates.iter().find(|looked| self.blocked_by.contains(&looked.gate));
        if let Some(missed) = missed.filter(|missed| missed.open_musts().next().is_some()) {
            return Some(first_must(missed));
        }
        if phase == WORKING || self.is_behind_the_work {
            return None;
        }
        Some(self.onward())
    }

    /// What the protocol asks for after the work.
    fn late(&self) -> Option<(NextStep, Option<String>)> {
        self.is_behind_the_work.then(|| self.onward())
    }

    /// What stands before the next phase, else entering it.
    fn onward(&self) -> (NextStep, Option<String>) {
        let Some((next, is_last)) = &self.after else { return (NextStep::End, None) };
        let holds = self.gates.iter().find(|looked| looked.before == *next && looked.holds_back());
        let unfinished = || self.gates.iter().find(|looked| looked.open_musts().next().is_some());
        match holds {
            Some(looked) => first_must(looked),
            // Only at the end does everything have to hold.
            None if *is_last => unfinished().map_or((NextStep::End, None), first_must),
            None => (NextStep::Advance(next.clone()), None),
        }
    }
}

/// The first must of a gate of the protocol that is open.
fn first_must(looked: &Looked) -> (NextStep, Option<String>) {
    let first = looked.open_musts().next().map(|step| step.next.clone());
    (first.unwrap_or_default(), Some(looked.gate.clone()))
}

#[cfg(test)]
mod tests;
