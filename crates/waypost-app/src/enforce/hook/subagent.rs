//! Subagents: recorded, told what holds for them, and held like the conversation they work for.

use waypost_core::command::Command;
use waypost_core::event::SubagentCalled;
use waypost_core::gate::Level;
use waypost_core::gate::ruling::Outcome;
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::session::SessionState;
use waypost_core::standing::ShownGate;
use waypost_core::text::{one_line, shortened};

use super::stop::Stopping;
use super::{Call, locate};
use crate::error::AppError;
use crate::harness::{Answer, ToolEnd};
use crate::machine::host::Host;
use crate::orchestration;
use crate::orchestration::verdicts::Asked;
use crate::view::registry::Registration;
use crate::view::{View, activity, agent, calls};

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
    let state = view.load(session)?;
    let kind = call.agent_type.as_deref().unwrap_or_default();
    let begun = begun_unseen(&view, call, session, &state, &subagent, kind)?;
    let end = Command::EndSubagent { conversation, subagent, files };
    view.execute_all(session, &actor, begun.into_iter().chain([end]))?;
    Ok(Answer::Silence)
}

/// That a subagent began, where no hook saw that and another one tells of it. What a client makes for itself, to sum up
/// what was said, has no type.
fn begun_unseen(
    view: &View<'_>,
    call: &Call,
    session: &SessionId,
    state: &SessionState,
    subagent: &str,
    kind: &str,
) -> Result<Option<Command>, AppError> {
    let conversation = &call.conversation;
    let of_it = |whose: Option<&ConversationId>, name: Option<&str>| {
        whose == Some(conversation) && name == Some(subagent)
    };
    let own = state.conversations.get(conversation);
    let known = &state.orchestration.invocations;
    let is_known = own.is_some_and(|own| own.subagents.contains_key(subagent))
        || known.iter().any(|one| of_it(one.conversation.as_ref(), one.subagent.as_deref()));
    if kind.is_empty() || subagent.is_empty() || is_known {
        return Ok(None);
    }
    // Those that left the state are in the records alone.
    let (_, agents) = orchestration::all(view, Some(session.as_str()))?;
    let all = &agents.invocations;
    if all.iter().any(|one| of_it(one.conversation.as_ref(), one.subagent.as_deref())) {
        return Ok(None);
    }
    Ok(Some(Command::StartSubagent {
        conversation: conversation.clone(),
        subagent: subagent.to_owned(),
        agent_type: shortened(&one_line(kind), 64),
        tree: None,
    }))
}

/// Records what is told of a subagent when the call that started it returned. One that works on in the background may
/// begin after that.
pub(super) fn returned(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
    state: &SessionState,
    called: &SubagentCalled,
) -> Result<(), AppError> {
    let SubagentCalled { subagent, agent_type, .. } = called;
    let session = &registration.session;
    let begun = if called.background {
        None
    } else {
        begun_unseen(view, call, session, state, subagent, agent_type)?
    };
    let conversation = &call.conversation;
    let end = begun.is_some().then(|| Command::EndSubagent {
        conversation: conversation.clone(),
        subagent: subagent.clone(),
        files: Vec::new(),
    });
    let (conversation, called) = (conversation.clone(), called.clone());
    let returned = Command::ReturnSubagent { conversation, called };
    let actor = agent(call.harness, &call.conversation, call.subagent.as_deref());
    let commands = begun.into_iter().chain([returned]).chain(end);
    let executed = view.execute_all(session, &actor, commands)?;
    view.tell_mended(&executed);
    Ok(())
}

/// What a call says of the subagent that it started, as it is recorded.
pub(super) fn told(called: &SubagentCalled, ended: ToolEnd) -> SubagentCalled {
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
