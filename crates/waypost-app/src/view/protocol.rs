//! What the project's protocol asks for here: a step whose subject is not here asks for nothing.

mod compiled;

use std::path::PathBuf;

use waypost_core::gate::policy::Policy;
use waypost_core::gate::{Gate, Level, Proof};
use waypost_core::id::ConversationId;
use waypost_core::track::builtin::{self, Watching};
use waypost_core::track::{ChecklistStep, Definition, PhaseEntry, StepSubject};
use waypost_store::{files, look};

use super::{Session, View};
use crate::error::AppError;
use crate::harness::{Ground, Local};
use crate::machine::matching;

pub(crate) use compiled::{CompiledProtocol, compile, of_file};

/// The largest file that is looked into for MCP servers.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What a conversation would follow that begins now; `None` where the project follows no protocol. One that cannot
/// be read is an error: nobody begins under a protocol that nobody knows.
pub fn definition(
    view: &View<'_>,
    policy: &Policy,
    session: &Session,
    conversation: &ConversationId,
) -> Result<Option<Definition>, AppError> {
    let Some(template) = in_force(view, policy)? else { return Ok(None) };
    let known = session.state.conversations.get(conversation);
    let entry =
        known.and_then(|known| view.registered(&known.harness, conversation).ok().flatten());
    // Nobody but its hooks sees what an agent does.
    let hooked = entry.is_some_and(|entry| entry.hooked);
    let watched = if hooked { Watching::ByHooks } else { Watching::ByNobody };
    let skills = skills(view, known.map(|known| known.harness.as_str()));
    let mut definition = template.of_session(session.id.as_str(), watched, skills);
    for step in definition.steps_mut() {
        settle(view, &mut step.subject);
    }
    Ok(Some(definition))
}

/// The protocol that holds under a policy, for any session: what the files say now, unless that is looser than what
/// was pinned while a human was there.
pub fn in_force(view: &View<'_>, policy: &Policy) -> Result<Option<Definition>, AppError> {
    let Some(name) = &policy.protocol else { return Ok(None) };
    let sources = view.sources();
    let same = sources.config.policy.protocol.as_ref() == Some(name);
    if let Some(error) = sources.protocol_error.as_ref().filter(|_| same) {
        return Err(error.clone());
    }
    let now = sources.protocol.as_ref().filter(|_| same);
    let pinned = policy.protocol_steps.as_ref().and_then(|hash| view.blobs.definition(hash));
    match (now, pinned) {
        (Some(now), Some(pinned)) if is_looser(now, &pinned) => Ok(Some((*pinned).clone())),
        (Some(now), _) => Ok(Some(now.clone())),
        (None, Some(pinned)) => Ok(Some((*pinned).clone())),
        (None, None) if name == builtin::PROTOCOL => Ok(Some(builtin::any_protocol())),
        (None, None) => Err(AppError::refused(format!("the protocol {name} cannot be read here"))
            .hint("ask the user to bring waypost.toml and that file back")),
    }
}

/// Whether a must of one protocol is missing in another, asks for something else there, or holds less.
fn is_looser(now: &Definition, pinned: &Definition) -> bool {
    let kept = |pinned: &PhaseEntry, step: &ChecklistStep| {
        now.entries().any(|(_, entry)| {
            // Where nothing waits for it any more, or not before the work, it holds less.
            let holds = entry.part == pinned.part && (entry.blocking || !pinned.blocking);
            holds && entry.steps.iter().any(|other| is_same_must(step, other))
        })
    };
    pinned.entries().any(|(_, entry)| {
        let mut musts = entry.steps.iter().filter(|step| step.gate.level == Level::Must);
        musts.any(|step| !kept(entry, step))
    })
}

fn is_same_must(step: &ChecklistStep, other: &ChecklistStep) -> bool {
    other.gate.level == Level::Must
        && step.gate.id == other.gate.id
        && (&step.subject, &step.gate.proof, step.gate.accept_claimed)
            == (&other.subject, &other.gate.proof, other.gate.accept_claimed)
}

