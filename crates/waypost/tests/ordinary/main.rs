//! Ordinary calls of agents, in ordinary projects of many kinds, against the real binary's hook: none is
//! denied or held but those that commit what nobody tested.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod corpus;

use std::path::Path;

use corpus::{Call, Mark, Project};
use serde_json::{Value, json};
use waypost_testkit::TestEnv;

/// Calls that are held although nothing is wrong with them, and why it stays so.
const KNOWN: &[(&str, &str)] = &[];
/// So many calls there are at the least.
const ENOUGH: usize = 3000;
/// How a call ended is told of one in so many.
const TOLD: usize = 8;

/// Files that every project has.
const COMMON: &[&str] = &[
    "README.md",
    "CHANGELOG.md",
    "CLAUDE.md",
    "AGENTS.md",
    ".env.example",
    ".mcp.json",
    ".vscode/settings.json",
    ".github/workflows/ci.yml",
    ".claude/commands/review.md",
    "docker-compose.yml",
    "docs/adr/0001-record-decisions.md",
    "docs/old/page.md",
    "scripts/build.sh",
    "scripts/gen.py",
    "scripts/gen.js",
    "tests/fixtures/.claude/settings.json",
    "examples/waypost.toml",
];

/// Both gates of a careful project: one before edits, one before the end and before commits.
fn config(ran: &str) -> String {
    format!(
        "[project]\n\n[[gate]]\nid = \"tests-pass\"\nlevel = \"must\"\nbefore = [\"stop\", \"commit\"]\n\
         proof = {{ ran = \"{ran}\", fresh = \"tree\" }}\nmessage = \"Run the tests.\"\n\n\
         [[gate]]\nid = \"decisions-read\"\nlevel = \"must\"\nbefore = [\"edit\"]\n\
         proof = {{ read = \"docs/adr/0001-record-decisions.md\" }}\n"
    )
}

fn made(project: &Project) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    let home = env.home().join(".claude");
    for folder in ["plans", "projects/-work-demo/memory"] {
        std::fs::create_dir_all(home.join(folder)).unwrap();
    }
    for file in ["CLAUDE.md", "plans/calm-otter.md", "projects/-work-demo/memory/MEMORY.md"] {
        std::fs::write(home.join(file), "x\n").unwrap();
    }
    std::fs::write(home.join("settings.json"), "{}\n").unwrap();
    let all = COMMON.iter().copied().chain(project.files.iter().map(String::as_str));
    for file in all.chain(project.ignored.iter().map(String::as_str)) {
        let is_json = Path::new(file).extension().is_some_and(|kind| kind == "json");
        env.write(file, if is_json { "{}\n" } else { "x\n" });
    }
    let ignored = project.ignored.iter().map(|file| format!("/{file}\n"));
    env.write(".gitignore", &format!("logs/\n*.local.json\n{}", ignored.collect::<String>()));
    for file in ["logs/app.log", "tmp/x"] {
        env.write(file, "x\n");
    }
    env.write(".claude/settings.json", "{\"permissions\": {\"allow\": []}}\n");
    env.init_with(&config(&project.ran));
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "--allow-empty", "-m", "set up"]);
    env.begin();
    env
}

/// What the hook is told of a call.
fn fields(env: &TestEnv, call: &Call) -> Value {
    json!({
        "tool_name": call.tool,
        "tool_input": call.input,
        "tool_use_id": "toolu_01",
        "cwd": env.project().join(&call.cwd),
        "permission_mode": "default",
        "transcript_path": env.home().join(".claude/projects/-work-demo/s1.jsonl"),
    })
}

/// Why the call is not let through in silence.
fn objection(env: &TestEnv, call: &Call) -> Option<String> {
    let answer = env.hook("PreToolUse", &fields(env, call));
    match (answer.status, answer.stdout.trim()) {
        (0, "") => None,
        _ => Some(format!("{} {}{}", answer.status, answer.stdout, answer.stderr)),
    }
}

/// The call ended, and well.
fn ended(env: &TestEnv, call: &Call) -> Option<String> {
    let mut fields = fields(env, call);
    fields["tool_response"] = json!({"stdout": "ok", "stderr": "", "interrupted": false});
    env.hook("PostToolUse", &fields).held()
}

