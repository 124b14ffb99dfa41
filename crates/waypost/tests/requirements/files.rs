//! The files of requirements as sources of what is in force: in mid-turn, for agents, and in other work trees.

use super::player::Player;

const PLAN: &str = "  planned: {enabled: true, trigger_tools: [Write], satisfied_by_skill: plan}\n";

#[test]
fn what_is_tighter_holds_at_once_and_what_is_looser_waits_for_the_user() {
    let mut player = Player::with(PLAN);
    assert_eq!(player.edit("src/lib.txt"), None);
    player.put(
        ".claude/requirements.local.yaml",
        "requirements: {more: {enabled: true, trigger_tools: [Edit]}}\n",
    );
    assert!(player.edit("src/lib.txt").unwrap().contains("more"));
    player.put(".claude/requirements.yaml", "requirements: {planned: {enabled: false}}\n");
    assert!(player.edit_with("one", "src/lib.txt", "Write").denied().is_some(), "it waits");
    let told = player.say("one").stdout;
    assert!(told.contains("gate planned was removed"), "{told}");
    assert_eq!(player.edit_with("one", "src/lib.txt", "Write").denied(), None);
}

#[test]
fn the_users_own_file_counts_from_when_it_is_written() {
    let mut player = Player::with(PLAN);
    assert_eq!(player.edit("src/lib.txt"), None);
    player.put(
        "~/.claude/requirements.yaml",
        "requirements: {mine: {enabled: true, trigger_tools: [Edit]}}\n",
    );
    let denied = player.edit("src/lib.txt").unwrap();
    assert!(denied.contains("mine"), "{denied}");
    let listed = player.env.ok(&["gate", "list"]);
    assert!(listed.contains("(~/.claude/requirements.yaml:1)"), "{listed}");
}

#[test]
fn a_project_that_opts_out_is_left_alone() {
    let files = [(".claude/requirements.yaml", "requirements: {planned: {enabled: true}}")];
    let mut player = Player::under(&files, "feature/x", "[project]\nrequirements = false\n");
    player.start("one", "startup");
    assert_eq!(player.edit("src/lib.txt"), None);
    assert_eq!(player.edit(".claude/requirements.yaml"), None, "it is a file like any other");
}

#[test]
fn agents_change_no_file_of_requirements_by_any_tool() {
    let mut player = Player::with(PLAN);
    player.skill("plan");
    for path in [
        ".claude/requirements.yaml",
        ".claude/requirements.local.yaml",
        "~/.claude/requirements.yaml",
        ".claude/messages/planned.yaml",
        ".claude/.rf-optout",
    ] {
        let denied = player.edit_with("one", path, "Write").denied().unwrap_or_default();
        assert!(denied.contains("requirements"), "{path}: {denied}");
    }
    for line in [
        "echo 'enabled: false' > .claude/requirements.local.yaml",
        "rm .claude/requirements.yaml",
        "sed -i s/true/false/ .claude/requirements.yaml",
        "mv .claude/requirements.yaml x",
        "cd .claude && rm requirements.yaml",
        "git mv .claude/requirements.yaml .claude/old.yaml",
    ] {
        assert!(player.bash(line).is_some(), "{line}");
    }
    assert_eq!(player.bash("cat .claude/requirements.yaml"), None);
    assert_eq!(player.edit_with("one", ".claude/plans/a.md", "Write").denied(), None);
    assert_eq!(
        player.edit_with("one", "docs/requirements.yaml", "Write").denied(),
        None,
        "of the same name"
    );
}

#[test]
fn a_file_that_comes_while_work_goes_on_is_in_force_at_once() {
    let mut player = Player::new(&[], "feature/x");
    player.start("one", "startup");
    assert_eq!(player.edit("src/lib.txt"), None);
    player.put(".claude/requirements.yaml", "requirements: {planned: {enabled: true}}\n");
    assert!(player.edit("src/lib.txt").is_some());
}

#[test]
fn tool_calls_read_no_requirements_while_nothing_changed() {
    let mut player = Player::with(PLAN);
    player.edit("src/lib.txt");
    let fields = serde_json::json!({"tool_name": "Edit", "tool_input": {"file_path": player.env.project().join("src/lib.txt")}, "tool_use_id": "x"});
    let before = player.hook("PreToolUse", "one", &fields).read;
    let comments = format!("requirements:\n{PLAN}{}", "# nothing\n".repeat(20_000));
    player.put(".claude/requirements.yaml", &comments);
    player.say("one");
    player.hook("PreToolUse", "one", &fields);
    let after = player.hook("PreToolUse", "one", &fields).read;
    assert!(after < before + 50_000, "{before} bytes before, {after} after");
}

#[test]
fn a_linked_work_tree_has_the_requirements_of_its_project() {
    let mut player = Player::with("  planned: {enabled: true, satisfied_by_skill: plan}\n");
    let there = player.env.home().join("linked");
    player.env.git_unasked(&["worktree", "add", "-q", "-b", "other", &there.display().to_string()]);
    let input = serde_json::json!({"file_path": there.join("src/lib.txt"), "content": "x"});
    let more = serde_json::json!({"cwd": there});
    assert!(player.tool("one", "Write", &input, &more, |_| true).denied().is_some());
    let own =
        serde_json::json!({"file_path": there.join(".claude/requirements.yaml"), "content": "x"});
    player.skill("plan");
    assert_eq!(player.tool("one", "Write", &input, &more, |_| true).denied(), None);
    let denied = player.tool("one", "Write", &own, &more, |_| true).denied().unwrap_or_default();
    assert!(denied.contains("requirements"), "{denied}");
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_change_nothing() {
    let text = "\u{feff}requirements:\r\n  planned:\r\n    enabled: true\r\n    message: |\r\n      One\r\n      Two\r\n";
    let mut player = Player::new(&[(".claude/requirements.yaml", text)], "feature/x");
    player.start("one", "startup");
    let denied = player.edit("src/lib.txt").unwrap();
    assert!(denied.contains("One\\nTwo"), "{denied}");
}

#[test]
fn a_link_to_requirements_keeps_what_it_leads_to() {
    let mut player = Player::with(PLAN);
    player.skill("plan");
    let root = player.env.project().to_owned();
    std::fs::rename(root.join(".claude/requirements.yaml"), root.join("src/rules.yaml")).unwrap();
    std::os::unix::fs::symlink("../src/rules.yaml", root.join(".claude/requirements.yaml"))
        .unwrap();
    player.say("one");
    let denied = player.edit_with("one", "src/rules.yaml", "Write").denied().unwrap_or_default();
    assert!(denied.contains("requirements"), "{denied}");
    for line in ["echo x > src/rules.yaml", "mv src/rules.yaml x", "rm -r src"] {
        assert!(player.bash(line).is_some(), "{line}");
    }
    assert_eq!(player.edit_with("one", "src/other.yaml", "Write").denied(), None);
}
