//! Work that is handed over, and what whoever goes on has to look at first.

use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, NEWER};
use waypost_testkit::{TestEnv, everything};

use super::begun;

const GATE: &str = "[project]\n\n[[gate]]\nid = \"taken-over\"\nbefore = [\"edit\"]\n\
                    proof = { handoff = \"accepted\" }\nmessage = \"See what was handed over.\"\n";

/// The same conversation in a session that others can join.
fn shared(config: &str) -> TestEnv {
    let env = begun(config);
    let mut client = Client::start(&env, NEWER, &[]);
    client.works("session_start", json!({"objective": "Parse tabs"}));
    env
}

fn create(env: &TestEnv, more: &[&str]) -> String {
    let args = ["handoff", "create", "--from", "implementer", "--to", "qa", "--reason", "Done"];
    let args = [&args[..], &["--context", "Errors have lines"], more, &["--json"]].concat();
    env.json(&args)["handoff_id"].as_str().unwrap().to_owned()
}

/// Another conversation goes on in the session.
struct Second<'e> {
    env: &'e TestEnv,
}

impl<'e> Second<'e> {
    fn join(env: &'e TestEnv) -> (Self, String) {
        let second = Self { env };
        let session = env.json(&["status", "--json"])["session_id"].clone();
        let told = second.hook("SessionStart", &json!({"source": "startup"})).stdout;
        second.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
        second.ok(&["resume", session.as_str().unwrap()]);
        (second, told)
    }

    fn hook(&self, event: &str, fields: &Value) -> waypost_testkit::HookAnswer {
        self.env.hook(event, &super::with(fields.clone(), &json!({"session_id": "s2"})))
    }

    fn run(&self, args: &[&str]) -> std::process::Output {
        let mut command = self.env.command(self.env.binary(), self.env.project());
        command.env("CLAUDE_CODE_SESSION_ID", "s2").args(args).output().unwrap()
    }

    fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", everything(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", everything(&output));
        everything(&output)
    }

    fn edit(&self) -> Option<String> {
        let input = json!({"file_path": self.env.project().join("app.txt"), "content": "x"});
        let call = json!({"tool_name": "Write", "tool_input": input, "tool_use_id": "e"});
        self.hook("PreToolUse", &call).denied()
    }

    fn does(&self, tool: &str, input: &Value, response: &Value) {
        let call = json!({"tool_name": tool, "tool_input": input, "tool_use_id": format!("{tool}{input}")});
        let before = self.hook("PreToolUse", &call);
        assert_eq!(before.denied(), None, "{tool}");
        self.hook("PostToolUse", &super::with(call, &json!({"tool_response": response})));
    }
}

