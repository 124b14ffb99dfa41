//! `waypost doctor` in a project where something is wrong: what is found, and how it is mended.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod common;
#[path = "common/examined.rs"]
mod examined;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use examined::examine;
use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mounts::{Mount, in_own_mounts};

const LOCAL: &str = ".claude/settings.local.json";

fn env() -> TestEnv {
    let env = common::env();
    env.init();
    env
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Changes the local settings.
fn change(env: &TestEnv, change: impl FnOnce(&mut Value)) {
    let mut settings: Value = serde_json::from_str(&env.read(LOCAL)).unwrap();
    change(&mut settings);
    env.write(LOCAL, &format!("{settings:#}"));
}

fn hook<'a>(settings: &'a mut Value, event: &str) -> &'a mut Value {
    &mut settings["hooks"][event][0]["hooks"][0]
}

fn write_in(folder: &Path, path: &str, content: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// A program that says that it is Waypost of another version.
fn other_waypost(folder: &Path) -> PathBuf {
    let program = folder.join("waypost");
    write_in(folder, "waypost", "#!/bin/sh\necho waypost 0.0.9\n");
    chmod(&program, 0o755);
    program
}

#[test]
fn a_healthy_project_has_no_faults_at_any_time_of_its_life() {
    let env = env();
    assert_eq!((examine(&env).status, examine(&env).faults()), (0, vec![]));
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env.bash("./check.sh", "b");
    env.ok(&["init", "--shared"]);
    env.ok(&["note", "add", "x"]);
    assert_eq!(examine(&env).faults(), []);
    let checks: Vec<_> =
        examine(&env).findings.iter().map(|found| found["check"].clone()).collect();
    let stable = [
        "project",
        "git",
        "configuration",
        "key",
        "permissions",
        "streams",
        "clock",
        "hooks",
        "hooks",
        "overrides",
        "plugins",
        "conversations",
        "mcp",
        "git hooks",
        "program",
        "versions",
    ];
    assert_eq!(checks, stable);
    let told = env.ok(&["doctor"]);
    assert!(told.ends_with("All is well.\n"), "{told}");
}

#[test]
fn settings_that_keep_hooks_from_deciding_are_found() {
    type Change = fn(&mut Value);
    let changes: [(Change, &str, &str, &str); 8] = [
        (|all| all["disableAllHooks"] = json!(true), "bad", "switches all hooks off", LOCAL),
        (
            |all| all["hooks"]["PreToolUse"][0]["matcher"] = json!("Edit|Write"),
            "bad",
            "PreToolUse: its matcher leaves something out",
            "waypost init",
        ),
        (
            |all| hook(all, "PreToolUse")["if"] = json!("Bash(git *)"),
            "bad",
            "PreToolUse: its \"if\" leaves something out",
            "take \"if\" out of it",
        ),
        (
            |all| hook(all, "PreToolUse")["async"] = json!(true),
            "bad",
            "does not wait for the answer",
            "take \"async\" out of it",
        ),
        (
            |all| hook(all, "PreToolUse")["onFailure"] = json!("allow"),
            "bad",
            "if it fails, the tool runs",
            "set \"onFailure\": \"block\" in ",
        ),
        (
            |all| drop(hook(all, "PreToolUse").as_object_mut().unwrap().remove("onFailure")),
            "bad",
            "\"onFailure\" is not set",
            "waypost init",
        ),
        (
            |all| hook(all, "Stop")["timeout"] = json!(10),
            "bad",
            "Stop: its timeout is shorter",
            "set \"timeout\": 30",
        ),
        (
            |all| drop(hook(all, "SessionEnd").as_object_mut().unwrap().remove("timeout")),
            "warning",
            "SessionEnd: it has no timeout",
            "waypost init",
        ),
    ];
    for (spoil, health, detail, fix) in changes {
        let env = env();
        change(&env, spoil);
        examine(&env).is("overrides", health, detail, fix);
        if fix == "waypost init" {
            env.ok(&["init"]);
            assert_eq!(examine(&env).faults(), [], "{detail}: the fix mends it");
        }
    }
}

#[test]
fn the_settings_that_win_decide_whether_hooks_are_off() {
    let env = env();
    write_in(env.home(), ".claude/settings.json", "{\"disableAllHooks\": true}");
    examine(&env).is("overrides", "bad", "home/.claude/settings.json switches", "take");
    change(&env, |settings| settings["disableAllHooks"] = json!(false));
    assert_eq!(examine(&env).faults(), []);
}

#[test]
fn managed_settings_that_leave_waypost_out_are_found() {
    in_own_mounts(|| {
        let env = env();
        let _mount = Mount::small_disk(Path::new("/etc"), "64k");
        for (file, content, detail) in [
            ("managed-settings.json", "{\"allowManagedHooksOnly\": true}", "lets only hooks run"),
            ("managed-settings.d/50-x.json", "{\"disableAllHooks\": true}", "switches all hooks"),
        ] {
            write_in(Path::new("/etc/claude-code"), file, content);
            examine(&env).is("overrides", "bad", detail, "ask whoever manages /etc/claude-code");
            fs::remove_dir_all("/etc/claude-code").unwrap();
        }
    });
}

#[test]
fn registrations_that_are_both_called_are_found() {
    let env = env();
    let settings = env.read(LOCAL);
    write_in(env.home(), ".claude/settings.json", &settings);
    let fix = "home/.claude/settings.json";
    examine(&env).is("overrides", "warning", "PreToolUse, SessionEnd", fix);
    fs::remove_dir_all(env.home().join(".claude")).unwrap();
    change(&env, |settings| {
        let twice = settings["hooks"]["Stop"][0].clone();
        settings["hooks"]["Stop"].as_array_mut().unwrap().push(twice);
    });
    examine(&env).is("overrides", "warning", "Stop: both", "waypost init");
    env.ok(&["init"]);
    assert_eq!(examine(&env).faults(), []);
}

#[test]
fn a_hook_of_another_version_that_does_not_deny_is_found() {
    let env = env();
    let other = other_waypost(&env.home().join("old"));
    let settings = env.read(LOCAL);
    let registered = settings.replace(env!("CARGO_BIN_EXE_waypost"), &other.display().to_string());
    env.write(LOCAL, &registered);
    let found = examine(&env);
    let faults = found.faults();
    assert_eq!(faults.len(), 2, "{faults:#?}");
    assert_eq!(faults[0].0, "hooks");
    assert!(faults[0].2.contains("let a forbidden write pass"), "{faults:#?}");
    assert_eq!(faults[1].0, "versions");
    assert!(faults[1].2.contains("which is 0.0.9; this is "), "{faults:#?}");
    fs::remove_file(&other).unwrap();
    examine(&env).is("hooks", "bad", "does not work", "waypost init");
}

#[test]
fn an_event_that_is_not_registered_and_a_project_without_hooks_are_found() {
    let env = env();
    change(&env, |settings| drop(settings["hooks"].as_object_mut().unwrap().remove("Stop")));
    examine(&env).is("hooks", "bad", "not registered for Stop", "waypost init");
    change(&env, |settings| drop(settings.as_object_mut().unwrap().remove("hooks")));
    examine(&env).is("hooks", "bad", "no harness calls Waypost", "waypost init");
}

#[test]
fn another_version_on_path_is_found() {
    let mut env = env();
    let other = other_waypost(&env.home().join("old"));
    let path = std::env::var("PATH").unwrap();
    let own = Path::new(env!("CARGO_BIN_EXE_waypost")).parent().unwrap().display().to_string();
    let before = format!("{}:{own}:{path}", other.parent().unwrap().display());
    env.vars.push(("PATH".into(), before));
    examine(&env).is("versions", "warning", "which is 0.0.9", "remove it, or let ");
    env.vars = vec![("PATH".into(), path)];
    examine(&env).is("program", "warning", "waypost is not on PATH", &own);
}

#[test]
fn files_that_are_open_to_others_are_found_with_the_command_that_closes_them() {
    let env = env();
    env.start("Kept");
    let state = env.home().join(".local/state/waypost");
    fs::create_dir_all(&state).unwrap();
    chmod(&state, 0o700);
    for (path, mode, health) in [
        (env.store(), 0o755, "warning"),
        (env.store().join("project/events.jsonl"), 0o666, "bad"),
        (env.key_file().with_file_name(""), 0o750, "warning"),
        (state, 0o777, "bad"),
    ] {
        chmod(&path, mode);
        let found = examine(&env);
        let told = format!("mode {mode:o}");
        found.is("permissions", health, &told, "chmod -R go= /");
        let fix = found.faults()[0].3.to_owned();
        let mended = env.command("sh", env.project()).args(["-c", &fix]).status().unwrap();
        assert!(mended.success());
        assert_eq!(examine(&env).faults(), [], "{fix}");
    }
}

#[test]
fn a_key_that_others_can_read_is_found_once() {
    let env = env();
    chmod(&env.key_file(), 0o644);
    let found = examine(&env);
    assert!(found.faults().iter().all(|fault| fault.0 != "permissions"), "{:?}", found.faults());
    let key = found.faults()[0];
    assert_eq!((key.0, key.1), ("key", "bad"));
    assert!(key.3.contains("chmod 600"), "{key:?}");
}

#[test]
fn files_of_somebody_else_are_found() {
    let env = env();
    let file = env.store().join("install.json");
    if std::os::unix::fs::chown(&file, Some(65_534), None).is_err() {
        // Only root gives files away.
        return;
    }
    examine(&env).is("permissions", "warning", "belongs to another user (65534)", "chown -R");
}

#[test]
fn a_clock_that_cannot_be_right_is_found() {
    let mut env = env();
    env.start("Kept");
    env.time = "2026-11-15T11:59:30.000Z".into();
    assert_eq!(examine(&env).faults(), [], "half a minute is nothing");
    env.time = "2026-11-15T11:58:00.000Z".into();
    examine(&env).is("clock", "warning", "was changed at 2026-11-15T12:00:00", "set it");
    env.time = "1970-01-01T00:00:10.000Z".into();
    examine(&env).is("clock", "bad", "it says 1970-01-01", "set it");
}

#[test]
fn a_secret_in_the_environment_is_found() {
    let mut env = env();
    env.vars.push(("WAYPOST_SESSION_SECRET".into(), "s".repeat(40)));
    examine(&env).is("secret", "warning", "agents started from it can read it", "unset");
}

#[test]
fn a_configuration_that_is_missing_or_no_file_is_found() {
    let env = env();
    let config = env.project().join("waypost.toml");
    fs::remove_file(&config).unwrap();
    examine(&env).is("configuration", "warning", "has no waypost.toml", "waypost init");
    let made = env.command("mkfifo", env.project()).arg(&config).status().unwrap();
    assert!(made.success());
    examine(&env).is("configuration", "bad", "it is no file", "mend the file");
}

#[test]
fn a_person_reads_what_is_wrong_and_the_fix_below_it() {
    let env = env();
    chmod(&env.store(), 0o755);
    change(&env, |settings| settings["disableAllHooks"] = json!(true));
    let output = env.waypost(&["doctor"]);
    let told = common::stable(&env, &String::from_utf8_lossy(&output.stdout));
    assert!(told.contains(
        "! permissions   PROJECT/.git/waypost is open to other users (mode 755)\n                \
         → chmod -R go= PROJECT/.git/waypost\n"
    ), "{told}");
    assert!(
        told.contains(
            "✗ overrides     .claude/settings.local.json switches all hooks off\n                \
         → take \"disableAllHooks\" out of PROJECT/.claude/settings.local.json\n"
        ),
        "{told}"
    );
    assert!(told.ends_with("1 to mend, 1 to look at.\n"), "{told}");
}

#[test]
fn git_hooks_that_were_wanted_are_looked_at() {
    let env = env();
    env.ok(&["init", "--git-hooks"]);
    assert_eq!(examine(&env).status, 0);
    let hook = env.project().join(".git/hooks/pre-commit");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o644)).unwrap();
    examine(&env).is("git hooks", "bad", "is not executable", "chmod +x");
    fs::write(&hook, "#!/bin/sh\n").unwrap();
    examine(&env).is("git hooks", "bad", "no longer Waypost's", "waypost init --git-hooks");
    fs::remove_file(&hook).unwrap();
    examine(&env).is("git hooks", "bad", "is gone", "waypost init --git-hooks");
}
