//! The fail-closed matrix: whatever is missing, damaged, slow or in the way, what could do harm is
//! denied, reading goes on, and the user is not held up. Every cell is stated in [`MATRIX`].

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waypost_testkit::mounts::{Mount, fill, in_own_mounts};
use waypost_testkit::{HookAnswer, TestEnv, everything};

/// `yes`: it goes on. `no`: it is denied, and what to do next is said. `held`: the stop is held,
/// because nothing can be decided, so that it is seen. `gate`: the gate holds the stop, as ever.
/// `again` is a stop after one that was held: what cannot be decided holds it once, not for ever.
///
/// The `log` is damaged where the state is at hand, `records` where it has to be read from them.
const MATRIX: &str = "
what      how         Edit Write Notebook Bash unknown MCP Read Grep doctor prompt Stop again
nothing   damaged     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
snapshot  missing     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
snapshot  empty       yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
snapshot  garbage     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
snapshot  flipped     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
snapshot  unreadable  yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
snapshot  folder      yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
snapshot  pipe        yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
log       missing     no   no    no       no   no      no  yes  yes  yes    yes    held yes
log       empty       no   no    no       no   no      no  yes  yes  yes    yes    held yes
log       garbage     no   no    no       no   no      no  yes  yes  yes    yes    held yes
log       flipped     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
log       unreadable  no   no    no       no   no      no  yes  yes  yes    yes    held yes
log       folder      no   no    no       no   no      no  yes  yes  yes    yes    held yes
records   missing     no   no    no       no   no      no  yes  yes  yes    yes    held yes
records   empty       no   no    no       no   no      no  yes  yes  yes    yes    held yes
records   garbage     no   no    no       no   no      no  yes  yes  yes    yes    held yes
records   flipped     no   no    no       no   no      no  yes  yes  yes    yes    held yes
records   unreadable  no   no    no       no   no      no  yes  yes  yes    yes    held yes
records   folder      no   no    no       no   no      no  yes  yes  yes    yes    held yes
head      missing     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
head      empty       yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
head      garbage     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
head      flipped     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
head      unreadable  yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
head      folder      yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
head      pipe        yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
key       missing     no   no    no       no   no      no  yes  yes  yes    yes    held yes
key       empty       no   no    no       no   no      no  yes  yes  yes    yes    held yes
key       garbage     no   no    no       no   no      no  yes  yes  yes    yes    held yes
key       flipped     no   no    no       no   no      no  yes  yes  yes    yes    held yes
key       unreadable  no   no    no       no   no      no  yes  yes  yes    yes    held yes
key       folder      no   no    no       no   no      no  yes  yes  yes    yes    held yes
key       pipe        no   no    no       no   no      no  yes  yes  yes    yes    held yes
key       loose       no   no    no       no   no      no  yes  yes  yes    yes    held yes
policy    missing     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
policy    empty       yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
policy    garbage     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
policy    flipped     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
policy    unreadable  yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
policy    folder      yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
policy    pipe        yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
registry  missing     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
registry  empty       yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
registry  garbage     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
registry  flipped     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
registry  unreadable  yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
registry  folder      yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
registry  pipe        yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
config    missing     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
config    empty       yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
config    garbage     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
config    flipped     yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
config    unreadable  yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
config    folder      yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
config    pipe        yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
input     deep        yes  yes   yes      yes  yes     yes yes  yes  yes    yes    gate gate
input     cut         no   no    no       no   no      no  yes  yes  yes    yes    held yes
input     endless     no   no    no       no   no      no  yes  yes  yes    yes    held yes
disk      read-only   no   no    no       no   no      no  yes  yes  yes    yes    held yes
disk      full        no   no    no       no   no      no  yes  yes  yes    yes    held yes
disk      slow        no   no    no       no   no      no  yes  yes  yes    yes    held yes
";

/// A conversation that owes the gate a run, with a copy of its files to go back to.
struct Kept {
    env: TestEnv,
    copy: PathBuf,
}

impl Kept {
    fn new() -> Self {
        let env = owing(TestEnv::new(env!("CARGO_BIN_EXE_waypost")));
        let copy = env.home().with_file_name("copy");
        fs::create_dir(&copy).unwrap();
        let kept = Self { env, copy };
        for (name, place) in kept.places() {
            copy_all(&place, &kept.copy.join(name));
        }
        kept
    }

