//! Running a command as verified evidence: Waypost itself starts it, sees what it prints and how it ends.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};

use waypost_core::alongside::NamedFiles;
use waypost_core::command::check_open;
use waypost_core::evidence::{Provenance, Run};
use waypost_core::gate::policy::Watched;
use waypost_core::gate::proof::ran::{RanProof, WatchedRun};
use waypost_core::gate::{Gate, Proof};
use waypost_core::id::SessionId;
use waypost_core::key::sha256_hex;
use waypost_core::next_step::{Mend, NextStep, Running, amid, to};
use waypost_core::runner::tally::{Counted, Tally};
use waypost_core::runner::{self, Argument, Awaited, Profile};
use waypost_core::session::SessionState;
use waypost_core::shell;
use waypost_store::{files, look, seen};

use crate::enforce::counting::Terms;
use crate::enforce::recording::Recording;
use crate::enforce::{alongside, gates, spelling};
use crate::error::AppError;
use crate::machine::child;
use crate::machine::place;
use crate::machine::process;
use crate::orchestration::checklist;
use crate::rulings::facts;
use crate::sessions::begin::Begin;
use crate::view::View;
use crate::view::activity::{self, Deed};

/// How a run ended and what it proved.
#[derive(Debug)]
pub struct Ran {
    /// The command's exit status, as a shell would give it.
    pub status: i32,
    /// What gates wait for that it is a run of.
    pub patterns: Vec<String>,
    /// Why it counts for no gate that waits for such a command.
    pub why_not: Option<String>,
    /// What else there is to know about it.
    pub told: Option<String>,
    /// Whose files it named, where it failed and named only those of others.
    pub blamed: Option<String>,
    /// The session that it was recorded in, or why it was not.
    pub recorded: Result<SessionId, AppError>,
}

/// Runs a command with everything passed through; in `folder`, or where the caller is.
pub fn run(view: &View<'_>, argv: &[OsString], folder: Option<&Path>) -> Result<Ran, AppError> {
    if argv.is_empty() {
        let example = NextStep::Run(Running::of("cargo test"));
        return Err(AppError::configuration("there is no command to run")
            .hint(to("say it after `--`", example)));
    }
    let cwd = &view.host.cwd;
    let folder = folder.map_or_else(|| cwd.clone(), |at| place::without_dots(&cwd.join(at)));
    let prepared = Prepared::of(view)?;
    let called = Called { words: words(argv), argv: argv.to_vec(), folder, own: None };
    prepared.run(&called)
}

/// Runs a gate's own commands, in the order in which it names them, until one of them fails. An only one may be
/// given further arguments.
pub fn run_gate(view: &View<'_>, name: &str, more: &[OsString]) -> Result<Vec<Ran>, AppError> {
    let policy = gates::known_to(view, None)?;
    let gate = gates::find(&policy, name)?;
    let proofs = commands(&gate.proof);
    if proofs.is_empty() {
        return Err(AppError::refused(format!("gate {name} asks for no command"))
            .hint(to("it asks for this", gate.proof.next(gate))));
    }
    let mut calls = Vec::new();
    for proof in proofs {
        calls.append(&mut own_calls(view, gate, proof)?);
    }
    match calls.as_mut_slice() {
        _ if more.is_empty() => {}
        [only] => only.add(more),
        several => {
            let several = several.len();
            return Err(AppError::refused(format!("gate {name} asks for {several} commands"))
                .hint("leave the arguments after `--` out"));
        }
    }
    let prepared = Prepared::of(view)?;
    let mut done = Vec::new();
    for call in &calls {
        let ran = prepared.run(call)?;
        let failed = ran.status != 0 || ran.recorded.is_err();
        done.push(ran);
        if failed {
            break;
        }
    }
    Ok(done)
}

