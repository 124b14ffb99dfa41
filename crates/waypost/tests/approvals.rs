//! Approvals: who may give them, and how well that can be told.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use serde_json::json;
use waypost_core::actor::Actor;
use waypost_core::event::Event;
use waypost_core::id::StreamId;
use waypost_core::key::Keyring;
use waypost_core::record::Draft;
use waypost_core::session::SessionState;
use waypost_store::{FileLog, StoreError, Streams};
use waypost_testkit::{TestEnv, everything};

const LOCAL: &str = "[[gate]]\nid = \"deploy\"\nbefore = [\"edit\"]\nproof = { approval = \"local\", ttl = \"1h\" }\n";

fn env(config: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write("waypost.toml", config);
    env.ok(&["init", "--harness", "claude-code"]);
    begin(&env);
    env
}

/// A conversation begins and ends: this test is its harness, and would pass for an agent otherwise.
fn begin(env: &TestEnv) {
    env.begin();
    env.hook("SessionEnd", &json!({"reason": "exit"}));
}

/// Runs a command line on a terminal of its own, in a session of its own, with `input` typed.
fn at_terminal(env: &TestEnv, line: &str, vars: &[(&str, &str)], input: &str) -> Output {
    let mut command: Command = env.command("setsid", env.project());
    command.args(["--wait", "script", "-qec", line, "/dev/null"]);
    command.envs(vars.iter().copied()).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let (mut shown, mut terminal) = (Vec::new(), child.stdout.take().unwrap());
    for typed in input.split_inclusive('\n') {
        // Somebody who types waits to be asked; what is typed before is thrown away.
        let mut byte = [0];
        while terminal.read(&mut byte).unwrap() == 1 {
            shown.push(byte[0]);
            if shown.ends_with(b": ") {
                break;
            }
        }
        let _ = stdin.write_all(typed.as_bytes());
        let _ = stdin.flush();
    }
    drop(stdin);
    terminal.read_to_end(&mut shown).unwrap();
    let output = child.wait_with_output().unwrap();
    Output { stdout: shown, ..output }
}

fn is_held(env: &TestEnv) -> bool {
    env.before_edit(&env.project().join("src/lib.txt")).denied().is_some()
}

#[test]
fn approving_needs_a_terminal_and_no_agent() {
    let env = env(LOCAL);
    assert!(is_held(&env));
    let piped = env.waypost(&["gate", "approve", "deploy"]);
    assert_eq!(piped.status.code(), Some(1), "{}", everything(&piped));
    assert!(everything(&piped).contains("terminal"), "{}", everything(&piped));
    for vars in [[("CLAUDE_CODE_SESSION_ID", "s1")], [("CLAUDECODE", "1")]] {
        let output = at_terminal(&env, "waypost gate approve deploy", &vars, "");
        assert_eq!(output.status.code(), Some(1), "{}", everything(&output));
        assert!(everything(&output).contains("for people"), "{}", everything(&output));
    }
    assert!(is_held(&env));
    env.ok(&["gate", "satisfy", "deploy"]);
    assert!(is_held(&env), "what is said without a terminal is a claim");
    env.begin();
    let below = at_terminal(&env, "waypost gate approve deploy", &[], "");
    assert_eq!(below.status.code(), Some(1), "{}", everything(&below));
    assert!(everything(&below).contains("runs below conversation"), "{}", everything(&below));
}

#[test]
fn what_cannot_be_told_from_a_human_is_recorded_as_local() {
    let env = env(LOCAL);
    let output = at_terminal(&env, "waypost gate approve deploy --note ok", &[], "");
    assert!(output.status.success(), "{}", everything(&output));
    assert!(!is_held(&env));
    let history = env.ok(&["history"]);
    assert!(history.contains("gate deploy satisfied (approved)"), "{history}");
    let marks = env.json(&["evidence", "list", "--json"])["marks"].clone();
    assert_eq!(marks[0]["mark"]["until"], "2026-11-15T13:00:00.000Z", "{marks}");
    assert_eq!(marks[0]["mark"].get("signature"), None);
    env.ok(&["gate", "clear", "deploy"]);
    assert!(is_held(&env));
}

const RUN: &str = "[[gate]]\nid = \"tests\"\nbefore = [\"commit\"]\n\
                   proof = { ran = \"./check.sh\", fresh = \"tree\" }\n";

fn may_commit(env: &TestEnv) -> bool {
    env.before_bash("git commit -qam x", "commit").denied().is_none()
}

