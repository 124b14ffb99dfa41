//! Evidence that an agent gives for a step: verified where that can be done, matched with what hooks
//! saw, else kept as said.

use std::fmt;

use serde::{Deserialize, Serialize};
use waypost_core::command::Command;
use waypost_core::event::CommitAdded;
use waypost_core::evidence::{Evidence, Mark, Provenance, Sort, says_nothing};
use waypost_core::gate::proof::git::GitProof;
use waypost_core::gate::{Proof, Scope};
use waypost_core::key::sha256_hex;
use waypost_core::text::{one_line, shortened};
use waypost_core::track::{ChecklistStep, PhaseEntry, StepSubject};
use waypost_store::look;

use super::{GateStatus, Looked, Protocol, StepStatus, recover};
use crate::error::AppError;
use crate::machine::matching;
use crate::machine::place;
use crate::rulings::commit;
use crate::rulings::facts;
use crate::view::View;

/// The longest evidence, in bytes.
pub const MAX_EVIDENCE: usize = 1024 * 1024;
/// How much of it is kept, in characters.
const KEPT: usize = 1000;
/// The shortest beginning of a hash that is taken for it.
const MIN_HASH: usize = 12;

/// What sort of evidence is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceType {
    /// What a tool said.
    ToolOutput,
    /// A file that is there.
    FilePath,
    /// A commit.
    CommitSha,
    /// The hash of what was read.
    ContentHash,
    /// Anything else.
    Manual,
}

impl EvidenceType {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::ToolOutput, Self::FilePath, Self::CommitSha, Self::ContentHash, Self::Manual];
}

impl fmt::Display for EvidenceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ToolOutput => "tool_output",
            Self::FilePath => "file_path",
            Self::CommitSha => "commit_sha",
            Self::ContentHash => "content_hash",
            Self::Manual => "manual",
        })
    }
}

/// Evidence that is given.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The session, if not the usual one.
    pub session: Option<&'a str>,
    /// The gate.
    pub gate: &'a str,
    /// The step, where the gate has several.
    pub step: Option<&'a str>,
    /// What sort of evidence it is.
    pub of: EvidenceType,
    /// The evidence.
    pub evidence: &'a str,
}

/// What became of the evidence.
#[derive(Debug, Clone, Serialize)]
pub struct EvidenceOutcome {
    /// The gate.
    pub phase: String,
    /// The step.
    pub step: String,
    /// Whether it is kept.
    pub evidence_recorded: bool,
    /// Whether it was verified, or matched with what was seen.
    pub auto_validated: bool,
    /// Whether the gate holds now.
    pub gate_status: EvidenceStatus,
    /// What was found, and what to do next.
    pub message: String,
}

/// Whether a gate holds after evidence was given for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EvidenceStatus {
    /// It holds.
    Pass,
    /// The evidence was wrong.
    Fail,
    /// More is needed.
    Pending,
}

impl EvidenceStatus {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pass, Self::Fail, Self::Pending];
}

/// What looking at the evidence came to.
enum Judged {
    /// It is proven by these.
    Verified(Vec<Command>, String),
    /// It is only said.
    Said(String),
    /// It is wrong.
    Wrong(String),
}

/// Records evidence for a step of the protocol.
pub fn record(view: &View<'_>, given: &Given<'_>) -> Result<EvidenceOutcome, AppError> {
    if given.evidence.len() > MAX_EVIDENCE {
        return Err(AppError::refused(format!(
            "the evidence has {} bytes; at most {MAX_EVIDENCE} are taken",
            given.evidence.len()
        ))
        .hint("give the part that shows it, or the path of a file that holds it"));
    }
    let mut protocol = Protocol::required(view, given.session)?;
    protocol.running()?;
    let entry = entry(&protocol, given.gate)?;
    let gate = entry.gate.clone();
    let before = look(view, &protocol, &gate)?;
    let step = step(entry, &before, given)?.clone();
    let (commands, kept, message) = match judge(view, &protocol, &step, &before, given) {
        Judged::Wrong(why) => return Ok(answer(view, &before, &step, None, why)),
        // That something else is so, too, does not show that this was done: it is said.
        Judged::Verified(mut commands, how) if step.is_only_said() => {
            commands.push(said(&protocol, &step, given));
            (commands, KeptEvidence::AsSaid, how)
        }
        Judged::Verified(commands, how) => (commands, KeptEvidence::Verified, how),
        Judged::Said(why) => (vec![said(&protocol, &step, given)], KeptEvidence::AsSaid, why),
    };
    let actor = view.actor();
    for command in commands {
        view.execute(&protocol.session.id, &actor, command)?;
    }
    protocol.session.state = view.load(&protocol.session.id)?;
    let after = look(view, &protocol, &gate)?;
    recover::recover(view, &protocol, std::slice::from_ref(&after))?;
    Ok(answer(view, &after, &step, Some(kept), message))
}

