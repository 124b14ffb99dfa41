//! The workflows that the framework documents, with what is told on the way.

use serde_json::{Value, json};

use super::player::Player;

const SKILL: &str = "requirements-framework:arch-review";
const PLAN: &str = "  commit_plan:
    enabled: true
    scope: session
    auto_resolve_skill: \"requirements-framework:arch-review\"
    message: |
      ## Blocked: commit_plan

      **Execute**: `/{auto_resolve_skill}` on `{branch}` ({session_id})
    checklist: [Small steps]
";

/// What `gate check` says of a gate.
fn status(player: &Player, gate: &str) -> String {
    let output = player.env.waypost(&["gate", "check", "--json"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let found: Value = serde_json::from_str(&text).unwrap();
    let gates = found["gates"].as_array().unwrap_or_else(|| panic!("{text}"));
    let found = gates.iter().find(|one| one["gate"] == gate || one["id"] == gate);
    found.unwrap_or_else(|| panic!("{text}"))["status"].as_str().unwrap().to_owned()
}

#[test]
fn a_plan_is_asked_for_told_and_then_counts_until_the_conversation_is_over() {
    let mut player = Player::with(PLAN);
    let denied = player.edit("src/lib.txt").unwrap();
    for told in [
        "## Blocked: commit_plan",
        "`/requirements-framework:arch-review` on `feature/auth` (one)",
        "- Small steps",
        "Next: use the skill requirements-framework:arch-review",
    ] {
        assert!(denied.contains(told), "{told}: {denied}");
    }
    assert_eq!(status(&player, "commit_plan"), "missing");
    player.skill(SKILL);
    assert_eq!(status(&player, "commit_plan"), "met");
    assert_eq!(player.edit("src/lib.txt"), None);
    assert_eq!(player.bash("git commit -qam work"), None);
    assert_eq!(player.stop("one", false).held(), None);
}

#[test]
fn a_new_conversation_plans_anew_and_what_the_old_one_did_is_still_known() {
    let mut player = Player::with(PLAN);
    player.skill(SKILL);
    assert_eq!(player.edit("src/lib.txt"), None);
    player.hook("SessionEnd", "one", &json!({"reason": "prompt_input_exit"}));
    player.later(3600);
    player.start("two", "startup");
    assert!(player.edit_with("two", "src/lib.txt", "Edit").denied().is_some());
    player.tool("two", "Skill", &json!({"skill": SKILL}), &Value::Null, |_| true);
    assert_eq!(player.edit_with("two", "src/lib.txt", "Edit").denied(), None);
    let sessions = player.env.json(&["list", "--all", "--json"]);
    let sessions = sessions.as_array().unwrap();
    assert_eq!(sessions.len(), 2, "{sessions:?}");
    for session in sessions {
        let id = session["session_id"].as_str().or(session["id"].as_str()).unwrap();
        let types = player.env.event_types_of(id);
        assert_eq!(
            types.iter().filter(|kind| *kind == "evidence_recorded").count(),
            1,
            "{types:?}"
        );
    }
}

#[test]
fn each_commit_uses_a_review_up_and_nothing_else_does() {
    let mut player = Player::with(
        "  pre_commit_review:
    enabled: true
    scope: single_use
    trigger_tools: [{tool: Bash, command_pattern: 'git\\s+commit'}]
",
    );
    let commit = "git commit -q --allow-empty -m x";
    let denied = player.bash(commit).unwrap();
    assert!(denied.contains("use the skill pre-commit"), "{denied}");
    player.skill("requirements-framework:pre-commit");
    assert_eq!(player.edit("src/lib.txt"), None);
    assert_eq!(player.bash("git status"), None);
    assert_eq!(player.bash("git commit --no-such-option"), None, "what fails uses nothing up");
    assert_eq!(player.bash(commit), None);
    assert!(player.bash(commit).is_some());
    player.skill("requirements-framework:pre-commit");
    assert_eq!(player.bash(commit), None);
}

#[test]
fn the_end_of_a_turn_is_held_once_and_then_passes() {
    let mut player =
        Player::with("  checked: {enabled: true, stop_only: true, satisfied_by_skill: verify}\n");
    assert_eq!(player.stop("one", false).held(), None, "nothing was changed");
    assert_eq!(player.edit("src/lib.txt"), None);
    let held = player.stop("one", false).held().unwrap();
    assert!(held.contains("checked") && held.contains("use the skill verify"), "{held}");
    assert_eq!(player.stop("one", true).held(), None);
    player.say("one");
    assert_eq!(player.stop("one", false).held(), None, "a turn that changed nothing");
    player.say("one");
    assert_eq!(player.edit("src/lib.txt"), None);
    assert!(player.stop("one", false).held().is_some(), "the next one that did");
    player.skill("verify");
    assert_eq!(player.stop("one", false).held(), None);
}

#[test]
fn a_subagent_is_not_held_at_its_own_end_and_what_it_changed_is_asked_of_the_turn() {
    let mut player =
        Player::with("  checked: {enabled: true, stop_only: true, satisfied_by_skill: verify}\n");
    let agent = json!({"agent_id": "a1", "agent_type": "coder"});
    let path = player.env.project().join("src/lib.txt");
    let input = json!({"file_path": path, "old_string": "a", "new_string": "b"});
    let edited = player.tool("one", "Edit", &input, &agent, |player| {
        player.put("src/lib.txt", "by a subagent\n");
        true
    });
    assert_eq!(edited.denied(), None);
    let mut end = agent;
    end["stop_hook_active"] = json!(false);
    assert_eq!(player.hook("SubagentStop", "one", &end).held(), None);
    let held = player.stop("one", false).held().unwrap_or_default();
    assert!(held.contains("checked"), "{held}");
}

#[test]
fn a_skill_that_the_user_types_counts_like_one_that_the_agent_uses() {
    let mut player = Player::with(PLAN);
    assert!(player.edit("src/lib.txt").is_some());
    let typed = json!({"command_name": SKILL, "prompt": format!("/{SKILL}")});
    player.hook("UserPromptExpansion", "one", &typed);
    assert_eq!(player.edit("src/lib.txt"), None);
}
