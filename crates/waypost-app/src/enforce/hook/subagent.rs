//! Subagents: recorded, told what holds for them, and held like the conversation they work for.

use waypost_core::command::Command;
use waypost_core::gate::Level;
use waypost_core::gate::ruling::Outcome;
use waypost_core::standing::ShownGate;
use waypost_core::text::{one_line, shortened};

use super::stop::Stopping;
use super::{Call, locate};
use crate::error::AppError;
use crate::harness::Answer;
use crate::machine::host::Host;
use crate::view::agent;

/// A subagent begins. It is told which gates are open: it knows nothing of what its parent was told.
pub fn begin(host: &Host, call: &Call, agent_type: &str) -> Result<Answer, AppError> {
    let Some((view, Some(registration))) = locate(host, call)? else {
        return Ok(Answer::Silence);
    };
    let Some(subagent) = call.subagent.clone() else { return Ok(Answer::Silence) };
    let session = &registration.session;
    let actor = agent(call.harness, &call.conversation, None);
    let start = Command::StartSubagent {
        conversation: call.conversation.clone(),
        subagent: shortened(&one_line(&subagent), 64),
        agent_type: shortened(&one_line(agent_type), 64),
    };
    view.execute(session, &actor, start)?;
    let state = view.load(session)?;
    let stand = super::stand(&view, &registration, &state)?;
    let open = stand.open();
    let must = |open: &&ShownGate| open.level == Level::Must;
    let lines: Vec<String> = open.iter().filter(must).map(ShownGate::line).collect();
    if lines.is_empty() {
        return Ok(Answer::Silence);
    }
    let head = "Waypost: the gates of this session also apply to subagents. Open:";
    Ok(Answer::Context(format!("{head}\n{}", lines.join("\n"))))
}

/// A subagent is done: what it changed is asked about where it changed it. Its parent answers for that, too.
pub fn end(host: &Host, call: &Call) -> Result<Answer, AppError> {
    let (Some((view, Some(registration))), Some(subagent)) =
        (locate(host, call)?, call.subagent.clone())
    else {
        return Ok(Answer::Silence);
    };
    let subagent = shortened(&one_line(&subagent), 64);
    let stopping = Stopping { view: &view, call, registration: &registration };
    if let Some(answer) = held(&stopping, &subagent)? {
        return Ok(answer);
    }
    let actor = agent(call.harness, &call.conversation, None);
    let conversation = call.conversation.clone();
    let end = Command::EndSubagent { conversation, subagent };
    view.execute(&registration.session, &actor, end)?;
    Ok(Answer::Silence)
}

/// A piece of a subagent's work is done, and it goes on: what it changed is asked about all the same.
pub fn work_done(host: &Host, call: &Call) -> Result<Answer, AppError> {
    let (Some((view, Some(registration))), Some(subagent)) = (locate(host, call)?, &call.subagent)
    else {
        return Ok(Answer::Silence);
    };
    let stopping = Stopping { view: &view, call, registration: &registration };
    let held = held(&stopping, &shortened(&one_line(subagent), 64))?;
    Ok(held.unwrap_or(Answer::Silence))
}

/// What holds the end of a subagent; none if nothing does.
fn held(stopping: &Stopping<'_>, subagent: &str) -> Result<Option<Answer>, AppError> {
    let Stopping { view, call, registration } = *stopping;
    let state = view.load(&registration.session)?;
    let known = state.conversations.get(&call.conversation);
    let Some((known, own)) = known.and_then(|known| Some((known, known.subagents.get(subagent)?)))
    else {
        return Ok(None);
    };
    let mut places = vec![view.place().project.clone()];
    let others = own.elsewhere.iter().filter_map(|name| view.project.work_tree(name));
    for project in others.chain(own.edited.then(|| view.project.clone())) {
        if !places.iter().any(|known| known.root == project.root) {
            places.push(project);
        }
    }
    for project in places {
        let one = view.within(&project, || {
            stopping.judge_here(&state, Vec::new(), Some(subagent.to_owned()))
        })?;
        let Some(one) =
            one.filter(|one| one.ruling.outcome != Outcome::Allow || one.ruling.gave_way)
        else {
            continue;
        };
        let is_held = one.ruling.outcome == Outcome::Deny;
        let answer = one.answer(view, call, known, false, registration);
        stopping.settle(one)?;
        if is_held {
            return Ok(Some(answer));
        }
    }
    Ok(None)
}
