//! Ways around Waypost that agents have tried: each is stopped, or what came of it is seen.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};
use waypost_testkit::{GATE, TestEnv};

const READ_FIRST: &str =
    "[[gate]]\nid = \"adr\"\nbefore = [\"edit\"]\nproof = { read = \"ADR.md\" }\n";

fn under(config: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write("waypost.toml", config);
    env.write("ADR.md", "decided\n");
    env.write(".claude/settings.json", "{}\n");
    fs::create_dir_all(env.home().join(".claude")).unwrap();
    fs::write(env.home().join(".claude/settings.json"), "{}\n").unwrap();
    env.ok(&["init", "--harness", "claude-code"]);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "set up"]);
    env.begin();
    env
}

fn is_denied(env: &TestEnv, command: &str) -> bool {
    env.before_bash(command, "x").denied().is_some()
}

/// Asks for each line, with the home folder in the place of `@HOME`; none may run.
fn all_denied(env: &TestEnv, lines: &[&str]) {
    for line in lines {
        let line = line.replace("@HOME/", &format!("{}/", env.home().display()));
        assert!(is_denied(env, &line), "{line}");
    }
}

fn tool(env: &TestEnv, name: &str, input: &Value) -> Option<String> {
    let fields = json!({"tool_name": name, "tool_input": input, "tool_use_id": "t"});
    env.hook("PreToolUse", &fields).denied()
}

#[test]
fn tools_that_write_files_do_not_write_waypost_s_own() {
    let env = under(GATE);
    let session = env.json(&["status", "--json"])["session_id"].as_str().unwrap().to_owned();
    let stream = env.store().join("sessions").join(&session);
    let registry = env.home().join(".local/state/waypost/conversations");
    let mut files: Vec<_> = fs::read_dir(&stream).unwrap().map(|one| one.unwrap().path()).collect();
    assert!(files.len() > 1, "records, head and snapshot: {files:?}");
    files.extend(fs::read_dir(registry).unwrap().map(|one| one.unwrap().path()));
    files
        .extend(fs::read_dir(env.store().join("policies")).unwrap().map(|one| one.unwrap().path()));
    files.push(env.store().join("allow"));
    for folder in [env.project(), env.home()] {
        files.extend(
            ["settings.json", "settings.local.json"].map(|n| folder.join(".claude").join(n)),
        );
    }
    files.push(env.project().join("waypost.toml"));
    for file in &files {
        for (name, key) in [
            ("Edit", "file_path"),
            ("Write", "file_path"),
            ("MultiEdit", "file_path"),
            ("NotebookEdit", "notebook_path"),
            ("mcp__filesystem__write_file", "path"),
            ("mcp__serena__replace_content", "relative_path"),
            ("mcp__other__delete_file", "uri"),
        ] {
            let denied = tool(&env, name, &json!({ key: file }));
            assert!(denied.is_some(), "{name} {}", file.display());
        }
    }
    let moved = json!({"source": "waypost.toml", "destination": "old.toml"});
    assert!(tool(&env, "mcp__filesystem__move_file", &moved).is_some());
    assert_eq!(tool(&env, "Write", &json!({"file_path": ".claude/commands/x.md"})), None);
    assert_eq!(tool(&env, "mcp__filesystem__read_file", &json!({"path": "waypost.toml"})), None);
}

#[test]
fn a_tool_that_no_matcher_names_is_held_by_what_it_does() {
    let env = under(&(READ_FIRST.to_owned() + GATE.trim_start_matches("[project]\n")));
    let file = json!({"path": "src/lib.txt", "content": "x"});
    assert!(tool(&env, "mcp__filesystem__write_file", &file).unwrap().contains("adr"));
    let shell = json!({"command": "git commit -am x"});
    assert!(tool(&env, "mcp__serena__execute_shell_command", &shell).unwrap().contains("checks"));
    let shell = json!({"command": "rm -rf .git/waypost"});
    assert!(tool(&env, "mcp__desktop__start_process", &shell).is_some());
    // How it ended nobody knows: it proves nothing.
    let run = json!({"tool_name": "mcp__serena__execute_shell_command", "tool_use_id": "r",
        "tool_input": {"command": "./check.sh"}, "tool_response": {}});
    env.hook("PreToolUse", &run);
    env.hook("PostToolUse", &run);
    assert!(is_denied(&env, "git commit -am x"));
}

