//! What `init` writes, and what it refuses.

use std::os::unix::fs::symlink;

use super::*;
use waypost_app::error::Kind;
use waypost_app::setup::init::{Chosen, Preset};

fn commands(outcome: &InitOutcome) -> Vec<&str> {
    outcome.gates.iter().map(|gate| gate.command.as_str()).collect()
}

#[test]
fn every_event_is_registered_in_exec_form() {
    let world = World::new();
    world.write("Cargo.toml", "");
    let outcome = world.init();
    assert_eq!(commands(&outcome), ["cargo test"]);
    let hooks = &world.json(LOCAL)["hooks"];
    let hook = |timeout: u32| {
        serde_json::json!({"type": "command", "command": "/opt/bin/waypost",
            "args": ["hook", "claude-code"], "timeout": timeout})
    };
    for (event, timeout) in [
        ("SessionStart", 30),
        ("UserPromptSubmit", 30),
        ("UserPromptExpansion", 30),
        ("SubagentStart", 30),
        ("SubagentStop", 30),
        ("TaskCompleted", 30),
        ("TeammateIdle", 30),
        ("ConfigChange", 30),
        ("PreCompact", 30),
        ("Stop", 30),
        ("SessionEnd", 5),
    ] {
        assert_eq!(hooks[event], serde_json::json!([{"hooks": [hook(timeout)]}]), "{event}");
    }
    for event in ["PostToolUse", "PostToolUseFailure"] {
        assert_eq!(hooks[event], serde_json::json!([{"matcher": "*", "hooks": [hook(30)]}]));
    }
    let mut blocking = hook(30);
    blocking["onFailure"] = "block".into();
    assert_eq!(hooks["PreToolUse"], serde_json::json!([{"matcher": "*", "hooks": [blocking]}]));
    assert_eq!(hooks.as_object().unwrap().len(), 14);
    assert!(world.read(LOCAL).ends_with("}\n"));
}

#[test]
fn files_have_their_modes() {
    let world = World::new();
    world.init_shared();
    assert_eq!(mode(&world.path(LOCAL)), 0o644);
    assert_eq!(mode(&world.path("waypost.toml")), 0o644);
    assert_eq!(mode(&world.path(".waypost/hook")), 0o755);
    assert_eq!(mode(&world.path(".git/waypost")), 0o700);
    assert_eq!(mode(&world.path(".git/waypost/install.json")), 0o600);
    assert_eq!(mode(&world.host().key_file()), 0o600);
}

#[test]
fn everyones_settings_call_the_wrapper_and_never_block() {
    let world = World::new();
    world.init_shared();
    let group = &world.json(SHARED)["hooks"]["PreToolUse"][0]["hooks"][0];
    assert_eq!(group["command"], "${CLAUDE_PROJECT_DIR}/.waypost/hook");
    assert_eq!(group["args"], serde_json::json!(["claude-code"]));
    assert!(group.get("onFailure").is_none());
    let found = world.registrations();
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|registration| registration.events.len() == 14));
}

#[test]
fn an_older_entry_is_updated_where_it_is() {
    let world = World::new();
    let old = "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/old/waypost\",\"args\":[\"hook\",\"claude-code\"],\"timeout\":60}]},{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"/old/waypost\",\"args\":[\"hook\",\"claude-code\"]}]}]}}";
    world.write(LOCAL, old);
    world.init();
    let groups = world.json(LOCAL)["hooks"]["PreToolUse"].clone();
    let expected = serde_json::json!([{"hooks": [{"type": "command",
        "command": "/opt/bin/waypost", "args": ["hook", "claude-code"], "timeout": 60,
        "onFailure": "block"}]}]);
    assert_eq!(groups, expected);
    world.remove();
    assert!(world.registrations().is_empty());
}

#[test]
fn a_program_under_another_name_is_registered_once() {
    let world = World::new();
    let host = Host { exe: "/opt/wp".into(), ..world.host() };
    for _ in 0..2 {
        init::run(&host, &world.project(), &Options::default()).unwrap();
    }
    assert_eq!(world.json(LOCAL)["hooks"]["Stop"].as_array().unwrap().len(), 1);
}

#[test]
fn settings_that_cannot_be_read_stop_it_with_nothing_changed() {
    for (content, expected) in [
        (&b"{\n  \"a\": ]\n}"[..], "line 2, column 8"),
        (b"{\n\"a\": \xff}", "line 2, column 6"),
        (b"[]", "not an object"),
        (b"{\"hooks\":[]}", "hooks is not an object"),
        (b"{\"hooks\":{\"Stop\":{}}}", "hooks.Stop is not an array"),
        (b"{\"hooks\":{},\"hooks\":{}}", "twice"),
        (b"{'a':1}", "line 1, column 2"),
        (b"{\"a\":1 \"b\":2}", "line 1"),
    ] {
        for name in [LOCAL, SHARED] {
            let world = World::new();
            world.write(name, content);
            let before = world.snapshot();
            let options = Options { shared: true, ..Options::default() };
            let error = world.try_init(&options).unwrap_err();
            assert_eq!(error.kind, Kind::Configuration);
            assert!(error.message.contains(expected), "{error}");
            assert!(error.message.contains(name), "{error}");
            assert!(!error.hints.is_empty());
            assert_eq!(world.snapshot(), before);
            assert!(!world.host().key_file().exists());
        }
    }
}

