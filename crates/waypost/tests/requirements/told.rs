//! What is told of requirements: to agents, and to people.

use super::player::Player;

fn text(player: &Player, args: &[&str]) -> (i32, String) {
    let output = player.env.waypost(args);
    let both = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8_lossy(&both).into_owned())
}

const SOME: &str = "  planned: {enabled: true, satisfied_by_skill: plan}
  wrong: {enabled: true, type: gurd}
  odd: {enabled: true, trigger_tools: [Edit, Read]}
  off: {enabled: false}
";

#[test]
fn gates_are_listed_with_file_and_line_and_what_is_wrong_fails() {
    let player = Player::with(SOME);
    let (code, shown) = text(&player, &["gate", "list"]);
    assert_eq!(code, 2, "{shown}");
    assert!(shown.contains("(.claude/requirements.yaml:2)"), "{shown}");
    assert!(
        shown.contains("error: .claude/requirements.yaml:3: requirement `wrong` is left out"),
        "{shown}"
    );
    assert!(shown.contains("did you mean `guard`?"), "{shown}");
    assert!(
        shown.contains("warning: .claude/requirements.yaml:4: requirement `odd`: the tool `Read`"),
        "{shown}"
    );
    let listed = player.env.waypost(&["gate", "list", "--json"]).stdout;
    let listed: serde_json::Value = serde_json::from_slice(&listed).unwrap();
    let gate = &listed["gates"][0];
    assert_eq!((gate["id"].as_str(), gate["source"]["line"].as_u64()), (Some("planned"), Some(2)));
    assert_eq!(gate["imported"], true);
    assert_eq!(listed["notes"].as_array().unwrap().len(), 1);
}

#[test]
fn people_are_told_what_is_wrong_when_a_conversation_begins_and_nobody_is_held_by_it() {
    let mut player = Player::with(SOME);
    let begun = player.start("two", "startup").stdout;
    assert!(begun.contains("requirement `wrong` is left out"), "{begun}");
    player.skill("plan");
    let denied = player.edit("src/lib.txt").unwrap();
    assert!(denied.contains("odd") && !denied.contains("wrong"), "{denied}");
}

#[test]
fn doctor_says_what_is_in_force_and_what_is_not() {
    let player = Player::with(SOME);
    let (code, shown) = text(&player, &["doctor"]);
    assert_eq!(code, 2, "{shown}");
    assert!(shown.contains("requirement `wrong` is left out"), "{shown}");
    assert!(
        shown.contains(".claude/requirements.yaml: 2 requirements in force, 1 not enabled"),
        "{shown}"
    );
    player.put("waypost.toml", "[project]\nrequirements = false\n");
    let (code, shown) = text(&player, &["doctor"]);
    assert!(shown.contains(".claude/requirements.yaml is there and not in force"), "{shown}");
    assert_eq!(code, 0, "{shown}");
    let alone = Player::new(&[(".claude/requirements.local.yaml", "requirements: {}\n")], "x");
    let (_, shown) = text(&alone, &["doctor"]);
    assert!(shown.contains("requirements.local.yaml is there and not in force"), "{shown}");
}

#[test]
fn the_frameworks_own_hooks_beside_waypost_are_told() {
    let player = Player::with("  planned: {enabled: true}\n");
    let (_, shown) = text(&player, &["doctor"]);
    assert!(!shown.contains("beside Waypost"), "{shown}");
    player.put(
        "~/.claude/settings.json",
        "{\"enabledPlugins\": {\"requirements-framework@somewhere\": true, \"other@x\": true}}",
    );
    let (_, shown) = text(&player, &["doctor"]);
    assert!(
        shown.contains("has the plugin requirements-framework@somewhere run beside Waypost"),
        "{shown}"
    );
    let hooks = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \
                 \"command\": \"python3 ~/.claude/hooks/check-requirements.py\"}]}]}}";
    player.put("~/.claude/settings.json", hooks);
    let (_, shown) = text(&player, &["init", "--harness", "claude-code", "--no-git-hooks"]);
    assert!(shown.contains("has check-requirements.py run beside Waypost"), "{shown}");
    assert!(shown.contains(".claude/requirements.yaml: 1 requirement in force"), "{shown}");
    player.put(
        "~/.claude/settings.json",
        "{\"enabledPlugins\": {\"requirements-framework@somewhere\": false}}",
    );
    let (_, shown) = text(&player, &["doctor"]);
    assert!(!shown.contains("beside Waypost"), "{shown}");
}