fn made_call(tool: &str, input: Value) -> Call {
    let (line, cwd) = (String::new(), Path::new("").to_owned());
    Call { line, mark: Mark::Quiet, tool: tool.to_owned(), input, cwd }
}

/// A call, and what was wrong with the answer to it.
type Wrong = (String, String);

/// Makes all calls of a project, and tells those whose answer is wrong.
fn play(name: &str) -> Vec<Wrong> {
    let env = made(&corpus::project(name, Path::new("")));
    let project = corpus::project(name, env.home());
    let marked = |mark: Mark| project.calls.iter().filter(move |call| call.mark == mark);
    let mut wrong = Vec::new();
    // Nothing was read and nothing was tested: all gates are shut.
    for (at, call) in marked(Mark::Quiet).enumerate() {
        wrong.extend(objection(&env, call).map(|why| (call.line.clone(), why)));
        if at % TOLD == 0 {
            wrong.extend(ended(&env, call).map(|why| (call.line.clone(), why)));
        }
    }
    if let Some(held) = env.stop().held() {
        wrong.push(("the end of a turn in which nothing was changed".to_owned(), held));
    }
    let edit = marked(Mark::Edits).find(|call| call.tool == "Edit").unwrap();
    assert!(objection(&env, edit).unwrap().contains("decisions-read"), "{}", edit.line);
    let decisions = env.project().join("docs/adr/0001-record-decisions.md");
    let read = made_call("Read", json!({ "file_path": decisions }));
    assert_eq!(objection(&env, &read), None);
    ended(&env, &read);
    for call in marked(Mark::Edits) {
        wrong.extend(objection(&env, call).map(|why| (call.line.clone(), why)));
    }
    // What was told to have run before proves nothing any more.
    env.edit("README.md", "changed\n");
    for call in marked(Mark::Commits) {
        match objection(&env, call) {
            Some(why) if why.contains("tests-pass") => {}
            why => wrong.push((call.line.clone(), format!("not held for its tests: {why:?}"))),
        }
    }
    let run = made_call("Bash", json!({"command": project.ran.trim_end_matches('*')}));
    assert_eq!(objection(&env, &run), None);
    ended(&env, &run);
    for call in marked(Mark::Commits) {
        wrong.extend(objection(&env, call).map(|why| (call.line.clone(), why)));
    }
    wrong
}

fn nothing_is_wrong(name: &str) {
    let wrong = play(name);
    let is_known = |line: &str| KNOWN.iter().any(|(known, _)| *known == line);
    let told: Vec<String> = wrong
        .iter()
        .filter(|(line, _)| !is_known(line))
        .map(|(line, why)| format!("{line}\n    {}\n", why.trim()))
        .collect();
    assert!(told.is_empty(), "{} wrong in {name}:\n{}", told.len(), told.concat());
}

macro_rules! projects {
    ($($test:ident $name:literal)*) => {
        const PLAYED: &[&str] = &[$($name),*];
        $(#[test]
        fn $test() {
            nothing_is_wrong($name);
        })*
    };
}

projects! {
    calls_in_a_c_project_are_let_through "cmake"
    calls_in_a_django_project_are_let_through "django"
    calls_in_a_go_module_are_let_through "go-module"
    calls_in_a_gradle_project_are_let_through "java-gradle"
    calls_in_a_monorepo_are_let_through "monorepo"
    calls_in_a_next_app_are_let_through "next-app"
    calls_in_an_npm_package_are_let_through "node-npm"
    calls_in_a_phoenix_app_are_let_through "phoenix"
    calls_in_a_pnpm_workspace_are_let_through "pnpm-workspace"
    calls_in_a_uv_project_are_let_through "python-uv"
    calls_in_a_setuptools_project_are_let_through "python-venv"
    calls_in_a_rails_app_are_let_through "rails"
    calls_in_a_rust_crate_are_let_through "rust-crate"
    calls_in_a_rust_workspace_are_let_through "rust-workspace"
}

#[test]
fn there_are_enough_calls_in_enough_kinds_of_projects() {
    assert_eq!(corpus::names(), PLAYED);
    assert!(PLAYED.len() >= 12);
    let calls = |name: &&str| corpus::project(name, Path::new("/home")).calls.len();
    let all: usize = PLAYED.iter().map(calls).sum();
    assert!(all >= ENOUGH, "{all}");
}
