//! Protocols as people write them, and as nobody should.

mod styles;

use waypost_core::track::builtin::{COMPLETE, WORKING};
use waypost_core::track::known::KnownStep;

use super::*;
use crate::foreign::mutations::Dice;

/// A protocol with most of what is odd in real ones.
const ODD: &str = include_str!("tests/odd.md");

fn odd() -> ProtocolFile {
    read("P.md", ODD)
}

fn step<'f>(file: &'f ProtocolFile, name: &str) -> &'f Step {
    let mut steps = file.phases.iter().flat_map(|phase| &phase.steps);
    steps.find(|step| step.name == name).unwrap_or_else(|| {
        let names: Vec<&str> = file
            .phases
            .iter()
            .flat_map(|phase| &phase.steps)
            .map(|step| step.name.as_str())
            .collect();
        panic!("no {name} among {names:?}")
    })
}

fn names(text: &str) -> Vec<String> {
    let phases = read("P.md", text).phases;
    phases.into_iter().flat_map(|phase| phase.steps).map(|step| step.name).collect()
}

fn phase(body: &str) -> String {
    format!("# P\n\n## Session Start\n\n### Phase 1: A (BLOCKING)\n\n{body}\n")
}

#[test]
fn phases_keep_their_order_whatever_their_numbers_are() {
    let file = odd();
    let found: Vec<(&str, &str)> =
        file.phases.iter().map(|phase| (phase.label.as_str(), phase.name.as_str())).collect();
    assert_eq!(
        found,
        [
            ("Phase 1", "Open"),
            ("Phase 2", "Read"),
            ("Phase 1.5", "Tools (again)"),
            ("Phase 4", "Log"),
            ("Phase 4", "Branch"),
            ("Phase 0", "Validation"),
            ("Phase 2.7", "Phase 2.7: Validation"),
            ("Phase 3", "Phase 3: Complete"),
            ("", "Session End Checklist"),
        ]
    );
    assert_eq!(file.problems, []);
    let definition = file.definition().unwrap();
    assert_eq!(definition.names().len(), 11);
    assert_eq!(definition.phases[0].entry, None);
    assert!(definition.names().iter().any(|name| name == WORKING));
    assert_eq!(definition.phases.last().unwrap().name, COMPLETE);
    assert_eq!(definition.entries_called("phase 1.5").len(), 1);
    assert_eq!(definition.entries_called("Phase 4").len(), 2);
}

#[test]
fn what_is_said_in_a_phase_in_a_template_and_in_a_checklist_is_one_step() {
    let file = odd();
    for name in ["read_handoff", "create_log", "activate_project", "commit", "run_gate"] {
        let all = file.phases.iter().flat_map(|phase| &phase.steps);
        let count = all.filter(|step| step.name.starts_with(name)).count();
        assert_eq!(count, 1, "{name}");
    }
    assert_eq!(step(&file, "run_gate").level, Level::Must, "the strictest counts");
    let line = 1 + ODD.lines().position(|line| line.contains("MUST run `./gate.sh`")).unwrap();
    assert_eq!(step(&file, "run_gate").line, line);
}

#[test]
fn a_key_word_counts_anywhere_in_an_item_but_not_in_code_or_where_it_is_spoken_of() {
    for (item, level) in [
        ("1. The agent MUST dance", Some(Level::Must)),
        ("1. **Dance**: before anything else, you SHALL dance", Some(Level::Must)),
        ("* Dancing SHOULD be done early", Some(Level::Should)),
        ("- [ ] MUST dance", Some(Level::Must)),
        ("- [x] Dance", Some(Level::Must)),
        ("| MUST | Dance | [ ] |\n|--|--|--|\n| MUST | Dance | [ ] |", Some(Level::Must)),
        ("1. The agent MAY dance", Some(Level::May)),
        ("- **REQUIRED**: dance", Some(Level::Must)),
        ("1. The agent **MUST**, before all else, dance", Some(Level::Must)),
        ("1. Dance", None),
        ("1. `MUST` is a key word, as are \"SHOULD\" and MUST/MAY", None),
        ("1. All MUST requirements are explained elsewhere", None),
    ] {
        let file = read("P.md", &phase(item));
        let found = file.phases[0].steps.first().map(|step| step.level);
        assert_eq!(found, level, "{item}");
    }
}