    fn places(&self) -> [(&'static str, PathBuf); 3] {
        let env = &self.env;
        let config = env.project().join("waypost.toml");
        [("store", env.store()), ("home", env.home().to_owned()), ("config", config)]
    }

    fn restore(&self) {
        for (name, place) in self.places() {
            let _ = fs::remove_dir_all(&place).or_else(|_| fs::remove_file(&place));
            copy_all(&self.copy.join(name), &place);
        }
    }

    /// The file that a row of the matrix is about.
    fn file(&self, what: &str) -> PathBuf {
        let env = &self.env;
        // There is one session and one policy; the project has a head of its own.
        let only = |folder: &str| {
            let entries = fs::read_dir(env.store().join(folder)).unwrap();
            let mut paths = entries.map(|entry| entry.unwrap().path());
            paths.find(|path| !path.ends_with("project")).unwrap()
        };
        let session = || only("sessions");
        match what {
            "snapshot" => session().join("snapshot"),
            "log" | "records" => session().join("events.jsonl"),
            "head" => only("heads"),
            "policy" => only("policies"),
            "key" => env.key_file(),
            "registry" => env.home().join(".local/state/waypost/conversations/claude-code-s1"),
            "config" => env.project().join("waypost.toml"),
            other => panic!("no file is called {other}"),
        }
    }

    fn damage(&self, what: &str, how: &str) {
        let file = self.file(what);
        if what == "records" {
            fs::remove_file(self.file("snapshot")).unwrap();
        }
        match how {
            "empty" => fs::write(&file, "").unwrap(),
            "garbage" => fs::write(&file, b"\xff\x00{not what was written").unwrap(),
            "flipped" => {
                let mut content = fs::read(&file).unwrap();
                let middle = content.len() / 2;
                content[middle] ^= 1;
                fs::write(&file, content).unwrap();
            }
            "loose" => fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap(),
            "unreadable" => fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap(),
            _ => {
                fs::remove_file(&file).unwrap();
                match how {
                    "missing" => {}
                    "folder" => fs::create_dir(&file).unwrap(),
                    "pipe" => make_pipe(&self.env, &file),
                    other => panic!("nothing is {other}"),
                }
            }
        }
    }
}

fn make_pipe(env: &TestEnv, path: &Path) {
    let output = env.command("mkfifo", Path::new("/")).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", everything(&output));
}

fn copy_all(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        copy_all(&path, &to.join(path.file_name().unwrap()));
    }
}

/// A conversation that has edited something, so that the gate before its stop waits for a run.
fn owing(env: TestEnv) -> TestEnv {
    env.init();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    // The state is up to date, as it is before nearly every call.
    env.ok(&["status"]);
    assert_eq!(env.before_edit(&env.project().join("src/lib.txt")).stdout, "");
    env
}

/// What one column of the matrix is about: the event, and what the harness says of it.
fn event(env: &TestEnv, column: &str) -> (&'static str, Value) {
    let file = env.project().join("src/lib.txt");
    let tool = |name: &str, input: Value| {
        ("PreToolUse", json!({"tool_name": name, "tool_use_id": "t", "tool_input": input}))
    };
    match column {
        "Edit" => tool("Edit", json!({"file_path": file})),
        "Write" => tool("Write", json!({"file_path": file, "content": "x"})),
        "Notebook" => tool("NotebookEdit", json!({"notebook_path": file, "new_source": "x"})),
        "Bash" => tool("Bash", json!({"command": "rm -r src"})),
        "unknown" => tool("Sparkle", json!({"at": 1})),
        "MCP" => tool("mcp__db__drop", json!({"table": "users"})),
        "Read" => tool("Read", json!({"file_path": file})),
        "Grep" => tool("Grep", json!({"pattern": "x"})),
        "doctor" => tool("Bash", json!({"command": "waypost doctor"})),
        "prompt" => ("UserPromptSubmit", json!({"prompt": "go on"})),
        "Stop" => ("Stop", json!({"stop_hook_active": false})),
        "again" => ("Stop", json!({"stop_hook_active": true})),
        other => panic!("no column is called {other}"),
    }
}

/// What became of a call, in the words of the matrix.
fn word(column: &str, answer: &HookAnswer) -> String {
    let mended = answer.stdout.contains("systemMessage") && answer.stdout.contains("made again");
    let (what, reason) = match (answer.status, answer.denied(), answer.held()) {
        (0, Some(reason), None) => ("no", reason),
        (0, None, Some(reason)) if reason.contains("checks-pass") => ("gate", reason),
        (0, None, Some(reason)) => ("held", reason),
        // What the user is told at a prompt or a stop, or of what was mended, holds nothing up.
        (0, None, None)
            if answer.stdout.is_empty() || mended || column == "prompt" || column == "again" =>
        {
            return "yes".to_owned();
        }
        _ => return format!("{answer:?}"),
    };
    if reason.contains("Next:") { what.to_owned() } else { format!("{what}, but {reason}") }
}

