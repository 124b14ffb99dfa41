//! Reading requirements: what becomes of what is written, and of what is wrong.

use std::fs;
use std::path::Path;

use waypost_core::gate::{Before, Gate, Proof, Scope};

use super::places::Places;
use super::*;
use crate::foreign::mutations::Dice;
use crate::harness::Requirements;

const FACTS: Requirements = Requirements {
    folder: ".tool",
    opted_out: ".optout",
    strict_off: "STRICT_OFF",
    plans_in: ".tool/plans",
    plans: &["**/.tool/plans/**"],
    programs: &["check-requirements.py"],
    plugin: "requirements-framework",
};

struct Ground(tempfile::TempDir);

impl Ground {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with(self, path: &str, text: &str) -> Self {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn places(&self) -> Places {
        Places::at(&FACTS, &self.0.path().join("p"), &self.0.path().join("home"))
    }

    fn read(&self) -> Imported {
        Imported::read(&self.places()).unwrap()
    }
}

fn project(text: &str) -> Imported {
    Ground::new().with("p/.tool/requirements.yaml", text).read()
}

fn one(text: &str) -> Gate {
    let mut imported = project(&format!("requirements:\n{text}"));
    assert_eq!(imported.problems, []);
    assert_eq!(imported.gates.len(), 1, "{imported:?}");
    imported.gates.remove(0)
}

fn told(imported: &[crate::config::Problem]) -> Vec<String> {
    imported.iter().map(ToString::to_string).collect()
}

#[test]
fn without_the_projects_own_file_nothing_is_in_force() {
    let ground = Ground::new()
        .with("home/.tool/requirements.yaml", "requirements: {a: {enabled: true}}")
        .with("p/.tool/requirements.local.yaml", "requirements: {b: {enabled: true}}");
    assert_eq!(Imported::read(&ground.places()), None);
    let ground = ground.with("p/.tool/requirements.yaml", "");
    let ids: Vec<String> = ground.read().gates.into_iter().map(|gate| gate.id).collect();
    assert_eq!(ids, ["a", "b"], "an empty one brings the others into force");
}

#[test]
fn later_files_lie_over_earlier_ones_and_lists_take_their_place() {
    let ground = Ground::new()
        .with(
            "home/.tool/requirements.yaml",
            "requirements:\n  plan:\n    enabled: false\n    scope: branch\n    trigger_tools: [Edit, Write]\n    checklist: [one, two]\n",
        )
        .with("p/.tool/requirements.yaml", "\nrequirements:\n  plan:\n    enabled: true\n    checklist: [three]\n")
        .with("p/.tool/requirements.local.yaml", "requirements:\n  plan:\n    trigger_tools: [ExitPlanMode]\n");
    let imported = ground.read();
    let gate = &imported.gates[0];
    assert_eq!(gate.scope, Scope::Branch);
    assert_eq!(gate.before, [Before::Tool("ExitPlanMode".into())]);
    assert!(gate.message.ends_with("\n- three"), "{}", gate.message);
    assert_eq!(gate.source.to_string(), ".tool/requirements.local.yaml:2", "who gave it last");
}

#[test]
fn a_project_that_does_not_inherit_has_its_own_alone() {
    let ground = Ground::new()
        .with("home/.tool/requirements.yaml", "requirements: {a: {enabled: true}}")
        .with("p/.tool/requirements.yaml", "inherit: false\nrequirements: {b: {enabled: true}}")
        .with("p/.tool/requirements.local.yaml", "requirements: {c: {enabled: true}}");
    let ids: Vec<String> = ground.read().gates.into_iter().map(|gate| gate.id).collect();
    assert_eq!(ids, ["b", "c"]);
}

#[test]
fn only_what_is_enabled_is_in_force() {
    let imported = project("requirements: {a: {}, b: {enabled: false}, c: {enabled: true}}");
    assert_eq!((imported.gates.len(), imported.disabled), (1, 2));
    let off = project("enabled: false\nrequirements: {c: {enabled: true}}");
    assert!(off.gates.is_empty() && off.off);
}

#[test]
fn one_bad_requirement_is_left_out_and_told_with_its_line() {
    let imported = project(
        "requirements:\n  good: {enabled: true}\n  typed:\n    enabled: true\n    type: bloking\n  flag: {enabled: 1}\n  \
         scoped: {enabled: true, scope: day}\n  plain: true\n  tools: {enabled: true, trigger_tools: Edit}\n  \
         tool:\n    enabled: true\n    trigger_tools:\n    - 3\n  pattern:\n    enabled: true\n    trigger_tools:\n    \
         - tool: Bash\n      command_pattern: 'git (?!push)'\n  list: {enabled: true, checklist: [a, 1]}\n  \
         skill: {enabled: true, satisfied_by_skill: ' '}\n  guard: {enabled: true, type: guard}\n  \
         size: {enabled: true, type: dynamic, calculator: other, thresholds: {block: 3}}\n  \
         limit: {enabled: true, type: dynamic, calculator: branch_size_calculator, thresholds: {warn: 3}}\n",
    );
    let ids: Vec<&str> = imported.gates.iter().map(|gate| gate.id.as_str()).collect();
    assert_eq!(ids, ["good"]);
    let expected = [
        (".tool/requirements.yaml:5: requirement `typed`", "did you mean `blocking`"),
        (".tool/requirements.yaml:6: requirement `flag`", "`enabled` must be true or false"),
        (":7: requirement `scoped`", "is one of session, branch, permanent, single_use"),
        (":8: `plain` is left out", "must be a map"),
        (":9: requirement `tools`", "must be a list"),
        (":13: requirement `tool`", "a tool is text or a map"),
        (":18: requirement `pattern`", "lookahead `(?!…)` is not taken"),
        (":19: requirement `list`", "a whole number"),
        (":20: requirement `skill`", "must name a skill"),
        (":21: requirement `guard`", "`guard_type`"),
        (":22: requirement `size`", "branch_size_calculator"),
        (":23: requirement `limit`", "`block`"),
    ];
    let told = told(&imported.problems);
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, (place, why)) in told.iter().zip(expected) {
        assert!(told.contains(place) && told.contains(why), "{told} / {place} / {why}");
    }
}

