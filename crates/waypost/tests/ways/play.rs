//! How a way is played, and what came of it. Each kind of play also shows that the honest step works, or that what
//! is expected really happened: a way that goes another way than its play says fails the test.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use waypost_testkit::{GATE, HookAnswer, TestEnv, everything};

/// What came of a way.
pub(crate) enum Came {
    Stopped(&'static str),
    Seen(&'static str),
    /// With why nobody can do better.
    Missed(&'static str),
}

/// What came of it, or what happened instead.
pub(crate) type Outcome = Result<Came, String>;

/// One row of the table.
pub(crate) struct Way {
    /// In plain English, once in the table.
    pub title: &'static str,
    /// The scenario with the real client that plays it too, as `file.name`, or nothing.
    pub real: &'static str,
    pub play: Play,
}

/// The kinds of play.
pub(crate) enum Play {
    /// Command lines that are denied; `@HOME` and `@EXE` stand for the home folder and the program.
    Lines(&'static [&'static str]),
    /// Calls of tools that are denied: name and input as JSON.
    Calls(&'static [(&'static str, &'static str)]),
    /// Runs after an edit, really run, which prove nothing: the stop stays held until an honest run.
    Runs(&'static [&'static str]),
    /// Runs of a test runner: what the gate asks for, the honest output, and lines with theirs that prove nothing.
    Runner(&'static str, &'static str, &'static [(&'static str, &'static str)]),
    /// A script that commits and is refused by git; where git's hook is not there, it is found at the stop.
    Refused(&'static str),
    /// What was there before, and a script that commits in a way that git's hook lets alone; found at the stop.
    Found(&'static str, &'static str),
    /// What was there before the run, and a script that hides an edit from git: the run is stale, `name` is named.
    Hidden { before: &'static str, script: &'static str, name: &'static str },
    /// Anything else.
    Own(fn() -> Outcome),
}

impl Play {
    pub(crate) fn outcome(&self) -> Outcome {
        match self {
            Self::Lines(lines) => lines_are_denied(lines),
            Self::Calls(calls) => calls_are_denied(calls),
            Self::Runs(lines) => runs_prove_nothing(lines),
            Self::Runner(ran, honest, lines) => runner_proves_nothing(ran, honest, lines),
            Self::Refused(script) => refused(script),
            Self::Found(before, script) => found(before, script),
            Self::Hidden { before, script, name } => hidden(before, script, name),
            Self::Own(play) => play(),
        }
    }
}

pub(crate) const DENIED: Came = Came::Stopped("denied before it runs");
pub(crate) const HELD: Came = Came::Stopped("the stop is held");

/// `Err` with what happened instead, unless it holds.
pub(crate) fn must(holds: bool, otherwise: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

/// A project with a gate before stop and commit, all of it committed.
pub(crate) fn set_up() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write(".gitignore", "build/\n");
    env.init_with(GATE);
    env
}

/// The same, with a conversation that got its first prompt.
pub(crate) fn begun() -> TestEnv {
    let env = set_up();
    env.begin();
    env
}

/// The same, with something changed that nothing has proven.
pub(crate) fn edited() -> TestEnv {
    let env = begun();
    env.edit("src/lib.txt", "changed\n");
    env
}

pub(crate) fn prompt(env: &TestEnv) -> HookAnswer {
    env.hook("UserPromptSubmit", &json!({"prompt": "go on"}))
}

pub(crate) fn call(tool: &str, input: &Value) -> Value {
    json!({"tool_name": tool, "tool_input": input, "tool_use_id": "call"})
}

/// A person, or a process of theirs that no hook sees.
pub(crate) fn aside(env: &TestEnv, lines: &str) -> Result<(), String> {
    let mut command = env.command("sh", env.project());
    let output = command.args(["-e", "-c", lines]).output().unwrap();
    must(output.status.success(), format!("{lines}: {}", everything(&output)))
}

/// Runs lines in a script that stands outside of the project, so that the hook cannot see what they do.
pub(crate) fn by_script(env: &TestEnv, lines: &str) -> Result<HookAnswer, String> {
    let path = env.home().join("unseen.sh");
    fs::write(&path, format!("set -e\n{lines}\n")).unwrap();
    let answer = env.bash(&format!("sh {}", path.display()), "script");
    must(answer.denied().is_none(), format!("denied: {answer:?}"))?;
    Ok(answer)
}

/// The same, which has to get to its end.
pub(crate) fn by_script_whole(env: &TestEnv, lines: &str) -> Result<(), String> {
    by_script(env, &format!("rm -f ~/whole\n{lines}\ntouch ~/whole"))?;
    must(env.home().join("whole").exists(), format!("it did not get to its end: {lines}"))
}

pub(crate) fn told(env: &TestEnv, args: &[&str]) -> String {
    everything(&env.waypost(args))
}

pub(crate) fn events(env: &TestEnv, kind: &str) -> Vec<Value> {
    let history = env.json(&["history", "--json"]);
    let all = history["events"].as_array().unwrap().iter().map(|entry| entry["event"].clone());
    all.filter(|event| event["type"] == kind).collect()
}

pub(crate) fn is_held(env: &TestEnv) -> bool {
    env.stop().held().is_some()
}

pub(crate) fn commit_denied(env: &TestEnv) -> bool {
    env.before_bash("git commit -am x", "commit").denied().is_some()
}

pub(crate) fn second_tree(env: &TestEnv) -> PathBuf {
    env.git_unasked(&["worktree", "add", "-q", "../second", "-b", "second"]);
    env.project().join("../second").canonicalize().unwrap()
}

fn filled(env: &TestEnv, text: &str) -> String {
    let home = env.home().display().to_string();
    text.replace("@HOME", &home).replace("@EXE", &env.binary().display().to_string())
}

fn lines_are_denied(lines: &[&str]) -> Outcome {
    let env = begun();
    for line in lines {
        let answer = env.before_bash(&filled(&env, line), "line");
        must(answer.denied().is_some(), format!("not denied: {line}"))?;
    }
    Ok(DENIED)
}

fn calls_are_denied(calls: &[(&str, &str)]) -> Outcome {
    let env = begun();
    for (tool, input) in calls {
        let input: Value = serde_json::from_str(&filled(&env, input)).unwrap();
        let answer = env.hook("PreToolUse", &call(tool, &input));
        must(answer.denied().is_some(), format!("not denied: {tool} {input}"))?;
    }
    Ok(DENIED)
}

fn runs_prove_nothing(lines: &[&str]) -> Outcome {
    for line in lines {
        let env = edited();
        env.bash(line, "run");
        must(is_held(&env), format!("counts: {line}"))?;
        env.bash("./check.sh", "honest");
        must(!is_held(&env), format!("after it, an honest run does not count: {line}"))?;
    }
    Ok(Came::Stopped("it proves nothing, and the stop is held"))
}

fn runner_proves_nothing(ran: &str, honest: &str, lines: &[(&str, &str)]) -> Outcome {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(&GATE.replace("./check.sh*", ran));
    env.begin();
    let run = |line: &str, stdout: &str| {
        let mut fields = call("Bash", &json!({"command": line}));
        env.hook("PreToolUse", &fields);
        fields["tool_response"] = json!({"stdout": stdout, "stderr": "", "interrupted": false});
        env.hook("PostToolUse", &fields);
        !is_held(&env)
    };
    for (number, (line, stdout)) in lines.iter().enumerate() {
        env.edit("src/lib.txt", &format!("{number}\n"));
        must(!run(line, stdout), format!("counts: {line}"))?;
        must(run(ran, honest), format!("after {line}, an honest run does not count"))?;
        prompt(&env);
    }
    Ok(Came::Stopped("it proves nothing, and the stop is held"))
}

/// Whether the stop is held for an unproven commit that was recorded, and proving it releases.
fn found_at_the_stop(env: &TestEnv) -> Result<(), String> {
    must(is_held(env), "the stop is not held")?;
    let commits = events(env, "commit_added");
    let unproven = commits.iter().any(|commit| commit["unproven"][0].is_string());
    must(unproven, format!("no unproven commit was recorded: {commits:?}"))?;
    // A branch that was left is proven where it is checked out.
    if env.git(&["branch", "--list", "side"]).contains("side") {
        env.bash("git checkout -q side", "there");
    }
    env.bash("./check.sh", "honest");
    must(!is_held(env), "proving the content does not release the stop")
}

fn refused(script: &str) -> Outcome {
    let env = edited();
    let tips = || env.git(&["rev-list", "--branches"]);
    let before = tips();
    by_script(&env, script)?;
    must(tips() == before, "git did not refuse it")?;
    env.ok(&["init", "--no-git-hooks"]);
    by_script_whole(&env, script)?;
    must(tips() != before, "without the hook nothing was committed either")?;
    found_at_the_stop(&env)?;
    Ok(Came::Stopped("refused by git; without git's hook recorded, and the stop is held"))
}

fn found(before: &str, script: &str) -> Outcome {
    let env = set_up();
    aside(
        &env,
        &format!(
            "git config core.hooksPath /dev/null\n{before}\ngit config --unset core.hooksPath"
        ),
    )?;
    env.begin();
    by_script_whole(&env, script)?;
    found_at_the_stop(&env)?;
    Ok(Came::Stopped("recorded with its hash, and the stop is held until its content is proven"))
}

fn hidden(before: &str, script: &str, name: &str) -> Outcome {
    let env = set_up();
    aside(
        &env,
        &format!(
            "git config core.hooksPath /dev/null\n{before}\ngit config --unset core.hooksPath"
        ),
    )?;
    env.begin();
    env.edit("src/own.txt", "mine\n");
    env.bash("./check.sh", "run");
    must(!commit_denied(&env), "the run before it does not count")?;
    by_script_whole(&env, script)?;
    let denied = env.before_bash("git commit -qam x", "commit").denied().unwrap_or_default();
    must(denied.contains(name), format!("{name} is not named: {denied}"))?;
    must(is_held(&env), "the stop is not held")?;
    env.bash("./check.sh", "again");
    must(!is_held(&env), "the next run does not release")?;
    Ok(Came::Stopped("the run is stale and the file named; commit and stop are held"))
}
