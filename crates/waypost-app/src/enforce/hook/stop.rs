//! The agent wants to end its turn: may it?

use waypost_core::command::Command;
use waypost_core::engine;
use waypost_core::evidence::{Tree, listed};
use waypost_core::gate::Scope;
use waypost_core::gate::action::Action;
use waypost_core::gate::before::ActionParts;
use waypost_core::gate::facts::Facts;
use waypost_core::gate::ruling::{Outcome, Ruling};
use waypost_core::next_step::Voice;
use waypost_core::session::Conversation;

use super::excerpt::excerpt_for;
use super::{Call, attach, call_activity, call_moments, locate, question};
use crate::error::AppError;
use crate::harness::Answer;
use crate::machine::host::Host;
use crate::rulings::judge::{self, Rules};
use crate::view::registry::Registration;
use crate::view::{View, agent, calls};

/// Rules on the end of a turn, with the last that the agent `said`. With something still running in the background
/// it is not the end: the harness asks again.
pub fn stop(
    host: &Host,
    call: &Call,
    background: bool,
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
    if !background {
        call_moments::quiet(&view, call);
    }
    let state = view.load(&registration.session)?;
    let action = Action::stop(call.conversation.clone());
    let (hash, excerpt) =
        excerpt_for(&view, &registration, &state, &action.kinds, ActionParts::default())?;
    let Some(known) = state.conversations.get(&call.conversation) else {
        return Ok(Answer::Silence);
    };
    if excerpt.gates.is_empty() || background || (!known.edited && known.turn_tree.is_none()) {
        return Ok(Answer::Silence);
    }
    let single_use = excerpt.gates.iter().filter(|gate| gate.scope == Scope::SingleUse);
    let single_use = single_use.map(|gate| gate.id.clone()).collect();
    let rules = Rules::of_excerpt(excerpt, &registration.session, &state);
    let (verdict, facts) = rules.judge(&view, &state, &action)?;
    let changes = Changes::of(known, &facts);
    let ruling = judge::ruling(&view, verdict, &state, facts, hash, action)?;
    let asks = said.is_some_and(question::asks);
    if ruling.outcome == Outcome::Deny {
        let pending = view.registry().is_asking(call.harness, &call.conversation);
        if pending || (asks && known.stop_blocks > 0) {
            return Ok(Answer::Message(waiting(&ruling)));
        }
    }
    let answer = answer(known, &ruling, &changes, asks, registration.voice());
    let stopping = Stopping { view: &view, call, registration: &registration };
    stopping.settle(ruling, changes, single_use)?;
    Ok(answer)
}

/// What changed in the turn that is about to end.
struct Changes {
    /// What the conversation may have changed.
    own: Vec<String>,
    /// All of it.
    all: Vec<String>,
}

impl Changes {
    fn of(known: &Conversation, facts: &Facts) -> Self {
        let then = known.turn_tree.as_ref().and_then(Tree::id);
        let own = then.and_then(|then| facts.concerning(then)).unwrap_or_default().to_vec();
        let all = then.and_then(|then| facts.changed.get(then)).cloned().unwrap_or_default();
        Self { own, all }
    }
}

/// Somebody's stop.
struct Stopping<'a> {
    view: &'a View<'a>,
    call: &'a Call,
    registration: &'a Registration,
}

impl Stopping<'_> {
    /// Records what came of it.
    fn settle(
        &self,
        ruling: Ruling,
        changes: Changes,
        single_use: Vec<String>,
    ) -> Result<(), AppError> {
        let Self { view, call, registration } = *self;
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
        calls::saw(view, tree.as_ref());
        if !single_use.is_empty() {
            let conversation = call.conversation.clone();
            let pass = Command::Pass { conversation, triggered: Vec::new(), consumed: single_use };
            view.execute(&registration.session, &actor, pass)?;
        }
        Ok(())
    }
}

/// What the agent or the user is told.
fn answer(
    known: &Conversation,
    ruling: &Ruling,
    changes: &Changes,
    asks: bool,
    voice: Voice,
) -> Answer {
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

/// What the user is told whom the agent asks something before it has done what gates ask for.
fn waiting(ruling: &Ruling) -> String {
    let open: Vec<&str> = ruling.unmet().map(|finding| finding.gate.as_str()).collect();
    format!("Waypost: the agent is asking you something. Still open: {}", open.join(", "))
}
