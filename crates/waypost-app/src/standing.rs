//! Where a session stands for whoever asks: gathered once, told by every surface in its own words.

pub mod alongside;
pub mod also;
pub mod blocked;
pub mod brief;
pub mod glance;
pub mod lapses;
pub mod overview;
pub mod show;
pub mod state;
pub mod status;
pub mod statusline;
pub mod validate;

mod planned;

use std::collections::BTreeSet;

use waypost_core::evidence::Tree;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::ruling::GateFinding;
use waypost_core::gate::{Before, FindingStatus, Gate, Level};
use waypost_core::id::ConversationId;
use waypost_core::next_step::{Look, Voice, does};
use waypost_core::session::{Conversation, SessionState, StopState};
use waypost_core::standing::{
    FailedPhase, Following, GateStanding, Looked, Progress, ShownGate, Situation, Standing,
    follows_a_change,
};
use waypost_core::story::Story;
use waypost_core::text::did_you_mean;
use waypost_core::text::spoken::count;
use waypost_core::time::Timestamp;
use waypost_core::track::{PhaseEntry, Track, builtin};

use crate::error::AppError;
use crate::rulings::facts;
use crate::rulings::judge::Rules;
use crate::tracks::protocol::Protocol;
use crate::tracks::workflow;
use crate::view::{Session, View};

pub use planned::Planned;

/// Where a session stands, and what that depends on.
#[derive(Debug)]
pub struct Stand {
    /// The session.
    pub session: Session,
    /// Where it stands.
    pub standing: Standing,
    /// In whose words whoever asks is told.
    pub voice: Voice,
    /// The mode that the session is in.
    pub mode: String,
    /// The protocol that the conversation follows or would follow, if there is one.
    pub protocol: Option<Protocol>,
    /// What its records tell of its past, up to now.
    pub story: Story,
    /// Where its workflow is.
    pub progress: Option<Progress>,
    /// The phase whose completion failed.
    pub failed: Option<FailedPhase>,
    /// What is to be done now.
    pub planned: Planned,
    /// What the gates of the protocol find, as far as they were looked at.
    pub looked: Vec<Looked>,
    /// What somebody should be told about the gates themselves.
    pub remarks: Vec<String>,
}

/// Who asks where a session stands.
#[derive(Debug, Clone)]
pub struct Asker {
    /// The conversation for which gates are looked at.
    pub conversation: ConversationId,
    /// In whose words it is told.
    pub voice: Voice,
}

impl Asker {
    /// Whoever calls.
    pub fn calling(view: &View<'_>) -> Self {
        Self { conversation: view.asker(), voice: view.voice() }
    }
}

/// How far somebody looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// At every gate.
    All,
    /// At what can hold the next step, and not at what asks only when the work is over: that may take
    /// comparing the whole work tree.
    Now,
}

impl Depth {
    /// What is looked at of a policy.
    fn of(self, policy: Policy) -> Policy {
        match self {
            Self::All => policy,
            Self::Now => {
                let early = |gate: &Gate| gate.before.iter().any(is_early);
                let gates = policy.gates.into_iter().filter(early).collect();
                Policy { gates, ..policy }
            }
        }
    }
}

/// Of a session, for whoever asks.
pub fn of(view: &View<'_>, session: Option<&str>) -> Result<Stand, AppError> {
    let session = view.session(session)?;
    let policy = workflow::policy_in(view, &session)?;
    Stand::of(view, session, policy, &Asker::calling(view))
}

/// The same for somebody who only wants to know what holds the next step. The gates that ask later are
/// looked at only where no other has a say.
pub fn now(view: &View<'_>, session: Option<&str>) -> Result<Stand, AppError> {
    let session = view.session(session)?;
    let policy = workflow::policy_in(view, &session)?;
    let asker = Asker::calling(view);
    // How long anything took is nobody's question here, so its course stays as it was last recorded.
    let story = view.story(&session.id)?;
    let (same, under, past) = (session.clone(), policy.clone(), story.clone());
    let stand = Stand::at(view, same, under, &asker, past, Depth::Now)?;
    if stand.standing.is_held() {
        return Ok(stand);
    }
    Stand::at(view, session, policy, &asker, story, Depth::All)
}

impl Stand {
    /// Of a session under a policy, for a conversation, in its words.
    pub fn of(
        view: &View<'_>,
        session: Session,
        policy: Policy,
        asker: &Asker,
    ) -> Result<Self, AppError> {
        let is_live = view.log.exists(&session.stream());
        let story = if is_live { view.story(&session.id)? } else { Story::default() };
        let story = Story { course: story.course.at(view.host.now()), ..story };
        Self::with(view, session, policy, asker, story)
    }

