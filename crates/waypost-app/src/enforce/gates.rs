//! Gates: listing them, looking at them, and saying that one is satisfied.

use waypost_core::command::{Command, ProjectCommand};
use waypost_core::event::SharedFact;
use waypost_core::evidence::{Mark, Provenance, Tree};
use waypost_core::gate::policy::Policy;
use waypost_core::gate::proof::fields::Instead;
use waypost_core::gate::{Gate, Proof, Scope};
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::next_step::{Look, NextStep, does};
use waypost_core::standing::ShownGate;
use waypost_core::text::did_you_mean;
use waypost_core::time::Timestamp;
use waypost_core::track::builtin;

use crate::config::{self, Problem};
use crate::enforce::recording;
use crate::error::AppError;
use crate::rulings::fields;
use crate::standing;
use crate::tracks::catalogue;
use crate::tracks::protocol::Protocol;
use crate::tracks::workflow;
use crate::view::human;
use crate::view::{Session, View, calls};

/// The gates, and what could not be understood.
#[derive(Debug)]
pub struct GateList {
    /// The gates.
    pub policy: Policy,
    /// What could not be understood.
    pub problems: Vec<Problem>,
    /// What other tools' rules could not be understood: they hold nobody, and nothing fails for them.
    pub left_out: Vec<Problem>,
    /// What holds otherwise than it may have been meant.
    pub notes: Vec<Problem>,
    /// What the files say differently, and that holds only once a human is there.
    pub waiting: Vec<String>,
}

/// All gates of the project.
pub fn list(view: &View<'_>) -> Result<GateList, AppError> {
    let sources = view.sources();
    if let Some(error) = &sources.error {
        return Err(error.clone());
    }
    let config = &sources.config;
    let mut problems = config.problems.clone();
    problems.extend(sources.protocol_error.iter().map(|error| Problem {
        file: config::FILE.to_owned(),
        line: config.protocol_line.unwrap_or(1),
        message: error.message.clone(),
    }));
    problems.extend(catalogue::configured(&view.project.root, config));
    let imported = sources.imported.as_ref();
    let left_out = imported.map(|imported| imported.problems.clone()).unwrap_or_default();
    let notes = imported.map(|imported| imported.notes.clone()).unwrap_or_default();
    let in_force = view.policy_for_caller()?;
    // What the protocol adds is told by the protocol.
    let mut policy = Policy::clone(&in_force.policy);
    let known = Policy { gates: Vec::new(), ..policy.clone() };
    policy.gates.retain(|gate| !builtin::is_of_protocol(&known, &gate.source));
    Ok(GateList { policy, problems, left_out, notes, waiting: in_force.waiting.clone() })
}

/// What the gates find now: all of them, or the one that is named.
pub fn check(
    view: &View<'_>,
    session: Option<&str>,
    gate: Option<&str>,
) -> Result<(SessionId, Vec<ShownGate>), AppError> {
    let stand = standing::of(view, session)?;
    let found = match gate {
        Some(gate) => vec![stand.gate(gate)?.shown(stand.voice)],
        None => stand.gates(),
    };
    Ok((stand.session.id, found))
}

/// What became of a gate that somebody spoke about.
#[derive(Debug)]
pub struct Spoken {
    /// The session.
    pub session: SessionId,
    /// The gate.
    pub gate: String,
    /// How well it is known.
    pub provenance: Provenance,
    /// For which conversation, where its scope is one.
    pub conversation: Option<ConversationId>,
    /// Until when.
    pub until: Option<Timestamp>,
    /// The content that it holds for, where it holds for no other.
    pub tree: Option<String>,
}

/// What somebody says of a gate.
#[derive(Debug, Clone, Default)]
pub struct Say<'a> {
    /// The session, if not the usual one.
    pub session: Option<&'a str>,
    /// The conversation, where the gate's scope is one and there are several.
    pub conversation: Option<&'a str>,
    /// For how many milliseconds it holds.
    pub ttl: Option<i64>,
    /// Whether it holds for as long as the gate's scope, whatever changes.
    pub for_all: bool,
    /// What there is to say about it.
    pub note: Option<String>,
    /// The hash of the text by which somebody was told what would be approved.
    pub shown: Option<String>,
}

