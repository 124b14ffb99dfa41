//! What the built-in protocol asks for in this project: a step whose subject is not here asks for nothing.

use std::path::PathBuf;

use waypost_core::gate::Gate;
use waypost_core::gate::policy::Policy;
use waypost_core::id::ConversationId;
use waypost_core::track::builtin::{self, Watching};
use waypost_core::track::{ChecklistStep, Definition, StepSubject};
use waypost_store::{files, look};

use super::{Session, View};
use crate::harness::{Ground, Local, Role};
use crate::machine::matching;

/// The largest file that is looked into for MCP servers.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What a conversation would follow that begins now; `None` where the project follows no protocol.
pub fn definition(
    view: &View<'_>,
    policy: &Policy,
    session: &Session,
    conversation: &ConversationId,
) -> Option<Definition> {
    policy.protocol.as_ref()?;
    let known = session.state.conversations.get(conversation);
    let entry =
        known.and_then(|known| view.registered(&known.harness, conversation).ok().flatten());
    // Nobody but its hooks sees what an agent does.
    let hooked = entry.is_some_and(|entry| entry.hooked);
    let watched = if hooked { Watching::ByHooks } else { Watching::ByNobody };
    let skills = skills(view, known.map(|known| known.harness.as_str()));
    let mut definition = builtin::protocol(session.id.as_str(), watched, skills);
    for step in steps(&mut definition) {
        settle(view, &mut step.subject);
    }
    Some(definition)
}

/// The gates that the protocol adds to those of the project: what is not there asks for nothing.
pub fn gates(view: &View<'_>, policy: &Policy) -> Vec<Gate> {
    if policy.protocol.is_none() {
        return Vec::new();
    }
    let definition = builtin::protocol("*", Watching::ByHooks, skills(view, None));
    let gates = builtin::standing(&definition).into_iter();
    gates.filter(|(subject, _)| may_come(view, subject)).map(|(_, gate)| gate).collect()
}

/// Where a project's skills lie, for a harness or, where it is not known, for the first that has any.
fn skills(view: &View<'_>, harness: Option<&str>) -> Option<&'static str> {
    let named = harness.and_then(|name| view.host.harness(name));
    let mut all = named.into_iter().chain(&view.host.harnesses);
    all.find_map(|local| local.facts().skills)
}

fn steps(definition: &mut Definition) -> impl Iterator<Item = &mut ChecklistStep> {
    let entries = definition.phases.iter_mut().filter_map(|phase| phase.entry.as_mut());
    entries.flat_map(|entry| entry.steps.iter_mut())
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
        StepSubject::Absent(_) => false,
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
            let mut lists = files.filter(|file| file.role == Role::Servers);
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