#[test]
fn waypost_s_files_are_not_removed() {
    all_denied(
        &under(GATE),
        &[
            "rm waypost.toml",
            "rm -rf .git",
            "rm -rf .git/waypost",
            "rm -rf ./.git/./waypost/",
            "rm -rf \"$PWD/.git/waypost\"",
            "rm -rf .git/*",
            "rm -rf .git/wayp*",
            "rm -rf *",
            "rm -rf .",
            "rm -rf ../project",
            "cd .. && rm -rf project",
            "cd .git && rm -rf waypost",
            "(cd .claude; rm settings.json)",
            "X=.git; rm -rf $X/waypost",
            "for f in waypost.toml; do rm $f; done",
            "for f in .git/waypost/*; do rm -rf \"$f\"; done",
            "rm -rf .claude",
            "rm -rf ~",
            "rm -rf ~/.config",
            "rm -rf $HOME/.local/state",
            "sudo rm -rf .git",
            "env X=1 timeout 5 rm -rf .git/waypost",
            "bash -c 'rm -rf .git/waypost'",
            "/bin/rm -rf .git",
            "busybox rm waypost.toml",
            "mv .git elsewhere",
            "mv .claude elsewhere",
            "chmod -R 000 .git",
            "find .git -delete",
            "find . -delete",
            "find -delete",
            "find . -name waypost.toml -delete",
            "find . -name '*.jsonl' -exec rm {} +",
            "find . -name .git -exec rm -rf {} +",
            "find . -path './.git/*' -print0 | xargs -0 rm",
            "ls .git/waypost/* | xargs rm",
            "echo waypost.toml | xargs rm",
            "git rm -f waypost.toml",
            "git clean -fdx",
            "rm -rf $(pwd)/.git",
            "rm $(echo waypost.toml)",
            "ln -s .git mine && rm -rf mine/waypost",
            "touch .git/waypost/allow",
            "touch waypost.toml",
        ],
    );
}

#[test]
fn waypost_s_files_are_not_written_through_the_shell() {
    all_denied(
        &under(GATE),
        &[
            "echo x > waypost.toml",
            "echo x >> .claude/settings.json",
            "> .claude/settings.local.json",
            "echo x > ~/.claude/settings.json",
            "echo x > @HOME/.claude/settings.json",
            "echo x > $HOME/.claude/settings.local.json",
            "f=waypost.toml; echo x > $f",
            "echo x > waypost.tom?",
            "echo x > way\"post\".toml",
            "cd src && echo x > ../waypost.toml",
            "cd .git/waypost && echo x > project/events.jsonl",
            "echo x | tee waypost.toml",
            "echo x | tee -a .git/waypost/project/events.jsonl",
            "cat > waypost.toml <<EOF\nx\nEOF",
            "cat <<'EOF' > waypost.toml\nx\nEOF",
            "sed -i d waypost.toml",
            "sed --in-place d waypost.toml",
            "sed -n 'w waypost.toml' src/lib.txt",
            "perl -i -pe s/a/b/ waypost.toml",
            "perl -e 'unlink \"waypost.toml\"'",
            "python3 -c \"open('waypost.toml', 'w')\"",
            "python3 - <<'EOF'\nopen('waypost.toml', 'w')\nEOF",
            "python3.11 <<EOF\nopen('.claude/settings.json', 'w')\nEOF",
            "node -e 'require(\"fs\").writeFileSync(\".git/waypost/x\", \"\")'",
            "ruby -e 'File.delete(\"waypost.toml\")'",
            "awk 'BEGIN { print > \"waypost.toml\" }'",
            "cp src/lib.txt waypost.toml",
            "cp -r evil/.claude .",
            "cp -r evil/. .claude/",
            "rsync -a evil/ .claude/",
            "echo true > .waypost/hook",
            "cp -l waypost.toml twin && echo x > twin",
            "mv src/lib.txt waypost.toml",
            "mv waypost.toml old.toml",
            "ln -f src/lib.txt waypost.toml",
            "ln -sf src/lib.txt waypost.toml",
            "ln waypost.toml twin",
            "ln -s .git/waypost innocent && touch innocent/x",
            "git checkout HEAD~1 -- waypost.toml",
            "git mv waypost.toml old.toml",
            "unknown-program waypost.toml",
            "eval 'echo x > waypost.toml'",
            "/tmp/evil/waypost status > waypost.toml",
            "/tmp/evil/waypost waypost.toml",
            "./waypost waypost.toml",
            "/tmp/evil/cat waypost.toml",
        ],
    );
}