#[test]
fn links_are_refused() {
    for link in [LOCAL, ".claude"] {
        let world = World::new();
        world.put("elsewhere/settings.local.json", "{}");
        let target = world.folder.path().join("elsewhere");
        if link == LOCAL {
            fs::create_dir(world.path(".claude")).unwrap();
            symlink(target.join("settings.local.json"), world.path(LOCAL)).unwrap();
        } else {
            symlink(&target, world.path(link)).unwrap();
        }
        let error = world.try_init(&Options::default()).unwrap_err();
        assert!(error.message.contains("symbolic link"), "{error}");
        assert_eq!(fs::read_to_string(target.join("settings.local.json")).unwrap(), "{}");
        assert!(!world.path("waypost.toml").exists());
    }
}

#[test]
fn a_wrapper_of_somebody_else_is_refused() {
    let world = World::new();
    world.write(".waypost/hook", "#!/bin/sh\n");
    let before = world.snapshot();
    let options = Options { shared: true, ..Options::default() };
    assert!(world.try_init(&options).unwrap_err().message.contains("not Waypost's"));
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_configuration_that_is_there_is_never_touched() {
    let world = World::new();
    world.write("waypost.toml", "broken [[[");
    let options = Options { preset: Some(Preset::Relaxed), ..Options::default() };
    let outcome = world.try_init(&options).unwrap();
    assert_eq!(world.read("waypost.toml"), "broken [[[");
    assert!(notes(&outcome).iter().any(|note| note.contains("stays as it is")));
    world.remove();
    assert_eq!(world.read("waypost.toml"), "broken [[[");
}

#[test]
fn without_a_test_command_a_note_says_so() {
    let world = World::new();
    let outcome = world.init();
    assert!(outcome.gates.is_empty());
    assert!(notes(&outcome).iter().any(|note| note.contains("no test command")));
    let world = World::new();
    let given = Options { tests: Chosen::Command(" ./check ".into()), ..Options::default() };
    assert_eq!(commands(&world.try_init(&given).unwrap()), ["./check"]);
    assert!(world.read("waypost.toml").contains("ran = \"./check*\""));
    let bad = Options { tests: Chosen::Command("a\nb".into()), ..Options::default() };
    assert_eq!(world.try_init(&bad).unwrap_err().kind, Kind::Configuration);
}

#[test]
fn local_settings_are_left_out_of_commits_once() {
    let world = World::new();
    world.init();
    world.init();
    assert_eq!(world.read(".git/info/exclude").matches(LOCAL).count(), 1);
    let world = World::new();
    world.write(".gitignore", ".claude/\n.mcp.json\n");
    world.init();
    assert!(!world.path(".git/info/exclude").exists());
}

#[test]
fn with_a_secret_in_the_environment_no_key_is_made() {
    let world = World::new();
    let host = Host { secret: Some("s".repeat(40)), ..world.host() };
    init::run(&host, &world.project(), &Options::default()).unwrap();
    assert!(!host.key_file().exists());
    let host = Host { secret: Some("short".into()), ..world.host() };
    assert!(init::run(&host, &world.project(), &Options::default()).is_err());
}

#[test]
fn a_linked_work_tree_sees_and_keeps_the_main_registration() {
    let world = World::new();
    world.init();
    let main = world.snapshot();
    world
        .put("linked/.git", format!("gitdir: {}\n", world.path(".git/worktrees/linked").display()));
    world.write(".git/worktrees/linked/commondir", "../..\n");
    world.write(".git/worktrees/linked/HEAD", "ref: refs/heads/x\n");
    let dot_git = world.folder.path().join("linked/.git");
    world.write(".git/worktrees/linked/gitdir", format!("{}\n", dot_git.display()));
    let linked = project::find(&world.folder.path().join("linked")).unwrap().unwrap();
    assert_eq!(registrations(&world.host(), &linked).len(), 1);
    init::run(&world.host(), &linked, &Options::default()).unwrap();
    let outcome = init::remove(&world.host(), &linked).unwrap();
    assert!(notes(&outcome).iter().any(|note| note.contains("still registers")), "{outcome:?}");
    assert!(!linked.root.join(".claude").exists());
    fs::remove_dir_all(world.path(".git/worktrees")).unwrap();
    assert_eq!(world.snapshot(), main);
}

#[test]
fn names_of_presets_and_harnesses_are_understood() {
    assert_eq!("relaxed".parse::<Preset>().unwrap(), Preset::Relaxed);
    assert!("lax".parse::<Preset>().is_err());
    let world = World::new();
    let with = |names: &[&str]| Options {
        harnesses: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Options::default()
    };
    let error = world.try_init(&with(&["clod"])).unwrap_err();
    assert_eq!(error.message, "there is no harness \"clod\"");
    assert!(!world.path("waypost.toml").exists(), "nothing is written for a wrong name");
    world.try_init(&with(&["claude-code"])).unwrap();
    assert_eq!(world.registrations().len(), 1);
}

#[test]
fn hooks_are_registered_for_tasks_teammates_and_settings_and_never_for_work_trees() {
    let world = World::new();
    world.init();
    let settings = world.json(LOCAL);
    let events: Vec<&String> = settings["hooks"].as_object().unwrap().keys().collect();
    for event in ["SubagentStop", "TaskCompleted", "TeammateIdle", "ConfigChange"] {
        assert!(events.iter().any(|known| *known == event), "{event}: {events:?}");
    }
    // A hook there takes the place of what the client does itself.
    assert!(!events.iter().any(|event| event.contains("Worktree")), "{events:?}");
}
