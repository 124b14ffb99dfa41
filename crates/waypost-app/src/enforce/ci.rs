//! The gates for a pipeline: what a plain checkout and the published copies in it tell.
//!
//! It may run where there is neither key nor store. Nothing is written: streams and trees that are
//! needed for comparing live in a folder of their own that is removed afterwards. What is recorded
//! only on the machine where it happened (evidence that counts on a branch or for good) cannot be
//! told here, and is said to be so.

mod range;
mod store;

use serde::Serialize;
use waypost_core::event::{Event, Known};
use waypost_core::gate::action::Action;
use waypost_core::gate::facts::Facts;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::ruling::{GateFinding, Outcome};
use waypost_core::gate::{Before, FindingStatus, Gate, Level};
use waypost_core::id::SessionId;
use waypost_core::record::Record;
use waypost_core::session::{Basics, Lifecycle, SessionState};
use waypost_core::time::Timestamp;

pub use range::{Commit, Range};

use crate::enforce::gates;
use crate::error::{AppError, Kind};
use crate::machine::host::{Clock, Host};
use crate::machine::project;
use crate::rulings::judge::Rules;
use crate::rulings::violations::{self, RecordedViolation};
use crate::view::View;
use crate::view::copy::{self, Copy, Kept};

/// What is wanted of a report.
#[derive(Debug, Default)]
pub struct Wanted<'a> {
    /// The session whose gates are looked at, if not that of the branch.
    pub session: Option<&'a str>,
    /// Where the range of commits begins, if not where the branch left the default one.
    pub base: Option<&'a str>,
    /// The branch, where it is not the one that is checked out.
    pub branch: Option<String>,
    /// The branch by the pipeline's word, for a checkout that is on none.
    pub pipeline_branch: Option<String>,
    /// Whether a session that is missing or unverified is a failure too.
    pub strict: bool,
}

/// What a checkout tells.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Whether all required gates hold.
    pub passed: bool,
    /// Why not, a line each.
    pub failures: Vec<String>,
    /// The branch.
    pub branch: Option<String>,
    /// What could not be understood in waypost.toml.
    pub problems: Vec<String>,
    /// The published copies.
    pub copies: Vec<CopyReport>,
    /// The session whose gates were looked at.
    pub judged: Option<Judged>,
    /// Gates that cannot be told from a copy, because what satisfies them counts beyond sessions.
    pub untold: Vec<String>,
    /// The commits since the base.
    pub range: Range,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// A published copy.
#[derive(Debug, Serialize)]
pub struct CopyReport {
    /// The session.
    pub session_id: SessionId,
    /// What it is worth.
    pub kept: Kept,
    /// What there is to say about that.
    pub remark: Option<String>,
    /// What it is for.
    pub objective: Option<String>,
    /// The branch it began on.
    pub branch: Option<String>,
    /// Where it is in its life, by the copy.
    pub lifecycle: Lifecycle,
    /// How many records it has.
    pub records: usize,
    /// How many musts were missed in it.
    pub violations: u64,
    /// Whether it is over while a conversation had changes that no gate had settled.
    pub ended_open: bool,
}

/// The session whose gates were looked at.
#[derive(Debug, Serialize)]
pub struct Judged {
    /// The session.
    pub session_id: SessionId,
    /// The time that counts as now: that of its last record.
    pub at: Timestamp,
    /// What the gates say together.
    pub outcome: Outcome,
    /// What each gate before a commit, a push, a stop or the end found.
    pub gates: Vec<GateFinding>,
    /// The musts that were missed.
    pub violations: Vec<Missed>,
}

/// A must that was missed.
#[derive(Debug, Serialize)]
pub struct Missed {
    /// What was recorded.
    #[serde(flatten)]
    pub recorded: RecordedViolation,
    /// Whether its gate still does not hold.
    pub open: bool,
}

