//! What happens when a harness calls its hook: the use cases behind every hook event.
//!
//! Nothing here knows how a harness spells its events; that is the adapters' business.

pub mod attach;
pub mod observe;
pub mod settings;
pub mod stop;
pub mod subagent;
pub mod teammate;
pub mod tool;
pub mod turn;

mod alongside;
mod background;
mod call_activity;
mod call_moments;
mod carried;
mod carry_over;
mod client_code;
mod code_text;
mod commits;
mod excerpt;
mod find_command;
mod for_people;
mod ground;
mod guarded;
mod imitated;
mod inherit;
mod modes;
mod programs;
mod protect;
mod question;
mod readings;
mod rewrite;
mod script;
mod seen_call;
mod silenced;
mod staging;
mod target;
mod usage;
mod witnessed;
mod worktrees;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use waypost_core::gate::policy::Policy;
use waypost_core::id::ConversationId;
use waypost_core::next_step::{Mend, amid, does};
use waypost_core::session::SessionState;
use waypost_store::look;

use crate::error::{AppError, Kind};
use crate::harness::Rewriting;
use crate::machine::host::Host;
use crate::machine::process::Process;
use crate::machine::project::{self, Project};
use crate::standing::{Asker, Stand};
use crate::tracks::workflow;
use crate::transcripts::TranscriptReader;
use crate::view::registry::{Registration, Registry};
use crate::view::{self, Session, View};

/// A call of the hook.
#[derive(Debug)]
pub struct Call {
    /// The harness.
    pub harness: &'static str,
    /// The conversation.
    pub conversation: ConversationId,
    /// The subagent, where one acts.
    pub subagent: Option<String>,
    /// What sort of agent that is.
    pub agent_type: Option<String>,
    /// The folder that the agent is in.
    pub cwd: PathBuf,
    /// The folder that the harness was started in.
    pub project_dir: Option<PathBuf>,
    /// Tells the process that called, if it is the harness.
    pub caller: fn() -> Option<Process>,
    /// The mode that the user's permissions are in.
    pub permissions: Option<String>,
    /// How the harness runs another command line in the place of one, if it does.
    pub rewriting: Option<&'static dyn Rewriting>,
    /// The file in which the client keeps what is said in the conversation.
    pub transcript: Option<PathBuf>,
    /// Who reads transcripts.
    pub readers: &'static [&'static dyn TranscriptReader],
}

/// The view of a call and the conversation's entry in the registry. `None` where Waypost was
/// never set up.
pub fn locate<'a>(
    host: &'a Host,
    call: &Call,
) -> Result<Option<(View<'a>, Option<Registration>)>, AppError> {
    let ring = match host.keyring() {
        Ok(ring) => ring,
        Err(error) => {
            return if around(call)?.is_some() { Err(error) } else { Ok(None) };
        }
    };
    let registration =
        Registry::new(&host.state_dir, &ring).find(call.harness, &call.conversation)?;
    let project = match &registration {
        Some(known) => match view::project_at(&known.root)? {
            None if look::is_folder(&known.root) => return Err(gone(&known.root)),
            // A work tree that was removed: the repository is still there.
            None => around(call)?,
            found => found,
        },
        None => around(call)?,
    };
    let Some(project) = project else { return Ok(None) };
    let view = View::with(host, project, ring);
    // An agent may be in another work tree than the one that it began in, and is judged there.
    if let Ok(Some(here)) = project::find(&call.cwd)
        && here.is_kept_with(&view.project)
    {
        view.go_to(&here);
    }
    Ok(Some((view, registration)))
}

/// `waypost init --remove` takes its conversations out of the registry. Whoever else removed
/// Waypost's files has not taken it out.
fn gone(root: &Path) -> AppError {
    AppError::refused(format!("Waypost's files in {} are gone", root.display())).hint(
        amid("the user runs ", Mend::SetUp, " again, or ")
            .and(does(Mend::TakeOut, "to take it out")),
    )
}

/// The same where a human is present: an entry in the registry that was damaged is made anew.
fn locate_anew<'a>(
    host: &'a Host,
    call: &Call,
) -> Result<Option<(View<'a>, Option<Registration>)>, AppError> {
    match locate(host, call) {
        Err(error) if error.kind == Kind::Integrity => {
            let ring = host.keyring()?;
            Registry::new(&host.state_dir, &ring).leave(call.harness, &call.conversation)?;
            locate(host, call)
        }
        located => located,
    }
}

/// Where a session stands for the conversation of a call.
fn stand(
    view: &View<'_>,
    registration: &Registration,
    state: &Rc<SessionState>,
) -> Result<Stand, AppError> {
    let session = Session { id: registration.session.clone(), state: Rc::clone(state) };
    let mut policy = Policy::clone(&view.policy_for(state, &registration.conversation)?.policy);
    policy.gates.extend(workflow::gates(view, &session.id, state));
    let conversation = registration.conversation.clone();
    let asker = Asker { conversation, voice: registration.voice() };
    Stand::of(view, session, policy, &asker)
}

fn around(call: &Call) -> Result<Option<Project>, AppError> {
    let folders = [Some(call.cwd.as_path()), call.project_dir.as_deref()];
    for folder in folders.into_iter().flatten() {
        if let Some(project) = project::find(folder)?.filter(Project::is_initialised) {
            return Ok(Some(project));
        }
    }
    Ok(None)
}

impl Call {
    /// Whether the harness itself called, and is the one that the conversation began with.
    fn is_checked(&self, registration: &Registration) -> bool {
        registration.process.is_some() && (self.caller)() == registration.process
    }
}
