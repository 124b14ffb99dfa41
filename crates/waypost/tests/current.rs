//! Which session a conversation belongs to, and which one a command means: the one that people made current,
//! one of its own, or the one that somebody names.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use waypost_testkit::{TestEnv, everything};

fn env() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    env
}

/// A conversation begins, in a process that nobody knows: commands are then a person's, unless they say
/// otherwise. Gives what it is told.
fn begins(env: &TestEnv, conversation: &str, source: &str) -> String {
    let about = json!({"source": source, "session_id": conversation});
    let answer = env.forged_hook("SessionStart", &about).json();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

fn prompts(env: &TestEnv, conversation: &str) -> String {
    let about = json!({"prompt": "go on", "session_id": conversation});
    env.forged_hook("UserPromptSubmit", &about).stdout
}

fn ends(env: &TestEnv, conversation: &str) {
    env.forged_hook("SessionEnd", &json!({"reason": "other", "session_id": conversation}));
}

/// What an agent's conversation runs.
fn by_agent(env: &TestEnv, conversation: &str, cwd: &Path, args: &[&str]) -> Output {
    let mut command = env.command(env.binary(), cwd);
    command.args(args).env("CLAUDE_CODE_SESSION_ID", conversation).output().unwrap()
}

fn agent(env: &TestEnv, conversation: &str, args: &[&str]) -> String {
    let output = by_agent(env, conversation, env.project(), args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", everything(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn agent_refused(env: &TestEnv, conversation: &str, args: &[&str]) -> String {
    let output = by_agent(env, conversation, env.project(), args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", everything(&output));
    everything(&output)
}

fn refused(env: &TestEnv, args: &[&str]) -> String {
    let output = env.waypost(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", everything(&output));
    everything(&output)
}

/// The session that a conversation is attached to.
fn session_of(env: &TestEnv, conversation: &str) -> String {
    let sessions = env.json(&["list", "--all", "--json"]);
    let ids = sessions.as_array().unwrap().iter().map(|one| one["session_id"].as_str().unwrap());
    let attached = |id: &&str| {
        let status = env.json(&["status", id, "--json"]);
        let found = status["conversations"].as_array().unwrap().clone();
        found.iter().any(|one| one["id"] == conversation && one["attached"] == true)
    };
    let found: Vec<&str> = ids.filter(attached).collect();
    assert_eq!(found.len(), 1, "{conversation}: {found:?}");
    found[0].to_owned()
}

#[test]
fn new_conversations_join_what_people_made_current_and_get_one_of_their_own_without_it() {
    let env = env();
    begins(&env, "before", "startup");
    let own = session_of(&env, "before");
    let login = env.start("Add login");
    for source in ["startup", "clear", "fork"] {
        begins(&env, source, source);
        assert_eq!(session_of(&env, source), login, "{source}");
    }
    assert_eq!(session_of(&env, "before"), own, "what was under way stays where it is");
    begins(&env, "before", "resume");
    begins(&env, "before", "compact");
    assert_eq!(session_of(&env, "before"), own, "coming back keeps it");

    let logout = env.start("Add logout");
    begins(&env, "second", "startup");
    assert_eq!(session_of(&env, "second"), logout);
    env.ok(&["switch", &login]);
    begins(&env, "third", "startup");
    assert_eq!(session_of(&env, "third"), login);
    let mut owns = vec![own];
    for (number, rest) in
        [&["switch", "--none"][..], &["pause", &login, "--reason", "lunch"], &["end", &login]]
            .into_iter()
            .enumerate()
    {
        env.ok(rest);
        let name = format!("own-{number}");
        begins(&env, &name, "startup");
        let own = session_of(&env, &name);
        assert!(![&login, &logout].contains(&&own) && !owns.contains(&own), "{rest:?}: {own}");
        owns.push(own);
        env.ok(&[if number == 0 { "switch" } else { "resume" }, &login]);
        begins(&env, &format!("again-{number}"), "startup");
        assert_eq!(session_of(&env, &format!("again-{number}")), login, "{rest:?}");
    }
    env.ok(&["verify", "--all"]);
}

#[test]
fn what_an_agent_begins_is_its_own_and_others_may_join_it() {
    let env = env();
    begins(&env, "s1", "startup");
    let opened = session_of(&env, "s1");
    agent(&env, "s1", &["start", "--objective", "Add login"]);
    assert_eq!(session_of(&env, "s1"), opened, "the session that was opened for it is named");
    let twice = agent_refused(&env, "s1", &["start", "--objective", "Add logout"]);
    assert!(twice.contains("Session already active"), "{twice}");

    let told = begins(&env, "s2", "startup");
    assert_ne!(session_of(&env, "s2"), opened, "nobody joins it unasked");
    assert!(told.contains("\"Add login\": active"), "{told}");
    assert!(told.contains("Working in it: claude-code s1"), "{told}");
    assert!(told.contains(&format!("To join it: waypost resume {opened}")), "{told}");
    agent(&env, "s2", &["start", "--objective", "Write docs"]);
    let docs = session_of(&env, "s2");
    assert_ne!(docs, opened);
    begins(&env, "s3", "startup");
    agent(&env, "s3", &["resume", &opened]);
    assert_eq!(session_of(&env, "s3"), opened);
    agent(&env, "s3", &["note", "add", "joined"]);
    assert_eq!(env.notes(&opened), ["joined"]);
    assert_eq!(env.notes(&docs), [""; 0]);
    let told = begins(&env, "s4", "startup");
    assert_ne!(session_of(&env, "s4"), opened, "joining makes nothing current");
    assert!(told.contains("claude-code s1, claude-code s3"), "{told}");
}

#[test]
fn an_agent_that_begins_something_else_in_a_joined_session_leaves_that_as_it_is() {
    let env = env();
    let login = env.start("Add login");
    begins(&env, "s1", "startup");
    begins(&env, "s2", "startup");
    agent(&env, "s1", &["start", "--objective", "Fix a typo"]);
    let typo = session_of(&env, "s1");
    assert_ne!(typo, login);
    let twice = agent_refused(&env, "s1", &["start", "--objective", "Another"]);
    assert!(twice.contains("Session already active"), "{twice}");
    agent(&env, "s2", &["start", "--objective", "Fix a link"]);
    let link = session_of(&env, "s2");
    assert!(link != login && link != typo);
    let status = env.json(&["status", "--json"]);
    assert_eq!(status["session_id"], json!(login), "what people chose stays: {status}");
    assert_eq!((&status["lifecycle"], &status["current"]), (&json!("active"), &json!(true)));
    begins(&env, "s3", "startup");
    assert_eq!(session_of(&env, "s3"), login);
    // One that the agent let rest no longer stands in its way.
    agent(&env, "s1", &["pause", "--reason", "later"]);
    agent(&env, "s1", &["start", "--objective", "Another"]);
    assert_ne!(session_of(&env, "s1"), typo);
    assert_eq!(env.json(&["status", &typo, "--json"])["lifecycle"], "paused");
}

#[test]
fn agents_change_nothing_for_others() {
    let env = env();
    let login = env.start("Add login");
    let docs = env.start("Write docs");
    begins(&env, "s1", "startup");
    begins(&env, "s2", "startup");
    agent(&env, "s1", &["switch", &login]);
    assert_eq!((session_of(&env, "s1"), session_of(&env, "s2")), (login.clone(), docs.clone()));
    assert_eq!(env.json(&["status", "--json"])["session_id"], json!(docs));
    let told = agent_refused(&env, "s1", &["switch", "--none"]);
    assert!(told.contains("for people to choose"), "{told}");
    env.ok(&["pause", &login, "--reason", "x"]);
    agent(&env, "s2", &["resume", &login]);
    assert_eq!(session_of(&env, "s2"), login);
    assert_eq!(env.json(&["status", "--json"])["session_id"], json!(docs));
    // An agent that does not say which conversation it is, is no person either.
    let mut unknown = env.command(env.binary(), env.project());
    let begun = unknown.args(["start", "--objective", "Other", "--json"]).env("CLAUDECODE", "1");
    let begun: Value = serde_json::from_slice(&begun.output().unwrap().stdout).unwrap();
    assert_eq!(begun["current"], false, "{begun}");
    assert_eq!(env.json(&["status", "--json"])["session_id"], json!(docs));
}

#[test]
fn a_command_without_an_id_means_the_current_session_else_the_only_active_one() {
    let env = env();
    let login = env.start("Add login");
    let docs = env.start("Write \"docs\"");
    env.ok(&["note", "add", "one"]);
    assert_eq!(env.notes(&docs), ["one"]);
    env.ok(&["switch", &login]);
    env.ok(&["note", "add", "two"]);
    assert_eq!(env.notes(&login), ["two"]);
    env.ok(&["switch", "--none"]);
    let told = refused(&env, &["note", "add", "three"]);
    assert!(told.contains("2 active sessions") && told.contains("none of them is current"));
    assert!(told.contains(&format!("{login}  \"Add login\"  just now")), "{told}");
    assert!(told.contains(&format!("{docs}  \"Write 'docs'\"  just now")), "{told}");
    assert!(told.contains("waypost switch ID"), "{told}");
    env.ok(&["pause", &docs, "--reason", "x"]);
    env.ok(&["note", "add", "four"]);
    assert_eq!(env.notes(&login), ["two", "four"]);
    // What a conversation left behind without a name is not meant.
    begins(&env, "gone", "startup");
    ends(&env, "gone");
    env.ok(&["note", "add", "five"]);
    assert_eq!(env.notes(&login), ["two", "four", "five"]);
}

#[test]
fn switching_takes_up_what_rests_and_refuses_what_is_over() {
    let env = env();
    let login = env.start("Add login");
    env.ok(&["pause", "--reason", "lunch", "--context", "the form is done"]);
    let told = env.ok(&["switch", &login]);
    assert!(told.contains("lunch") && told.contains("the form is done"), "{told}");
    assert_eq!(env.json(&["status", "--json"])["lifecycle"], "active");
    assert_eq!(env.json(&["switch", &login, "--json"])["current"], true, "twice is once");
    let again = refused(&env, &["resume", &login]);
    assert!(again.contains("there is nothing to resume"), "{again}");
    env.ok(&["end"]);
    let over = refused(&env, &["switch", &login]);
    assert!(over.contains("it is completed") && over.contains("waypost resume"), "{over}");
    let none = env.json(&["switch", "--none", "--json"]);
    assert_eq!((&none["session_id"], &none["current"]), (&json!(null), &json!(false)));
    for args in [&["switch"][..], &["switch", &login, "--none"]] {
        assert_eq!(env.waypost(args).status.code(), Some(2), "{args:?}");
    }
    assert_eq!(env.waypost(&["switch", "1999"]).status.code(), Some(1));
}

#[test]
fn where_nothing_is_active_the_status_tells_what_there_is() {
    let env = env();
    let fresh = env.ok(&["status"]);
    assert!(fresh.contains("no session is current here, on main"), "{fresh}");
    assert!(fresh.contains("(must) before stop"), "what will be enforced: {fresh}");
    assert!(fresh.contains("begin a session: waypost start --objective"), "{fresh}");
    let login = env.start("Add login");
    env.ok(&["pause", "--reason", "Waiting", "--context", "the form is done"]);
    let paused = env.ok(&["status"]);
    for part in ["\"Add login\": paused", "\"Waiting\"", "\"the form is done\""] {
        assert!(paused.contains(part), "{part}: {paused}");
    }
    assert!(paused.contains(&format!("→ resume it: waypost resume {login}, or begin")), "{paused}");
    let shown = env.json(&["status", "--json"]);
    assert_eq!(shown["session_id"], json!(null));
    assert_eq!(shown["sessions"][0]["session_id"], json!(login), "{shown}");
    assert_eq!(shown["sessions"][0]["pause"]["reason"], "Waiting");
    assert_eq!(shown["gates"][0]["level"], "must", "{shown}");
    env.ok(&["end", &login, "--summary", "It works", "--next-notes", "Try webauthn"]);
    assert!(env.ok(&["status"]).contains(&format!("{login} left: Try webauthn")));
    // Conversations without a name are no session that somebody chose.
    begins(&env, "s1", "startup");
    let docs = env.start("Write docs");
    env.ok(&["pause", "--reason", "Lunch"]);
    let only = env.json(&["status", "--json"]);
    assert_eq!(only["session_id"], json!(session_of(&env, "s1")), "the only one that is active");
    assert_eq!(only["also"][0]["session_id"], json!(docs), "{only}");
    assert!(env.ok(&["status"]).contains(&format!("To resume it: waypost resume {docs}")));
    begins(&env, "s2", "startup");
    let open = env.ok(&["status"]);
    assert!(open.contains("Working in it: claude-code s1"), "{open}");
    assert!(open.contains("claude-code s2"), "{open}");
}

#[test]
fn a_brief_tells_what_rests_and_what_the_last_session_left() {
    let env = env();
    let old = env.start("Old work");
    env.ok(&["end", "--summary", "Done", "--next-notes", "Mind the cache"]);
    let login = env.start("Add login");
    env.ok(&["note", "add", "The tests are next", "--kind", "handoff"]);
    env.ok(&["pause", "--reason", "Waiting for review", "--context", "The form is done"]);
    begins(&env, "idle", "startup");
    let idle = session_of(&env, "idle");
    ends(&env, "idle");
    let told = begins(&env, "s1", "startup");
    for part in [
        format!("{login} \"Add login\": paused just now: \"Waiting for review\""),
        "Context: \"The form is done\"".to_owned(),
        "Handed over: \"The tests are next\"".to_owned(),
        format!("To resume it: waypost resume {login}"),
        format!("The session before, {old}"),
        "Mind the cache".to_owned(),
    ] {
        assert!(told.contains(&part), "{part}: {told}");
    }
    assert!(!told.contains(&idle), "what was left behind without a name is no offer: {told}");
    agent(&env, "s1", &["resume", &login]);
    assert_eq!(session_of(&env, "s1"), login);
}

#[test]
fn a_brief_keeps_to_its_budget_with_many_sessions_and_names_the_latest() {
    let mut env = env();
    let mut last = String::new();
    for number in 0..20 {
        env.time = format!("2026-11-15T12:{number:02}:00Z");
        last = env.start(&format!("{} {number}", "Something that takes long to say".repeat(5)));
        let context = format!("{number}: {}", "what is to be known ".repeat(40));
        env.ok(&["pause", "--reason", &"because ".repeat(30), "--context", &context]);
    }
    let told = begins(&env, "s1", "startup");
    assert!(told.len() <= 1200 * 3, "{}", told.len());
    assert!(told.contains(&last), "{told}");
    assert!(told.contains("Context: \"19: what"), "the latest is told best: {told}");
    assert!(told.contains("more left out"), "{told}");
}

#[test]
fn the_client_s_own_command_leads_back_to_a_conversation() {
    let env = env();
    let login = env.start("Add login");
    begins(&env, "c0ffee", "startup");
    ends(&env, "c0ffee");
    let back = "claude --resume c0ffee";
    assert!(env.ok(&["list"]).contains(&format!("{login}  {back}")));
    assert_eq!(env.json(&["list", "--json"])[0]["reopen"], back);
    assert!(env.ok(&["show", &login]).contains(back));
    assert!(env.ok(&["status"]).contains(back));
    env.ok(&["pause", "--reason", "x"]);
    assert!(begins(&env, "s2", "startup").contains(back));
}

#[test]
fn conversations_in_one_work_tree_are_told_of_each_other_once() {
    let env = env();
    begins(&env, "s1", "startup");
    prompts(&env, "s1");
    agent(&env, "s1", &["start", "--objective", "Add login"]);
    let edit =
        |event: &str| {
            env.forged_hook(event, &json!({
            "session_id": "s1", "tool_name": "Write", "tool_use_id": "e", "tool_response": {},
            "tool_input": {"file_path": env.project().join("src/lib.txt"), "content": "two\n"},
        }))
        };
    edit("PreToolUse");
    env.write("src/lib.txt", "two\n");
    edit("PostToolUse");
    let told = begins(&env, "s2", "startup");
    assert!(told.contains("Working in it: claude-code s1, which changed src/lib.txt"), "{told}");
    assert_eq!(prompts(&env, "s2"), "", "it knows already");
    let told = prompts(&env, "s1");
    assert!(told.contains("claude-code s2 works in this work tree too, in session"), "{told}");
    assert_eq!(prompts(&env, "s1"), "", "told once");
}

#[test]
fn a_second_work_tree_sees_what_is_open_and_takes_it_up() {
    let env = env();
    let login = env.start("Add login");
    env.ok(&["pause", "--reason", "Waiting"]);
    let docs = env.start("Write docs");
    env.git(&["add", "waypost.toml"]);
    env.git(&["commit", "-qm", "set up"]);
    env.git(&["worktree", "add", "-q", "../second", "-b", "second"]);
    let second = env.project().parent().unwrap().join("second");
    let listed = env.ok_in(&second, &["list"]);
    assert!(listed.contains(&login) && listed.contains(&docs), "{listed}");
    assert!(listed.contains("in the main tree"), "{listed}");
    let screen = env.ok_in(&second, &["status"]);
    assert!(screen.contains(&login) && screen.contains("in the main work tree"), "{screen}");
    let resumed = env.ok_in(&second, &["resume", &login]);
    assert!(resumed.contains(&login), "{resumed}");
    let status = env.ok_in(&second, &["status", "--json"]);
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["session_id"], json!(login));
    assert_eq!((&status["worktree"], &status["branch"]), (&json!("second"), &json!("second")));
    assert_eq!(env.json(&["status", "--json"])["session_id"], json!(docs), "each has its own");
    // Removing a work tree takes no session with it.
    env.git(&["worktree", "remove", "--force", "../second"]);
    env.git(&["worktree", "prune"]);
    assert!(env.ok(&["list"]).contains(&login));
    env.ok(&["switch", &login]);
    let status = env.json(&["status", "--json"]);
    assert_eq!((&status["session_id"], &status["worktree"]), (&json!(login), &json!(null)));
    assert_eq!(status["branch"], "main");
    env.ok(&["verify", "--all"]);
}

#[test]
fn a_session_that_somebody_works_on_in_another_work_tree_stays_there() {
    let env = env();
    env.git(&["add", "waypost.toml"]);
    env.git(&["commit", "-qm", "set up"]);
    env.git(&["worktree", "add", "-q", "../second", "-b", "second"]);
    let second = env.project().parent().unwrap().join("second");
    // The harness of this conversation is this process, which runs.
    env.hook("SessionStart", &json!({"source": "startup"}));
    let login = session_of(&env, "s1");
    let output = by_agent(&env, "unknown", &second, &["resume", &login]);
    assert_eq!(output.status.code(), Some(1), "{}", everything(&output));
    let told = everything(&output);
    assert!(told.contains("works on session") && told.contains("the main work tree"), "{told}");
}

#[test]
fn a_conversation_that_is_announced_twice_at_once_has_one_session() {
    let env = env();
    for round in 0..4 {
        let id = format!("twice-{round}");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| begins(&env, &id, "startup"));
            }
        });
    }
    let sessions = env.json(&["list", "--json"]);
    assert_eq!(sessions.as_array().unwrap().len(), 4, "{sessions}");
    env.ok(&["verify", "--all"]);
}