#[test]
fn a_branch_that_is_too_large_is_told_with_its_numbers() {
    let mut player = Player::with(
        "  size:
    enabled: true
    type: dynamic
    calculator: branch_size_calculator
    thresholds: {warn: 5, block: 20}
    blocking_message: |
      **{total}** lines (limit: {block_threshold}, warned from {warn_threshold}).
      {summary}
",
    );
    player.put("src/big.txt", &"line\n".repeat(40));
    let denied = player.edit("src/lib.txt").unwrap();
    assert!(denied.contains("lines (limit: 20, warned from 5)"), "{denied}");
    assert!(!denied.contains("{total}") && !denied.contains("{summary}"), "{denied}");
    assert!(denied.contains("waypost gate approve size"), "{denied}");
    assert_eq!(denied.matches("gate approve").count(), 1, "told once: {denied}");
}

#[test]
fn a_protected_branch_is_told_by_its_name_with_both_ways_out() {
    let mut player =
        Player::with("  kept: {enabled: true, type: guard, guard_type: protected_branch}\n");
    player.env.git_unasked(&["checkout", "-q", "main"]);
    let denied = player.edit("src/lib.txt").unwrap();
    assert!(denied.contains("protected branch `main`"), "{denied}");
    assert!(
        denied.contains("git switch -c") && denied.contains("waypost gate approve kept"),
        "{denied}"
    );
}

#[test]
fn an_agents_word_satisfies_nothing() {
    let mut player = Player::with("  ticket: {enabled: true, scope: branch}\n");
    player.env.ok(&["gate", "satisfy", "ticket"]);
    let denied = player.edit("src/lib.txt").unwrap();
    assert!(denied.contains("waypost gate approve ticket"), "{denied}");
    player.person(&["gate", "approve", "ticket"]);
    assert_eq!(player.edit("src/lib.txt"), None);
}

#[test]
fn the_projects_own_gates_hold_where_requirements_are_switched_off_or_fail() {
    let own = "[project]\n[[gate]]\nid = \"read-it\"\nbefore = [\"edit\"]\nproof = { read = \"check.sh\" }\n";
    let files = [(
        ".claude/requirements.yaml",
        "requirements: {planned: {enabled: true}, read-it: {enabled: true}}",
    )];
    let mut player = Player::under(&files, "feature/x", own);
    player.start("one", "startup");
    let denied = player.edit("src/lib.txt").unwrap();
    assert!(denied.contains("planned") && denied.contains("read check.sh"), "{denied}");
    let (_, shown) = text(&player, &["gate", "list"]);
    assert!(shown.contains("requirement `read-it` gives way to the gate of that name"), "{shown}");
    player.env.vars.push(("CLAUDE_SKIP_REQUIREMENTS".into(), "1".into()));
    let denied = player.edit("src/lib.txt").unwrap();
    assert!(!denied.contains("planned") && denied.contains("read check.sh"), "{denied}");
}

#[test]
fn a_pipeline_asks_for_no_requirement_and_fails_for_none_that_is_wrong() {
    let player = Player::with(SOME);
    let (_, shown) = text(&player, &["ci"]);
    assert!(!shown.contains("planned") && !shown.contains("error: .claude"), "{shown}");
    let (code, shown) = text(&player, &["gate", "check", "--all"]);
    assert_ne!(code, 2, "{shown}");
}