#[test]
fn what_is_forbidden_or_depends_on_something_unseen_holds_nobody() {
    let text = phase(
        "1. The agent MUST NOT shout\n2. If it rains, the agent MUST carry an umbrella\n\
         3. The agent MUST greet (if somebody is there)\n4. The agent MUST NOT work if on `main`\n\
         5. The agent MUST NOT edit `RULES.md`\n6. The agent MUST bow",
    );
    let file = read("P.md", &text);
    let definition = file.definition().unwrap();
    let (_, entry) = definition.entry("A").unwrap();
    let held: Vec<&str> = entry
        .steps
        .iter()
        .filter(|step| !matches!(step.subject, waypost_core::track::StepSubject::Unseen(_)))
        .map(|step| step.name.as_str())
        .collect();
    assert_eq!(held, ["not_on_main", "keep_rules", "bow"]);
    let bow = entry.steps.iter().find(|step| step.name == "bow").unwrap();
    assert!(bow.is_only_said() && bow.gate.accept_claimed);
    assert_eq!(bow.gate.before, [waypost_core::gate::Before::End], "it never holds a tool");
}

#[test]
fn wordings_are_recognised_and_others_are_not() {
    for (item, names) in [
        ("MUST read `a/B.md`, `C.md` and D.md", &["read_b", "read_c", "read_d"][..]),
        ("MUST read `/etc/passwd` and `../x.md`", &["read_etc_passwd_x_md"]),
        ("MUST read the `house-rules` memory", &["read_house_rules"]),
        ("MUST call `mcp__github__get_me`", &["get_me"]),
        ("MUST run `cargo clippy --all-targets`", &["run_cargo_clippy"]),
        ("MUST run `scripts/check.sh <file>`", &["run_check"]),
        ("MUST use the deploy-notes skill", &["use_deploy_notes"]),
        ("MUST run `/retro`", &["use_retro"]),
        ("MUST commit all changes", &["commit"]),
        ("MUST NOT commit secrets", &["commit_secrets"]),
        ("MUST run markdown lint", &["markdown_lint"]),
        ("MUST invoke the qa agent", &["qa_report"]),
        ("MUST list available skills", &["list_skills"]),
        ("MUST update `CHANGELOG.md`", &["update_changelog"]),
        ("MUST create a session log", &["create_log"]),
        ("MUST complete the session log", &["complete_log"]),
        ("MUST verify git status", &["git_status"]),
        ("MUST run validation (e.g., `make check`)", &["run_validation_e_g_make"]),
    ] {
        assert_eq!(super::tests::names(&phase(&format!("1. The agent {item}"))), names, "{item}");
    }
}

#[test]
fn pipes_in_code_part_no_cells() {
    for (row, cells) in [
        ("| a | `b | c` | d |", &["a", "`b | c`", "d"][..]),
        ("| a | ``b ` | c`` | d |", &["a", "``b ` | c``", "d"]),
        ("| a \\| b | c |", &["a | b", "c"]),
        ("| a | ` b | c |", &["a", "` b", "c"]),
        ("|", &[""]),
        ("", &[""]),
    ] {
        assert_eq!(document::cells(row), cells, "{row}");
    }
}

#[test]
fn what_cannot_be_taken_is_told_with_its_line() {
    for (text, line, told) in [
        ("# P\n## Start\n### Phase 1: A (BLOCKNG)\n", 3, "did you mean `BLOCKING`?"),
        ("# P\n## Start\n### Phase one: A\n", 3, "has no number"),
        ("# P\n## Start\n### Phase 1: A\n\n~~~\nnever closed\n", 5, "never closed"),
        (&phase("| Req | Step |\n|--|--|\n| MUSTT | x |"), 9, "did you mean `MUST`?"),
    ] {
        let problems = read("P.md", text).problems;
        let found = problems.iter().find(|problem| problem.message.contains(told));
        assert_eq!(found.map(|problem| problem.line), Some(line), "{text}: {problems:?}");
    }
}

#[test]
fn a_file_without_phases_is_no_protocol() {
    for text in
        ["", "# P\n", "# P\n\n```\n### Phase 1: A\n```\n", "## Session Start\n- [ ] MUST x\n"]
    {
        assert!(read("P.md", text).definition().is_none(), "{text}");
    }
}