#[test]
fn an_approval_of_what_has_to_run_reaches_as_far_as_it_says() {
    let approve = |env: &TestEnv, reach: &str| {
        let output = at_terminal(env, &format!("waypost gate approve tests {reach}"), &[], "");
        assert!(output.status.success(), "{}", everything(&output));
        everything(&output)
    };
    let env = env(RUN);
    assert!(!may_commit(&env));
    let told = approve(&env, "");
    assert!(told.contains("for this content"), "{told}");
    assert!(may_commit(&env));
    assert!(env.ok(&["gate", "check", "tests"]).contains("for this content"));
    env.write("src/lib.txt", "two\n");
    assert!(!may_commit(&env), "the content is another");
    env.write("src/lib.txt", "one\n");
    assert!(may_commit(&env), "it is the same again");
    approve(&env, "--whole-session");
    env.write("src/lib.txt", "three\n");
    assert!(may_commit(&env), "that was chosen");
}

#[test]
fn where_content_cannot_be_read_how_far_an_approval_reaches_has_to_be_chosen() {
    let env = env(RUN);
    let broken = env.home().join("broken");
    fs::create_dir_all(&broken).unwrap();
    fs::write(broken.join("git"), "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(broken.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let line = format!("PATH={}:$PATH waypost gate approve tests", broken.display());
    let output = at_terminal(&env, &line, &[], "");
    assert_eq!(output.status.code(), Some(1), "{}", everything(&output));
    assert!(everything(&output).contains("--whole-session"), "{}", everything(&output));
    assert!(!may_commit(&env));
    let output = at_terminal(&env, &format!("{line} --whole-session"), &[], "");
    assert!(output.status.success(), "{}", everything(&output));
    assert!(may_commit(&env));
}

#[test]
fn only_people_put_a_session_away_and_nothing_of_it_is_lost() {
    let env = env(LOCAL);
    let id = env.start("Try something");
    let delete = format!("waypost session delete {id} --reason 'Only a trial'");
    let before = env.json(&["show", &id, "--json"])["version"].clone();
    let piped = env.waypost(&["session", "delete", &id, "--reason", "x"]);
    assert_eq!(piped.status.code(), Some(1), "{}", everything(&piped));
    assert!(everything(&piped).contains("terminal"), "{}", everything(&piped));
    let agent = at_terminal(&env, &delete, &[("CLAUDE_CODE_SESSION_ID", "s1")], "");
    assert_eq!(agent.status.code(), Some(1), "{}", everything(&agent));
    let told = everything(&agent);
    assert!(told.contains("for people"), "{told}");
    assert!(told.contains(&format!("waypost session delete {id}")), "{told}");
    assert_eq!(env.json(&["show", &id, "--json"])["version"], before, "nothing was recorded");

    let human = at_terminal(&env, &delete, &[], "");
    assert!(human.status.success(), "{}", everything(&human));
    let ids = |args: &[&str]| env.json(args).to_string().contains(&id);
    assert!(!ids(&["list", "--json"]));
    assert!(ids(&["list", "--all", "--json"]));
    assert!(ids(&["list", "--status", "archived", "--json"]));
    let shown = env.ok(&["show", &id]);
    assert!(shown.contains("archived at"), "{shown}");
    assert!(shown.contains("Only a trial"), "{shown}");
    assert!(env.ok(&["history", &id]).contains("session archived: Only a trial"));
    env.ok(&["publish", &id]);
    let manifest = env.read(&format!("agents/sessions/{id}/state.json"));
    assert!(manifest.contains(r#""lifecycle": "archived""#), "{manifest}");
    let note = env.waypost(&["note", "add", "x", "--session", &id]);
    assert_eq!(note.status.code(), Some(1), "{}", everything(&note));
    assert!(everything(&note).contains(&format!("waypost resume {id}")), "{}", everything(&note));
    env.ok(&["verify", "--all"]);
    env.ok(&["resume", &id]);
    env.ok(&["note", "add", "x", "--session", &id]);
    assert!(ids(&["list", "--json"]));
}

#[test]
fn a_signed_approval_is_nothing_without_the_passphrase() {
    let env = env(LOCAL);
    let words = "correct horse battery\ncorrect horse battery\n";
    let made = at_terminal(&env, "waypost key approval", &[], words);
    assert!(made.status.success(), "{}", everything(&made));
    env.write("waypost.toml", &LOCAL.replace("\"local\"", "\"signed\""));
    begin(&env);
    assert!(is_held(&env));
    for wrong in ["wrong horse battery\n", "\n"] {
        let output = at_terminal(&env, "waypost gate approve deploy", &[], wrong);
        assert_eq!(output.status.code(), Some(1), "{}", everything(&output));
    }
    let satisfied = at_terminal(&env, "waypost gate satisfy deploy", &[], "");
    assert_eq!(satisfied.status.code(), Some(1), "{}", everything(&satisfied));
    assert!(is_held(&env));
    let output = at_terminal(&env, "waypost gate approve deploy", &[], "correct horse battery\n");
    assert!(output.status.success(), "{}", everything(&output));
    assert!(!everything(&output).contains("correct horse"), "nothing is echoed");
    assert!(!is_held(&env));
    assert!(env.ok(&["history"]).contains("gate deploy satisfied (approved, signed)"));
    env.ok(&["verify", "--all"]);

    // Whoever gets hold of the key that signs records can still not make a human's signature.
    let mark = env.json(&["evidence", "list", "--json"])["marks"][0]["mark"].clone();
    env.ok(&["gate", "clear", "deploy"]);
    assert!(is_held(&env));
    let mut longer = mark.clone();
    longer["until"] = "2027-01-01T00:00:00.000Z".into();
    forge(&env, longer);
    assert!(is_held(&env), "a signature says until when it holds");
    let verified = env.waypost(&["verify", "--all"]);
    assert_eq!(verified.status.code(), Some(3), "{}", everything(&verified));
    let fault = "the approval of deploy bears a signature that does not fit it";
    assert!(everything(&verified).contains(fault), "{}", everything(&verified));
    forge(&env, mark);
    let verified = everything(&env.waypost(&["verify", "--all"]));
    assert!(verified.contains("was recorded before: somebody copied it"), "{verified}");
}

/// Records an approval with the key that signs records, as a program of the same user could.
fn forge(env: &TestEnv, mut mark: serde_json::Value) {
    let id = env.json(&["status", "--json"])["session_id"].as_str().unwrap().to_owned();
    mark["type"] = "gate_marked".into();
    mark["v"] = 1.into();
    let event = Event::from_json(&mark.to_string()).unwrap();
    assert!(matches!(event, Event::Known(_)), "{mark}");
    let time = env.time.parse().unwrap();
    let ring = Keyring::from_file(&fs::read(env.key_file()).unwrap()).unwrap();
    let log = Streams::from(FileLog::new(env.store(), ring));
    let stream = StreamId::Session(id.parse().unwrap());
    let draft = Draft { time, actor: Actor::Human, event };
    let forged =
        log.transact(&stream, |_: &SessionState| Ok::<_, StoreError>((vec![draft.clone()], ())));
    forged.unwrap();
}

#[test]
fn where_evidence_may_be_overridden_a_human_approves_and_an_agent_does_not() {
    let env = env(LOCAL);
    let folder = ".praxis-os/workflows/two_v1";
    let phases =
        r#"[{"phase_number": 0, "phase_name": "A"}, {"phase_number": 1, "phase_name": "B"}]"#;
    env.write(&format!("{folder}/metadata.json"), &format!("{{\"phases\": {phases}}}"));
    let gate =
        "checkpoint: {strict: true}\nevidence_schema: {done: {type: boolean, required: true}}\n";
    env.write(&format!("{folder}/phases/0/gate-definition.yaml"), gate);
    let closed = gate.replace("strict: true", "strict: true, allow_override: false");
    env.write(&format!("{folder}/phases/1/gate-definition.yaml"), &closed);
    env.ok(&["start", "--workflow", "two_v1", "--objective", "x", "--anew"]);

    let claimed = env.waypost(&["gate", "satisfy", "A/checkpoint"]);
    assert_eq!(claimed.status.code(), Some(1), "{}", everything(&claimed));
    assert!(
        everything(&claimed).contains("an agent's word does not stand in for it"),
        "{}",
        everything(&claimed)
    );
    assert_eq!(env.waypost(&["phase", "complete"]).status.code(), Some(1));
    let approved = at_terminal(&env, "waypost gate approve A/checkpoint", &[], "");
    assert!(approved.status.success(), "{}", everything(&approved));
    env.ok(&["phase", "complete"]);

    let refused = at_terminal(&env, "waypost gate approve B/checkpoint", &[], "");
    assert_eq!(refused.status.code(), Some(1), "{}", everything(&refused));
    assert!(everything(&refused).contains("nothing stands in for it"), "{}", everything(&refused));
    env.ok(&["phase", "complete", "done=false"]);
}