/// Sees that the rows about `wanted` come out as the matrix states. `row` gives what became of a
/// row's columns; none where this machine cannot tell.
fn check(wanted: &[&str], row: impl Fn(&str, &str, &[&str]) -> Option<Vec<String>>) {
    let mut lines = MATRIX.trim().lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let columns = lines.next().unwrap().split_off(2);
    let mut differing = Vec::new();
    for mut line in lines.filter(|line| wanted.contains(&line[0])) {
        let stated = line.split_off(2);
        let (what, how) = (line[0], line[1]);
        let Some(found) = row(what, how, &columns) else { continue };
        assert_eq!((stated.len(), found.len()), (columns.len(), columns.len()), "{what} {how}");
        for ((column, stated), found) in columns.iter().zip(stated).zip(found) {
            if stated != found {
                differing.push(format!("{what} {how}, {column}: {found} instead of {stated}"));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn with_a_file_that_is_missing_or_damaged_harm_is_denied_and_reading_goes_on() {
    let kept = Kept::new();
    let env = &kept.env;
    let is_root = rustix::process::geteuid().is_root();
    let files =
        ["nothing", "snapshot", "log", "records", "head", "key", "policy", "registry", "config"];
    check(&files, |what, how, columns| {
        // Nothing is unreadable for root; a folder in the file's place is.
        let can_tell = how != "unreadable" || !is_root;
        let outcome = |column: &&str| {
            kept.restore();
            if what != "nothing" {
                kept.damage(what, how);
            }
            let (name, fields) = event(env, column);
            word(column, &env.hook(name, &fields))
        };
        can_tell.then(|| columns.iter().map(outcome).collect())
    });
}

#[test]
fn with_input_that_cannot_be_read_harm_is_denied_and_reading_goes_on() {
    let kept = Kept::new();
    let env = &kept.env;
    check(&["input"], |_, how, columns| {
        let outcome = |column: &&str| {
            kept.restore();
            let (name, fields) = event(env, column);
            let mut bytes = env.event(name, &fields).to_string().into_bytes();
            assert_eq!(bytes.pop(), Some(b'}'));
            let (opening, closing) = (vec![b'['; 200_000], vec![b']'; 200_000]);
            bytes.extend_from_slice(b",\"zzz\":");
            match how {
                "deep" => bytes.extend([opening, closing, b"}".to_vec()].concat()),
                "cut" => bytes.extend(opening),
                _ => bytes.extend([b"\"".to_vec(), vec![b'x'; 100 << 20]].concat()),
            }
            word(column, &env.hook_bytes(&bytes))
        };
        Some(columns.iter().map(outcome).collect())
    });
}

#[test]
fn with_a_disk_that_takes_nothing_harm_is_denied_and_reading_goes_on() {
    in_own_mounts(|| {
        check(&["disk"], |_, how, columns| {
            let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
            fs::create_dir(env.store()).unwrap();
            let _mount = Mount::small_disk(&env.store(), "512k");
            let env = owing(env);
            let _read_only = match how {
                "full" => {
                    // Whoever looks at the work tree clears away what others left there.
                    let ballast = fill(&env.store(), 0);
                    env.waypost(&["status"]);
                    fs::rename(&ballast, ballast.with_extension("first")).unwrap();
                    fill(&env.store(), 0);
                    // To the last byte of the stream's last page.
                    while env.waypost(&["note", "add", "x"]).status.success() {}
                    None
                }
                "read-only" => Some(Mount::read_only(&env.store())),
                _ => return None,
            };
            let outcome = |column: &&str| {
                let (name, fields) = event(&env, column);
                word(column, &env.hook(name, &fields))
            };
            Some(columns.iter().map(outcome).collect())
        });
    });
}

/// A pipe that nobody writes to in place of the records is a disk that never answers.
#[test]
fn with_a_disk_that_never_answers_the_deadline_denies_harm_and_reading_goes_on() {
    let mut kept = Kept::new();
    kept.damage("log", "pipe");
    kept.env.vars.push(("WAYPOST_TEST_LIMITS".into(), "0.1".into()));
    let env = &kept.env;
    check(&["disk"], |_, how, columns| {
        let outcome = |column: &str| {
            let (name, fields) = event(env, column);
            word(column, &env.hook(name, &fields))
        };
        // All at once: each takes as long as the deadline.
        let outcomes = || {
            std::thread::scope(|scope| {
                let asked: Vec<_> =
                    columns.iter().map(|column| scope.spawn(|| outcome(column))).collect();
                asked.into_iter().map(|answer| answer.join().unwrap()).collect()
            })
        };
        (how == "slow").then(outcomes)
    });
}
