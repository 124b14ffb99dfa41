//! Running a command as verified evidence: Waypost itself starts it and sees how it ends.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process;

use waypost_core::command::{Command, ProjectCommand, check_open};
use waypost_core::event::SharedFact;
use waypost_core::evidence::{Provenance, Run};
use waypost_core::gate::policy::Watched;
use waypost_core::id::SessionId;
use waypost_core::key::sha256_hex;
use waypost_core::next_step::{NextStep, to};
use waypost_core::session::SessionState;
use waypost_store::{files, seen};

use crate::enforce::counting;
use crate::enforce::hook::observe::shared_on;
use crate::error::AppError;
use crate::sessions::begin::Begin;
use crate::view::View;
use crate::view::activity::{self, Deed};

/// How a run ended and what it proved.
#[derive(Debug)]
pub struct Ran {
    /// The command's exit status, as a shell would give it.
    pub status: i32,
    /// The gates' patterns that it fits.
    pub patterns: Vec<String>,
    /// Why it counts for no gate that waits for such a command.
    pub why_not: Option<String>,
    /// The session that it was recorded in, or why it was not.
    pub recorded: Result<SessionId, AppError>,
}

/// Runs `argv` in the current folder with everything passed through.
pub fn run(view: &View<'_>, argv: &[OsString]) -> Result<Ran, AppError> {
    let Some((program, arguments)) = argv.split_first() else {
        return Err(AppError::configuration("there is no command to run")
            .hint(to("say it after `--`", NextStep::Run("cargo test".to_owned()))));
    };
    let words: Vec<String> = argv.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let text = words.join(" ");
    let session = session(view)?;
    let state = view.load(&session)?;
    // Refused before it runs: a run that cannot be recorded proves nothing.
    check_open(&state).map_err(|refusal| AppError::of_session(&session, &refusal))?;
    files::check_writable(&view.project.store)?;
    let watched = watched(view, &state)?;
    let (patterns, why_not) = fitting(view, &watched, &words);
    let tree_before = view.tree();
    seen::beyond_files();
    let mut command = process::Command::new(program);
    let ran = command.args(arguments).current_dir(&view.host.cwd).status();
    let status = ran.map_err(|error| {
        AppError::refused(format!("cannot run {}: {error}", program.to_string_lossy()))
            .because(error)
            .hint("check the command's name; nothing was recorded")
    })?;
    let status = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    let name = words[0].rsplit('/').next().unwrap_or_default().to_owned();
    let run = Run {
        command: name,
        sha256: sha256_hex(&[text.as_bytes()]),
        patterns: patterns.clone(),
        status,
        tree_before,
        tree_after: view.tree_again(),
        provenance: Provenance::Verified,
        empty: false,
    };
    let actor = view.actor();
    let deed = Deed { actor: &actor, tool: "waypost run", what: &text, status: Some(status) };
    activity::note(view, &session, &deed);
    for branch in shared_on(view, &watched, &patterns) {
        let what = SharedFact::Run(run.clone());
        view.execute_for_project(&actor, ProjectCommand::Share { branch, what })?;
    }
    let recorded = view.execute(&session, &actor, Command::RecordRun(run));
    Ok(Ran { status, patterns, why_not, recorded: recorded.map(|_| session) })
}

/// The session that is meant, or a new one without a name.
fn session(view: &View<'_>) -> Result<SessionId, AppError> {
    if view.calling_conversation().is_none() && view.active_sessions()?.is_empty() {
        return view.start(&view.actor(), &Begin::default());
    }
    Ok(view.session(None)?.id)
}

/// What gates watch for: those pinned for the session's conversations, and those that stand in the
/// project's files now.
fn watched(view: &View<'_>, state: &SessionState) -> Result<Watched, AppError> {
    let mut gates = view.policy()?.policy.gates.clone();
    for conversation in state.conversations.keys() {
        gates.extend(view.policy_for(state, conversation)?.policy.gates.iter().cloned());
    }
    Ok(Watched::of(&gates))
}

/// The patterns that the command fits, and why it counts for none of the others that it is a run of.
fn fitting(view: &View<'_>, watched: &Watched, words: &[String]) -> (Vec<String>, Option<String>) {
    let (mut fitting, mut why_not) = (Vec::new(), None);
    for pattern in &watched.ran {
        match counting::counts_alone(&view.project.root, &view.host.cwd, words, pattern) {
            None => {}
            Some(Ok(())) => fitting.push(pattern.clone()),
            Some(Err(reason)) => why_not = Some(format!("it is no run of `{pattern}`: {reason}")),
        }
    }
    (fitting, why_not)
}