#[test]
fn columns_sections_and_line_ends_may_be_as_they_like() {
    let text = "\u{feff}# P\r\n\r\n## Phase 1 - Bow [BLOCKING]\r\n\r\n| # | Step | Req | Done |\r\n|--|--|--|--|\r\n\
                | 1 | Bow `low | deep` to all | MUST | [ ] |\r\n| 2 | MUST | Sing | [ ] |\r\n\r\n\
                ## Phase 2\r\n\r\n* [ ] MUST wave\r\n\r\n## Wrap-up\r\n\r\n### Phase 1: Leave\r\n\r\nMUST go.\r\n";
    let file = read("P.md", text);
    let shown: Vec<(&str, &str, Part, bool)> = file
        .phases
        .iter()
        .map(|phase| (phase.name.as_str(), phase.section.as_str(), phase.part, phase.blocking))
        .collect();
    assert_eq!(
        shown,
        [
            ("Bow", "P", Part::Start, true),
            ("Phase 2", "P", Part::Start, false),
            ("Leave", "Wrap-up", Part::End, false)
        ]
    );
    let steps: Vec<&str> =
        file.phases.iter().flat_map(|phase| &phase.steps).map(|step| step.text.as_str()).collect();
    assert_eq!(steps, ["Bow `low | deep` to all", "Sing", "Wave", "Go"]);
    assert_eq!(file.problems, []);
}

#[test]
fn huge_files_are_bounded_and_say_so() {
    let many = (0..3000).map(|n| format!("### Phase {n}: P{n}\n\n1. The agent MUST do {n}\n\n"));
    let file = read("P.md", &format!("## Session Start\n\n{}", many.collect::<String>()));
    assert!(file.phases.len() <= MAX_PHASES);
    assert!(file.problems.iter().any(|problem| problem.message.contains("too many phases")));
    let steps = (0..3000).map(|n| format!("{}. The agent MUST do number{n}\n", n + 1));
    let file = read("P.md", &phase(&steps.collect::<String>()));
    assert_eq!(file.phases[0].steps.len(), MAX_STEPS);
    assert!(file.problems.iter().any(|problem| problem.message.contains("steps")));
    let rows =
        (0..9000).map(|n| format!("| MUST | Word{n} and number{n} with `code{n}` | [ ] | |\n"));
    let text = phase("x")
        + "## Session End Checklist\n\n| Req | Step |\n|--|--|\n"
        + &rows.collect::<String>();
    let file = read("P.md", &text);
    assert_eq!(file.phases.iter().map(|phase| phase.steps.len()).sum::<usize>(), MAX_STEPS);
    for odd in ["`", "|", "*", "(", "[", "> ", "- ", "``` ", "`` ` "] {
        read("P.md", &(phase("x") + &odd.repeat(100_000)));
        read("P.md", &(phase("x") + "| MUST | " + &odd.repeat(50_000)));
    }
}

/// Pieces that confuse readers of Markdown.
const PIECES: &[&str] = &[
    "```",
    "~~~",
    "|",
    "`",
    "``",
    "\n",
    "\n\n",
    "### Phase 1: X (BLOCKING)\n",
    "### Phase : (\n",
    "MUST",
    "MUST NOT ",
    "- [ ] ",
    "1. ",
    "   ",
    "\t",
    "**",
    "(",
    ")",
    "[",
    "](",
    "<!--",
    "-->",
    "<",
    "&amp;",
    "\u{2028}",
    "\u{feff}",
    "é",
    "\u{202e}",
    "\u{2039}session\u{203a}",
    "mcp__",
    "mcp____",
    "..",
    "/",
    "\\",
    ":",
    "# ",
    "> ",
    "| MUST |",
    "if ",
    "\0",
];

#[test]
fn ten_thousand_mutated_files_give_a_protocol_or_a_reason() {
    let mut dice = Dice(0x5eed_0019);
    let (mut protocols, mut told) = (0, 0);
    for _ in 0..10_000 {
        let whole = ODD.split_at(ODD.find("## Session End Protocol").unwrap());
        let part = [whole.0, whole.1, ODD][dice.below(3)];
        let text = dice.damaged_text(part, PIECES);
        let file = read("P.md", &text);
        let lines = text.lines().count() + 1;
        assert!(file.problems.iter().all(|problem| (1..=lines).contains(&problem.line)));
        told += usize::from(!file.problems.is_empty());
        let Some(definition) = file.definition() else { continue };
        protocols += 1;
        let names = definition.names();
        let own: std::collections::BTreeSet<&String> = names.iter().collect();
        assert_eq!(own.len(), names.len(), "{text}");
        let ids: Vec<&str> = definition
            .entries()
            .flat_map(|(_, entry)| &entry.steps)
            .map(|step| step.gate.id.as_str())
            .collect();
        let unique: std::collections::BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len(), "{text}");
    }
    assert!(protocols > 5_000 && told > 100, "{protocols} protocols, {told} with problems");
}