/// The gates that a protocol adds to those of the project: what is not there asks for nothing.
pub(super) fn gates(view: &View<'_>, template: &Definition) -> Vec<Gate> {
    let definition = template.of_session("*", Watching::ByHooks, skills(view, None));
    let gates = builtin::standing(&definition).into_iter();
    let come = gates.filter(|(subject, _)| may_come(view, subject)).map(|(_, gate)| gate);
    // Of a file's many steps, hooks are told those only that they can see.
    come.filter(|gate| gate.source.file == builtin::SOURCE || is_observed(gate)).collect()
}

fn is_observed(gate: &Gate) -> bool {
    let mut observed = builtin::is_seen_at_once(&gate.proof);
    gate.proof.each(&mut |proof| {
        observed |=
            matches!(proof, Proof::Called(_) | Proof::Read(_) | Proof::Ran(_) | Proof::Skill(_));
    });
    observed
}

/// Where a project's skills lie, for a harness or, where it is not known, for the first that has any.
fn skills(view: &View<'_>, harness: Option<&str>) -> Option<&'static str> {
    let named = harness.and_then(|name| view.host.harness(name));
    let mut all = named.into_iter().chain(&view.host.harnesses);
    all.find_map(|local| local.facts().skills)
}

/// Settles once and for all what depends on the machine's configuration.
fn settle(view: &View<'_>, subject: &mut StepSubject) {
    match subject {
        StepSubject::Server(name) => {
            *subject = if is_configured(view, name) {
                StepSubject::Always
            } else {
                StepSubject::Absent(format!("no MCP server {name} is configured"))
            };
        }
        StepSubject::Git if view.project.git.is_none() => {
            *subject = StepSubject::Absent("this is not a git repository".to_owned());
        }
        StepSubject::All(subjects) => {
            for subject in subjects {
                settle(view, subject);
            }
        }
        _ => {}
    }
}

/// Whether it is there now, or could come to be while work goes on.
fn may_come(view: &View<'_>, subject: &StepSubject) -> bool {
    match subject {
        StepSubject::Server(name) => is_configured(view, name),
        StepSubject::File(pattern) => matching::any_fits(&view.project.root, pattern),
        StepSubject::All(subjects) => subjects.iter().all(|subject| may_come(view, subject)),
        // Once somebody says that it was done, that is looked at.
        StepSubject::Absent(_) | StepSubject::Unseen(_) => false,
        StepSubject::Always | StepSubject::Git | StepSubject::Changed(_) | StepSubject::Code => {
            true
        }
    }
}

/// Whether an MCP server of that name is configured for the project, or for the user.
pub(crate) fn is_configured(view: &View<'_>, name: &str) -> bool {
    let root = &view.project.root;
    if look::is_file(root.join(format!(".{name}/project.yml"))) {
        return true;
    }
    let has = |servers: &[String]| servers.iter().any(|known| known.to_lowercase().contains(name));
    let of_project = || {
        listed(view, |local, ground| {
            let files = local.harness.registering().files().iter();
            let mut lists = files.filter(|file| file.has_servers());
            lists.next().map(|file| (file.place)(ground))
        })
    };
    let of_user =
        || listed(view, |local, ground| Some(local.harness.registering().user_servers(ground)));
    has(view.cache.servers_of_project.get_or_init(of_project))
        || has(view.cache.servers_of_user.get_or_init(of_user))
}

/// The MCP servers that one file of each harness lists.
fn listed(view: &View<'_>, file: impl Fn(&Local, Ground<'_>) -> Option<PathBuf>) -> Vec<String> {
    let (host, root) = (view.host, &view.project.root);
    let mut names = Vec::new();
    for local in &host.harnesses {
        let path = file(local, host.ground(local, root));
        let content = path.and_then(|path| files::read(&path, MAX_BYTES).ok().flatten());
        let content = content.unwrap_or_default();
        names.append(&mut local.harness.registering().servers(&content, root));
    }
    names
}
