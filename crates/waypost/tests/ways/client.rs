//! The client's own switches: what silences its hooks.

use std::fs;

use serde_json::{Value, json};

use crate::play::{Came, Outcome, Play, Way, aside, begun, by_script_whole, must, set_up, told};

pub(crate) const WAYS: &[Way] = &[
    Way {
        title: "three plain writes that install a mod among skills",
        real: "switches.three_plain_writes_of_a_mod_are_denied_and_an_ordinary_skill_is_not",
        play: Play::Calls(&[
            ("Write", r#"{"file_path": "@HOME/.claude/skills/quiet/.claude-plugin/plugin.json"}"#),
            ("Write", r#"{"file_path": "@HOME/.claude/skills/quiet/hooks/hooks.json"}"#),
            ("Write", r#"{"file_path": "@HOME/.claude/skills/quiet/hooks/register.js"}"#),
            ("Write", r#"{"file_path": ".claude/skills/quiet/hooks/register.ts"}"#),
        ]),
    },
    Way {
        title: "a plugin put there by its folder, a link, a clone or an archive",
        real: "",
        play: Play::Lines(&[
            "mkdir -p /tmp/q/.claude-plugin && echo '{}' > /tmp/q/.claude-plugin/plugin.json && mv /tmp/q ~/.claude/skills/q",
            "git clone https://example.com/x ~/.claude/skills/x",
            "tar xf x.tgz -C ~/.claude/skills",
            "ln -s /tmp/p ~/.claude/plugins",
        ]),
    },
    Way {
        title: "writes to `~/.claude/plugins`",
        real: "",
        play: Play::Calls(&[
            ("Write", r#"{"file_path": "@HOME/.claude/plugins/installed_plugins.json"}"#),
            ("Write", r#"{"file_path": "@HOME/.claude/plugins/cache/x/hooks/hooks.json"}"#),
            ("Bash", r#"{"command": "echo {} > ~/.claude/plugins/known_marketplaces.json"}"#),
        ]),
    },
    Way {
        title: "installing or enabling a plugin: `claude plugin install`",
        real: "",
        play: Play::Lines(&[
            "claude plugin install quiet@x",
            "claude plugins enable quiet",
            "claude plugin marketplace add ./here",
        ]),
    },
    Way {
        title: "switching Waypost's own plugin off: `claude plugin disable`",
        real: "",
        play: Play::Lines(&[
            "claude plugin disable waypost@waypost",
            "claude plugins uninstall waypost",
            "claude plugin remove waypost",
            "claude plugin marketplace rm waypost",
        ]),
    },
    Way {
        title: "editing the settings: `disableAllHooks`, other hooks",
        real: "ways.the_client_s_settings_are_edited_by_no_agent",
        play: Play::Calls(&[
            ("Write", r#"{"file_path": ".claude/settings.local.json"}"#),
            ("Edit", r#"{"file_path": ".claude/settings.json"}"#),
            ("Edit", r#"{"file_path": "@HOME/.claude/settings.json"}"#),
            ("Bash", r#"{"command": "sed -i s/false/true/ .claude/settings.local.json"}"#),
            ("Bash", r#"{"command": "jq '.disableAllHooks=true' x > ~/.claude/settings.json"}"#),
        ]),
    },
    Way {
        title: "writes to `~/.claude.json` or an administrator's settings",
        real: "",
        play: Play::Calls(&[
            ("Write", r#"{"file_path": "@HOME/.claude.json"}"#),
            ("Write", r#"{"file_path": "/etc/claude-code/managed-settings.json"}"#),
            ("Bash", r#"{"command": "echo {} | tee /etc/claude-code/managed-settings.d/1.json"}"#),
        ]),
    },
    Way {
        title: "another client without hooks: `claude --bare`, `--safe-mode`, through any wrapper",
        real: "switches.a_client_with_its_hooks_silenced_is_started_by_no_agent",
        play: Play::Lines(&[
            "claude --bare -p x",
            "claude --safe-mode -p x",
            "nohup claude --bare -p x &",
            "npx @anthropic-ai/claude-code --bare -p x",
            "sh -c 'claude --bare -p x'",
            "f=--bare; claude $f -p x",
            "tmux new -d 'claude --bare -p x'",
        ]),
    },
    Way {
        title: "another client with a plugin, fewer settings or other ones: `--plugin-dir`, `--setting-sources`, `--settings`",
        real: "",
        play: Play::Lines(&[
            "claude --plugin-dir /tmp/mod -p x",
            "claude --setting-sources user -p x",
            "claude --settings '{\"disableAllHooks\":true}' -p x",
            "claude --settings /nowhere/x.json",
        ]),
    },
    Way {
        title: "another client with a variable, HOME or folder that silences hooks",
        real: "",
        play: Play::Lines(&[
            "CLAUDE_CODE_SIMPLE=1 claude -p x",
            "export CLAUDE_CODE_SAFE_MODE=1; claude -p x",
            "env CLAUDE_CODE_PLUGIN_DIRS=/tmp/mod claude -p x",
            "HOME=/tmp/h claude -p x",
            "CLAUDE_CONFIG_DIR=/tmp/c nohup claude -p x &",
        ]),
    },
    Way {
        title: "a script that switches all hooks off in the settings",
        real: "tools.settings_that_a_call_changed_silence_no_hook",
        play: Play::Own(settings_by_script),
    },
    Way {
        title: "a script that takes Waypost's hooks out of the settings",
        real: "",
        play: Play::Own(hooks_out),
    },
    Way {
        title: "a mod that a process installed which no hook saw",
        real: "switches.a_conversation_whose_hooks_a_mod_swallowed_is_unenforced",
        play: Play::Own(mod_by_a_process),
    },
    Way {
        title: "a conversation whose hooks never called",
        real: "ways.a_client_without_hooks_is_told_as_unenforced",
        play: Play::Own(unenforced),
    },
];

fn settings_by_script() -> Outcome {
    let env = begun();
    let place = ".claude/settings.local.json";
    by_script_whole(
        &env,
        "sed 's/^{/{\"disableAllHooks\": true,/' .claude/settings.local.json > ~/new; cp ~/new .claude/settings.local.json",
    )?;
    let settings: Value = serde_json::from_str(&env.read(place)).unwrap();
    must(settings["disableAllHooks"] == true, "the settings did not change")?;
    let change = json!({"source": "local_settings", "file_path": env.project().join(place)});
    must(env.hook("ConfigChange", &change).held().is_some(), "the change is taken")?;
    let told = told(&env, &["doctor"]);
    must(told.contains("disableAllHooks"), told)?;
    Ok(Came::Stopped("the conversation goes on with its hooks, and `doctor` names the setting"))
}

fn hooks_out() -> Outcome {
    let env = begun();
    by_script_whole(&env, "echo '{}' > .claude/settings.local.json")?;
    let file = env.project().join(".claude/settings.local.json");
    let change = json!({"source": "local_settings", "file_path": file});
    must(env.hook("ConfigChange", &change).held().is_some(), "the change is taken")?;
    let told = told(&env, &["doctor"]);
    must(told.contains("no harness calls Waypost"), told)?;
    Ok(Came::Stopped("the conversation goes on with its hooks, and `doctor` tells"))
}

fn mod_by_a_process() -> Outcome {
    let env = set_up();
    aside(
        &env,
        "mkdir -p ~/.claude/skills/quiet/.claude-plugin ~/.claude/skills/quiet/hooks; cd ~/.claude/skills/quiet; \
         echo '{\"name\":\"quiet\"}' > .claude-plugin/plugin.json; \
         echo '{\"modules\":[\"./register.js\"]}' > hooks/hooks.json; echo 'export function register() {}' > hooks/register.js",
    )?;
    let told = told(&env, &["doctor"]);
    must(told.contains("swallow every hook"), told)?;
    Ok(Came::Seen(
        "`doctor` names it, `doctor --client` sees that no hook is called, and its conversations are unenforced in `status`, `list`, `brief` and `doctor`",
    ))
}

fn unenforced() -> Outcome {
    let env = set_up();
    env.start("x");
    let root = env.project().display().to_string();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let folder =
        env.home().join(".claude/projects").join(root.chars().map(plain).collect::<String>());
    fs::create_dir_all(&folder).unwrap();
    let line =
        |kind: &str| json!({"type": kind, "cwd": root, "timestamp": "2099-01-01T00:00:00.000Z"});
    let file = folder.join("11111111-aaaa-4bbb-8ccc-222222222222.jsonl");
    fs::write(file, format!("{}\n{}\n", line("user"), line("assistant"))).unwrap();
    for command in ["status", "list", "brief", "doctor"] {
        let told = told(&env, &[command]);
        must(told.contains("UNENFORCED: 1 conversation"), format!("{command}: {told}"))?;
    }
    Ok(Came::Seen("`unenforced` in `status`, `list`, `brief` and `doctor`"))
}