#[test]
fn a_file_that_cannot_be_read_counts_as_empty_and_is_told() {
    let ground = Ground::new()
        .with("home/.tool/requirements.yaml", "requirements: {a: {enabled: true}}")
        .with("p/.tool/requirements.yaml", "requirements: [")
        .with("p/.tool/requirements.local.yaml", "- a\n- b\n");
    let imported = ground.read();
    assert_eq!(imported.gates.len(), 1);
    let told = told(&imported.problems);
    assert!(told[0].starts_with(".tool/requirements.yaml:"), "{told:?}");
    assert!(told[1].starts_with(".tool/requirements.local.yaml:1: it must be a map"), "{told:?}");
    let whole = project("requirements: [a]");
    assert!(whole.gates.is_empty() && told_about(&whole, "must be a map of them"));
}

fn told_about(imported: &Imported, what: &str) -> bool {
    imported.problems.iter().any(|problem| problem.message.contains(what))
}

#[test]
fn tools_that_change_files_mean_every_change_of_one() {
    let before =
        |tools: &str| one(&format!("  a: {{enabled: true, trigger_tools: {tools}}}")).before;
    let (edit, stop) = (Before::Edit, Before::Stop);
    let tool = |name: &str| Before::Tool(name.to_owned());
    assert_eq!(one("  a: {enabled: true}").before, [edit.clone(), stop.clone()]);
    assert_eq!(before("[Edit, Write, MultiEdit]"), [edit.clone(), stop.clone()]);
    assert_eq!(
        before("[{tool: Edit}, Write, NotebookEdit, Bash]"),
        [edit, tool("Bash"), stop.clone()]
    );
    assert_eq!(before("[Edit]"), [tool("Edit"), stop.clone()]);
    let line = Before::Line(r"git\s+push".to_owned());
    assert_eq!(before(r"[{tool: Bash, command_pattern: 'git\s+push'}]"), [line, stop.clone()]);
    assert_eq!(
        before("[{tool: Bash, command_pattern: ''}, Edit, Edit]"),
        [tool("Bash"), tool("Edit"), stop]
    );
}

#[test]
fn tools_that_trigger_nothing_are_noted() {
    let imported = project(
        "requirements:\n  a:\n    enabled: true\n    trigger_tools:\n    - Read\n    - {tool: Edit, command_pattern: x}\n",
    );
    assert!(imported.gates.is_empty() && imported.problems.is_empty());
    let notes = told(&imported.notes);
    assert!(
        notes[0].contains(":5: requirement `a`: the tool `Read` triggers no requirement"),
        "{notes:?}"
    );
    assert!(
        notes[1].contains(":6:") && notes[1].contains("only Bash has a command line"),
        "{notes:?}"
    );
    assert!(notes[2].contains("never stands before anything"), "{notes:?}");
}

