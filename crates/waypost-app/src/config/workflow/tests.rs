//! Workflow files, good and bad.

use waypost_core::gate::Before;

use super::*;

const GOOD: &str = r#"name = "spec"
version = "v1"
description = "Execute a specification"
first_phase = 0
phases_from = "tasks.md"

[[phase]]
name = "Planning"
purpose = "Understand what is wanted"
tasks = ["Read the spec", { name = "List the risks", text = "All of them", accept = ["a list"] }]
skip = true
skip_when = "!has(options.docs)"

[[phase.entry]]
id = "spec-there"
proof = { file = "specs/*.md" }

[[phase.gate]]
id = "coverage"
level = "must"
accept = "claimed"
proof = { fields = { coverage = { type = "number", check = "value >= 80" } } }
message = "Add more tests."

[[phase]]
name = "Building"
"#;

fn parsed(text: &str) -> Parsed {
    parse(".waypost/workflows/spec.toml", "spec", text)
}

fn told(text: &str) -> Vec<String> {
    parsed(text).problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_good_file_is_understood_whole() {
    let Parsed { definition, problems } = parsed(GOOD);
    assert_eq!(problems, []);
    let definition = definition.unwrap();
    assert_eq!((definition.name.as_str(), definition.first), ("spec", 0));
    assert_eq!(definition.version.as_deref(), Some("v1"));
    assert_eq!(definition.phases_from.as_deref(), Some("tasks.md"));
    let [planning, building] = &definition.phases[..] else { panic!("{definition:?}") };
    assert_eq!(planning.tasks[1].accept, ["a list"]);
    assert_eq!(planning.skip, Some(SkipRule::OnRequestOrWhen("!has(options.docs)".into())));
    let gate = &planning.gates[0];
    assert_eq!(gate.id, "Planning/coverage");
    assert_eq!(gate.before, [Before::Phase("Planning".into())]);
    assert_eq!(gate.source.to_string(), ".waypost/workflows/spec.toml:18");
    let entry = planning.entry.as_ref().unwrap();
    assert_eq!((entry.gate.as_str(), entry.blocking), ("Planning/entry", true));
    assert_eq!(entry.steps[0].name, "spec-there");
    assert_eq!(entry.steps[0].gate.id, "Planning/spec-there");
    assert_eq!((building.name.as_str(), building.entry.is_none()), ("Building", true));
}

#[test]
fn whoever_does_not_say_counts_from_one() {
    let definition = parsed("[[phase]]\nname = \"Only\"").definition.unwrap();
    assert_eq!((definition.first, definition.number("Only")), (1, Some(1)));
}

#[test]
fn what_would_make_it_another_workflow_makes_it_unusable() {
    let phase = |more: &str| format!("[[phase]]\nname = \"A\"\n{more}\n[[phase]]\nname = \"Z\"");
    let many = "[[phase]]\nname = \"A\"\n".repeat(201);
    for (text, said) in [
        (String::new(), "at least one [[phase]]"),
        ("phase = []".into(), "a workflow has 1 to 200"),
        ("phase = 3".into(), "array of tables"),
        (many, "201 phases"),
        ("[[phase]]\nname = \"\"".into(), "needs a `name`"),
        ("[[phase]]\npurpose = \"x\"".into(), "needs a `name`"),
        ("[[phase]]\nname = \"7\"".into(), "looks like a number"),
        ("[[phase]]\nname = \"complete\"".into(), "stands for the end"),
        ("[[phase]]\nname = \"a\\nb\"".into(), "several lines"),
        ("[[phase]]\nname = \"A\"\n[[phase]]\nname = \"A\"".into(), "a second phase `A`"),
        (phase("skip = \"yes\""), "it is true or false"),
        (phase("skip_when = \"options.\""), "`skip_when`: column"),
        (phase("skip_when = 3"), "must be a string"),
        ("[[phase]]\nname = \"A\"\nskip = true".into(), "cannot be skipped"),
        (phase("[[phase.gate]]\nid = \"g\""), "needs `proof`"),
        (phase("[[phase.gate]]\nproof = { file = \"x\" }"), "needs an `id`"),
        (phase("gate = 3"), "array of tables ([[phase.gate]])"),
        (phase("[[phase.entry]]\nid = \"g\"\nproof = { fil = \"x\" }"), "exactly one of"),
        (
            phase(
                "[[phase.entry]]\nid = \"g\"\nproof = { file = \"x\" }\n\
                 [[phase.gate]]\nid = \"g\"\nproof = { file = \"x\" }",
            ),
            "a second gate `A/g`",
        ),
        (format!("first_phase = 2\n{}", phase("")), "it is 0 or 1"),
        (format!("name = \"other\"\n{}", phase("")), "they must agree"),
        (format!("phases_from = \"../x\"\n{}", phase("")), "below the target"),
        ("name = ".into(), ".waypost/workflows/spec.toml:1: "),
    ] {
        assert!(parsed(&text).definition.is_none(), "{text}");
        let told = told(&text);
        assert!(told.iter().any(|problem| problem.contains(said)), "{text}: {told:?}");
        let named = |problem: &String| problem.starts_with(".waypost/workflows/spec.toml:");
        assert!(told.iter().all(named), "{told:?}");
    }
}

#[test]
fn lesser_problems_are_told_with_line_and_what_was_meant() {
    let misspelt = GOOD.replace("purpose", "purpos");
    assert_eq!(
        told(&misspelt),
        [".waypost/workflows/spec.toml:9: `purpos` is not a key of [[phase]]; \
          did you mean `purpose`?"]
    );
    assert!(parsed(&misspelt).definition.is_some());
    let before = GOOD.replace("level = \"must\"", "before = [\"stop\"]");
    assert!(told(&before)[0].contains("`before` is not a key of [[phase.gate]]"));
    let no_claims = GOOD.replace("accept = \"claimed\"\n", "");
    assert!(told(&no_claims)[0].contains("only a human's word satisfies it"));
    assert!(parsed(&no_claims).definition.is_some());
    let check = |message: &str| {
        format!(
            "[[phase]]\nname = \"A\"\n[[phase.gate]]\nid = \"g\"\nproof = {{ check = \"build.open == 0\" }}\n{message}"
        )
    };
    assert!(told(&check(""))[0].contains("needs a `message` that says in words what to do"));
    assert!(parsed(&check("")).definition.is_some());
    assert!(told(&check("message = \"Complete the checkpoints.\"")).is_empty());
    for wrong in ["tasks = 3", "tasks = [3]", "tasks = [\"\"]", "tasks = [{ nam = \"x\" }]"] {
        let text = format!("[[phase]]\nname = \"A\"\n{wrong}");
        assert!(!told(&text).is_empty() && parsed(&text).definition.is_some(), "{wrong}");
    }
}
