//! Subagents: recorded, told what holds for them, and held like the conversation they work for.

use waypost_core::command::Command;
use waypost_core::event::SubagentCalled;
use waypost_core::gate::Level;
use waypost_core::gate::ruling::Outcome;
use waypost_core::standing::ShownGate;
use waypost_core::text::{one_line, shortened};

use super::stop::Stopping;
use super::{Call, locate};
use crate::error::AppError;
use crate::harness::{Answer, ToolEnd};
use crate::machine::host::Host;
use crate::orchestration::verdicts::Asked;
use crate::view::{activity, agent, calls};

/// How many of a subagent's files are named.
const MAX_FILES: usize = 50;
/// How much is kept of what a call says that a subagent is for, in characters.
const MAX_ABOUT: usize = 200;

/// What one is told whose verdict a gate asks for: one that changes files on the way would judge its own work.
const JUDGES: &str = "Waypost: a gate asks for your verdict on this work. Look at it, give your verdict yourself, and \
                      change no file of the project until then: whoever changed the work cannot judge it. What you \
                      found belongs in the verdict and in your answer.";

/// A subagent begins. It is told which gates are open: it knows nothing of what its parent was told.
pub fn begin(host: &Host, call: &Call, agent_type: &str) -> Result<Answer, AppError> {
    let Some((view, Some(registration))) = locate(host, call)? else {
        return Ok(Answer::Silence);
    };
    let Some(subagent) = call.subagent.clone() else { return Ok(Answer::Silence) };
    let session = &registration.session;
    let actor = agent(call.harness, &call.conversation, None);
    let agent_type = shortened(&one_line(agent_type), 64);
    let before = view.glance(session)?;
    let policy = view.policy_for(&before, &call.conversation)?;
    // What it is going to judge is what it begins with.
    let judges = Asked::by(&policy.policy, &agent_type).is_some();
    let tree = judges.then(|| view.tree());
    calls::saw(&view, tree.as_ref());
    let start = Command::StartSubagent {
        conversation: call.conversation.clone(),
        subagent: shortened(&one_line(&subagent), 64),
        agent_type,
        tree,
    };
    view.execute(session, &actor, start)?;
    let state = view.load(session)?;
    let stand = super::stand(&view, &registration, &state)?;
    let open = stand.open();
    let must = |open: &&ShownGate| open.level == Level::Must;
    let lines: Vec<String> = open.iter().filter(must).map(ShownGate::line).collect();
    let mut told = Vec::new();
    if !lines.is_empty() {
        let head = "Waypost: the gates of this session also apply to subagents. Open:";
        told.push(format!("{head}\n{}", lines.join("\n")));
    }
    if judges {
        told.push(JUDGES.to_owned());
    }
    if told.is_empty() {
        return Ok(Answer::Silence);
    }
    Ok(Answer::Context(told.join("\n")))
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
    let session = &registration.session;
    let label = agent(call.harness, &conversation, Some(&subagent)).label();
    let files = activity::files_by(&view, session, &label).into_iter().take(MAX_FILES).collect();
    let end = Command::EndSubagent { conversation, subagent, files };
    view.execute(session, &actor, end)?;
    Ok(Answer::Silence)
}

/// What is told of a subagent when the call that started it returned.
pub(super) fn returned(called: &SubagentCalled, ended: ToolEnd) -> SubagentCalled {
    let short = |text: &str, most| shortened(&one_line(text), most);
    SubagentCalled {
        subagent: short(&called.subagent, 64),
        agent_type: short(&called.agent_type, 64),
        about: short(&called.about, MAX_ABOUT),
        call: called.call.as_deref().map(|call| short(call, 64)),
        usage: called.usage,
        background: called.background,
        failed: !ended.is_success(),
    }
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
