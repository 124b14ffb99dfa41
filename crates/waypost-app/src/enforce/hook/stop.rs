//! The agent wants to end its turn: may it? Asked in every work tree of the project where it has something to settle,
//! and about every commit that came to be.

use waypost_core::command::Command;
use waypost_core::engine;
use waypost_core::evidence::{Tree, listed};
use waypost_core::gate::action::{Action, NewCommit};
use waypost_core::gate::before::ActionParts;
use waypost_core::gate::facts::Facts;
use waypost_core::gate::ruling::{Outcome, Ruling};
use waypost_core::gate::{Before, Gate};
use waypost_core::next_step::Voice;
use waypost_core::session::{Conversation, SessionState};

use super::background::Background;
use super::commits::Noticing;
use super::excerpt::excerpt_for;
use super::{Call, attach, call_activity, call_moments, locate, question, usage, worktrees};
use crate::error::AppError;
use crate::harness::{Answer, Task};
use crate::machine::host::Host;
use crate::machine::project::Project;
use crate::rulings::judge::{self, Rules};
use crate::view::registry::Registration;
use crate::view::{View, agent, calls};

/// What is about to be over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The turn.
    Turn,
    /// A piece of work within it: nothing is settled by that, and what is not proven holds it all the same.
    Work,
}

/// Rules on the end of a turn, with the last that the agent `said` and what still runs in the background.
pub fn stop(
    host: &Host,
    call: &Call,
    ending: Ending,
    tasks: &[Task],
    said: Option<&str>,
) -> Result<Answer, AppError> {
    let Some((view, registration)) = locate(host, call)? else {
        return Ok(Answer::Silence);
    };
    let registration = match registration {
        Some(registration) => Some(registration),
        None => attach::known_here(&view, call)?,
    };
    let Some(registration) = registration else { return Ok(Answer::Silence) };
    let (registration, _) = attach::remembered(&view, call, registration)?;
    let used = (ending == Ending::Turn).then(|| usage::count(&view, call, &registration)).flatten();
    let answer = ended(&view, call, &registration, &Turn { ending, tasks, said })?;
    Ok(answer.and_told(used.map(|used| format!("Waypost: {used}"))))
}

/// What is about to be over, and how.
struct Turn<'a> {
    ending: Ending,
    tasks: &'a [Task],
    said: Option<&'a str>,
}

fn ended(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
    turn: &Turn<'_>,
) -> Result<Answer, AppError> {
    let Turn { ending, tasks, said } = *turn;
    let stopping = Stopping { view, call, registration };
    if !tasks.iter().any(Task::ends) && ending == Ending::Turn {
        stopping.quiet()?;
    }
    let (judged, unknown) = stopping.judge()?;
    let state = view.load(&registration.session)?;
    let Some(known) = state.conversations.get(&call.conversation) else {
        return Ok(Answer::Silence);
    };
    let Some(denied) = judged.iter().find(|one| one.ruling.outcome == Outcome::Deny) else {
        let mut answers =
            judged.iter().map(|one| one.answer(view, call, known, false, registration));
        let answer = answers.find(|answer| *answer != Answer::Silence);
        let untold = unknown.map(|why| {
            Answer::Message(format!("Waypost: git cannot tell which commits came to be: {why}"))
        });
        let answer = answer.or(untold).unwrap_or(Answer::Silence);
        if ending == Ending::Turn {
            judged.into_iter().try_for_each(|one| stopping.settle(one))?;
        }
        return Ok(answer);
    };
    let background = Background { view, call, tasks };
    if let Some(told) = background.postpones(&denied.project, known, &denied.ruling) {
        return Ok(Answer::Message(told));
    }
    let asks = said.is_some_and(question::asks);
    let pending = view.registry().is_asking(call.harness, &call.conversation);
    if ending == Ending::Turn && (pending || (asks && known.stop_blocks > 0)) {
        return Ok(Answer::Message(waiting(&denied.ruling)));
    }
    let answer = denied.answer(view, call, known, asks, registration);
    if ending == Ending::Work {
        return stopping.hold_work(known, denied, answer);
    }
    let denied = judged.into_iter().filter(|one| one.ruling.outcome == Outcome::Deny);
    denied.take(1).try_for_each(|one| stopping.settle(one))?;
    Ok(answer)
}