#[test]
fn the_stop_asks_for_the_scopes_that_are_verified() {
    let stands = |hooks: &str, scope: &str| {
        let text =
            format!("hooks: {hooks}\nrequirements: {{a: {{enabled: true, scope: {scope}}}}}");
        let gate = project(&text).gates.remove(0);
        assert_eq!(gate.before.contains(&Before::Stop), gate.when.triggered);
        gate.when.triggered
    };
    assert!(stands("{}", "session"));
    assert!(!stands("{}", "branch"));
    assert!(stands("{stop: {verify_scopes: [branch]}}", "branch"));
    assert!(!stands("{stop: {verify_scopes: [branch]}}", "session"));
    assert!(!stands("{stop: {verify_requirements: false}}", "session"));
    let imported = project("requirements: {a: {enabled: true, stop_only: true, scope: branch}}");
    assert!(imported.gates.is_empty() && imported.notes[0].message.contains("never holds"));
    assert!(one("  a: {enabled: true, stop_only: true}").when.stop_only);
}

#[test]
fn carrying_over_and_letting_go_are_as_configured() {
    let gate = |hooks: &str, more: &str| {
        let text = format!("hooks: {hooks}\nrequirements: {{a: {{enabled: true{more}}}}}");
        let gate = project(&text).gates.remove(0);
        (gate.carry_over, gate.until_end)
    };
    assert_eq!(gate("{}", ""), (Some(300_000), false));
    assert_eq!(
        gate("{session_start: {carry_over: {window_seconds: 60}}}", ""),
        (Some(60_000), false)
    );
    assert_eq!(gate("{session_start: {carry_over: {enabled: false}}}", ""), (None, false));
    assert_eq!(gate("{session_start: {carry_over: {scopes: [branch]}}}", ""), (None, false));
    assert_eq!(gate("{session_start: {inject_context: false}}", ""), (None, false));
    assert_eq!(gate("{session_end: {clear_session_state: true}}", ""), (None, true));
    assert_eq!(gate("{}", ", type: guard, guard_type: single_session"), (None, false));
    assert_eq!(gate("{}", ", scope: permanent"), (None, false));
}

#[test]
fn what_is_for_one_use_is_used_up_by_commands_not_by_changes_of_files() {
    let scope = |tools: &str| {
        one(&format!("  a: {{enabled: true, scope: single_use, trigger_tools: {tools}}}")).scope
    };
    assert_eq!(scope("[{tool: Bash, command_pattern: x}]"), Scope::SingleUse);
    assert_eq!(scope("[ExitPlanMode]"), Scope::SingleUse);
    assert_eq!(scope("[Edit, Write]"), Scope::Conversation);
}

fn skills(gate: &Gate) -> Vec<String> {
    let mut names = Vec::new();
    gate.proof.each(&mut |proof| {
        if let Proof::Skill(skill) = proof {
            assert!(skill.anybody);
            names.push(skill.name.clone());
        }
    });
    names
}

#[test]
fn the_frameworks_own_skills_satisfy_what_they_always_did() {
    for (name, expected) in [
        ("commit_plan", &["arch-review", "plan-review", "writing-plans"][..]),
        ("adr_reviewed", &["arch-review", "plan-review"]),
        ("tdd_planned", &["arch-review", "plan-review", "test-driven-development"]),
        ("solid_reviewed", &["arch-review", "plan-review"]),
        ("pre_commit_review", &["pre-commit", "requesting-code-review"]),
        ("pre_pr_review", &["deep-review", "v3-review", "quality-check"]),
        ("codex_reviewer", &["codex-review"]),
        ("design_approved", &["brainstorming"]),
        ("plan_written", &["writing-plans"]),
        ("debugging_systematic", &["systematic-debugging"]),
        ("verification_evidence", &["verification-before-completion"]),
        ("own", &[]),
    ] {
        assert_eq!(skills(&one(&format!("  {name}: {{enabled: true}}"))), expected, "{name}");
    }
    let named = one(
        "  adr_reviewed: {enabled: true, auto_resolve_skill: 'x:arch-review', satisfied_by_skill: guardian}",
    );
    assert_eq!(skills(&named), ["x:arch-review", "guardian", "plan-review"]);
    assert!(matches!(one("  own: {enabled: true}").proof, Proof::Approval(_)));
}

