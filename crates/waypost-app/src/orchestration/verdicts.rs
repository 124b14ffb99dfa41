//! What agents say of each other's work, and how well it is known who said it.

use std::collections::BTreeSet;

use waypost_core::actor::Actor;
use waypost_core::command::{OrchestrationCommand, OrchestrationRefusal};
use waypost_core::evidence::{Confidence, Provenance, Tree, VerdictGiven, VerdictWord};
use waypost_core::gate::Proof;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::proof::ran::Fresh;
use waypost_core::session::{Judge, SessionState};

use super::recorded::{Recorded, all, record, record_by};
use crate::error::AppError;
use crate::view::calls::Calls;
use crate::view::human;
use crate::view::place::MAX_COMPARED;
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
    let asked = Asked::now(view, &session.state, &told.agent)?;
    let tree_after = asked.map(|_| author.tree(view));
    let own = author.own_work(view, &session, tree_after.as_ref())?;
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
        tree_before: author.began_on.clone().filter(|_| asked.is_some()),
        tree_after,
        own_work: own.files,
        undone: own.undone,
        unwatched: asked.is_some() && (author.is_unwatched || own.is_unknown),
        asked: asked.is_some(),
    };
    given.own_work.truncate(MAX_OWN);
    let why_not = why_not(&given, asked == Some(Asked::OfContent));
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
    let asked = Asked::now(view, &session.state, &told.agent)?.is_some();
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
        undone: false,
        unwatched: false,
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
fn why_not(given: &VerdictGiven, of_content: bool) -> Option<String> {
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
        _ if !(given.own_work.is_empty() || (of_content && given.undone)) => {
            let unless = if of_content { " unless that is put back" } else { "" };
            let files = given.own_work.join(", ");
            Some(format!("{agent} changed {files} itself, and cannot judge it{unless}"))
        }
        _ if given.unwatched => Some(format!(
            "nobody watched {agent} from its beginning, so it is not known what it changed: another one has to look"
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

/// What gates ask an agent's verdict of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// Of the content of now, all of them.
    OfContent,
    /// Of the work, whatever becomes of it.
    OfWork,
}

impl Asked {
    /// What the gates of a policy ask it of; none if none asks.
    pub fn by(policy: &Policy, agent: &str) -> Option<Self> {
        let mut found = None;
        for gate in &policy.gates {
            gate.proof.each(&mut |proof| {
                let Proof::Verdict(verdict) = proof else { return };
                if verdict.agent.eq_ignore_ascii_case(agent) {
                    let is_bound = verdict.fresh == Fresh::Tree;
                    found = found.max(Some(if is_bound { Self::OfContent } else { Self::OfWork }));
                }
            });
        }
        found
    }

    /// The same of all that hold: those of the project's files, and those that are pinned.
    fn now(view: &View<'_>, state: &SessionState, agent: &str) -> Result<Option<Self>, AppError> {
        let mut found = Self::by(&view.policy()?.policy, agent);
        for conversation in state.conversations.keys() {
            found = found.max(Self::by(&view.policy_for(state, conversation)?.policy, agent));
        }
        Ok(found)
    }
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
    /// What is known of it from when it first began.
    judge: Option<Judge>,
    /// Whether it is a subagent of which that is not known.
    is_unwatched: bool,
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
            judge: None,
            is_unwatched: false,
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
        let judge = called.subagent.as_deref().and_then(|name| known?.judges.get(name)).cloned();
        // One that is not at work any more was taken up again, or somebody imitated its end.
        let began_on = subagent.and_then(|subagent| subagent.tree.clone());
        let began_on = began_on.or_else(|| judge.as_ref().map(|judge| judge.tree.clone()));
        let is_unwatched = called.subagent.is_some() && judge.is_none();
        let seen = called.agent_type.clone().filter(|_| called.subagent.is_some());
        let is_it = seen.as_deref().is_some_and(|seen| seen.eq_ignore_ascii_case(agent_name));
        let provenance = match (is_it, called.checked) {
            (true, true) => Provenance::Observed,
            (true, false) => Provenance::Reported,
            (false, _) => Provenance::Claimed,
        };
        let (name, seen_as) = if is_it { (seen, None) } else { (None, seen) };
        let called = Some(called);
        Self { provenance, name, seen_as, called, began_on, judge, is_unwatched, actor }
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

    /// The files that it changed, or had changed: by tools made for that, and whatever changed while only it, or those
    /// that work for it, were at work.
    fn own_work(
        &self,
        view: &View<'_>,
        session: &Session,
        now: Option<&Tree>,
    ) -> Result<OwnWork, AppError> {
        let Some(Actor::Agent { harness, conversation, subagent: Some(name) }) = &self.actor else {
            return Ok(OwnWork::default());
        };
        let mut workers = vec![name.clone()];
        if self.judge.as_ref().is_some_and(|judge| judge.delegated) {
            let (_, agents) = all(view, Some(session.id.as_str()))?;
            workers.extend(agents.below(conversation, name).into_iter().map(str::to_owned));
        }
        let by = |worker: &String| {
            let label = agent(harness, conversation, Some(worker)).label();
            activity::files_by(view, &session.id, &label)
        };
        let mut files: BTreeSet<String> = workers.iter().flat_map(by).collect();
        let then = self.judge.as_ref().and_then(|judge| judge.tree.id());
        let left = then.zip(now.and_then(Tree::id)).map(|(then, now)| {
            self.there(view, || {
                let changed = view.differing_up_to(then, now, MAX_COMPARED);
                for worker in &workers {
                    let calls = Calls::of(view, conversation).of_subagent(worker);
                    files.extend(calls.own(then, &changed).into_iter().cloned());
                }
                let is_known = changed.len() < MAX_COMPARED && (then == now || !changed.is_empty());
                is_known.then_some(changed)
            })
        });
        let is_unknown = left.as_ref().is_some_and(Option::is_none);
        let known = session.state.conversations.get(conversation);
        let at_work = || workers.iter().filter_map(|worker| known?.subagents.get(worker));
        let elsewhere = self.judge.as_ref().is_some_and(|judge| judge.elsewhere)
            || at_work().any(|own| !own.elsewhere.is_empty());
        let edited = self.judge.as_ref().is_some_and(|judge| judge.edited);
        let left = left.flatten();
        let undone = left.is_some_and(|left| left.iter().all(|file| !files.contains(file)));
        let undone = undone && !elsewhere && !files.is_empty();
        if files.is_empty() && (elsewhere || edited || at_work().any(|own| own.edited)) {
            files.insert("files".to_owned());
        }
        Ok(OwnWork { files: files.into_iter().collect(), undone, is_unknown })
    }
}

/// What somebody changed of what they judge.
#[derive(Debug, Default)]
struct OwnWork {
    files: Vec<String>,
    /// Whether nothing of it is left.
    undone: bool,
    /// Whether git cannot tell what changed, or only a part of it.
    is_unknown: bool,
}

/// What a hook noted of the call that this one is.
fn noted(view: &View<'_>, call: Option<&Witnessed>) -> Option<(Registration, CalledBy)> {
    let (registration, call) = (view.calling_conversation()?, call?);
    let called = view.registry().called_by(&registration, &call.call, &call.given)?;
    Some((registration, called))
}