    /// The same, where its past is known already.
    pub fn with(
        view: &View<'_>,
        session: Session,
        policy: Policy,
        asker: &Asker,
        story: Story,
    ) -> Result<Self, AppError> {
        Self::at(view, session, policy, asker, story, Depth::All)
    }

    fn at(
        view: &View<'_>,
        session: Session,
        policy: Policy,
        asker: &Asker,
        story: Story,
        depth: Depth,
    ) -> Result<Self, AppError> {
        let (id, state) = (&session.id, &*session.state);
        let Asker { conversation, voice } = asker;
        let (protocol, unread) = Protocol::looked_at(view, &policy, session.clone(), conversation)?;
        let of_protocol = Policy { gates: Vec::new(), runners: Vec::new(), ..policy.clone() };
        let rules = Rules::of(depth.of(policy), id, state);
        let following =
            protocol.as_ref().map(|protocol| following(view, protocol, depth)).transpose()?;
        let findings = rules.examine(view, state, conversation)?;
        // What the protocol asks for is told by its own gates.
        let own = findings
            .into_iter()
            .filter(|found| !builtin::is_of_protocol(&of_protocol, &found.source));
        let with_before = |found: GateFinding| {
            let before = rules.stands_before(&found.gate).to_vec();
            (found, before)
        };
        let findings: Vec<_> = own.map(with_before).collect();
        // Git may be asked, so only where something depends on it.
        let asks = |(found, before): &(GateFinding, Vec<Before>)| {
            found.status != FindingStatus::Met && follows_a_change(before)
        };
        let is_changed = findings.iter().any(asks) && is_changed(view, state, conversation);
        let track = state.track.as_deref();
        let progress = Progress::of(
            &story.course,
            track.and_then(|track| track.target.as_deref()),
            track.is_some_and(|track| track.unfolding),
        );
        let failed = FailedPhase::of(&story.course);
        let planned = Planned::of(view, &session, &story);
        let situation = Situation {
            session: id,
            lifecycle: view.lifecycle(state),
            is_named: state.objective.is_some(),
            findings,
            following,
            progress: progress.as_ref(),
            failed: failed.as_ref(),
            build: &state.build,
            task: planned.task.as_ref(),
            is_changed,
        };
        let standing = Standing::of(&situation);
        let looked = situation.following.map(|following| following.gates).unwrap_or_default();
        let mode = rules.mode(state).to_owned();
        let mut remarks = remarks(view, state, &rules)?;
        remarks.extend(unread);
        Ok(Self {
            session,
            standing,
            voice: *voice,
            mode,
            protocol,
            story,
            progress,
            failed,
            planned,
            looked,
            remarks,
        })
    }

    /// Every gate that applies, in the words of whoever asks.
    pub fn gates(&self) -> Vec<ShownGate> {
        let applies = self.standing.gates.iter().filter(|gate| !gate.skipped);
        applies.map(|gate| gate.shown(self.voice)).collect()
    }

    /// The gates that are open, in the words of whoever asks.
    pub fn open(&self) -> Vec<ShownGate> {
        self.standing.open().map(|gate| gate.shown(self.voice)).collect()
    }

    /// The next step, in the words of whoever asks.
    pub fn next(&self) -> String {
        self.standing.next_words(self.voice)
    }

    /// The gate of that name. A step of a protocol's gate is told by the gate.
    pub fn gate(&self, name: &str) -> Result<&GateStanding, AppError> {
        let called = match &self.protocol {
            Some(protocol) => protocol.gate_called(name)?.map(|entry| entry.gate.as_str()),
            None => None,
        };
        let fits = |gate: &&GateStanding| {
            gate.gate == name
                || called == Some(&gate.gate)
                || name.strip_prefix(&gate.gate).is_some_and(|rest| rest.starts_with('/'))
        };
        self.standing.gates.iter().find(fits).ok_or_else(|| {
            let names: Vec<&str> =
                self.standing.gates.iter().map(|gate| gate.gate.as_str()).collect();
            let error = AppError::refused(format!("there is no gate `{name}`"));
            match did_you_mean(name, &names) {
                Some(meant) => error.hint(format!("did you mean `{meant}`?")),
                None => error.hint(does(Look::Gates, "shows them")),
            }
        })
    }

    /// Whether work cannot go on now: an open must stands before what comes next.
    pub fn blocking(&self) -> Vec<&GateStanding> {
        let musts = self.standing.open().filter(|gate| gate.level == Level::Must && gate.blocking);
        musts.filter(|gate| self.holds_now(gate)).collect()
    }

