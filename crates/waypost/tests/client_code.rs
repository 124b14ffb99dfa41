//! What a client loads code from, and its own files: agents write none of it. An ordinary skill is text.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;
use waypost_testkit::{GATE, TestEnv};

fn begun() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(GATE);
    env.begin();
    let mod_folder = env.home().join("mod");
    fs::create_dir_all(mod_folder.join(".claude-plugin")).unwrap();
    fs::write(mod_folder.join(".claude-plugin/plugin.json"), "{\"name\":\"quiet\"}").unwrap();
    fs::create_dir_all(env.home().join("plain")).unwrap();
    fs::write(env.home().join("plain/SKILL.md"), "# plain\n").unwrap();
    fs::create_dir_all(env.home().join(".claude/skills/there")).unwrap();
    env
}

fn written(env: &TestEnv, path: &str) -> Option<String> {
    let path = path.replace("~/", &format!("{}/", env.home().display()));
    let input = json!({"tool_name": "Write", "tool_use_id": "w",
        "tool_input": {"file_path": path, "content": "x"}});
    env.hook("PreToolUse", &input).denied()
}

const CODE: &[&str] = &[
    "~/.claude/skills/quiet/.claude-plugin/plugin.json",
    "~/.claude/skills/quiet/hooks/hooks.json",
    "~/.claude/skills/quiet/hooks/register.js",
    "~/.claude/skills/quiet/hooks/deeper/x.mjs",
    ".claude/skills/quiet/.claude-plugin/plugin.json",
    ".claude/skills/quiet/hooks/hooks.json",
    ".claude/skills/quiet/hooks/register.ts",
    "sub/.claude/skills/quiet/hooks/hooks.json",
    ".claude/./skills/x/../quiet/hooks/hooks.json",
    "~/.claude/plugins/installed_plugins.json",
    "~/.claude/plugins/cache/x/y/hooks/hooks.json",
    "~/.claude/plugins/known_marketplaces.json",
    "~/.claude/cowork_plugins/x.json",
    ".claude/plugins/x/hooks/hooks.json",
    "~/.claude.json",
    "~/.claude/settings.json",
    "/etc/claude-code/managed-settings.json",
    "/etc/claude-code/managed-settings.d/10-x.json",
];

const TEXTS: &[&str] = &[
    ".claude/skills/foo/SKILL.md",
    ".claude/skills/foo/reference/api.md",
    ".claude/skills/foo/scripts/run.py",
    ".claude/skills/foo/scripts/run.js",
    ".claude/skills/foo/data.json",
    "~/.claude/skills/foo/SKILL.md",
    "~/.claude/skills/foo/scripts/build.sh",
    "~/.claude/plans/plan.md",
    "~/.claude/CLAUDE.md",
    ".claude/commands/review.md",
    ".claude/agents/tester.md",
    ".claude/CLAUDE.md",
    "hooks/hooks.json",
    "src/hooks/useThing.ts",
    ".claude-plugin/plugin.json",
    "plugins/mine/.claude-plugin/plugin.json",
    "plugins/mine/hooks/hooks.json",
    "claude.json",
];

#[test]
fn code_that_the_client_loads_and_its_own_files_are_written_by_no_tool() {
    let env = begun();
    let passed: Vec<_> = CODE.iter().filter(|path| written(&env, path).is_none()).collect();
    assert!(passed.is_empty(), "{passed:#?}");
    let held: Vec<_> = TEXTS.iter().filter_map(|path| written(&env, path)).collect();
    assert!(held.is_empty(), "{held:#?}");
}

