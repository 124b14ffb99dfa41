//! `waypost doctor` and the MCP server: is it registered, approved, and does it answer?

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

#[path = "common/examined.rs"]
mod examined;

use std::fs;

use examined::examine;
use serde_json::{Value, json};
use waypost_testkit::picture::Picture;
use waypost_testkit::{TestEnv, stand_in};

const LOCAL: &str = ".claude/settings.local.json";
const SERVERS: &str = ".mcp.json";

/// A healthy project, with a server that stands in for the real one.
fn env() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    stand_in::register_good(&env);
    env
}

/// Changes a JSON file of the project.
fn change(env: &TestEnv, file: &str, change: impl FnOnce(&mut Value)) {
    let mut content: Value = serde_json::from_str(&env.read(file)).unwrap();
    change(&mut content);
    env.write(file, &content.to_string());
}

fn write_user_settings(env: &TestEnv, content: &Value) {
    fs::create_dir_all(env.home().join(".claude")).unwrap();
    fs::write(env.home().join(".claude/settings.json"), content.to_string()).unwrap();
}

#[test]
fn a_server_that_answers_is_told_with_its_tools() {
    let env = env();
    let found = examine(&env);
    assert_eq!((found.status, found.faults()), (0, vec![]));
    let mcp = found.findings.iter().find(|finding| finding["check"] == "mcp").unwrap();
    assert_eq!(mcp["detail"], ".mcp.json: the server answered with 2 tools");
}

#[test]
fn the_real_server_answers_by_its_path_and_by_its_name() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    for args in [&["init"][..], &["init", "--shared"]] {
        env.ok(args);
        let before = Picture::of(&[env.project(), env.home()]);
        let found = examine(&env);
        assert_eq!((found.status, found.faults()), (0, vec![]), "{args:?}");
        let told = found.findings.iter().find(|finding| finding["check"] == "mcp").unwrap();
        assert!(told["detail"].as_str().unwrap().contains("the server answered with "), "{told}");
        assert_eq!(before.changes(&Picture::of(&[env.project(), env.home()])), [] as [String; 0]);
    }
    change(&env, LOCAL, |settings| settings["enabledMcpjsonServers"] = json!([]));
    examine(&env).is("mcp", "warning", "the client asks first", "waypost init");
    env.ok(&["init"]);
    assert_eq!(examine(&env).faults(), [], "the fix mends it");
    fs::remove_file(env.project().join(SERVERS)).unwrap();
    examine(&env).is("mcp", "warning", "does not register", "waypost init");
    env.ok(&["init"]);
    assert_eq!(examine(&env).faults(), [], "the fix mends it");
}

#[test]
fn a_server_that_is_not_registered_is_found_and_init_mends_it() {
    let env = env();
    for content in [None, Some("{}"), Some("{\"mcpServers\": {\"other\": {}}}")] {
        match content {
            Some(content) => env.write(SERVERS, content),
            None => fs::remove_file(env.project().join(SERVERS)).unwrap(),
        }
        examine(&env).is("mcp", "warning", "does not register", "waypost init");
        env.ok(&["init"]);
        let registered: Value = serde_json::from_str(&env.read(SERVERS)).unwrap();
        assert_eq!(registered["mcpServers"]["waypost"]["args"], json!(["mcp"]));
    }
}

#[test]
fn a_list_that_cannot_be_read_is_found() {
    let env = env();
    env.write(SERVERS, "{ broken");
    examine(&env).is("mcp", "bad", "line 1, column", "correct it there");
    env.write(SERVERS, "{\"mcpServers\": []}");
    examine(&env).is("mcp", "bad", "mcpServers is not an object", "correct it there");
}

#[test]
fn a_server_that_nobody_approved_is_found() {
    let env = env();
    change(&env, LOCAL, |settings| settings["enabledMcpjsonServers"] = json!(["other"]));
    let asks = "the client asks first";
    examine(&env).is("mcp", "warning", asks, "say yes when the client asks");
    for approving in
        [json!({"enabledMcpjsonServers": ["waypost"]}), json!({"enableAllProjectMcpServers": true})]
    {
        write_user_settings(&env, &approving);
        assert_eq!(examine(&env).faults(), []);
    }
    change(&env, LOCAL, |settings| settings["enableAllProjectMcpServers"] = json!(false));
    examine(&env).is("mcp", "warning", asks, "");
}