    fn holds_now(&self, gate: &GateStanding) -> bool {
        if self.standing.next_for.as_deref() == Some(&gate.gate) {
            return true;
        }
        let of_protocol = self.protocol.as_ref().is_some_and(|protocol| {
            protocol.ahead().contains(&gate.gate) || protocol.missed().contains(&gate.gate)
        });
        of_protocol || gate.before.iter().any(is_early)
    }
}

/// Whether a gate before this can hold the work itself.
fn is_early(before: &Before) -> bool {
    matches!(
        before,
        Before::Edit | Before::Tool(_) | Before::Bash(_) | Before::Line(_) | Before::Mcp(_)
    )
}

/// Whether something has changed that gates before a stop or a commit ask about: by a conversation whose stops are not
/// settled, or, for a person, anything that is not committed.
fn is_changed(view: &View<'_>, state: &SessionState, asker: &ConversationId) -> bool {
    let owes = |known: &Conversation| {
        !matches!(known.stop_state(), StopState::Idle | StopState::Satisfied)
    };
    if state.conversations.values().any(owes) {
        return true;
    }
    match state.conversations.get(asker) {
        Some(known) => {
            let then = known.turn_tree.as_ref().and_then(Tree::id);
            then.is_some_and(|then| view.tree().id().is_some_and(|now| now != then))
        }
        None => facts::uncommitted(view).map_or(true, |files| !files.is_empty()),
    }
}

/// Where the conversation is in its protocol.
fn following(view: &View<'_>, protocol: &Protocol, depth: Depth) -> Result<Following, AppError> {
    let track = protocol.track().filter(|track| track.is_running());
    let agent = view.calling_agent().is_some();
    let (ahead, missed) = (protocol.ahead(), protocol.missed());
    let wanted = |entry: &PhaseEntry| {
        depth == Depth::All || ahead.contains(&entry.gate) || missed.contains(&entry.gate)
    };
    let after = track.and_then(|track| track.next()).map(|next| {
        let last = protocol.definition.phases.last().is_some_and(|last| last.name == next);
        (next.to_owned(), last)
    });
    let place = |name: &str| protocol.definition.phases.iter().position(|one| one.name == name);
    let here = track.and_then(|track| place(&track.phase));
    Ok(Following {
        is_behind_the_work: here > place(builtin::WORKING),
        phase: track.map(|track| track.phase.clone()),
        blocked_by: track.into_iter().flat_map(Track::blocked_by).map(str::to_owned).collect(),
        after,
        is_followed: agent || track.is_some(),
        gates: protocol.look(view, wanted)?,
    })
}

/// What somebody should be told about the gates themselves, until a human has seen to it.
fn remarks(view: &View<'_>, state: &SessionState, rules: &Rules) -> Result<Vec<String>, AppError> {
    let lost = view.project_state()?.lost.as_ref().map(|lost| lost.told().to_owned());
    let imported = rules.gates.iter().filter(|gate| gate.imported).count();
    let off = (view.host.imported_off && imported > 0).then(|| {
        let rules = count(imported, "gate");
        format!("{rules} of other tools' rules: switched off by the user's environment")
    });
    let limits = limits(view, state);
    Ok(lost.into_iter().chain(paused(view, state)).chain(off).chain(limits).collect())
}

/// What the harnesses of the conversations that are at work cannot enforce.
fn limits(view: &View<'_>, state: &SessionState) -> Vec<String> {
    let at_work = state.conversations.values().filter(|known| known.attached);
    let names: BTreeSet<&str> = at_work.map(|known| known.harness.as_str()).collect();
    names.into_iter().filter_map(|name| view.host.harness(name)?.facts().limits()).collect()
}

/// What everybody is told while gates rest.
fn paused(view: &View<'_>, state: &SessionState) -> Option<String> {
    // What depends on the time is worked out anew each time it is asked for.
    let depends = state.paused_gates.values().any(Option::is_some);
    let now = if depends { view.host.now() } else { view.host.moment() };
    let rests = |until: &Option<Timestamp>| until.is_none_or(|until| now < until);
    let resting = state.paused_gates.iter().filter(|(_, until)| rests(until));
    let resting: Vec<String> = resting
        .map(|(name, until)| {
            let name = if name.is_empty() { "all gates" } else { name };
            match until {
                Some(until) => format!("{name} until {until}"),
                None => name.to_owned(),
            }
        })
        .collect();
    (!resting.is_empty()).then(|| format!("a human paused {}", resting.join(", ")))
}
