//! Faults that the framework had, and that must not be Waypost's.

use serde_json::json;

use super::player::Player;

const BY_BRANCH: &str = "  ticket: {enabled: true, scope: branch}\n";

#[test]
fn branches_whose_names_look_alike_share_nothing() {
    let mut player = Player::with(BY_BRANCH);
    player.person(&["gate", "satisfy", "ticket"]);
    assert_eq!(player.edit("src/lib.txt"), None);
    player.env.git_unasked(&["checkout", "-q", "-b", "feature-auth"]);
    assert!(player.edit("src/lib.txt").is_some());
}

#[test]
fn what_was_said_of_a_branch_does_not_make_what_is_for_one_use_last() {
    let mut player = Player::with(
        "  review: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: git push}]}\n",
    );
    player.person(&["gate", "satisfy", "review", "--whole-session"]);
    assert_eq!(player.bash("git push -q origin HEAD"), None);
    assert!(
        player.bash("git push -q origin HEAD").is_some(),
        "used up, whoever said it for however long"
    );
}

#[test]
fn a_denied_change_arms_no_stop() {
    let mut player = Player::with("  planned: {enabled: true}\n");
    assert!(player.edit("src/lib.txt").is_some());
    assert_eq!(player.stop("one", false).held(), None, "nothing was changed");
}

#[test]
fn a_hook_that_is_called_in_a_folder_below_enforces_too() {
    let mut player = Player::with("  planned: {enabled: true}\n");
    let input = json!({"file_path": player.env.project().join("src/lib.txt")});
    let denied = player.tool("one", "Edit", &input, &json!({"cwd": "src"}), |_| true).denied();
    assert!(denied.is_some());
}

#[test]
fn notebooks_are_files_too() {
    let mut player = Player::with("  planned: {enabled: true}\n");
    assert!(player.edit_with("one", "a.ipynb", "NotebookEdit").denied().is_some());
}

#[test]
fn the_end_of_one_conversation_leaves_what_another_did() {
    let hooks = "requirements: {planned: {enabled: true, satisfied_by_skill: plan}}\n\
                 hooks: {session_end: {clear_session_state: true}}\n";
    let mut player = Player::new(&[(".claude/requirements.yaml", hooks)], "feature/x");
    player.start("one", "startup");
    player.start("two", "startup");
    player.skill("plan");
    player.hook("SessionEnd", "two", &json!({"reason": "other"}));
    assert_eq!(player.edit("src/lib.txt"), None);
}

#[test]
fn a_version_that_nobody_knows_changes_nothing() {
    let text = "version: \"9.9\"\nfuture: {a: 1}\nrequirements: {planned: {enabled: true, tomorrow: [x]}}\n";
    let mut player = Player::new(&[(".claude/requirements.yaml", text)], "feature/x");
    player.start("one", "startup");
    assert!(player.edit("src/lib.txt").is_some());
    assert_eq!(player.env.read(".claude/requirements.yaml"), text);
}

#[test]
fn a_file_that_no_one_can_read_holds_nobody() {
    for text in ["requirements: [", "\u{0}", "requirements:\n\t- x", "- a\n- b", "requirements: 3"]
    {
        let mut player = Player::new(&[(".claude/requirements.yaml", text)], "feature/x");
        let begun = player.start("one", "startup").stdout;
        assert!(begun.contains(".claude/requirements.yaml:"), "{text:?}: {begun}");
        assert_eq!(player.edit("src/lib.txt"), None, "{text:?}");
        assert_eq!(player.stop("one", false).held(), None, "{text:?}");
    }
}