/// Says that a gate is satisfied: by a human at a terminal it is approved, else only claimed.
pub fn satisfy(view: &View<'_>, gate: &str, say: &Say<'_>) -> Result<Spoken, AppError> {
    let provenance = human::word(view);
    let session = session_of(view, say);
    let say = &Say { session: session.as_ref().map(SessionId::as_str), ..say.clone() };
    let policy = known_to(view, say.session)?;
    let gate = find(&policy, gate)?;
    refuse_instead_of_fields(gate, provenance)?;
    if wanted_signer(gate).is_some() && provenance == Provenance::Approved {
        return Err(AppError::refused(format!("gate {} asks for a signed approval", gate.id))
            .hint(NextStep::Approve(gate.id.clone())));
    }
    mark(view, gate, say, provenance, |_| Ok(None))
}

/// Approves a gate: only for humans. `sign` is asked where the gate wants a signature.
pub fn approve(
    view: &View<'_>,
    gate: &str,
    say: &Say<'_>,
    sign: impl FnOnce(&str, &[u8]) -> Result<String, AppError>,
) -> Result<Spoken, AppError> {
    human::at_terminal(view.host, &view.registry(), "approving")?;
    let session = session_of(view, say);
    let say = &Say { session: session.as_ref().map(SessionId::as_str), ..say.clone() };
    let policy = known_to(view, say.session)?;
    let gate = find(&policy, gate)?;
    refuse_instead_of_fields(gate, Provenance::Approved)?;
    let signer = wanted_signer(gate).map(str::to_owned);
    mark(view, gate, say, Provenance::Approved, |message| {
        signer.map(|signer| sign(&signer, message)).transpose()
    })
}

/// How far an approval would reach, and what it would take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// The gate's scope.
    pub scope: Scope,
    /// For how many milliseconds, if for a time.
    pub ttl: Option<i64>,
    /// Whether it would be for what is there now and nothing else.
    pub content: bool,
    /// Whether it has to be signed.
    pub signed: bool,
}

/// How far an approval of a gate would reach.
pub fn reach(view: &View<'_>, gate: &str, say: &Say<'_>) -> Result<Reach, AppError> {
    let policy = known_to(view, say.session)?;
    let gate = find(&policy, gate)?;
    let ttl = say.ttl.or_else(|| ttl(&gate.proof));
    Ok(Reach {
        scope: gate.scope,
        ttl,
        content: is_for_content(gate, say, ttl.is_some()),
        signed: wanted_signer(gate).is_some(),
    })
}

/// Refuses a word that does not stand in for the fields that a gate asks for.
fn refuse_instead_of_fields(gate: &Gate, provenance: Provenance) -> Result<(), AppError> {
    let Some(wanted) = fields::wanted(gate) else { return Ok(()) };
    let who = match wanted.instead {
        Instead::Anybody => return Ok(()),
        Instead::Human if provenance == Provenance::Approved => return Ok(()),
        Instead::Human => "an agent's word does not stand in for it",
        Instead::Nobody => "nothing stands in for it",
    };
    let told = format!("gate {} asks for evidence, and {who} ({})", gate.id, gate.source);
    let fields = wanted.fields.iter().map(|field| field.name.clone()).collect();
    Err(AppError::refused(told).hint(NextStep::Record { gate: gate.id.clone(), fields }))
}

