//! How a run gets into the records, whoever saw it: with how many tests it executed, compared with the last
//! time that something was proven.

use waypost_core::actor::Actor;
use waypost_core::command::{Command, ProjectCommand};
use waypost_core::event::SharedFact;
use waypost_core::evidence::baseline::{Compared, Failing};
use waypost_core::evidence::{MAX_FAILED, Run, TestCount};
use waypost_core::gate::policy::Watched;
use waypost_core::gate::proof::ran::WatchedRun;
use waypost_core::gate::{Gate, Proof};
use waypost_core::id::SessionId;
use waypost_core::runner::tally::Counted;
use waypost_core::session::SessionState;
use waypost_core::text::spoken::count;

use crate::error::AppError;
use crate::view::{View, calls};

/// A run that is to be recorded.
pub struct Recording<'a> {
    /// The project and its records.
    pub view: &'a View<'a>,
    /// Who ran it.
    pub actor: &'a Actor,
    /// In which session.
    pub session: &'a SessionId,
    /// What gates wait for.
    pub watched: &'a Watched,
}

impl Recording<'_> {
    /// Records a run and what its output says. Returns what whoever ran it should know about it.
    pub fn record(&self, mut run: Run, counted: Counted) -> Result<Option<String>, AppError> {
        run.tests = counted.tests;
        let state = self.view.load(self.session)?;
        run.flaky = flaky(&state, &run, &counted.failed);
        if run.has_failed() {
            self.compare(&state, &mut run, &counted)?;
            run.failed = counted.failed;
            run.failed.truncate(MAX_FAILED);
        }
        let branch = self.view.branch();
        if let Some(branch) = &branch {
            run.before = self.proven_before(branch, &run)?;
        }
        for branch in self.shared_on(&run.patterns) {
            self.share(branch, SharedFact::Run(run.clone()))?;
        }
        let told = told(&run);
        let proven: Vec<SharedFact> = self.proves(&run).map(SharedFact::Proven).collect();
        calls::saw(self.view, Some(&run.tree_after));
        let executed = self.view.execute(self.session, self.actor, Command::RecordRun(run))?;
        self.view.tell_mended(&executed);
        // The run itself is recorded by now, and nothing else may be said of it.
        let kept = proven
            .into_iter()
            .try_for_each(|proven| self.share(branch.clone().unwrap_or_default(), proven));
        Ok(match (kept, told) {
            (Err(error), None) => {
                Some(format!("how many tests it executed could not be kept: {error}"))
            }
            (_, told) => told,
        })
    }

    /// Compares a run that failed with what failed when the conversation began, where a gate asks for it.
    fn compare(
        &self,
        state: &SessionState,
        run: &mut Run,
        counted: &Counted,
    ) -> Result<(), AppError> {
        let asks = |what: &&String| {
            let mut watched = self.watched.ran.iter().filter(|watched| watched.baseline);
            watched.any(|watched| watched.name() == **what)
        };
        let began = self.began_on(state);
        for what in run.patterns.clone().iter().filter(asks) {
            let mut failing = Failing::of(what, run, counted);
            let on_beginning = failing.as_ref().is_some_and(|on| began.as_ref() == Some(&on.tree));
            if (on_beginning || self.actor.conversation().is_none())
                && let Some(failing) = failing.take()
            {
                self.share(String::new(), SharedFact::Failing(failing))?;
            }
            run.compared = match &began {
                Some(began) => self.compared(what, began, run, counted)?,
                None => None,
            };
            // What is as it was may be where the next conversation begins.
            if let Some(failing) = failing.filter(|_| run.fails_as_before()) {
                self.share(String::new(), SharedFact::Failing(failing))?;
            }
        }
        Ok(())
    }

    fn compared(
        &self,
        what: &str,
        began: &str,
        run: &Run,
        counted: &Counted,
    ) -> Result<Option<Box<Compared>>, AppError> {
        let state = self.view.project_state()?;
        let failing = state.shared("").and_then(|known| known.failing(what, began));
        Ok(failing.map(|failing| Box::new(failing.compare(run, counted))))
    }

    /// The work tree that the conversation began with; where a human runs it, the one that came last.
    fn began_on(&self, state: &SessionState) -> Option<String> {
        if let Some(conversation) = self.actor.conversation() {
            return state.began_on(conversation).map(str::to_owned);
        }
        let known = state.conversations.values().filter(|known| known.began_on.is_some());
        known.max_by_key(|known| known.first).and_then(|known| known.began_on.clone())
    }

    fn share(&self, branch: String, what: SharedFact) -> Result<(), AppError> {
        self.view.execute_for_project(self.actor, ProjectCommand::Share { branch, what })
    }

    /// How many tests were executed when the same was last proven on the branch; the most, where a run is
    /// of several things.
    fn proven_before(&self, branch: &str, run: &Run) -> Result<Option<u64>, AppError> {
        let state = self.view.project_state()?;
        let known = state.shared(branch);
        Ok(run.patterns.iter().filter_map(|what| known?.proven(what)).max())
    }

    /// The numbers of tests that count from now on. Where a gate asks for no fewer, fewer prove nothing.
    fn proves<'r>(&'r self, run: &'r Run) -> impl Iterator<Item = TestCount> + 'r {
        let tests = run.proven().filter(|tests| run.before != Some(*tests));
        let fewer = run.fewer().is_some();
        let asks = move |what: &&String| {
            let watched = self.watched.ran.iter().find(|watched| watched.name() == **what);
            !(fewer && watched.is_some_and(|watched| watched.not_fewer))
        };
        let what = run.patterns.iter().filter(asks);
        what.filter_map(move |what| Some(TestCount { what: what.clone(), tests: tests? }))
    }

    /// The branches on which what fits one of `patterns` counts beyond its session.
    fn shared_on(&self, patterns: &[String]) -> Vec<String> {
        shared_on(self.view, self.watched, patterns)
    }
}

