//! Waypost as a plugin: who does the work where settings name it too, and what `init` and `doctor` make of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use waypost_testkit::mcp::Client;
use waypost_testkit::{TestEnv, everything};

const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/waypost");
const LOCAL: &str = ".claude/settings.local.json";
const REVISION: &str = "2025-11-25";

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// A search path without Waypost.
const WITHOUT: Option<&str> = Some("/usr/bin:/bin");

/// What the plugin's hook says to an event of a client that was started in a folder.
fn told(env: &TestEnv, event: &str, started_in: &Path, path: Option<&str>) -> String {
    let event = json!({
        "session_id": "s9", "cwd": env.project(), "hook_event_name": event, "source": "startup",
        "tool_name": "Write", "tool_input": {"file_path": env.project().join("waypost.toml")},
    });
    let mut hook = env.command(Path::new(PLUGIN).join("launch"), env.project());
    hook.args(["hook", "claude-code"]).env("CLAUDE_PROJECT_DIR", started_in);
    hook.envs(path.map(|path| ("PATH", path)));
    let mut hook = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    hook.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    let output = hook.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether the plugin's hook denies a write into Waypost's own files.
fn denies(env: &TestEnv, started_in: &Path) -> bool {
    let said = told(env, "PreToolUse", started_in, None);
    assert!(said.is_empty() || said.contains("\"permissionDecision\":\"deny\""), "{said}");
    !said.is_empty()
}

/// What the client keeps of a plugin that a user installed.
fn install_plugin(env: &TestEnv, is_on: bool) {
    let folder = env.home().join(".claude/plugins");
    fs::create_dir_all(&folder).unwrap();
    let list = json!({"version": 2, "plugins": {"waypost@here": [{"scope": "user", "installPath": PLUGIN}]}});
    fs::write(folder.join("installed_plugins.json"), list.to_string()).unwrap();
    let settings = json!({"enabledPlugins": {"waypost@here": is_on}});
    fs::write(env.home().join(".claude/settings.json"), settings.to_string()).unwrap();
}

fn tools(env: &TestEnv) -> usize {
    let mut client = Client::start(env, REVISION, &["--plugin", "claude-code"]);
    client.result("tools/list", json!({}))["tools"].as_array().unwrap().len()
}

/// What `waypost doctor` says where all is well.
fn examined(env: &TestEnv) -> Vec<String> {
    let told = env.json(&["doctor", "--json"]);
    let findings = told["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["health"] == "good"), "{findings:#?}");
    findings.iter().map(|finding| finding["detail"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_plugin_s_hook_works_alone_and_yields_to_settings_that_the_client_reads() {
    let env = env();
    let top = env.project();
    assert!(!denies(&env, top), "nothing is said where Waypost is not used");
    env.write("waypost.toml", waypost_testkit::GATE);
    env.ok(&["init", "--shared"]);
    assert!(!denies(&env, top), "the local registration does the work");
    let local = env.read(LOCAL);
    fs::remove_file(top.join(LOCAL)).unwrap();
    assert!(!denies(&env, top), "everyone's registration does the work");
    assert!(denies(&env, &top.join("src")), "which the client does not read below the top");
    fs::remove_file(top.join(".claude/settings.json")).unwrap();
    assert!(denies(&env, top), "without any, the plugin does");
    fs::create_dir_all(env.home().join(".claude")).unwrap();
    fs::write(env.home().join(".claude/settings.json"), local).unwrap();
    assert!(!denies(&env, top), "the user's own registration does the work");
    fs::write(env.home().join(".claude/settings.json"), "{ broken").unwrap();
    assert!(denies(&env, top), "the client reads nothing of what is broken");
}

#[test]
fn without_the_program_only_the_start_says_something_and_only_where_waypost_is_used() {
    let env = env();
    assert_eq!(told(&env, "SessionStart", env.project(), WITHOUT), "");
    env.write("waypost.toml", waypost_testkit::GATE);
    let said = told(&env, "SessionStart", &env.project().join("src/deep"), WITHOUT);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert!(said["systemMessage"].as_str().unwrap().contains("waypost init"), "{said}");
    assert_eq!(told(&env, "PreToolUse", env.project(), WITHOUT), "");
}

#[test]
fn the_plugin_s_server_offers_tools_where_no_other_is_started() {
    let env = env();
    assert_eq!(tools(&env), 0, "nothing is offered where Waypost is not used");
    env.init();
    assert_eq!(tools(&env), 0, "the project's own server is started");
    let settings = env.read(LOCAL);
    env.write(LOCAL, &settings.replace("enabledMcpjsonServers", "disabledMcpjsonServers"));
    assert!(tools(&env) > 30, "the project's own server is refused");
    env.write(LOCAL, &settings);
    fs::remove_file(env.project().join(".mcp.json")).unwrap();
    assert!(tools(&env) > 30, "there is no other");
    fs::write(env.home().join(".claude.json"), r#"{"mcpServers": {"waypost": {}}}"#).unwrap();
    assert_eq!(tools(&env), 0, "the user's own server is started");
}

#[test]
fn init_registers_nothing_where_the_plugin_does_it_and_doctor_tests_it() {
    let env = env();
    install_plugin(&env, true);
    let said = everything(&env.waypost(&["init"]));
    assert!(said.contains("through its plugin"), "{said}");
    assert!(!fs::exists(env.project().join(LOCAL)).unwrap());
    assert!(!fs::exists(env.project().join(".mcp.json")).unwrap());
    let good = examined(&env);
    let says =
        |text: &str| good.iter().any(|one| one.contains("plugins/waypost") && one.contains(text));
    assert!(says("a forbidden write was denied"), "{good:#?}");
    assert!(says("the server answered with"), "{good:#?}");
}

#[test]
fn a_plugin_that_is_switched_off_registers_nothing() {
    let env = env();
    install_plugin(&env, false);
    env.ok(&["init"]);
    assert!(fs::exists(env.project().join(LOCAL)).unwrap());
    install_plugin(&env, true);
    env.ok(&["init"]);
    assert!(env.read(LOCAL).contains("PreToolUse"), "what stands there stays");
    let details = examined(&env).join("\n");
    assert!(details.contains("yields to the local registration"), "{details}");
}

#[test]
fn the_plugin_for_codex_has_the_hooks_that_init_registers() {
    let env = env();
    env.ok(&["init", "--harness", "codex"]);
    let registered: Value = serde_json::from_str(&env.read(".codex/hooks.json")).unwrap();
    let plugin = fs::read_to_string(Path::new(PLUGIN).with_file_name("codex/hooks/hooks.json"));
    let plugin: Value = serde_json::from_str(&plugin.unwrap()).unwrap();
    let plain = |hooks: &Value| {
        let mut hooks = hooks["hooks"].clone();
        for groups in hooks.as_object_mut().unwrap().values_mut() {
            groups[0]["hooks"][0].as_object_mut().unwrap().remove("command").unwrap();
        }
        hooks
    };
    assert_eq!(plain(&plugin), plain(&registered));
}
