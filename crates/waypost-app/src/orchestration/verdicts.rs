//! What agents say of each other's work, and how well it is known who said it.

use waypost_core::actor::Actor;
use waypost_core::command::{OrchestrationCommand, OrchestrationRefusal};
use waypost_core::evidence::{Confidence, Provenance, Tree, VerdictGiven, VerdictWord};
use waypost_core::gate::Proof;
use waypost_core::gate::policy::Policy;
use waypost_core::session::SessionState;

use super::recorded::{Recorded, record, record_by};
use crate::error::AppError;
use crate::view::calls::Calls;
use crate::view::human;
use crate::view::registry::{CalledBy, Registration};
use crate::view::{Session, View, activity, agent, project_at};

/// How many files are named that somebody judges who changed them.
const MAX_OWN: usize = 10;

/// A verdict as somebody tells it.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// Whose it is.
    pub agent: String,
    /// What it says.
    pub decision: String,
    /// How sure it is.
    pub confidence: f64,
    /// Why.
    pub reasoning: String,
    /// What has to be done before it agrees.
    pub conditions: Vec<String>,
    /// What stands in the way.
    pub blockers: Vec<String>,
}

/// A verdict that was recorded.
#[derive(Debug)]
pub struct Given {
    /// The record.
    pub recorded: Recorded,
    /// How well it is known whose it is.
    pub provenance: Provenance,
    /// Why it counts for no gate, where it does not.
    pub why_not: Option<String>,
}

/// The call of a tool with which something came: by that it is known who called.
#[derive(Debug, Clone)]
pub struct Witnessed {
    /// The harness' name for the call.
    pub call: String,
    /// A digest of what the tool was given.
    pub given: String,
}

/// Records a verdict.
pub fn judge(
    view: &View<'_>,
    session: Option<&str>,
    told: Told,
    call: Option<&Witnessed>,
) -> Result<Given, AppError> {
    let session = view.session(session)?;
    let (verdict, confidence) = checked(&told)?;
    let author = Author::of(view, &session, &told.agent, call);
    let asked = asked(view, &session.state, &told.agent)?;
    let tree_after = asked.then(|| author.tree(view));
    let own_work = author.own_work(view, &session, tree_after.as_ref());
    let provenance = author.provenance;
    let mut given = VerdictGiven {
        agent: author.name.clone().unwrap_or(told.agent),
        verdict,
        confidence,
        reasoning: told.reasoning,
        conditions: told.conditions,
        blockers: told.blockers,
        provenance,
        seen_as: author.seen_as.clone(),
        tree_before: author.began_on.clone().filter(|_| asked),
        tree_after,
        own_work,
        asked,
    };
    given.own_work.truncate(MAX_OWN);
    let why_not = why_not(&given);
    let command = OrchestrationCommand::Judge(given);
    let recorded = match &author.actor {
        Some(actor) => record_by(view, &session.id, actor, command)?,
        None => record(view, &session.id, command)?,
    };
    Ok(Given { recorded, provenance, why_not })
}

/// What records a verdict that somebody only tells of: it counts for no gate, whoever tells it.
pub(super) fn claimed(
    view: &View<'_>,
    session: &Session,
    told: Told,
) -> Result<OrchestrationCommand, AppError> {
    let (verdict, confidence) = checked(&told)?;
    let asked = asked(view, &session.state, &told.agent)?;
    Ok(OrchestrationCommand::Judge(VerdictGiven {
        agent: told.agent,
        verdict,
        confidence,
        reasoning: told.reasoning,
        conditions: told.conditions,
        blockers: told.blockers,
        provenance: Provenance::Claimed,
        seen_as: None,
        tree_before: None,
        tree_after: None,
        own_work: Vec::new(),
        asked,
    }))
}

fn checked(told: &Told) -> Result<(VerdictWord, Confidence), AppError> {
    let refused = |refusal: OrchestrationRefusal| {
        AppError::refused(refusal.to_string()).hint("correct it, and record it again")
    };
    let verdict = VerdictWord::named(&told.decision)
        .ok_or_else(|| refused(OrchestrationRefusal::UnknownVerdict(told.decision.clone())))?;
    let confidence = Confidence::new(told.confidence)
        .ok_or_else(|| refused(OrchestrationRefusal::Confidence(told.confidence.to_string())))?;
    Ok((verdict, confidence))
}

/// Why no gate takes it.
fn why_not(given: &VerdictGiven) -> Option<String> {
    let agent = &given.agent;
    match (&given.seen_as, given.provenance) {
        (Some(seen), _) => {
            Some(format!("it came from {seen}, not from {agent}: it is only what was said"))
        }
        (None, Provenance::Claimed) => {
            Some(format!("nobody saw that {agent} itself gave it: it is only what was said"))
        }
        (None, Provenance::Reported) => {
            Some("the hook's caller could not be checked, so it proves nothing".to_owned())
        }
        _ if !given.own_work.is_empty() => Some(format!(
            "{agent} changed {} itself, and cannot judge it",
            given.own_work.join(", ")
        )),
        _ if given.tree_after.is_some() && given.content().is_none() => Some(format!(
            "files changed while {agent} was looking: for gates that ask for this very content it does not count"
        )),
        _ => None,
    }
}