/// Looks at the checkout around the folder that the command was called in.
pub fn report(host: &Host, wanted: &Wanted<'_>) -> Result<Report, AppError> {
    let scratch = store::Scratch::new(host)?;
    let project = scratch.around(project::require(&host.cwd)?);
    let view = View::with(host, project, store::keys(host)?);
    let sources = view.sources();
    if let Some(error) = &sources.error {
        return Err(error.clone());
    }
    let policy = sources.policy.clone().ok_or_else(|| {
        AppError::configuration("this checkout has no waypost.toml")
            .hint("commit it: the gates that a pipeline looks at are written there")
    })?;
    let mut notes = sources.warnings.clone();
    let problems: Vec<String> =
        gates::list(&view)?.problems.iter().map(ToString::to_string).collect();
    notes.retain(|note| !problems.contains(note));
    let mut copies = Vec::new();
    for id in copy::ids(&view) {
        copies.extend(copy::of(&view, &id)?);
    }
    let here = || view.branch().or_else(|| wanted.pipeline_branch.clone());
    let branch = wanted.branch.clone().or_else(here);
    let range = range::of(&view, wanted.base, &recorded(&copies))?;
    let chosen = chosen(&view, &copies, wanted.session, branch.as_deref())?;
    let asked = Asked { view: &view, branch: branch.clone(), range: &range };
    let (told, untold) = asked.gates(policy);
    let judged = chosen.map(|copy| asked.judge(copy, told)).transpose()?;
    let mut report = Report {
        passed: true,
        failures: Vec::new(),
        branch,
        problems,
        copies: copies.iter().map(CopyReport::of).collect(),
        judged,
        untold,
        range,
        notes,
    };
    report.conclude(wanted);
    Ok(report)
}

impl Report {
    /// What sort of failure it is; none if everything holds.
    pub fn kind(&self) -> Option<Kind> {
        if self.copies.iter().any(|copy| copy.kept.is_in_doubt()) {
            Some(Kind::Integrity)
        } else if !self.problems.is_empty() {
            Some(Kind::Configuration)
        } else {
            (!self.passed).then_some(Kind::Refused)
        }
    }

    fn conclude(&mut self, wanted: &Wanted<'_>) {
        let mut failures: Vec<String> = self.problems.clone();
        for copy in self.copies.iter().filter(|copy| copy.kept.is_in_doubt()) {
            let remark = copy.remark.as_deref().unwrap_or("it is not what Waypost wrote");
            let state = match copy.kept {
                Kept::Newer => "cannot be read to its end",
                _ => "was changed",
            };
            failures.push(format!("the copy of {} {state}: {remark}", copy.session_id));
        }
        match &self.judged {
            Some(judged) if judged.outcome == Outcome::Deny => {
                let unmet = judged.gates.iter().filter(|found| is_open_must(found));
                failures.extend(unmet.map(|found| format!("{}: {}", found.gate, found.why)));
            }
            Some(_) => {}
            None => {
                let branch = self.branch.as_deref().unwrap_or("no branch");
                let told = format!(
                    "no session of {branch} is published here, so no gate was judged; \
                     `publish = \"always\"` in waypost.toml publishes every one that has a name"
                );
                if wanted.strict { failures.push(told) } else { self.notes.push(told) }
            }
        }
        let judged = self.judged.as_ref().map(|judged| &judged.session_id);
        let copy = self.copies.iter().find(|copy| Some(&copy.session_id) == judged);
        if let Some(copy) = copy.filter(|copy| copy.kept == Kept::Unverified) {
            let remark = copy.remark.as_deref().unwrap_or_default();
            let told = format!("what {} tells is unverified: {remark}", copy.session_id);
            if wanted.strict { failures.push(told) } else { self.notes.push(told) }
        }
        self.passed = failures.is_empty();
        self.failures = failures;
    }
}

impl CopyReport {
    fn of(copy: &Copy) -> Self {
        let state = SessionState::fold(&copy.records);
        let unsettled = state.conversations.values().any(|known| known.edited);
        Self {
            session_id: copy.id.clone(),
            kept: copy.kept,
            remark: copy.remark.clone(),
            ended_open: state.lifecycle.is_over() && unsettled,
            objective: state.objective,
            branch: state.branch,
            lifecycle: state.lifecycle,
            records: copy.records.len(),
            violations: state.violations,
        }
    }
}

fn is_open_must(found: &GateFinding) -> bool {
    found.level == Level::Must && found.status != FindingStatus::Met
}

/// What judging depends on.
struct Asked<'a> {
    view: &'a View<'a>,
    branch: Option<String>,
    range: &'a Range,
}