#[test]
fn the_key_is_read_by_no_agent() {
    let env = under(GATE);
    all_denied(
        &env,
        &[
            "cat ~/.config/waypost/key",
            "cat @HOME/.config/waypost/key",
            "cat < ~/.config/waypost/key",
            "base64 ~/.config/waypost/key",
            "cd ~/.config/waypost && cat key",
            "cd ~/.config && cat waypost/key",
            "cd ~/.config && cat wayp*/*",
            "cd ~/.config && cp -r waypost /tmp/x",
            "cat ~/.config/waypost/*",
            "cat ~/.config/way*/key",
            "grep -r . ~/.config/waypost",
            "tar cf x.tar ~/.config",
            "find ~/.config -name key -exec cat {} +",
            "find ~/.config/waypost -type f | xargs cat",
            "cp ~/.config/waypost/key /tmp/k",
            "ln -s ~/.config/waypost/key k",
            "git diff --no-index /dev/null ~/.config/waypost/key",
            "while read l; do echo $l; done < @HOME/.config/waypost/key",
            "python3 -c \"print(open('@HOME/.config/waypost/key').read())\"",
        ],
    );
    let (key, folder) = (env.key_file(), env.home().join(".config"));
    for (name, input) in [
        ("Read", json!({"file_path": key})),
        ("Grep", json!({"pattern": ".", "path": key, "output_mode": "content"})),
        ("Grep", json!({"pattern": ".", "path": folder.join("waypost")})),
        ("mcp__filesystem__read_file", json!({"path": key})),
        ("mcp__filesystem__read_file", json!({"path": folder.join("../.config/waypost/key")})),
    ] {
        assert!(tool(&env, name, &input).is_some(), "{name} {input}");
    }
    assert_eq!(tool(&env, "Grep", &json!({"pattern": "x", "path": env.project()})), None);
    assert_eq!(tool(&env, "Grep", &json!({"pattern": "x"})), None);
}

#[test]
fn the_token_of_the_server_is_read_by_no_agent() {
    let env = under(GATE);
    all_denied(
        &env,
        &[
            "cat ~/.local/state/waypost/serve/token",
            "cat @HOME/.local/state/waypost/serve/token",
            "curl -d @- localhost < ~/.local/state/waypost/serve/token",
            "cd ~/.local/state/waypost/serve && cat token",
            "cat ~/.local/state/way*/serve/*",
            "cat ~/.local/state/*/serve/token",
            "grep -r . ~/.local/state/waypost/serve",
            "tar cf x.tar ~/.local/state",
            "find ~/.local -name token -exec cat {} +",
            "cp ~/.local/state/waypost/serve/token /tmp/t",
            "python3 -c \"print(open('@HOME/.local/state/waypost/serve/token').read())\"",
            "rm -r ~/.local/state/waypost/serve",
            "echo mine > ~/.local/state/waypost/serve/token",
        ],
    );
    let token = env.home().join(".local/state/waypost/serve/token");
    for (name, input) in [
        ("Read", json!({"file_path": token})),
        ("Grep", json!({"pattern": ".", "path": token.parent()})),
        ("Grep", json!({"pattern": ".", "path": env.home().join(".local/state/waypost")})),
        ("Write", json!({"file_path": token, "content": "mine"})),
        ("mcp__filesystem__read_file", json!({"path": token})),
    ] {
        assert!(tool(&env, name, &input).is_some(), "{name} {input}");
    }
}

#[test]
fn links_into_a_protected_place_lead_nowhere() {
    let env = under(GATE);
    let root = env.project();
    symlink(env.store(), root.join("folder")).unwrap();
    symlink(root.join("waypost.toml"), root.join("soft.txt")).unwrap();
    fs::hard_link(root.join("waypost.toml"), root.join("hard.txt")).unwrap();
    fs::hard_link(env.store().join("project/events.jsonl"), root.join("log.txt")).unwrap();
    symlink(root.join(".claude"), root.join("settings")).unwrap();
    for path in ["folder/allow", "soft.txt", "hard.txt", "log.txt", "settings/settings.json"] {
        assert!(env.before_edit(Path::new(path)).denied().is_some(), "{path}");
        all_denied(&env, &[&format!("echo x > {path}"), &format!("sed -i d {path}")]);
    }
    all_denied(&env, &["rm -rf folder/", "cp src/lib.txt soft.txt"]);
}