/// What changed in the turn that is about to end.
#[derive(Debug, Default)]
struct Changes {
    /// What the conversation may have changed.
    own: Vec<String>,
    /// All of it.
    all: Vec<String>,
}

impl Changes {
    fn of(known: &Conversation, facts: &Facts, elsewhere: Option<&str>) -> Self {
        let then = known.turn_tree(elsewhere).and_then(Tree::id);
        let own = then.and_then(|then| facts.concerning(then)).unwrap_or_default().to_vec();
        let all = then.and_then(|then| facts.changed.get(then)).cloned().unwrap_or_default();
        Self { own, all }
    }
}

/// What the gates say of a stop in one work tree.
pub(super) struct Judged {
    pub(super) project: Project,
    pub(super) ruling: Ruling,
    changes: Changes,
    single_use: Vec<String>,
}

/// Somebody's stop.
#[derive(Clone, Copy)]
pub(super) struct Stopping<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) call: &'a Call,
    pub(super) registration: &'a Registration,
}

impl Stopping<'_> {
    /// Nothing of the conversation runs any more, in any work tree.
    fn quiet(&self) -> Result<(), AppError> {
        let state = self.view.load(&self.registration.session)?;
        for project in self.places(&state) {
            self.view.within(&project, || call_moments::quiet(self.view, self.call));
        }
        Ok(())
    }

    /// The conversation's own work tree, and the others where it has something to settle.
    fn places(&self, state: &SessionState) -> Vec<Project> {
        let known = state.conversations.get(&self.call.conversation);
        let names = known.into_iter().flat_map(|known| known.elsewhere.keys());
        let others = names.filter_map(|name| self.view.project.work_tree(name));
        std::iter::once(self.view.project.clone()).chain(others).collect()
    }

    /// What the gates say, in each work tree, and why git cannot tell which commits came to be.
    fn judge(&self) -> Result<(Vec<Judged>, Option<String>), AppError> {
        let Self { view, call, registration } = *self;
        let state = view.load(&registration.session)?;
        // Whatever cannot be read holds, before anything else is looked at.
        view.policy_for_call(&state, registration)?;
        // Where git cannot tell, gates about content cannot either, and say what that means for them.
        let (found, unknown) = match (Noticing { view, call, registration }).open()? {
            Ok(found) => (found, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let state = view.load(&registration.session)?;
        let mut places: Vec<(Project, Vec<NewCommit>)> =
            self.places(&state).into_iter().map(|project| (project, Vec::new())).collect();
        for branch in found {
            let is_here = |(project, _): &&mut (Project, _)| project.root == branch.project.root;
            match places.iter_mut().find(is_here) {
                Some((_, commits)) => commits.extend(branch.commits),
                None => places.push((branch.project, branch.commits)),
            }
        }
        let mut judged = Vec::new();
        for (project, commits) in places {
            let one = view.within(&project, || self.judge_here(&state, commits, None))?;
            judged.extend(one);
        }
        Ok((judged, unknown))
    }

    /// What the gates say in the work tree that things happen in; none where nothing is to be asked.
    pub(super) fn judge_here(
        &self,
        state: &SessionState,
        commits: Vec<NewCommit>,
        subagent: Option<String>,
    ) -> Result<Option<Judged>, AppError> {
        let Self { view, call, registration } = *self;
        let Some(known) = state.conversations.get(&call.conversation) else { return Ok(None) };
        let (elsewhere, open) = (view.elsewhere(), &state.open_commits);
        let unruled =
            commits.iter().any(|one| open.iter().any(|open| open.sha == one.sha && open.unruled));
        let kinds = [Before::Stop, Before::Commit, Before::Edit];
        let details = ActionParts::default();
        let (hash, mut excerpt) = excerpt_for(view, registration, state, &kinds, details)?;
        let tree = known.turn_tree(elsewhere.as_deref());
        let nothing = !known.has_edited(elsewhere.as_deref()) && tree.is_none();
        if excerpt.gates.is_empty() || (nothing && commits.is_empty()) {
            return Ok(None);
        }
        let asks = |gate: &Gate| {
            gate.before.contains(&Before::Stop)
                || (!commits.is_empty() && gate.before.contains(&Before::Commit))
        };
        excerpt.gates.retain(asks);
        let stands = |gate: &&Gate| gate.before.contains(&Before::Stop);
        let single_use = excerpt.gates.iter().filter(stands);
        let is_used_up = |gate: &&Gate| gate.is_used_up_by(&[Before::Stop], false);
        let single_use = single_use.filter(is_used_up);
        let single_use = single_use.map(|gate| gate.id.clone()).collect();
        let action = Action {
            elsewhere: elsewhere.clone(),
            subagent,
            commits,
            unruled,
            ..Action::stop(call.conversation.clone())
        };
        let rules = Rules::of_excerpt(excerpt, &registration.session, state);
        let (verdict, facts) = rules.judge_stop(view, state, &action)?;
        let changes = Changes::of(known, &facts, elsewhere.as_deref());
        let ruling = judge::ruling(view, verdict, state, facts, hash, action)?;
        let project = view.place().project.clone();
        Ok(Some(Judged { project, ruling, changes, single_use }))
    }

    /// A piece of work is told once that something is not proven: the stop asks for it, and has its own patience.
    fn hold_work(
        &self,
        known: &Conversation,
        denied: &Judged,
        answer: Answer,
    ) -> Result<Answer, AppError> {
        let ruling = Ruling { stop_block: None, ..denied.ruling.clone() };
        if known.was_held_by(&ruling) {
            return Ok(Answer::Silence);
        }
        let actor = agent(self.call.harness, &self.call.conversation, None);
        self.view.execute(&self.registration.session, &actor, Command::Rule(ruling))?;
        Ok(answer)
    }

    /// Records what came of it.
    pub(super) fn settle(&self, judged: Judged) -> Result<(), AppError> {
        let Self { view, call, registration } = *self;
        let Judged { project, ruling, changes, single_use } = judged;
        let (outcome, tree) = (ruling.outcome, ruling.facts.tree.clone());
        let unenforced = !changes.all.is_empty() && !view.registry().is_alive(registration);
        let found = if unenforced && changes.own.is_empty() { changes.all } else { changes.own };
        if !found.is_empty() {
            call_activity::found(view, call, registration, &found);
        }
        let actor = agent(call.harness, &call.conversation, call.subagent.as_deref());
        let settle = Command::SettleStop { ruling, found, unenforced };
        view.execute(&registration.session, &actor, settle)?;
        if outcome == Outcome::Deny {
            return Ok(());
        }
        view.within(&project, || calls::saw(view, tree.as_ref()));
        if !single_use.is_empty() {
            let conversation = call.conversation.clone();
            let (triggered, consumed) = (single_use.clone(), single_use);
            let pass = Command::Pass { conversation, triggered, consumed };
            view.execute(&registration.session, &actor, pass)?;
        }
        Ok(())
    }
}

impl Judged {
    /// What the agent or the user is told.
    pub(super) fn answer(
        &self,
        view: &View<'_>,
        call: &Call,
        known: &Conversation,
        asks: bool,
        registration: &Registration,
    ) -> Answer {
        let told =
            |text: String| view.within(&self.project, || worktrees::placed(view, call, text));
        match self.told(known, asks, registration.voice()) {
            Answer::Deny(text) => Answer::Deny(told(text)),
            Answer::Message(text) => Answer::Message(told(text)),
            other => other,
        }
    }

    fn told(&self, known: &Conversation, asks: bool, voice: Voice) -> Answer {
        let Self { ruling, changes, .. } = self;
        let mut text = known.told(ruling, voice);
        match ruling.outcome {
            Outcome::Deny => {
                let is_named = changes.own.iter().any(|file| text.contains(file.as_str()));
                if !changes.own.is_empty() && !is_named {
                    text.push_str(&format!("\nChanged: {}", listed(&changes.own)));
                }
                if asks {
                    text.push_str(
                        "\nIf you need the user's answer first, ask again: the next stop is free.",
                    );
                }
                Answer::Deny(text)
            }
            Outcome::Warn => Answer::Message(text),
            Outcome::Allow if ruling.gave_way => Answer::Message(format!(
                "{text}\nThe stop was held {} times and nothing moved, so it is allowed and recorded \
                 as a violation.",
                engine::MAX_STOP_BLOCKS
            )),
            Outcome::Allow => Answer::Silence,
        }
    }
}

/// What the user is told whom the agent asks something before it has done what gates ask for.
fn waiting(ruling: &Ruling) -> String {
    let open: Vec<&str> = ruling.unmet().map(|finding| finding.gate.as_str()).collect();
    format!("Waypost: the agent is asking you something. Still open: {}", open.join(", "))
}