/// The commands that would satisfy a proof: of several that do, the first.
fn commands(proof: &Proof) -> Vec<&RanProof> {
    match proof {
        Proof::Ran(ran) => vec![ran],
        Proof::All(proofs) => proofs.iter().flat_map(commands).collect(),
        Proof::Any(proofs) => {
            proofs.iter().map(commands).find(|found| !found.is_empty()).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// How a gate's command is called here. Nothing that a repository brought along is run on its own word.
fn own_calls(view: &View<'_>, gate: &Gate, proof: &RanProof) -> Result<Vec<Called>, AppError> {
    let Some(command) = runner::spelt_out(&proof.pattern) else {
        let any = NextStep::Run(Running { gate: None, ..running(proof) });
        return Err(AppError::refused(format!(
            "`{}` of gate {} is not one single command",
            proof.pattern, gate.id
        ))
        .hint(any));
    };
    if !gate.source.trusted {
        let by_hand = NextStep::Run(running(proof));
        return Err(AppError::refused(format!(
            "{} was not written on this machine with init, or it was changed since, and nobody said that \
             its commands may be run",
            gate.source.file
        ))
        .hint(
            to("run it yourself", by_hand)
                .and(amid("; a human lets Waypost run it with ", Mend::TrustConfig, "")),
        ));
    }
    let mut words = shell::words(command);
    if proof.baseline {
        let policy = view.policy_for_caller()?;
        let awaited = Awaited::by(&proof.pattern, &policy.policy.runners);
        tell_all(&mut words, awaited.in_full());
    }
    let own = Some(WatchedRun::of(gate, proof));
    let called = folders(view, gate, proof, &words)?.into_iter().map(|folder| {
        let argv = spelling::here(view.host, &view.project.root, &folder, &words);
        let argv = argv.into_iter().map(OsString::from).collect();
        Called { words: words.clone(), argv, folder, own: own.clone() }
    });
    Ok(called.collect())
}

/// Adds what is needed to know of every test which of them fail.
pub(super) fn tell_all<'f>(words: &mut Vec<String>, flags: impl Iterator<Item = &'f str>) {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let missing = flags.filter(|flag| !words.iter().any(|word| word == flag));
    let missing: Vec<String> = missing.map(str::to_owned).collect();
    words.splice(end..end, missing);
}

/// The folders that a gate's command is run in: its own, else the project's. Where nothing can be run at the
/// top of a project, the packages in which something is not committed yet.
fn folders(
    view: &View<'_>,
    gate: &Gate,
    proof: &RanProof,
    words: &[String],
) -> Result<Vec<PathBuf>, AppError> {
    let root = &view.project.root;
    if let Some(folder) = &proof.folder {
        let folder = root.join(folder);
        if !look::is_folder(&folder) {
            return Err(AppError::refused(format!("{} is not a folder", folder.display()))
                .hint(format!("gate {} names it in {}", gate.id, gate.source)));
        }
        return Ok(vec![folder]);
    }
    let policy = view.policy_for_caller()?;
    let watched = WatchedRun::of(gate, proof);
    let terms = Terms { root, own: &policy.policy.runners };
    let words: Vec<Argument<'_>> = words.iter().map(|word| Argument::plain(word)).collect();
    let reach = terms.awaited(&watched).fits(&words, &[]).and_then(Result::ok).unwrap_or_default();
    let has_top = |folder: &Path| reach.tops.iter().any(|file| look::is_file(folder.join(file)));
    if reach.tops.is_empty() || has_top(root) {
        return Ok(vec![root.clone()]);
    }
    // What was committed in the session counts as well, where nothing is left to be committed.
    let changed = facts::files_since(view, "HEAD").unwrap_or_default();
    let began = || view.session(None).ok().and_then(|session| session.state.commit.clone());
    let changed = match (changed.is_empty(), began()) {
        (true, Some(began)) => facts::files_since(view, &began).unwrap_or_default(),
        _ => changed,
    };
    let tops = changed.iter().filter_map(|file| {
        let path = root.join(file);
        let above = path.ancestors().skip(1).take_while(|at| at.starts_with(root));
        above.map(Path::to_owned).find(|at| has_top(at))
    });
    let packages: BTreeSet<PathBuf> = tops.collect();
    if packages.is_empty() {
        let files = reach.tops.join(" or ");
        return Err(AppError::refused(format!(
            "there is no {files} at the top of the project, and none above anything that changed"
        ))
        .hint(format!("give gate {} a `folder` in {}", gate.id, gate.source)));
    }
    Ok(packages.into_iter().collect())
}

fn running(proof: &RanProof) -> Running {
    Running { pattern: proof.pattern.clone(), folder: proof.folder.clone(), gate: None }
}

/// A command that is about to run.
pub(super) struct Called {
    /// Its words, as gates would name it.
    pub(super) words: Vec<String>,
    /// Its words, as it is called here.
    pub(super) argv: Vec<OsString>,
    pub(super) folder: PathBuf,
    /// What it is a run of in any case.
    pub(super) own: Option<WatchedRun>,
}

impl Called {
    /// With more arguments it may be a run of something else.
    fn add(&mut self, more: &[OsString]) {
        self.words.extend(words(more));
        self.argv.extend_from_slice(more);
        self.own = None;
    }
}

/// Where runs are recorded, made sure of before anything runs: a run that cannot be recorded proves
/// nothing.
struct Prepared<'a> {
    view: &'a View<'a>,
    session: SessionId,
    watched: Watched,
    /// The project's own runners.
    own: Vec<Profile>,
    /// The names of variables that the agent set.
    variables: Vec<String>,
}

impl<'a> Prepared<'a> {
    fn of(view: &'a View<'a>) -> Result<Self, AppError> {
        let session = session(view)?;
        let state = view.load(&session)?;
        check_open(&state).map_err(|refusal| AppError::of_session(&session, &refusal))?;
        files::check_writable(&view.project.store)?;
        let watched = watched(view, &state)?;
        let own = view.policy_for_caller()?.policy.runners.clone();
        Ok(Self { view, session, watched, own, variables: set_by_agent(view) })
    }

    fn terms(&self) -> Terms<'_> {
        Terms { root: &self.view.project.root, own: &self.own }
    }

    fn run(&self, called: &Called) -> Result<Ran, AppError> {
        let Self { view, session, watched, .. } = self;
        let (fitting, why_not) = self.fitting(called);
        let terms = self.terms();
        // A command that nobody waits for may print in any way.
        let nothing = || Awaited::by("", &[]);
        let awaited = fitting.first().map_or_else(nothing, |watched| terms.awaited(watched));
        let patterns: Vec<String> = fitting.iter().map(|watched| watched.name()).collect();
        let mut printed = NamedFiles::default();
        let mut see = |bytes: &[u8]| printed.feed(bytes);
        let started = start(view, called, &patterns, &awaited, &mut see);
        let (run, counted) = started.map_err(|error| {
            let program = called.argv[0].to_string_lossy();
            AppError::refused(format!("cannot run {program}: {error}"))
                .because(error)
                .hint("check the command's name; nothing was recorded")
        })?;
        let (status, text) = (run.status, called.words.join(" "));
        let blamed = || alongside::blamed(view, &view.asker(), &called.folder, printed);
        let blamed = if status == 0 { None } else { blamed() };
        let actor = &view.actor();
        let deed =
            Deed { actor, tool: "waypost run", what: &text, status: Some(status), files: &[] };
        activity::note(view, session, &deed);
        let recording = Recording { view, actor, session, watched };
        let recorded = recording.record(run, counted);
        let (told, recorded) = match recorded {
            Ok(told) => (told, Ok(session.clone())),
            Err(error) => (None, Err(error)),
        };
        Ok(Ran { status, patterns, why_not, told, blamed, recorded })
    }

    /// What the command is a run of, and why it counts for none of the others that it looks like.
    fn fitting<'c>(&'c self, called: &'c Called) -> (Vec<&'c WatchedRun>, Option<String>) {
        let Called { words, folder, own, .. } = called;
        let counts = |watched: &WatchedRun| {
            self.terms().counts_alone(folder, words, &self.variables, watched)
        };
        let is_own =
            |watched: &WatchedRun| own.as_ref().is_some_and(|own| own.name() == watched.name());
        let mut why_not = None;
        let mut fitting = Vec::new();
        for watched in own.iter().chain(self.watched.ran.iter().filter(|watched| !is_own(watched)))
        {
            match counts(watched) {
                // Where it runs is where it belongs.
                None if is_own(watched) => fitting.push(watched),
                None => {}
                Some(Ok(())) => fitting.push(watched),
                Some(Err(reason)) => {
                    why_not = Some(format!("it is not a run of `{}`: {reason}", watched.pattern));
                }
            }
        }
        (fitting, why_not)
    }
}