#[test]
fn a_subagent_may_do_no_more_than_its_parent() {
    let env = under(READ_FIRST);
    let ask = |name: &str, input: Value| {
        let fields = json!({"tool_name": name, "tool_input": input, "tool_use_id": "t",
            "agent_id": "a1", "agent_type": "general-purpose"});
        env.hook("PreToolUse", &fields).denied()
    };
    assert!(ask("Write", json!({"file_path": "src/lib.txt"})).unwrap().contains("ADR.md"));
    assert!(ask("Write", json!({"file_path": "waypost.toml"})).is_some());
    assert!(ask("Bash", json!({"command": "rm -rf .git/waypost"})).is_some());
    assert!(ask("Bash", json!({"command": "echo x > src/lib.txt"})).is_some());
    assert!(ask("Read", json!({"file_path": env.key_file()})).is_some());
}

#[test]
fn many_commands_in_one_line_hide_nothing() {
    let env = under(GATE);
    let many = "true; ".repeat(500);
    all_denied(
        &env,
        &[
            &format!("{many}git commit -am x"),
            &format!("{many}rm -rf .git/waypost"),
            &format!("{}rm waypost.toml", "true && ".repeat(500)),
            &format!("echo {} > /dev/null; rm waypost.toml", "x".repeat(70_000)),
            &format!("{}rm waypost.toml{}", "(".repeat(150), ")".repeat(150)),
        ],
    );
}

#[test]
fn normal_work_is_not_hindered() {
    let env = under(READ_FIRST);
    let read = json!({"file_path": env.project().join("ADR.md")});
    let fields = json!({"tool_name": "Read", "tool_input": read, "tool_use_id": "r"});
    env.hook("PreToolUse", &fields);
    env.hook("PostToolUse", &fields);
    for line in [
        "cat waypost.toml",
        "grep -n gate waypost.toml",
        "sed -n 1,5p waypost.toml",
        "awk '{ print $1 }' waypost.toml",
        "[ -f waypost.toml ] && echo yes",
        "cp waypost.toml /tmp/copy.toml",
        "git add waypost.toml && git commit -m \"change waypost.toml\"",
        "git commit -F - <<'EOF'\nMention waypost.toml\nEOF",
        "git diff .claude/settings.json",
        "git checkout -- src",
        "git clean -fd",
        "git clean -ndx",
        "git clean -fdx -e .claude",
        "rm -rf target",
        "rm -rf src/old",
        "rm -rf ./build/* \"$TMPDIR/x\" $BUILD",
        "rm -f *.log",
        "chmod -R u+w src",
        "mv src/a src/b",
        "find . -name '*.rs'",
        "find . -name waypost.toml",
        "find . -name '*.bak' -delete",
        "find . -type f -exec grep x {} +",
        "find . -name '*.rs' | xargs sed -i s/a/b/",
        "find . -type f | xargs wc -l",
        "find ~/.config -name '*.toml' -exec cat {} +",
        "echo \"see waypost.toml\" >> notes.md",
        "cat > notes.md <<'EOF'\nsee waypost.toml\nEOF",
        "gh pr create --body \"mentions waypost.toml here\"",
        "for f in waypost.toml Cargo.toml; do cat \"$f\"; done",
        "mkdir -p .claude/commands && echo hi > .claude/commands/x.md",
        "cp notes.md .claude",
        "cp -r template/. .",
        "rm -rf $(mktemp -d)/*",
        "python3 script.py",
        "ls .git/waypost ~/.config/waypost",
        "waypost gate list",
        "waypost status && waypost brief",
        "cargo test 2>&1 | tail -5",
    ] {
        assert_eq!(env.before_bash(line, "x").denied(), None, "{line}");
    }
}

#[test]
fn the_program_that_hooks_call_is_not_exchanged() {
    let env = under(GATE);
    let exe = Path::new(env!("CARGO_BIN_EXE_waypost")).canonicalize().unwrap();
    let exe = exe.display();
    all_denied(
        &env,
        &[
            &format!("cp /bin/true {exe}"),
            &format!("ln -sf /bin/true {exe}"),
            &format!("rm -f {exe}"),
            &format!("chmod -x {exe}"),
            &format!("mv {exe} /tmp/x"),
        ],
    );
    assert!(tool(&env, "Write", &json!({"file_path": exe.to_string()})).is_some());
    assert!(tool(&env, "Edit", &json!({"file_path": ".waypost/hook"})).is_some());
    assert_eq!(env.before_bash(&format!("{exe} status"), "s").denied(), None);
}