#[test]
fn a_server_that_the_user_refused_is_told_and_not_started() {
    let env = env();
    let marker = env.home().join("started");
    stand_in::register(&env, &format!("touch '{}'\n", marker.display()));
    write_user_settings(&env, &json!({"disabledMcpjsonServers": ["waypost"]}));
    let list = ".claude/settings.json names waypost among disabledMcpjsonServers";
    examine(&env).is("mcp", "warning", list, "take waypost out of that list");
    assert!(!marker.exists());
}

#[test]
fn whatever_is_wrong_with_a_server_has_its_own_words() {
    let env = env();
    let refusing = stand_in::server("waypost", &["one"]).replace(
        "\"result\":{\"tools\":[{\"name\":\"one\"}]}",
        "\"error\":{\"message\":\"no key\"}",
    );
    for (script, detail) in [
        ("exit 3\n".to_owned(), "ended with exit status: 3 before it answered"),
        ("echo hello\n".to_owned(), "ended with exit status: 0 before it answered"),
        ("kill -9 $$\n".to_owned(), "ended with signal: 9"),
        (stand_in::server("other", &["one"]), "is another server, named \"other\""),
        (stand_in::server("waypost", &[]), "offers no tools"),
        (refusing, "answered with an error: no key"),
    ] {
        stand_in::register(&env, &script);
        let fix = "take waypost out of .mcp.json, then run `waypost init`";
        examine(&env).is("mcp", "bad", detail, fix);
    }
}

#[test]
fn a_server_that_is_silent_is_given_up_on() {
    let mut env = env();
    // It would never end by itself.
    stand_in::register(&env, "exec tail -f /dev/null\n");
    env.vars.push(("WAYPOST_TEST_LIMITS".into(), "0.1".into()));
    examine(&env).is("mcp", "bad", "gave no answer within 1 s", "");
}

#[test]
fn a_command_that_is_not_there_is_found() {
    let mut env = env();
    let registered = |command: &str| {
        json!({"mcpServers": {"waypost": {"command": command, "args": ["mcp"]}}}).to_string()
    };
    env.write(SERVERS, &registered("/gone/waypost"));
    examine(&env).is("mcp", "bad", "`/gone/waypost` is not found", "waypost init");
    env.write(SERVERS, &registered("waypost"));
    env.vars.push(("PATH".into(), "/usr/bin:/bin".into()));
    let found = examine(&env);
    let fault = found.faults()[0];
    assert_eq!((fault.0, fault.2), ("mcp", ".mcp.json: `waypost` is not found on PATH"));
    assert!(fault.3.starts_with("add its folder to PATH: export PATH="), "{fault:?}");
}

#[test]
fn what_is_set_for_a_server_counts() {
    let env = env();
    let program = stand_in::register(&env, &stand_in::server("waypost", &["one"]));
    let moved = env.project().join("tools with spaces");
    fs::create_dir(&moved).unwrap();
    let script = fs::read_to_string(&program).unwrap();
    let script = script.replacen('\n', "\n[ \"$1$MODE\" = \"$PWD/x\" ] || exit 9\n", 1);
    fs::write(&program, script).unwrap();
    fs::rename(&program, moved.join("server")).unwrap();
    let entry = json!({
        "type": "stdio",
        "command": "${CLAUDE_PROJECT_DIR}/tools with spaces/server",
        "args": ["${CLAUDE_PROJECT_DIR}/"],
        "env": {"MODE": "${NEVER_SET_HERE:-x}"},
    });
    env.write(SERVERS, &json!({"mcpServers": {"waypost": entry}}).to_string());
    assert_eq!(examine(&env).faults(), []);
}

#[test]
fn a_server_that_no_client_starts_is_not_asked() {
    let env = env();
    let entry = json!({"type": "http", "url": "http://127.0.0.1:1/mcp"});
    env.write(SERVERS, &json!({"mcpServers": {"waypost": entry}}).to_string());
    examine(&env).is("mcp", "warning", "is no command to be started", "then run `waypost init`");
}
