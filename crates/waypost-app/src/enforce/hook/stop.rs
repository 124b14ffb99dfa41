//! The agent wants to end its turn: may it?

use waypost_core::command::Command;
use waypost_core::engine;
use waypost_core::evidence::{Tree, listed};
use waypost_core::gate::Scope;
use waypost_core::gate::action::Action;
use waypost_core::gate::before::ActionParts;
use waypost_core::gate::ruling::{Outcome, Ruling};

use super::excerpt::excerpt_for;
use super::{Call, attach, call_moments, locate, question};
use crate::error::AppError;
use crate::harness::Answer;
use crate::machine::host::Host;
use crate::rulings::judge::{self, Rules};
use crate::view::{agent, calls};

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
    let single_use: Vec<String> = excerpt
        .gates
        .iter()
        .filter(|gate| gate.scope == Scope::SingleUse)
        .map(|gate| gate.id.clone())
        .collect();
    let rules = Rules::of_excerpt(excerpt, &registration.session, &state);
    let (verdict, facts) = rules.judge(&view, &state, &action)?;
    let then = known.turn_tree.as_ref().and_then(Tree::id);
    let mut found = then.and_then(|then| facts.concerning(then)).unwrap_or_default().to_vec();
    let all = then.and_then(|then| facts.changed.get(then)).cloned().unwrap_or_default();
    let ruling = judge::ruling(&view, verdict, &state, facts, hash, action)?;
    let (outcome, gave_way) = (ruling.outcome, ruling.gave_way);
    let asks = said.is_some_and(question::asks);
    if outcome == Outcome::Deny {
        let pending = view.registry().is_asking(call.harness, &call.conversation);
        if pending || (asks && known.stop_blocks > 0) {
            return Ok(Answer::Message(waiting(&ruling)));
        }
    }
    let mut text = known.told(&ruling, registration.voice());
    let is_named = found.iter().any(|file| text.contains(file.as_str()));
    if !found.is_empty() && !is_named && outcome == Outcome::Deny {
        text.push_str(&format!("\nChanged: {}", listed(&found)));
    }
    if asks {
        text.push_str("\nIf you need the user's answer first, ask again: the next stop is free.");
    }
    let tree = ruling.facts.tree.clone();
    let actor = agent(call.harness, &call.conversation, call.subagent.as_deref());
    let unenforced = !all.is_empty() && !view.registry().is_alive(&registration);
    if unenforced && found.is_empty() {
        found = all;
    }
    let settle = Command::SettleStop { ruling, found, unenforced };
    view.execute(&registration.session, &actor, settle)?;
    if outcome != Outcome::Deny {
        calls::saw(&view, tree.as_ref());
    }
    if outcome != Outcome::Deny && !single_use.is_empty() {
        let conversation = call.conversation.clone();
        let pass = Command::Pass { conversation, triggered: Vec::new(), consumed: single_use };
        view.execute(&registration.session, &actor, pass)?;
    }
    Ok(match outcome {
        Outcome::Deny => Answer::Deny(text),
        Outcome::Warn => Answer::Message(text),
        Outcome::Allow if gave_way => Answer::Message(format!(
            "{text}\nThe stop was held {} times and nothing moved, so it is allowed and recorded \
             as a violation.",
            engine::MAX_STOP_BLOCKS
        )),
        Outcome::Allow => Answer::Silence,
    })
}

/// What the user is told whom the agent asks something before it has done what gates ask for.
fn waiting(ruling: &Ruling) -> String {
    let open: Vec<&str> = ruling.unmet().map(|finding| finding.gate.as_str()).collect();
    format!("Waypost: the agent is asking you. Still open: {}", open.join(", "))
}