/// What a human says is done of what a verdict wanted.
pub fn resolve(
    view: &View<'_>,
    session: Option<&str>,
    verdict: u64,
    how: &str,
) -> Result<Recorded, AppError> {
    human::at_terminal(view.host, &view.registry(), "resolving a verdict's conditions")?;
    let session = view.session(session)?.id;
    let how = how.to_owned();
    record(view, &session, OrchestrationCommand::Resolve { verdict, how })
}

/// Whether a gate asks for an agent's verdict.
pub fn is_asked(policy: &Policy, agent: &str) -> bool {
    let mut found = false;
    for gate in &policy.gates {
        gate.proof.each(&mut |proof| {
            let Proof::Verdict(verdict) = proof else { return };
            found |= verdict.agent.eq_ignore_ascii_case(agent);
        });
    }
    found
}

/// Whether a gate asks for a verdict of this agent: one in the project's files, or one that is pinned.
fn asked(view: &View<'_>, state: &SessionState, agent: &str) -> Result<bool, AppError> {
    if is_asked(&view.policy()?.policy, agent) {
        return Ok(true);
    }
    for conversation in state.conversations.keys() {
        if is_asked(&view.policy_for(state, conversation)?.policy, agent) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Who gives a verdict, as far as that is known.
struct Author {
    provenance: Provenance,
    /// What sort of agent the harness saw, where that is the one that it says, however it spells itself.
    name: Option<String>,
    /// What the harness saw, where that is another one than it says.
    seen_as: Option<String>,
    /// Where it looked.
    called: Option<CalledBy>,
    /// The content when it began to look.
    began_on: Option<Tree>,
    /// Who is recorded as its author.
    actor: Option<Actor>,
}

impl Author {
    fn of(view: &View<'_>, session: &Session, agent_name: &str, call: Option<&Witnessed>) -> Self {
        let said = |provenance| Self {
            provenance,
            name: None,
            seen_as: None,
            called: None,
            began_on: None,
            actor: None,
        };
        if view.calling_agent().is_none() {
            let is_human = human::at_terminal(view.host, &view.registry(), "giving a verdict");
            let approved = is_human.is_ok();
            return said(if approved { Provenance::Approved } else { Provenance::Claimed });
        }
        let Some((registration, called)) = noted(view, call) else {
            return said(Provenance::Claimed);
        };
        let (harness, conversation) = (&registration.harness, &registration.conversation);
        let actor = Some(agent(harness, conversation, called.subagent.as_deref()));
        let known = session.state.conversations.get(conversation);
        let subagent = called.subagent.as_deref().and_then(|name| known?.subagents.get(name));
        let began_on = subagent.and_then(|subagent| subagent.tree.clone());
        let seen = called.agent_type.clone().filter(|_| called.subagent.is_some());
        let is_it = seen.as_deref().is_some_and(|seen| seen.eq_ignore_ascii_case(agent_name));
        let provenance = match (is_it, called.checked) {
            (true, true) => Provenance::Observed,
            (true, false) => Provenance::Reported,
            (false, _) => Provenance::Claimed,
        };
        let (name, seen_as) = if is_it { (seen, None) } else { (None, seen) };
        Self { provenance, name, seen_as, called: Some(called), began_on, actor }
    }

    /// Does something where it looked.
    fn there<T>(&self, view: &View<'_>, look: impl FnOnce() -> T) -> T {
        let root = self.called.as_ref().map(|called| &called.root);
        let there = root.and_then(|root| project_at(root).ok().flatten());
        match there.filter(|there| there.is_kept_with(&view.project)) {
            Some(there) => view.within(&there, look),
            None => look(),
        }
    }

    /// The content of the work tree that it looked at.
    fn tree(&self, view: &View<'_>) -> Tree {
        self.there(view, || view.tree())
    }

    /// The files that it changed itself: by tools made for that, and whatever changed while only it was at work.
    fn own_work(&self, view: &View<'_>, session: &Session, now: Option<&Tree>) -> Vec<String> {
        let Some(actor @ Actor::Agent { conversation, subagent: Some(name), .. }) = &self.actor
        else {
            return Vec::new();
        };
        let known = session.state.conversations.get(conversation);
        let edited = known
            .and_then(|known| known.subagents.get(name))
            .is_some_and(|own| own.edited || !own.elsewhere.is_empty());
        let mut files = activity::files_by(view, &session.id, &actor.label());
        let then = self.began_on.as_ref().and_then(Tree::id);
        if let (Some(then), Some(now)) = (then, now.and_then(Tree::id)) {
            let changed = self.there(view, || {
                let changed = view.differing(then, now);
                let calls = Calls::of(view, conversation).of_subagent(name);
                calls.own(then, &changed).into_iter().cloned().collect::<Vec<_>>()
            });
            files.extend(changed);
        }
        match (files.is_empty(), edited) {
            (true, true) => vec!["files".to_owned()],
            _ => files.into_iter().collect(),
        }
    }
}

/// What a hook noted of the call that this one is.
fn noted(view: &View<'_>, call: Option<&Witnessed>) -> Option<(Registration, CalledBy)> {
    let (registration, call) = (view.calling_conversation()?, call?);
    let called = view.registry().called_by(&registration, &call.call, &call.given)?;
    Some((registration, called))
}
