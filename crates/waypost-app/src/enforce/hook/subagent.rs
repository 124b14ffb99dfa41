//! Subagents: recorded, told what holds for them, and held like the conversation they work for.

use waypost_core::command::Command;
use waypost_core::gate::Level;
use waypost_core::standing::ShownGate;
use waypost_core::text::{one_line, shortened};

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

/// A subagent is done. Its parent answers for what it changed.
pub fn end(host: &Host, call: &Call) -> Result<Answer, AppError> {
    let (Some((view, Some(registration))), Some(subagent)) =
        (locate(host, call)?, call.subagent.clone())
    else {
        return Ok(Answer::Silence);
    };
    let actor = agent(call.harness, &call.conversation, None);
    let conversation = call.conversation.clone();
    let subagent = shortened(&one_line(&subagent), 64);
    let end = Command::EndSubagent { conversation, subagent };
    view.execute(&registration.session, &actor, end)?;
    Ok(Answer::Silence)
}
