//! What the gates say of commits that exist already: whether their content was ever proven, however they were made.
//!
//! Nothing is recorded here.

use waypost_core::gate::Before;
use waypost_core::gate::action::{Action, NewCommit};
use waypost_core::gate::before::ActionParts;
use waypost_core::gate::facts::Facts;
use waypost_core::gate::ruling::{Outcome, Ruling};
use waypost_core::session::SessionState;

use crate::error::AppError;
use crate::rulings::facts;
use crate::rulings::judge::{self, Rules};
use crate::view::View;
use crate::view::registry::Registration;

/// What holds these commits; none if nothing does.
pub fn objection(
    view: &View<'_>,
    registration: &Registration,
    commits: &[String],
) -> Result<Option<Ruling>, AppError> {
    let state = view.load(&registration.session)?;
    let hash = view.policy_for(&state, &registration.conversation)?.hash.clone();
    let commits = commits.iter().map(NewCommit::new).collect();
    let Some(examined) = examine(view, registration, &state, &hash, commits)? else {
        return Ok(None);
    };
    if examined.verdict.outcome != Outcome::Deny {
        return Ok(None);
    }
    let Examined { verdict, facts, action } = examined;
    judge::ruling(view, verdict, &state, facts, hash, action).map(Some)
}

/// What the gates before a commit say of commits.
pub struct Examined {
    /// What they say.
    pub verdict: waypost_core::engine::Judgement,
    /// What they looked at.
    pub facts: Facts,
    /// What they were asked about.
    pub action: Action,
}

impl Examined {
    /// The files of a commit whose content nothing is known to have passed on, for some gate.
    pub fn unproven(&self, commit: &str) -> Vec<String> {
        let found = self.facts.unproven.values().flatten().filter(|one| one.sha == commit);
        let mut files: Vec<String> = found.flat_map(|one| one.files.iter().cloned()).collect();
        files.sort();
        files.dedup();
        files
    }
}

/// The files that commits changed.
fn changed_by(view: &View<'_>, commits: &[NewCommit]) -> Vec<String> {
    let ids: Vec<String> = commits.iter().map(|commit| commit.sha.clone()).collect();
    let changed = view.place().trees(view).changed_by(&ids).unwrap_or_default();
    let mut paths: Vec<String> = changed.into_values().flatten().collect();
    facts::leave_out_own(&mut paths);
    paths.sort();
    paths.dedup();
    paths
}

/// Asks the gates before a commit about commits; none where no gate stands there.
pub fn examine(
    view: &View<'_>,
    registration: &Registration,
    state: &SessionState,
    hash: &str,
    commits: Vec<NewCommit>,
) -> Result<Option<Examined>, AppError> {
    if commits.is_empty() {
        return Ok(None);
    }
    let excerpt = view.excerpt(hash, &[Before::Commit], ActionParts::default())?;
    let rules = Rules::of_excerpt(excerpt, &registration.session, state);
    if rules.gates.is_empty() {
        return Ok(None);
    }
    // Git is asked what they changed only where a gate is about some files.
    let asks = rules.gates.iter().any(|gate| gate.when.paths.is_some());
    let paths = if asks { changed_by(view, &commits) } else { Vec::new() };
    let action = Action {
        elsewhere: view.elsewhere(),
        commits,
        paths,
        ..Action::new(vec![Before::Commit], registration.conversation.clone())
    };
    let (verdict, facts) = rules.judge(view, state, &action)?;
    Ok(Some(Examined { verdict, facts, action }))
}