#[test]
fn nor_by_a_command_line() {
    let env = begun();
    for path in CODE {
        for line in [
            format!("echo x > {path}"),
            format!("mkdir -p \"$(dirname {path})\" && cp a.json {path}"),
            format!("tee {path} < a"),
            format!("cat > {path} <<'EOF'\n{{}}\nEOF"),
            format!("ln -sf /tmp/x {path}"),
            format!("mv a {path}"),
            format!("sed -i s/a/b/ {path}"),
            format!("bash -c 'echo x > {path}'"),
            format!("P={path}; echo x > $P"),
            format!("python3 -c \"open('{path}', 'w').write('x')\""),
        ] {
            assert!(env.before_bash(&line, "x").denied().is_some(), "{line}");
        }
    }
    for path in TEXTS {
        for line in [
            format!("mkdir -p some && echo x > {path}"),
            format!("cat > {path} <<'EOF'\nhooks.json\nEOF"),
            format!("python3 -c \"open('{path}', 'w').write('x')\""),
        ] {
            assert_eq!(env.before_bash(&line, "x").denied(), None, "{line}");
        }
    }
}

#[test]
fn a_plugin_is_put_nowhere_by_its_folder() {
    let env = begun();
    let mut passed = Vec::new();
    for line in [
        "cp -r ~/mod ~/.claude/skills/quiet",
        "cp -r ~/mod ~/.claude/skills/",
        "cp -r ~/mod/. ~/.claude/skills/there",
        "mv ~/mod .claude/skills/quiet",
        "ln -s ~/mod ~/.claude/skills/quiet",
        "ln -s $HOME/mod .claude/skills/quiet",
        "rsync -a ~/mod/ ~/.claude/skills/quiet/",
        "cd ~/.claude/skills && cp -r ~/mod quiet",
        "cp -r ~ .claude/skills/quiet",
        "git clone https://example.com/x ~/.claude/skills/x",
        "cd ~/.claude/skills && git clone https://example.com/x",
        "tar xf x.tgz -C ~/.claude/skills",
        "unzip x.zip -d .claude/skills/x",
        "git submodule add https://example.com/x .claude/skills/x",
        "mkdir -p /tmp/q/.claude-plugin && echo '{}' > /tmp/q/.claude-plugin/plugin.json && mv /tmp/q ~/.claude/skills/q",
        "cp -r ~/mod/.claude-plugin ~/.claude/skills/there/",
        "mv a ~/.claude/skills/there/hooks",
        "ln -s /tmp/x ~/.claude/plugins",
        "rm -rf ~/.claude/plugins && ln -s /tmp/p ~/.claude/plugins",
    ] {
        if env.before_bash(line, "x").denied().is_none() {
            passed.push(line);
        }
    }
    assert!(passed.is_empty(), "{passed:#?}");
    for line in [
        "cp -r ~/plain .claude/skills/plain",
        "mv ~/plain ~/.claude/skills/plain",
        "ln -s ~/plain .claude/skills/plain",
        "mkdir -p .claude/skills/foo/scripts",
        "git add .claude/skills && git status",
        "tar czf skills.tgz .claude/skills",
        "rm -rf .claude/skills/old",
        "chmod +x .claude/skills/foo/scripts/*.sh",
        "prettier --write .claude/skills/foo/SKILL.md",
        "git clone https://example.com/x vendor/x",
    ] {
        assert_eq!(env.before_bash(line, "x").denied(), None, "{line}");
    }
}

#[test]
fn a_folder_that_is_a_plugin_by_a_link_or_by_now_gets_no_modules() {
    let env = begun();
    symlink(env.home().join("plain"), env.home().join(".claude/skills/linked")).unwrap();
    assert!(written(&env, "~/plain/.claude-plugin/plugin.json").is_some());
    assert!(written(&env, "~/plain/hooks/hooks.json").is_some());
    assert_eq!(written(&env, "~/plain/SKILL.md"), None);
    let person_s = env.home().join(".claude/skills/mine");
    fs::create_dir_all(person_s.join(".claude-plugin")).unwrap();
    assert!(written(&env, "~/.claude/skills/mine/lib/register.js").is_some());
    assert!(written(&env, "~/.claude/skills/mine/other.json").is_some());
    assert_eq!(written(&env, "~/.claude/skills/mine/SKILL.md"), None);
}
