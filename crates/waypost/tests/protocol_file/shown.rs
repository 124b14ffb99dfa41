//! `waypost protocol show` and `check`.

use serde_json::{Value, json};

use crate::project::{CONFIG, FILE, HARBOUR, harbour, with};

fn phases(shown: &Value) -> Vec<(&str, &str, &str, bool)> {
    let all = shown["phases"].as_array().into_iter().flatten();
    all.map(|phase| {
        let text = |key: &str| phase[key].as_str().unwrap_or_default();
        (text("section"), text("name"), text("level"), phase["blocking"] == true)
    })
    .collect()
}

fn steps<'v>(shown: &'v Value, phase: &str) -> Vec<(&'v str, &'v str, bool)> {
    let all = shown["phases"].as_array().into_iter().flatten();
    let found = all.filter(|one| one["name"] == phase).filter_map(|one| one["steps"].as_array());
    found
        .flatten()
        .map(|step| {
            let text = |key: &str| step[key].as_str().unwrap_or_default();
            (text("id"), text("level"), step["holds"] == true)
        })
        .collect()
}

#[test]
fn phases_are_known_by_section_and_place_and_headings_in_code_are_none() {
    let env = harbour();
    let shown = env.json(&["protocol", "show", "--json"]);
    assert_eq!((&shown["title"], &shown["version"]), (&json!("Harbour Protocol"), &json!("4.2")));
    assert_eq!(shown["problems"], json!([]));
    let (start, end) = ("Session Start Protocol", "Session End Protocol");
    assert_eq!(
        phases(&shown),
        [
            (start, "Pilot Aboard", "BLOCKING", true),
            (start, "Charts", "BLOCKING", true),
            (start, "Crew", "BLOCKING", false),
            (start, "Log Opened", "REQUIRED", false),
            (start, "Weather", "RECOMMENDED", false),
            ("Session Start Checklist", "Session Start Checklist", "REQUIRED", false),
            (end, "Stowage", "RECOMMENDED", false),
            (end, "Papers", "REQUIRED", false),
            (end, "Quality Checks", "REQUIRED", false),
            (end, "Git Operations", "REQUIRED", false),
            ("Session End Checklist", "Session End Checklist", "REQUIRED", false),
        ]
    );
    assert_eq!(shown["phases"][2]["condition"], "when passengers are aboard");
}

#[test]
fn what_is_said_several_times_is_one_step_and_what_is_only_in_a_checklist_is_one_too() {
    let env = harbour();
    let shown = env.json(&["protocol", "show", "--json"]);
    assert_eq!(
        steps(&shown, "Pilot Aboard"),
        [
            ("read_handoff", "must", true),
            ("activate_project", "must", true),
            ("say_so_stop", "must", false),
            ("change_files_until_both_are", "must", false),
            ("read_harbour_rules", "should", false),
        ]
    );
    assert_eq!(
        steps(&shown, "Log Opened"),
        [("create_log", "must", true), ("git_status", "should", false)]
    );
    assert_eq!(steps(&shown, "Crew"), [("count_passengers", "must", false)]);
    assert_eq!(
        steps(&shown, "Papers"),
        [
            ("keep_handoff", "must", true),
            ("complete_log", "must", true),
            ("sign_manifest", "must", true)
        ]
    );
    assert_eq!(steps(&shown, "Quality Checks"), [("run_check", "must", true)]);
    assert_eq!(steps(&shown, "Git Operations"), [("commit", "must", true), ("push", "may", false)]);
    assert_eq!(steps(&shown, "Session End Checklist"), [("hoist_flag", "must", true)]);
    let sweep = &shown["phases"][5]["steps"][0];
    assert_eq!(
        sweep["requirement"], "Sweep: `grep -E \"a|b|c\" x | wc`.",
        "pipes in code part no cells"
    );
    assert_eq!(shown["outside"][0]["requirement"], "Ring the bell");
}

#[test]
fn every_step_is_told_with_its_line_and_what_shows_it() {
    let env = harbour();
    let line =
        1 + HARBOUR.lines().position(|line| line.contains("MUST sign the manifest")).unwrap();
    let shown = env.ok(&["protocol", "show"]);
    assert!(shown.contains(&format!("sign_manifest  {FILE}:{line}")), "{shown}");
    assert!(shown.contains("the agent reads .agents/HANDOFF.md"), "{shown}");
    assert!(shown.contains("Phase 1.5: Crew  BLOCKING when passengers are aboard"), "{shown}");
    let checked = env.ok(&["protocol", "check"]);
    assert!(checked.contains("11 phases") && checked.contains("nothing wrong"), "{checked}");
}

#[test]
fn what_is_wrong_is_told_with_file_and_line_and_what_was_meant() {
    let broken = format!(
        "{}\n```markdown\n| MUST | never closed | [ ] | |\n",
        HARBOUR
            .replace("### Phase 2: Charts (BLOCKING)", "### Phase 2: Charts (BLOKING)")
            .replace("| MUST | Hoist the flag", "| MUSST | Hoist the flag")
    );
    let config = format!("{CONFIG}[protocol]\ndrop = [\"sign_manifst\"]\n");
    let env = with(&broken, &config);
    let checked = env.waypost(&["protocol", "check", "--json"]);
    assert_eq!(checked.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&checked.stdout).unwrap();
    let told = told["problems"].to_string();
    for part in [
        "did you mean `BLOCKING`?",
        "never closed",
        "waypost.toml:4: the protocol has no step `sign_manifst`; did you mean `sign_manifest`?",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn the_built_in_protocol_is_shown_too_and_without_one_that_is_said() {
    let env = with(HARBOUR, "[project]\nprotocol = \"builtin\"\n");
    let shown = env.json(&["protocol", "show", "--json"]);
    assert_eq!(shown["phases"].as_array().unwrap().len(), 9);
    assert_eq!(steps(&shown, "QUALITY_CHECKS"), [("markdown_lint", "must", true)]);
    let none = with(HARBOUR, "[project]\n");
    assert_eq!(none.waypost(&["protocol", "show"]).status.code(), Some(1));
    assert_eq!(none.waypost(&["protocol", "check", FILE]).status.code(), Some(0));
}