fn entry<'p>(protocol: &'p Protocol, gate: &str) -> Result<&'p PhaseEntry, AppError> {
    protocol.gate_called(gate)?.ok_or_else(|| {
        let names: Vec<&str> =
            protocol.definition.entries().map(|(_, entry)| entry.gate.as_str()).collect();
        AppError::refused(format!("the protocol has no gate `{}`", shortened(&one_line(gate), 40)))
            .hint(format!("its gates are {}", names.join(", ")))
    })
}

/// The step that is meant: the one that is named, else the only one that such evidence is for, that
/// it speaks of, or that applies at all.
fn step<'e>(
    entry: &'e PhaseEntry,
    looked: &Looked,
    given: &Given<'_>,
) -> Result<&'e ChecklistStep, AppError> {
    let names = || entry.steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>().join(", ");
    if let Some(name) = given.step {
        let found = entry.steps.iter().find(|step| step.name == name || step.gate.id == name);
        return found.ok_or_else(|| {
            let name = shortened(&one_line(name), 40);
            AppError::refused(format!("{} has no step `{name}`", entry.gate))
                .hint(format!("its steps are {}", names()))
        });
    }
    let skipped = |step: &ChecklistStep| {
        let found = looked.steps.iter().find(|known| known.step == step.name);
        found.is_some_and(|known| known.status == StepStatus::Skipped)
    };
    let mut left: Vec<&ChecklistStep> = entry.steps.iter().collect();
    let narrower: [&dyn Fn(&ChecklistStep) -> bool; 3] = [
        &|step| fits(&step.gate.proof, given.of),
        &|step| speaks_of(&step.gate.proof, given.evidence),
        &|step| !skipped(step),
    ];
    for fits in narrower {
        let fitting: Vec<&ChecklistStep> = left.iter().copied().filter(|step| fits(step)).collect();
        if !fitting.is_empty() {
            left = fitting;
        }
    }
    match left.as_slice() {
        [only] => Ok(only),
        _ => Err(AppError::refused(format!("{} has several steps: which one?", entry.gate))
            .hint(format!("name it with `step`: {}", names()))),
    }
}

/// Whether evidence of this sort is about such a proof.
fn fits(proof: &Proof, of: EvidenceType) -> bool {
    match (of, proof) {
        (EvidenceType::ContentHash, Proof::Read(_))
        | (EvidenceType::FilePath, Proof::File(_) | Proof::Report(_) | Proof::Ticked(_))
        | (EvidenceType::CommitSha, Proof::Git(GitProof::Commit))
        | (EvidenceType::ToolOutput, Proof::Ran(_) | Proof::Called(_)) => true,
        (_, Proof::All(proofs) | Proof::Any(proofs)) => proofs.iter().any(|one| fits(one, of)),
        _ => false,
    }
}

/// Whether the evidence names what the proof asks for.
fn speaks_of(proof: &Proof, evidence: &str) -> bool {
    let name = match proof {
        Proof::Read(read) => read.file.rsplit('/').next(),
        Proof::Called(called) => called.tool.rsplit("__").next(),
        _ => None,
    };
    name.is_some_and(|name| evidence.contains(name))
}

fn judge(
    view: &View<'_>,
    protocol: &Protocol,
    step: &ChecklistStep,
    before: &Looked,
    given: &Given<'_>,
) -> Judged {
    // Whether something applies that nobody can see, whoever knows may say.
    let may_not_apply = matches!(step.subject, StepSubject::Unseen(_));
    if says_nothing(given.evidence) && !may_not_apply {
        return Judged::Wrong("the evidence says itself that it was not done".to_owned());
    }
    let found = before.steps.iter().find(|looked| looked.step == step.name);
    match given.of {
        EvidenceType::ContentHash => hash(view, step, given.evidence),
        EvidenceType::FilePath => file(view, step, given.evidence),
        EvidenceType::CommitSha => commit_of(view, protocol, given.evidence),
        EvidenceType::ToolOutput | EvidenceType::Manual => match found {
            Some(looked) if looked.status == StepStatus::Done => {
                Judged::Verified(Vec::new(), format!("it is known already: {}", looked.evidence))
            }
            _ if step.gate.accept_claimed => {
                Judged::Said("it is kept as said: nobody saw it".to_owned())
            }
            _ => Judged::Said("it is kept as said, which proves nothing here".to_owned()),
        },
    }
}