/// Starts a command and waits for its end. Its output is passed through, counted, and shown to `see`.
pub(super) fn start(
    view: &View<'_>,
    called: &Called,
    patterns: &[String],
    awaited: &Awaited<'_>,
    see: &mut dyn FnMut(&[u8]),
) -> io::Result<(Run, Counted)> {
    let mut tally = Tally::new(awaited);
    let tree_before = view.tree_again();
    seen::beyond_files();
    let mut command = std::process::Command::new(&called.argv[0]);
    command.args(&called.argv[1..]).current_dir(&called.folder);
    let began = view.host.now();
    let status = child::run(command, &mut |bytes| {
        tally.feed(bytes);
        see(bytes);
    })?;
    let took = view.host.now().as_millis().saturating_sub(began.as_millis());
    let text = called.words.join(" ");
    let run = Run {
        command: called.words[0].rsplit('/').next().unwrap_or_default().to_owned(),
        sha256: sha256_hex(&[text.as_bytes()]),
        patterns: patterns.to_vec(),
        status: status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
        tree_before,
        tree_after: view.tree_again(),
        provenance: Provenance::Verified,
        worktree: view.place().project.worktree(),
        // Next to no time is as good as none, and a clock may have been set back.
        duration_ms: u64::try_from(took).ok().filter(|took| *took > 0),
        tests: None,
        before: None,
        failed: Vec::new(),
        compared: None,
        flaky: Vec::new(),
    };
    Ok((run, tally.finish()))
}

/// The names of variables that the calling agent has set for this command, or changed: whatever its harness was
/// not started with. What a name of a program means depends on the shell as well, and is left out.
fn set_by_agent(view: &View<'_>) -> Vec<String> {
    let calling = view.calling_conversation().and_then(|calling| calling.process);
    let theirs = calling.and_then(|harness| process::environment(harness.pid));
    let (Some(theirs), Some(ours)) = (theirs, process::environment(std::process::id())) else {
        return Vec::new();
    };
    let set = ours.iter().filter(|variable| !theirs.contains(variable));
    let names =
        set.filter_map(|variable| variable.split_once('=')).map(|(name, _)| name.to_owned());
    names.filter(|name| !runner::is_treacherous(name)).collect()
}

fn words(argv: &[OsString]) -> Vec<String> {
    argv.iter().map(|word| word.to_string_lossy().into_owned()).collect()
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
    let mut watched = Watched::of(&gates);
    checklist::watch(state, &mut watched);
    Ok(watched)
}