#[test]
fn whoever_goes_on_runs_reads_and_answers_first() {
    let env = shared(GATE);
    let points =
        ["--check", "run: ./check.sh", "--check", "read: ADR.md", "--check", "What is flaky?"];
    let id = create(&env, &points);
    let (second, _) = Second::join(&env);
    let brief = second.ok(&["brief"]);
    for part in [&id[..], "Done", "Errors have lines", "run: ./check.sh", "handoff accept"] {
        assert!(brief.contains(part), "{part}: {brief}");
    }
    assert!(
        second.edit().unwrap().contains(&format!("{id} from implementer to qa is not accepted"))
    );
    let missing = second.refused(&["handoff", "accept", &id]);
    assert!(missing.contains("./check.sh") && missing.contains("ADR.md"), "{missing}");
    // What the one who handed over did is not what whoever goes on did.
    env.bash("./check.sh", "r1");
    assert!(second.refused(&["handoff", "accept", &id]).contains("./check.sh"));
    let response = json!({"stdout": "3 passed", "stderr": "", "interrupted": false});
    second.does("Bash", &json!({"command": "./check.sh"}), &response);
    let file = json!({"type": "text", "file": {"filePath": env.project().join("ADR.md"), "content": "decided\n",
        "numLines": 1, "startLine": 1, "totalLines": 1}});
    let missing = second.refused(&["handoff", "accept", &id]);
    assert!(!missing.contains("./check.sh") && missing.contains("ADR.md"), "{missing}");
    second.does("Read", &json!({"file_path": env.project().join("ADR.md")}), &file);
    let missing = second.refused(&["handoff", "accept", &id]);
    assert!(
        missing.contains("asks for 1 answer") && missing.contains("What is flaky?"),
        "{missing}"
    );
    second.ok(&["handoff", "accept", &id, "--checked", "test_login"]);
    assert_eq!(second.edit(), None);
    let shown = env.ok(&["handoff", "show", &id]);
    for part in
        ["# Handoff", "- [x] Run `./check.sh`", "- [x] Read `ADR.md`", "test_login", "## Context"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(second.refused(&["handoff", "accept", &id]).contains("no handoff"));
    assert!(!second.ok(&["brief"]).contains("not accepted yet"));
}

#[test]
fn whoever_handed_over_is_not_held_by_it_and_a_human_may_accept() {
    let env = shared(GATE);
    let id = create(&env, &["--check", "run: ./check.sh"]);
    env.edit("app.txt", "mine\n");
    let (second, _) = Second::join(&env);
    assert!(second.edit().is_some());
    let (done, said) = env.as_person(&["handoff", "accept"]);
    assert!(done, "{said}");
    assert_eq!(second.edit(), None);
    let listed = env.json(&["handoff", "list", "--json"]);
    assert_eq!(listed["handoffs"][0]["handoff_id"], json!(id));
    assert_eq!(listed["handoffs"][0]["accepted"]["by"]["kind"], "human", "{listed}");
}

#[test]
fn without_a_checklist_the_files_it_names_have_to_be_read() {
    let env = shared("[project]\n");
    let id = create(&env, &["--artifact", "ADR.md", "--artifact", "not/there.md"]);
    let waiting = env.json(&["status", "--json"])["pending_handoffs"].clone();
    assert_eq!(waiting[0]["checklist"], json!(["read: ADR.md"]));
    let (second, told) = Second::join(&env);
    assert!(
        told.contains(&id) && told.contains("Done"),
        "beside the session, before it is joined: {told}"
    );
    assert!(second.refused(&["handoff", "accept"]).contains("ADR.md"));
    for outside in ["read: /etc/passwd", "read: ../x", "read: a/../../b"] {
        let args =
            ["handoff", "create", "--from", "a", "--to", "b", "--reason", "r", "--context", "c"];
        let output = env.waypost(&[&args[..], &["--check", outside]].concat());
        assert_eq!(output.status.code(), Some(1), "{outside}");
        assert!(everything(&output).contains("outside of the project"), "{}", everything(&output));
    }
}

#[test]
fn only_so_many_wait_and_none_is_ever_displaced() {
    let env = shared("[project]\n");
    let first = create(&env, &[]);
    for _ in 1..16 {
        create(&env, &[]);
    }
    let args = ["handoff", "create", "--from", "a", "--to", "b", "--reason", "r", "--context", "c"];
    let output = env.waypost(&args);
    assert_eq!(output.status.code(), Some(1));
    assert!(everything(&output).contains("16 handoffs wait"), "{}", everything(&output));
    assert_eq!(env.json(&["status", "--json"])["pending_handoffs"].as_array().unwrap().len(), 16);
    assert!(env.ok(&["brief", "--budget", "1200"]).contains(&first), "every brief has all of them");
    env.ok(&["handoff", "accept", &first]);
    create(&env, &[]);
}

const CREATE: [&str; 10] =
    ["handoff", "create", "--from", "a", "--to", "b", "--reason", "r", "--context", "c"];

#[test]
fn what_stands_in_a_checklist_to_be_run_counts_when_it_is_run_as_it_stands() {
    let env = shared("[project]\n");
    let lines =
        ["./check.sh --all", "bash -c './check.sh'", "cargo test -p core", "git status", "make"];
    let points: Vec<String> = lines.iter().map(|line| format!("run: {line}")).collect();
    let points = points.iter().flat_map(|point| ["--check", point]);
    env.ok(&CREATE.into_iter().chain(points).collect::<Vec<_>>());
    let (second, _) = Second::join(&env);
    for line in lines {
        let missing = second.refused(&["handoff", "accept"]);
        assert!(missing.contains(line), "{line}: {missing}");
        let response = json!({"stdout": "3 passed", "stderr": "", "interrupted": false});
        second.does("Bash", &json!({"command": line}), &response);
    }
    second.ok(&["handoff", "accept"]);
}

#[test]
fn a_checklist_asks_for_nothing_that_nobody_can_be_seen_to_do() {
    let env = shared("[project]\n");
    for line in [
        "./check.sh && ./lint.sh",
        "./check.sh; ./lint.sh",
        "./check.sh | tail -5",
        "cd sub && ./check.sh",
        "FOO=1 ./check.sh",
        "./check.sh > out.txt",
        "cargo build && cargo test",
        "if then fi (",
    ] {
        let point = format!("run: {line}");
        let output = env.waypost(&[&CREATE[..], &["--check", &point]].concat());
        assert_eq!(output.status.code(), Some(1), "{line}: {}", everything(&output));
        let told = everything(&output);
        assert!(told.contains(line) && told.contains("a point of its own"), "{told}");
    }
    for file in ["not/there.md", ".", "src"] {
        let output = env.waypost(&[&CREATE[..], &["--check", &format!("read: {file}")]].concat());
        assert_eq!(output.status.code(), Some(1), "{file}: {}", everything(&output));
        assert!(everything(&output).contains("no such file"), "{}", everything(&output));
    }
    for line in ["./check.sh*", "cargo test*", "pytest*", "npm test", "./check.sh \"a b\""] {
        env.ok(&[&CREATE[..], &["--check", &format!("run: {line}")]].concat());
    }
}