#[test]
fn messages_come_from_the_nearest_file_and_are_filled_in() {
    let requirement = "requirements:\n  plan:\n    enabled: true\n    auto_resolve_skill: x:review\n    message: |\n      inline `/{auto_resolve_skill}` {branch} {other}\n";
    let ground = Ground::new().with("p/.tool/requirements.yaml", requirement);
    assert_eq!(ground.read().gates[0].message, "inline `/x:review` {branch} {other}");
    let ground =
        ground.with("home/.tool/messages/plan.yaml", "blocking_message: at home {req_name}");
    assert_eq!(ground.read().gates[0].message, "at home plan");
    let ground = ground.with("p/.tool/messages/plan.yaml", "blocking_message: of the project");
    let ground = ground.with("p/.tool/messages.local/plan.yaml", "blocking_message: 'mine'");
    assert_eq!(ground.read().gates[0].message, "mine");
    let ground = ground.with("p/.tool/messages.local/plan.yaml", "blocking_message: [");
    let imported = ground.read();
    assert_eq!(imported.gates[0].message, "of the project");
    assert!(imported.notes[0].file.ends_with("messages.local/plan.yaml"), "{:?}", imported.notes);
    let bare =
        Ground::new().with("p/.tool/requirements.yaml", "requirements: {a: {enabled: true}}").with(
            "p/.tool/messages/_templates.yaml",
            "blocking: {blocking_message: 'all: {req_name}'}",
        );
    assert_eq!(bare.read().gates[0].message, "all: a");
}

#[test]
fn a_size_is_told_with_its_thresholds() {
    let gate = one(
        "  size:\n    enabled: true\n    type: dynamic\n    calculator: branch_size_calculator\n    approval_ttl: 60\n    \
         thresholds: {warn: 250, block: 399.5}\n    blocking_message: '{total} of {block_threshold}, {warn_threshold}'\n",
    );
    assert_eq!(gate.message, "{total} of 399.5, 250");
    let shown = format!("{:?}", gate.proof);
    assert!(shown.contains("branch.size < 400") && shown.contains("60000"), "{shown}");
    let never = project(
        "requirements: {size: {enabled: true, type: dynamic, calculator: branch_size_calculator, thresholds: {block: .inf}}}",
    );
    assert!(never.gates.is_empty() && never.notes[0].message.contains("never reached"));
}

#[test]
fn a_plan_is_asked_for_beside_whoever_says_so() {
    let gate = one(
        "  commit_plan:\n    enabled: true\n    evidence: {require_markers: '## Commit Plan', max_age_seconds: 86400}\n",
    );
    let Proof::All(proofs) = &gate.proof else { panic!("{:?}", gate.proof) };
    let shown = format!("{:?}", proofs[1]);
    assert!(shown.contains(".tool/plans") && shown.contains("86400000"), "{shown}");
    let outside = project("requirements: {a: {enabled: true, evidence: {dirs: [/tmp, ../x]}}}");
    assert_eq!(outside.notes.len(), 2, "{:?}", outside.notes);
    assert!(matches!(outside.gates[0].proof, Proof::Any(_) | Proof::Approval(_)));
}

#[test]
fn strict_projects_hold_checkouts_that_enable_nothing() {
    let ground = Ground::new().with("p/.tool/requirements.yaml", "strict_preflight: true\n");
    let gate = ground.read().gates.remove(0);
    assert_eq!((gate.id.as_str(), gate.source.line), ("strict_preflight", 1));
    assert!(gate.message.contains("has no .tool/requirements.local.yaml"), "{}", gate.message);
    let ground =
        ground.with("p/.tool/requirements.local.yaml", "requirements: {a: {enabled: false}}");
    assert!(ground.read().gates[0].message.contains("enables no requirement"));
    let ground =
        ground.with("p/.tool/requirements.local.yaml", "requirements: {a: {enabled: true}}");
    assert!(ground.read().gates.iter().all(|gate| gate.id == "a"));
    let ground = ground.with("p/.tool/requirements.local.yaml", "").with("p/.tool/.optout", "");
    assert!(ground.read().gates.is_empty(), "opted out");
}