impl Asked<'_> {
    /// The gates that a copy can tell about, and the names of those that it cannot. They are asked as
    /// one: whatever they stand before in a session has been done by now.
    fn gates(&self, mut policy: Policy) -> (Policy, Vec<String>) {
        let done = [Before::Commit, Before::Push, Before::Stop, Before::End];
        // What other tools require is for whoever works, and holds a turn once.
        policy.gates.retain(|gate| !gate.imported);
        policy.gates.retain(|gate| gate.before.iter().any(|before| done.contains(before)));
        let (shared, mut told): (Vec<Gate>, Vec<Gate>) =
            policy.gates.into_iter().partition(|gate| gate.scope.is_shared());
        for gate in &mut told {
            gate.before = vec![Before::End];
            if self.range.files.is_none() {
                // Which files are concerned cannot be told, so all are.
                gate.when.paths = None;
            }
        }
        policy.gates = told;
        (policy, shared.into_iter().map(|gate| gate.id).collect())
    }

    /// What the gates find by the copy's records, at the time of the last one.
    fn judge(&self, copy: &Copy, policy: Policy) -> Result<Judged, AppError> {
        let state = SessionState::fold(&copy.records);
        let at = state.updated_at.unwrap_or_else(|| self.view.host.now());
        let host = Host { clock: Clock::Fixed(at), ..self.view.host.clone() };
        let ring = self.view.log.ring().clone();
        let view = View::with(&host, self.view.project.clone(), ring);
        let mut action = Action::new(vec![Before::End], state.latest_conversation());
        action.paths = self.range.files.clone().unwrap_or_default();
        let rules = Rules::of(policy, &copy.id, &state);
        let at_hand = Facts::at(at, self.branch.clone());
        let (verdict, _) = rules.judge_knowing(&view, &state, &action, at_hand)?;
        let gates = verdict.findings;
        let open = |gate: &str| gates.iter().any(|found| found.gate == gate && is_open_must(found));
        let mut missed = Vec::new();
        for record in &copy.records {
            violations::note(&mut missed, record);
        }
        let violations = missed
            .into_iter()
            .map(|recorded| Missed { open: open(&recorded.violation.gate), recorded })
            .collect();
        let session_id = copy.id.clone();
        Ok(Judged { session_id, at, outcome: verdict.outcome, gates, violations })
    }
}

/// The copy whose gates are looked at: the one that is named, else the branch's latest.
fn chosen<'c>(
    view: &View<'_>,
    copies: &'c [Copy],
    named: Option<&str>,
    branch: Option<&str>,
) -> Result<Option<&'c Copy>, AppError> {
    let readable = |copy: &&Copy| matches!(copy.kept, Kept::Copy | Kept::Live | Kept::Unverified);
    if let Some(named) = named {
        let id = view.id_by_prefix(named)?;
        let found = copies.iter().find(|copy| copy.id == id).filter(readable);
        // One that was changed is told of as such; nothing it says is worth judging.
        return Ok(found);
    }
    let of_branch = copies.iter().filter(readable).filter_map(|copy| {
        let updated = SessionState::fold(&copy.records).updated_at;
        was_on(&copy.records, branch?).then_some((updated, copy))
    });
    Ok(of_branch.max_by_key(|(updated, _)| *updated).map(|(_, copy)| copy))
}

/// Whether a session belongs to a branch, or once did: an agent that says otherwise later does not
/// take what it did there out of sight.
fn was_on(records: &[Record], branch: &str) -> bool {
    let mut state = SessionState::default();
    records.iter().any(|record| {
        state.apply(record);
        state.branch.as_deref() == Some(branch)
    })
}

/// The hashes of all commits that a session recorded.
fn recorded(copies: &[Copy]) -> Vec<String> {
    let readable = copies.iter().filter(|copy| copy.kept != Kept::Damaged);
    readable.flat_map(|copy| &copy.records).flat_map(commits).collect()
}

fn commits(record: &Record) -> Vec<String> {
    match &record.event {
        Event::Known(Known::CommitAdded(commit)) => vec![commit.sha.clone()],
        Event::Known(Known::SessionImported(imported)) => {
            let basics = Basics::read(&imported.manifest);
            basics.commits.into_iter().map(|commit| commit.sha).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost_core::actor::Actor;
    use waypost_core::event::{GitChanged, SessionStarted};
    use waypost_core::time::Timestamp;

    #[test]
    fn a_session_stays_one_of_every_branch_that_it_was_on() {
        let began = SessionStarted {
            objective: None,
            workflow: "none".into(),
            branch: Some("main".into()),
            commit: None,
            worktree: None,
        };
        let changed = GitChanged { branch: Some("x".into()), ..GitChanged::default() };
        let events = [Known::SessionStarted(began), Known::GitChanged(changed)];
        let record = |(seq, event): (u64, Known)| Record {
            seq,
            time: Timestamp::saturating_from_millis(0),
            actor: Actor::Human,
            event: event.into(),
        };
        let records: Vec<Record> = (1..).zip(events).map(record).collect();
        assert!(was_on(&records, "main"));
        assert!(was_on(&records, "x"));
        assert!(!was_on(&records, "y"));
    }
}
