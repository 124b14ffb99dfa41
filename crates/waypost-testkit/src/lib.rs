//! A hermetic home, project and clock for tests of the real binary.
//!
//! Every test gets folders of its own and an environment with nothing of the machine's in it. Hooks
//! are called as a harness calls them: through a Unix socket whose other end is the parent process.

mod clock;
mod documents;
pub mod mcp;
pub mod mounts;
pub mod picture;
pub mod process;
pub mod serve;
pub mod stand_in;
mod terminal;

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

/// What the binary's limits are multiplied by, so that none is reached because a machine is busy.
/// A test about a limit sets `WAYPOST_TEST_LIMITS` itself, among the variables of its own.
const UNHURRIED: &str = "1000";

/// A home and a project in a folder that is removed afterwards.
#[derive(Debug)]
pub struct TestEnv {
    _folder: tempfile::TempDir,
    binary: PathBuf,
    home: PathBuf,
    project: PathBuf,
    /// The time that the binary is told.
    pub time: String,
    /// Variables on top of the hermetic ones.
    pub vars: Vec<(String, String)>,
}

/// What a hook answered.
#[derive(Debug)]
pub struct HookAnswer {
    /// The exit status.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// How many bytes it read, of files and of what it asked git.
    pub read: u64,
}

impl HookAnswer {
    /// The answer as JSON; null if there was none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or(Value::Null)
    }

    /// Why a tool was denied, if it was.
    pub fn denied(&self) -> Option<String> {
        let answer = self.json();
        let specific = &answer["hookSpecificOutput"];
        let denied = specific["permissionDecision"] == "deny";
        denied.then(|| specific["permissionDecisionReason"].to_string())
    }

    /// Why a stop was held, if it was.
    pub fn held(&self) -> Option<String> {
        let answer = self.json();
        (answer["decision"] == "block").then(|| answer["reason"].to_string())
    }
}