/// Whoever knows what a file hashes to has read it.
fn hash(view: &View<'_>, step: &ChecklistStep, given: &str) -> Judged {
    let Proof::Read(read) = &step.gate.proof else {
        return Judged::Said("this step asks for no file to be read".to_owned());
    };
    let given = given.trim();
    let given = given.rsplit([':', ' ']).next().unwrap_or_default().to_ascii_lowercase();
    let Some(found) = matching::hash_of(&view.project.root, &read.file) else {
        return Judged::Wrong(format!("{} cannot be read", read.file));
    };
    if given.len() < MIN_HASH || !found.starts_with(&given) {
        let hint = format!("the SHA-256 of {} does not begin with that", read.file);
        return Judged::Wrong(hint);
    }
    let evidence = Evidence {
        sort: Sort::Read,
        subject: read.file.clone(),
        sha256: Some(found),
        fields: serde_json::Map::new(),
        provenance: Provenance::Verified,
    };
    Judged::Verified(
        vec![Command::RecordEvidence(evidence)],
        format!("{} is what it hashes to", read.file),
    )
}

/// A file that is there is looked at by the gate itself.
fn file(view: &View<'_>, step: &ChecklistStep, given: &str) -> Judged {
    let root = &view.project.root;
    let path = place::without_dots(&root.join(given.trim()));
    let Ok(relative) = path.strip_prefix(root) else {
        return Judged::Wrong("that is no file of the project".to_owned());
    };
    if !look::is_file(&path) {
        return Judged::Wrong(format!("there is no file {}", relative.display()));
    }
    match &step.gate.proof {
        Proof::File(_)
        | Proof::Report(_)
        | Proof::Ticked(_)
        | Proof::Changed(_)
        | Proof::Any(_) => Judged::Verified(Vec::new(), format!("{} is there", relative.display())),
        _ if step.gate.accept_claimed => {
            Judged::Said(format!("{} is there; the rest is kept as said", relative.display()))
        }
        _ => Judged::Said("the file is there; that proves nothing here".to_owned()),
    }
}

fn commit_of(view: &View<'_>, protocol: &Protocol, given: &str) -> Judged {
    let Some(sha) = commit::resolve(view, given.trim()) else {
        return Judged::Wrong("git knows no such commit".to_owned());
    };
    let state = &protocol.session.state;
    if state.commit.as_ref() == Some(&sha) {
        return Judged::Wrong("that is the commit that the session began at".to_owned());
    }
    let how = format!("git knows {}", shortened(&sha, 12));
    if state.commits.contains(&sha) {
        return Judged::Verified(Vec::new(), how);
    }
    let message = facts::subject_of(view, &sha);
    let add = Command::AddCommit(CommitAdded::new(sha, message));
    Judged::Verified(vec![add], how)
}

/// What is only said is kept as that: its beginning, and the hash of all of it.
fn said(protocol: &Protocol, step: &ChecklistStep, given: &Given<'_>) -> Command {
    let mut note = format!("{}: {}", given.of, shortened(&one_line(given.evidence), KEPT));
    if given.evidence.chars().count() > KEPT {
        let sha256 = sha256_hex(&[given.evidence.as_bytes()]);
        note.push_str(&format!(" ({} bytes, SHA-256 {sha256})", given.evidence.len()));
    }
    let own = matches!(step.gate.scope, Scope::Conversation | Scope::SingleUse);
    Command::Mark(Mark {
        gate: step.gate.id.clone(),
        provenance: Provenance::Claimed,
        conversation: own.then(|| protocol.conversation.clone()),
        until: None,
        tree: None,
        note: Some(note),
        shown: None,
        signature: None,
        signed_at: None,
    })
}

fn look(view: &View<'_>, protocol: &Protocol, gate: &str) -> Result<Looked, AppError> {
    let looked = protocol.look(view, |known| known.gate == gate)?;
    looked.into_iter().next().ok_or_else(|| AppError::refused("there is no such gate"))
}

/// How evidence is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeptEvidence {
    /// As verified, or as matched with what was seen.
    Verified,
    /// As somebody's word.
    AsSaid,
}

fn answer(
    view: &View<'_>,
    looked: &Looked,
    step: &ChecklistStep,
    kept: Option<KeptEvidence>,
    mut message: String,
) -> EvidenceOutcome {
    let gate_status = match looked.status {
        _ if kept.is_none() => EvidenceStatus::Fail,
        GateStatus::Pass | GateStatus::Skipped => EvidenceStatus::Pass,
        GateStatus::Fail => EvidenceStatus::Pending,
    };
    let voice = view.voice();
    let next: Vec<String> = looked.open_musts().map(|step| step.next.words(voice)).collect();
    if gate_status != EvidenceStatus::Pass && !next.is_empty() {
        message.push_str(&format!(". Next: {}", next.join("; ")));
    }
    EvidenceOutcome {
        phase: looked.gate.clone(),
        step: step.name.clone(),
        evidence_recorded: kept.is_some(),
        auto_validated: kept == Some(KeptEvidence::Verified),
        gate_status,
        message,
    }
}