#[test]
fn names_that_no_gate_can_have_are_written_as_one_can() {
    assert_eq!(one("  'my own: rule': {enabled: true}").id, "my-own--rule");
    let twice = project(
        "requirements: {'a b': {enabled: true}, 'a:b': {enabled: true}, '': {enabled: true}}",
    );
    assert_eq!(twice.gates.len(), 1);
    assert_eq!(twice.problems.len(), 2, "{:?}", twice.problems);
}

/// Pieces that mean something in these files.
const PIECES: &[&[u8]] = &[
    b":",
    b"- ",
    b"\n",
    b"  ",
    b"\t",
    b"[",
    b"]",
    b"{",
    b"}",
    b"'",
    b"\"",
    b"&a ",
    b"*a",
    b"|\n",
    b"!!int ",
    b"<<: ",
    b"# ",
    b"\xff",
    b"\0",
    b"true",
    b"null",
    b"9e99",
    b"(?=x)",
    b"\\",
    b"---\n",
    b"? ",
    b"%YAML 9\n",
    b"\xef\xbb\xbf",
];

#[test]
fn no_change_of_a_file_makes_reading_it_fail_or_hang() {
    let seeds = [
        include_str!("tests/whole.yaml"),
        "requirements: {a: {enabled: true, trigger_tools: [{tool: Bash, command_pattern: 'x+'}]}}",
    ];
    let folder = Ground::new().with("p/.tool/requirements.yaml", "");
    let path = folder.0.path().join("p/.tool/requirements.yaml");
    let mut dice = Dice(0x5eed_1234_abcd_0001);
    let (mut read, mut refused) = (0, 0);
    for round in 0..10_000 {
        fs::write(&path, dice.damaged(seeds[round % 2], PIECES)).unwrap();
        let imported = read_anew(&folder, &path);
        if imported.problems.is_empty() { read += 1 } else { refused += 1 }
    }
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}

fn read_anew(folder: &Ground, path: &Path) -> Imported {
    assert!(path.exists());
    folder.read()
}

#[test]
fn a_time_that_is_no_number_is_noted_and_counts_for_nothing() {
    let imported = project(
        "requirements:\n  a:\n    enabled: true\n    satisfied_by_skill: s\n    replan_ttl: '600'\n",
    );
    let notes = told(&imported.notes);
    assert!(notes[0].contains(":5: requirement `a`: `replan_ttl` must be a number"), "{notes:?}");
    assert_eq!((imported.gates.len(), notes.len()), (1, 1));
}

#[test]
fn expressions_are_written_here_as_they_were_meant_there() {
    for (there, here) in [
        (r"git\s+(commit|push)\b", Ok(r"git\s+(commit|push)\b")),
        (r"a{,3}b{2}c{1,}d{,}", Ok(r"a{0,3}b{2}c{1,}d{0,}")),
        (r"a{x {} {1;}", Ok(r"a\{x \{} \{1;}")),
        (r"end\Z", Ok(r"end\z")),
        (r"\<a\>\é", Ok(r"<a>é")),
        (r"\0\101\012", Ok(r"\x{0}\x{41}\x{a}")),
        (r"[[:alpha:]]", Ok(r"[\[:alpha:]]")),
        (r"[]a&&b~-]", Ok(r"[\]a\&\&b\~\-]")),
        (r"[^]\b]", Ok(r"[^\]\x08]")),
        (r"[--/][+--]", Ok(r"[\--/][+-\-]")),
        (r"(?a)x(?u:y)(?ai)z(?#note)", Ok(r"x(?:y)(?i)z")),
        (r"(?P<a>x)(?:y)(?i)", Ok(r"(?P<a>x)(?:y)(?i)")),
        (r"a*?b++", Ok(r"a*?b++")),
        (r"a**", Err("repeats what is repeated")),
        (r"a{2}{3}", Err("repeats what is repeated")),
        (r"(a)\1", Err("a backreference")),
        (r"(?P<a>x)(?P=a)", Err("a backreference")),
        (r"(?<!a)b", Err("lookbehind")),
        (r"[a", Err("is not taken")),
        ("\\", Err("is not taken")),
    ] {
        let taken = super::patterns::taken(there);
        match here {
            Ok(here) => assert_eq!(taken.as_deref(), Ok(here), "{there}"),
            Err(why) => assert!(taken.as_ref().is_err_and(|told| told.contains(why)), "{taken:?}"),
        }
    }
}