#[expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot be set up has failed"
)]
impl TestEnv {
    /// A git project with one commit, and `binary` to test.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        Self::below(binary, "")
    }

    /// The same on a disk: in the folder for temporary files, or in `other` where that one is kept in
    /// memory, so that what is tested meets a real file system.
    pub fn on_disk(binary: impl Into<PathBuf>, other: &Path) -> Self {
        let usual = std::env::temp_dir();
        let chosen = [usual.as_path(), other].into_iter().find(|folder| !is_in_memory(folder));
        let chosen = chosen.unwrap_or_else(|| {
            let (usual, other) = (usual.display(), other.display());
            panic!("neither {usual} nor {other} is on a disk: set TMPDIR to a folder that is")
        });
        if chosen == other {
            println!("{} is kept in memory: on disk in {}", usual.display(), other.display());
        }
        Self::in_folder(binary, tempfile::tempdir_in(chosen).unwrap(), "")
    }

    /// The same, with home and project in a folder of that name.
    pub fn below(binary: impl Into<PathBuf>, name: &str) -> Self {
        Self::in_folder(binary, tempfile::tempdir().unwrap(), name)
    }

    /// A home and a project that are there already. Whoever made them removes them.
    pub fn at(binary: impl Into<PathBuf>, home: PathBuf, project: PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (time, vars) = ("2026-11-15T12:00:00.000Z".to_owned(), Vec::new());
        Self { _folder: folder, binary: binary.into(), home, project, time, vars }
    }

    fn in_folder(binary: impl Into<PathBuf>, folder: tempfile::TempDir, name: &str) -> Self {
        let base = folder.path().canonicalize().unwrap().join(name);
        let env = Self {
            _folder: folder,
            binary: binary.into(),
            home: base.join("home"),
            project: base.join("project"),
            time: "2026-11-15T12:00:00.000Z".to_owned(),
            vars: Vec::new(),
        };
        std::fs::create_dir_all(&env.home).unwrap();
        std::fs::create_dir_all(&env.project).unwrap();
        env.git(&["init", "-q", "-b", "main"]);
        env.write("src/lib.txt", "one\n");
        env.write("check.sh", "#!/bin/sh\nexit $(cat result 2>/dev/null || echo 0)\n");
        env.make_executable("check.sh");
        env.git(&["add", "."]);
        env.git(&["commit", "-q", "-m", "first"]);
        env
    }

    /// The binary under test.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// The project's folder.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The home folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Where streams and policies are.
    pub fn store(&self) -> PathBuf {
        self.project.join(".git/waypost")
    }

    /// The key file.
    pub fn key_file(&self) -> PathBuf {
        self.home.join(".config/waypost/key")
    }

    /// Writes a file of the project.
    pub fn write(&self, path: &str, content: &str) {
        let path = self.project.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Reads a file of the project.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.project.join(path)).unwrap()
    }

    fn make_executable(&self, path: &str) {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.project.join(path), mode).unwrap();
    }

    /// Runs git in the project.
    pub fn git(&self, args: &[&str]) -> String {
        let output = self.command("git", &self.project).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The same as a person would, whom git's hooks do not ask: a test passes for the harness itself, so what it
    /// starts passes for an agent's.
    pub fn git_unasked(&self, args: &[&str]) -> String {
        let mut all = vec!["-c", "core.hooksPath=/dev/null"];
        all.extend(args);
        self.git(&all)
    }

    /// A command in the hermetic environment.
    pub fn command(&self, program: impl AsRef<OsStr>, cwd: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(cwd);
        // The binary under test is what a shell finds as `waypost`.
        let own = self.binary.parent().map(Path::to_owned);
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let rest = std::env::split_paths(&rest).filter(|folder| !has_clients(folder));
        let folders = own.into_iter().chain(rest);
        command.env("PATH", std::env::join_paths(folders).unwrap());
        command
            .env("HOME", &self.home)
            .env("TZ", "UTC")
            .env("WAYPOST_TEST_TIME", &self.time)
            .env("WAYPOST_TEST_LIMITS", UNHURRIED)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "Tester")
            .env("GIT_AUTHOR_EMAIL", "tester@example.com")
            .env("GIT_COMMITTER_NAME", "Tester")
            .env("GIT_COMMITTER_EMAIL", "tester@example.com")
            .envs(self.vars.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary in the project.
    pub fn waypost(&self, args: &[&str]) -> Output {
        self.waypost_in(&self.project, args)
    }

    /// Runs the binary in a folder.
    pub fn waypost_in(&self, cwd: &Path, args: &[&str]) -> Output {
        self.command(&self.binary, cwd).args(args).output().unwrap()
    }

    /// Runs the binary, which has to succeed, and gives its output.
    pub fn ok(&self, args: &[&str]) -> String {
        let output = self.waypost(args);
        assert!(output.status.success(), "waypost {args:?}: {}", everything(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The same in a folder.
    pub fn ok_in(&self, cwd: &Path, args: &[&str]) -> String {
        let output = self.waypost_in(cwd, args);
        assert!(output.status.success(), "waypost {args:?}: {}", everything(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Commits everything, and clones the project beside itself.
    pub fn clone_as(&self, name: &str) -> PathBuf {
        self.git(&["add", "-A"]);
        self.git_unasked(&["commit", "-q", "--allow-empty", "-m", "to be cloned"]);
        let clone = self.home.join(name);
        self.git(&["clone", "-q", ".", &clone.display().to_string()]);
        clone
    }

    /// The folder of a session's published copy, in the project.
    pub fn copy_of(&self, session: &str) -> PathBuf {
        self.project.join("agents/sessions").join(session)
    }

    /// Runs the binary, which has to succeed, and gives its output as JSON.
    pub fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(args);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Begins a session from the command line and gives its id.
    pub fn start(&self, objective: &str) -> String {
        let started = self.json(&["start", "--objective", objective, "--json"]);
        started["session_id"].as_str().unwrap().to_owned()
    }

    /// The file that holds a session's records.
    pub fn log_of(&self, session: &str) -> PathBuf {
        self.store().join("sessions").join(session).join("events.jsonl")
    }

    /// The texts of a session's notes, in order.
    pub fn notes(&self, session: &str) -> Vec<String> {
        let history = self.json(&["history", session, "--json"]);
        let events = history["events"].as_array().unwrap();
        let notes = events.iter().map(|entry| &entry["event"]);
        notes
            .filter(|event| event["type"] == "note_added")
            .map(|event| event["text"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Sets the project up with a gate that wants `./check.sh` before stop and commit.
    pub fn init(&self) {
        self.write("waypost.toml", GATE);
        self.ok(&["init", "--harness", "claude-code"]);
    }

    /// The same, with a copy of every session that has a name in the work tree.
    pub fn init_publishing(&self) {
        self.write(
            "waypost.toml",
            &GATE.replace("[project]\n", "[project]\npublish = \"always\"\n"),
        );
        self.ok(&["init", "--harness", "claude-code"]);
    }

    /// Calls the hook as the harness does, for the conversation `s1`.
    pub fn hook(&self, event: &str, fields: &Value) -> HookAnswer {
        self.hook_bytes(self.event(event, fields).to_string().as_bytes())
    }

    /// What the harness sends, for the conversation `s1`.
    pub fn event(&self, event: &str, fields: &Value) -> Value {
        let mut input = json!({
            "session_id": "s1",
            "cwd": self.project,
            "hook_event_name": event,
        });
        if let (Some(input), Some(fields)) = (input.as_object_mut(), fields.as_object()) {
            input.extend(fields.clone());
        }
        input
    }

    /// Calls the hook with any bytes, through a socket.
    pub fn hook_bytes(&self, bytes: &[u8]) -> HookAnswer {
        answer_of(self.begin_hook(bytes))
    }

    /// Calls the hook with any bytes, through a socket, and does not wait for its answer.
    pub fn begin_hook(&self, bytes: &[u8]) -> Child {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let child = self
            .command(&self.binary, &self.project)
            .args(["hook", "claude-code"])
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A hook that refuses long input stops reading; that is its right.
        let _ = ours.write_all(bytes);
        let _ = ours.shutdown(Shutdown::Write);
        child
    }

    /// Calls the hook with a plain pipe, as a forger would.
    pub fn forged_hook(&self, event: &str, fields: &Value) -> HookAnswer {
        let input = self.event(event, fields);
        let mut child = self
            .command(&self.binary, &self.project)
            .args(["hook", "claude-code"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
        answer_of(child)
    }

    /// A conversation begins and gets its first prompt.
    pub fn begin(&self) -> HookAnswer {
        let answer = self.hook("SessionStart", &json!({"source": "startup"}));
        self.hook("UserPromptSubmit", &json!({"prompt": "go"}));
        answer
    }

    /// The agent asks to change a file.
    pub fn before_edit(&self, path: &Path) -> HookAnswer {
        self.hook("PreToolUse", &edit_fields(path))
    }

    /// The agent changes a file of the project, with its hooks.
    pub fn edit(&self, path: &str, content: &str) {
        let file = self.project.join(path);
        let before = self.before_edit(&file);
        assert_eq!(before.denied(), None);
        self.write(path, content);
        self.hook("PostToolUse", &edit_fields(&file));
    }

    /// The agent asks to run a command.
    pub fn before_bash(&self, command: &str, call: &str) -> HookAnswer {
        self.hook("PreToolUse", &bash_fields(command, call))
    }

    /// The agent runs a command with its hooks, in a real shell. Returns the last answer.
    pub fn bash(&self, command: &str, call: &str) -> HookAnswer {
        let before = self.before_bash(command, call);
        if before.denied().is_some() {
            return before;
        }
        let ran = self.command("bash", &self.project).args(["-c", command]).output().unwrap();
        let mut fields = bash_fields(command, call);
        if ran.status.success() {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let (stdout, stderr) = (text(&ran.stdout), text(&ran.stderr));
            let response = json!({"stdout": stdout, "stderr": stderr, "interrupted": false});
            fields["tool_response"] = response;
            return self.hook("PostToolUse", &fields);
        }
        fields["error"] = json!(format!("Exit code {}", ran.status.code().unwrap_or(1)));
        fields["is_interrupt"] = json!(false);
        self.hook("PostToolUseFailure", &fields)
    }

    /// Sets the project up with the gates of `config`, all of it committed.
    pub fn init_with(&self, config: &str) {
        self.write("waypost.toml", config);
        self.write("ADR.md", "decided\n");
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "set up"]);
        self.ok(&["init", "--harness", "claude-code"]);
    }

    /// The agent wants to end its turn.
    pub fn stop(&self) -> HookAnswer {
        self.hook("Stop", &json!({"stop_hook_active": false, "background_tasks": []}))
    }

    /// The types of all events of the session, in order.
    pub fn event_types(&self) -> Vec<String> {
        types(&self.json(&["history", "--json"]))
    }

    /// The same for a session that is named.
    pub fn event_types_of(&self, session: &str) -> Vec<String> {
        types(&self.json(&["history", session, "--json"]))
    }
}

/// Whether what lies in a folder never gets to a disk.
#[expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
fn is_in_memory(folder: &Path) -> bool {
    // As statfs(2) names tmpfs and ramfs.
    const IN_MEMORY: [i64; 2] = [0x0102_1994, 0x8584_58f6];
    std::fs::create_dir_all(folder).unwrap();
    let found = rustix::fs::statfs(folder).unwrap().f_type;
    IN_MEMORY.contains(&found)
}

#[expect(clippy::unwrap_used, reason = "a hook that cannot be heard has failed the test")]
fn answer_of(mut child: Child) -> HookAnswer {
    let (mut stdout, mut stderr) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let read = process::read_until_end(&child);
    let status = child.wait().unwrap().code().unwrap_or(-1);
    HookAnswer { status, stdout, stderr, read }
}

fn types(history: &Value) -> Vec<String> {
    let events = history["events"].as_array().cloned().unwrap_or_default();
    let kind = |entry: &Value| entry["event"]["type"].as_str().unwrap_or("").to_owned();
    events.iter().map(kind).collect()
}

/// A gate that wants `./check.sh` before stop and commit.
pub const GATE: &str = r#"[project]

[[gate]]
id = "checks-pass"
level = "must"
before = ["stop", "commit"]
scope = "session"
proof = { ran = "./check.sh*", fresh = "tree" }
message = "Run the checks after your last change."
"#;

fn edit_fields(path: &Path) -> Value {
    json!({"tool_name": "Edit", "tool_input": {"file_path": path}, "tool_use_id": "edit"})
}

fn bash_fields(command: &str, call: &str) -> Value {
    json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call})
}

/// Everything that a program wrote and how it ended, for messages.
pub fn everything(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Whether a folder of PATH is there for clients, which `init` would find. One with other programs in it is needed.
fn has_clients(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).exists();
    let clients = ["claude", "codex", "copilot", "cursor-agent", "gemini", "opencode", "qwen"];
    clients.into_iter().any(has) && !["git", "sh"].into_iter().any(has)
}