#[test]
fn what_a_conversation_left_without_a_name_is_abandoned_after_a_day_and_offered_to_nobody() {
    let mut env = env();
    begins(&env, "s1", "startup");
    let own = session_of(&env, "s1");
    ends(&env, "s1");
    let named = env.start("Add login");
    env.time = "2026-11-16T12:00:01Z".into();
    let told = begins(&env, "s2", "startup");
    assert!(!told.contains(&own), "{told}");
    assert_eq!(env.json(&["status", &own, "--json"])["lifecycle"], "abandoned");
    assert_eq!(env.json(&["status", &named, "--json"])["session_id"], json!(named));
    assert_eq!(session_of(&env, "s2"), named, "what people chose waits");
}

#[test]
fn what_is_open_in_another_work_tree_is_found_although_nobody_wrote_it_down() {
    let env = env();
    let login = env.start("Add login");
    env.git(&["add", "waypost.toml"]);
    env.git(&["commit", "-qm", "set up"]);
    env.git(&["worktree", "add", "-q", "../second", "-b", "second"]);
    let second = env.project().parent().unwrap().join("second");
    std::fs::remove_dir_all(env.store().join("index")).unwrap();
    assert!(env.ok_in(&second, &["list"]).contains(&login));
}

#[test]
fn a_conversation_that_the_registry_forgot_stays_where_it_is_known() {
    let env = env();
    begins(&env, "s1", "startup");
    begins(&env, "s2", "startup");
    let own = session_of(&env, "s1");
    let registry = env.home().join(".local/state/waypost/conversations");
    for event in ["resume", "compact"] {
        std::fs::remove_dir_all(&registry).unwrap();
        begins(&env, "s1", event);
        assert_eq!(session_of(&env, "s1"), own, "{event}");
    }
    std::fs::remove_dir_all(&registry).unwrap();
    prompts(&env, "s1");
    assert_eq!(session_of(&env, "s1"), own);
    ends(&env, "s1");
    std::fs::remove_dir_all(&registry).unwrap();
    begins(&env, "s1", "resume");
    assert_eq!(session_of(&env, "s1"), own, "it was there last");
}