/// Lets what satisfied a gate count no more: exactly this gate, in its scope.
pub fn clear(view: &View<'_>, gate: &str, say: &Say<'_>) -> Result<Spoken, AppError> {
    let session = session_of(view, say);
    let say = &Say { session: session.as_ref().map(SessionId::as_str), ..say.clone() };
    let policy = known_to(view, say.session)?;
    let gate = find(&policy, gate)?;
    let Session { id, .. } = view.session(say.session)?;
    let conversation = conversation(view, gate, say)?;
    let actor = view.actor();
    if let Some(branch) = branch_of(view, gate)? {
        let what = SharedFact::Cleared(gate.id.clone());
        view.execute_for_project(&actor, ProjectCommand::Share { branch, what })?;
    } else {
        let conversation = conversation.clone();
        let command = Command::Clear { gate: gate.id.clone(), conversation };
        view.execute(&id, &actor, command)?;
    }
    let provenance = Provenance::Claimed;
    let (gate, until) = (gate.id.clone(), None);
    Ok(Spoken { session: id, gate, provenance, conversation, until, tree: None })
}

/// The session that is meant: a conversation that is named is in one.
fn session_of(view: &View<'_>, say: &Say<'_>) -> Option<SessionId> {
    if let Some(named) = say.session {
        return view.id_by_prefix(named).ok();
    }
    let prefix = say.conversation?;
    let index = view.index().ok()?;
    let mut fitting = index.open.iter().filter(|entry| {
        let conversations = view.glance(&entry.id).ok().map(|state| state.conversations.clone());
        conversations.is_some_and(|known| known.keys().any(|id| id.as_str().starts_with(prefix)))
    });
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Some(only.id.clone()),
        _ => None,
    }
}

/// The gates that somebody can speak of: those of the session's workflow too, if there is one.
pub fn known_to(view: &View<'_>, named: Option<&str>) -> Result<Policy, AppError> {
    match view.session(named) {
        Ok(session) => {
            let mut policy = workflow::policy_in(view, &session)?;
            let asker = view.asker();
            let (protocol, _) = Protocol::looked_at(view, &policy, session, &asker)?;
            let entries = protocol.iter().flat_map(|protocol| protocol.definition.entries());
            for step in entries.flat_map(|(_, entry)| &entry.steps) {
                if !policy.gates.iter().any(|gate| gate.id == step.gate.id) {
                    policy.gates.push(step.gate.clone());
                }
            }
            Ok(policy)
        }
        Err(_) => Ok(Policy::clone(&view.policy_for_caller()?.policy)),
    }
}

/// The gate of that name.
pub fn find<'p>(policy: &'p Policy, name: &str) -> Result<&'p Gate, AppError> {
    policy.gates.iter().find(|gate| gate.id == name).ok_or_else(|| {
        let names: Vec<&str> = policy.gates.iter().map(|gate| gate.id.as_str()).collect();
        let error = AppError::refused(format!("there is no gate `{name}`"));
        match did_you_mean(name, &names) {
            Some(meant) => error.hint(format!("did you mean `{meant}`?")),
            None => error.hint(does(Look::Gates, "shows them")),
        }
    })
}

fn mark(
    view: &View<'_>,
    gate: &Gate,
    say: &Say<'_>,
    provenance: Provenance,
    sign: impl FnOnce(&[u8]) -> Result<Option<String>, AppError>,
) -> Result<Spoken, AppError> {
    let Session { id, .. } = view.session(say.session)?;
    let now = view.host.now();
    let until = say
        .ttl
        .or_else(|| ttl(&gate.proof))
        .map(|ttl| Timestamp::saturating_from_millis(now.as_millis().saturating_add(ttl)));
    let conversation = conversation(view, gate, say)?;
    let mut mark = Mark {
        gate: gate.id.clone(),
        provenance,
        conversation: conversation.clone(),
        until,
        tree: content(view, gate, say, provenance, until)?,
        note: say.note.clone(),
        shown: say.shown.clone(),
        signature: None,
        signed_at: None,
    };
    let (branch, tree) = (branch_of(view, gate)?, mark.tree.clone());
    let stream = match &branch {
        Some(branch) => format!("project/{branch}"),
        None => format!("session/{id}"),
    };
    mark.signed_at = Some(now);
    mark.signature = sign(&mark.message(&stream))?;
    if mark.signature.is_none() {
        mark.signed_at = None;
    }
    let actor = view.actor();
    match branch {
        Some(branch) => {
            let what = SharedFact::Mark(mark);
            view.execute_for_project(&actor, ProjectCommand::Share { branch, what })?;
        }
        None => drop(view.execute(&id, &actor, Command::Mark(mark))?),
    }
    if provenance == Provenance::Approved {
        let state = view.load(&id)?;
        recording::accept_count(view, &actor, &state, gate)?;
    }
    Ok(Spoken { session: id, gate: gate.id.clone(), provenance, conversation, until, tree })
}