/// The branches on which what gates call by one of these `names` counts beyond its session.
pub fn shared_on(view: &View<'_>, watched: &Watched, names: &[String]) -> Vec<String> {
    let mut branches = Vec::new();
    if names.iter().any(|name| watched.on_branch.contains(name)) {
        branches.extend(view.branch());
    }
    if names.iter().any(|name| watched.for_good.contains(name)) {
        branches.push(String::new());
    }
    branches
}

/// A human approves a gate: where it asks for no fewer tests, as many count from now on as its last run executed.
pub fn accept_count(
    view: &View<'_>,
    actor: &Actor,
    state: &SessionState,
    gate: &Gate,
) -> Result<(), AppError> {
    let mut names = Vec::new();
    gate.proof.each(&mut |proof| {
        if let Proof::Ran(ran) = proof
            && ran.not_fewer
        {
            names.push(WatchedRun::of(gate, ran).name());
        }
    });
    for what in names {
        let runs = state.ledger.runs.iter().filter(|run| run.run.patterns.contains(&what));
        let last = runs.max_by_key(|run| run.seq).and_then(|run| run.run.proven());
        if let (Some(tests), Some(branch)) = (last, view.branch()) {
            let what = SharedFact::Proven(TestCount { what, tests });
            view.execute_for_project(actor, ProjectCommand::Share { branch, what })?;
        }
    }
    Ok(())
}

/// The tests that failed in an earlier run of the same on the same content, and not in this one.
fn flaky(state: &SessionState, run: &Run, failed: &[String]) -> Vec<String> {
    let is_same = |known: &&Run| {
        known.patterns == run.patterns
            && known.tree_after.id().is_some()
            && [&known.tree_after, &run.tree_before].iter().all(|tree| **tree == run.tree_after)
    };
    let runs = state.ledger.runs.iter().map(|known| &known.run).filter(is_same);
    let mut flaky: Vec<String> = Vec::new();
    for name in runs.flat_map(|known| known.failed.iter().chain(&known.flaky)) {
        if flaky.len() < MAX_FAILED && !failed.contains(name) && !flaky.contains(name) {
            flaky.push(name.clone());
        }
    }
    flaky
}

/// What whoever ran it should know: that it proves nothing, or less than the last one.
fn told(run: &Run) -> Option<String> {
    if let Some(compared) = &run.compared {
        let as_before = || "only tests that failed before fail, so it counts".to_owned();
        return Some(compared.objection(run).unwrap_or_else(as_before));
    }
    if run.status != 0 {
        return None;
    }
    if let Some(tests) = run.tests.filter(|tests| tests.failed > 0) {
        return Some(format!("{} of its tests failed, so it proves nothing", tests.failed));
    }
    if let Some(tests) = run.tests.filter(|tests| tests.executed() == 0) {
        let skipped = if tests.skipped > 0 { ", all were skipped" } else { "" };
        return Some(format!("this run executed no test{skipped}, so it proves nothing"));
    }
    if let Some((now, before)) = run.fewer() {
        return Some(format!("this run executed {}, {before} before", count(now, "test")));
    }
    let flaky = run.flaky.first()?;
    let more = if run.flaky.len() > 1 { " and others" } else { "" };
    Some(format!("{flaky}{more} failed before on the same content, so it is flaky"))
}