/// The content that an approval is for: one of what has to run is for what is there now, unless something else was
/// chosen.
fn content(
    view: &View<'_>,
    gate: &Gate,
    say: &Say<'_>,
    provenance: Provenance,
    until: Option<Timestamp>,
) -> Result<Option<String>, AppError> {
    if provenance != Provenance::Approved || !is_for_content(gate, say, until.is_some()) {
        return Ok(None);
    }
    let tree = view.tree();
    calls::saw(view, Some(&tree));
    match tree {
        Tree::Id(tree) => Ok(Some(tree)),
        Tree::Unknown(why) => Err(AppError::refused(format!(
            "the content that gate {} would be approved for cannot be read: {why}",
            gate.id
        ))
        .hint("approve it for a time (--ttl) or for the whole session (--whole-session)")),
    }
}

/// Whether an approval is for what is there now and nothing else.
fn is_for_content(gate: &Gate, say: &Say<'_>, for_a_time: bool) -> bool {
    let mut runs = false;
    gate.proof.each(&mut |proof| runs |= matches!(proof, Proof::Ran(_)));
    runs && !say.for_all && !for_a_time
}

/// The branch in whose stream it is recorded: none is the session's, empty is everywhere.
pub(crate) fn branch_of(view: &View<'_>, gate: &Gate) -> Result<Option<String>, AppError> {
    match gate.scope {
        Scope::Branch => view.branch().map(Some).ok_or_else(|| {
            AppError::refused(format!(
                "gate {} counts on a branch, and none is checked out",
                gate.id
            ))
            .hint("check one out: git switch BRANCH")
        }),
        Scope::Permanent => Ok(Some(String::new())),
        Scope::Conversation | Scope::Session | Scope::SingleUse => Ok(None),
    }
}

/// The conversation that is meant, where the gate's scope is one.
fn conversation(
    view: &View<'_>,
    gate: &Gate,
    say: &Say<'_>,
) -> Result<Option<ConversationId>, AppError> {
    if !matches!(gate.scope, Scope::Conversation | Scope::SingleUse) {
        return Ok(None);
    }
    if let (None, Some((_, calling))) = (say.conversation, view.calling_agent()) {
        return Ok(Some(calling));
    }
    let Session { state, .. } = view.session(say.session)?;
    let fits = |id: &ConversationId, attached: bool| match say.conversation {
        Some(prefix) => id.as_str().starts_with(prefix),
        None => attached,
    };
    let known = state.conversations.iter().filter(|(id, known)| fits(id, known.attached));
    let found: Vec<&ConversationId> = known.map(|(id, _)| id).collect();
    match found.as_slice() {
        [only] => Ok(Some((*only).clone())),
        [] => Err(AppError::refused(format!(
            "gate {} counts for a conversation, and there is none that fits",
            gate.id
        ))
        .hint(does(Look::Status(None), "shows the session's conversations"))),
        several => {
            let names: Vec<&str> = several.iter().map(|id| id.as_str()).collect();
            Err(AppError::refused(format!(
                "gate {} counts for a conversation, and there are several: {}",
                gate.id,
                names.join(", ")
            ))
            .hint("say which one, by the beginning of its id"))
        }
    }
}

fn ttl(proof: &Proof) -> Option<i64> {
    let mut found = None;
    proof.each(&mut |proof| {
        if let Proof::Approval(approval) = proof {
            found = found.or(approval.ttl);
        }
    });
    found
}

fn wanted_signer(gate: &Gate) -> Option<&str> {
    let mut found = None;
    gate.proof.each(&mut |proof| {
        if let Proof::Approval(approval) = proof {
            found = found.or(approval.signed_by.as_deref());
        }
    });
    found
}
