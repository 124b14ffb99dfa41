//! What folders become, what is refused, and that no damage makes a crash.

mod any;
mod gates;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use waypost_core::track::{Definition, SkipRule};

use super::{Files, read, template};
use crate::config::workflow::Parsed;

/// Files by their paths below the folder.
#[derive(Debug, Default, Clone)]
struct Folder(BTreeMap<String, String>);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
    }
}

impl Files for Folder {
    fn text(&self, path: &str) -> Result<Option<String>, String> {
        Ok(self.0.get(path).cloned())
    }

    fn names(&self, path: &str) -> Vec<String> {
        let below = self.0.keys().filter_map(|known| known.strip_prefix(&format!("{path}/")));
        let mut names: Vec<String> =
            below.filter_map(|rest| rest.split('/').next()).map(str::to_owned).collect();
        names.dedup();
        names
    }
}

/// A workflow with the oddities of real ones: tasks from 0, a placeholder for phases, keys of its own.
const DYNAMIC: &str = r#"{
  "workflow_type": "garden_v0",
  "name": "Garden Planning",
  "version": "1.2.0",
  "description": "Plan a garden, then dig it",
  "total_phases": "dynamic",
  "author": "Somebody",
  "phases": [
    {
      "phase_number": 0,
      "phase_name": "Survey",
      "purpose": "Look at the ground",
      "phase_file": "phases/0/phase.md",
      "skippable": true,
      "skip_condition": "No garden in options",
      "estimated_effort": "5 minutes",
      "tasks": [
        {"task_number": 0, "name": "measure", "file": "task-0-measure.md", "estimated_time": "1 min"},
        {"task_number": 1, "name": "draw", "file": "task-1-draw.md", "purpose": "Draw it"}
      ]
    },
    {
      "phase_number": "1-N",
      "phase_name": "Digging",
      "purpose": "Each bed of tasks.md"
    }
  ],
  "dynamic_phases": true,
  "dynamic_config": {
    "source_type": "spec_tasks_md",
    "source_path_key": "garden_path",
    "templates": {"phase": "phases/dynamic/phase-template.md", "task": "phases/dynamic/task-template.md"},
    "parser": "spec_tasks_parser"
  }
}"#;

fn dynamic() -> Folder {
    Folder::with(&[
        ("metadata.json", DYNAMIC),
        ("phases/0/phase.md", "# Survey\n\nWalk around.\n"),
        ("phases/0/task-0-measure.md", "Take a tape."),
        ("phases/0/task-1-draw.md", "Take a pen."),
        (
            "phases/dynamic/phase-template.md",
            "Phase [PHASE_NUMBER] [PHASE_NAME]: [TASK_COUNT] tasks\n[VALIDATION_GATE]",
        ),
        (
            "phases/dynamic/task-template.md",
            "[TASK_ID] [TASK_NAME] ([ESTIMATED_TIME])\n[ACCEPTANCE_CRITERIA]\n[OTHER]",
        ),
    ])
}

fn parsed(folder: &Folder) -> Parsed {
    read(folder, "garden_v1", "W")
}

fn told(parsed: &Parsed) -> Vec<String> {
    parsed.problems.iter().map(ToString::to_string).collect()
}

fn definition(folder: &Folder) -> Definition {
    let parsed = parsed(folder);
    let told = told(&parsed);
    parsed.definition.unwrap_or_else(|| panic!("{told:?}"))
}

#[test]
fn a_folder_becomes_a_definition_and_nothing_of_it_is_lost() {
    let folder = dynamic();
    assert_eq!(told(&parsed(&folder)), [""; 0]);
    let definition = definition(&folder);
    assert_eq!(definition.name, "garden_v1");
    assert_eq!((definition.first, definition.version.as_deref()), (0, Some("1.2.0")));
    let phase = &definition.phases[0];
    assert_eq!((definition.phases.len(), phase.name.as_str()), (1, "Survey"));
    assert_eq!(
        (phase.text.as_str(), &phase.skip),
        ("# Survey\n\nWalk around.", &Some(SkipRule::OnRequest))
    );
    let tasks: Vec<_> = phase.tasks.iter().map(|task| (task.number, task.text.as_str())).collect();
    assert_eq!(tasks, [(Some(0), "Take a tape."), (Some(1), "Draw it\n\nTake a pen.")]);
    assert_eq!(definition.phases_from.as_deref(), Some("tasks.md"));
    assert_eq!(definition.target_option.as_deref(), Some("garden_path"));
    assert_eq!(definition.also["author"], "Somebody");
    assert_eq!(definition.also["phases_that_follow"]["phase_name"], "Digging");
    assert_eq!(phase.also["skip_condition"], "No garden in options");
    assert_eq!(phase.also["tasks"][0]["estimated_time"], "1 min");

    // Every value of the file stands somewhere in the definition.
    let all = serde_json::to_string(&definition).unwrap();
    let mut missing = Vec::new();
    leaves(&serde_json::from_str(DYNAMIC).unwrap(), &mut |leaf| {
        if !all.contains(leaf.trim_matches('"')) {
            missing.push(leaf.to_owned());
        }
    });
    assert_eq!(missing, [""; 0]);
}

fn leaves(value: &Value, each: &mut impl FnMut(&str)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| leaves(item, each)),
        Value::Object(fields) => fields.values().for_each(|field| leaves(field, each)),
        leaf => each(&leaf.to_string()),
    }
}

#[test]
fn templates_tell_of_phases_that_a_tasks_file_names() {
    use waypost_core::track::{Phase, PhaseTask};
    let mut definition = definition(&dynamic());
    let task = PhaseTask {
        name: "Dig".into(),
        text: "Estimated Time: 2 hours\nUse [TASK_NAME] as it is".into(),
        accept: vec!["A hole".into()],
        number: None,
    };
    definition.phases.push(Phase {
        name: "Bed".into(),
        tasks: vec![task.clone()],
        ..Phase::default()
    });
    let bed = definition.phases[1].clone();
    assert_eq!(template::phase(&definition, &bed), "Phase 1 Bed: 1 tasks\n");
    let told = template::task(&definition, &bed, 1, &task);
    assert_eq!(told, "1.1 Dig (2 hours)\n- [ ] A hole\n[OTHER]");
    let survey = &definition.phases[0];
    assert_eq!(template::phase(&definition, survey), survey.text);
    assert_eq!(template::task(&definition, survey, 0, &survey.tasks[0]), "Take a tape.");
}

fn with_phases(rest: &str, phases: &Value) -> Folder {
    let text = format!("{{\"version\": 2,\n{rest}\n\"phases\": {phases}}}");
    Folder::with(&[("metadata.json", text.as_str())])
}

#[test]
fn counting_is_by_the_phases_that_are_there() {
    let three = json!([{"phase_number": 1, "phase_name": "A"}, {"phase_number": 2}, {"phase_number": 4, "phase_name": "A"}]);
    let folder = with_phases("\"total_phases\": 7,", &three);
    let definition = definition(&folder);
    assert_eq!(definition.names(), ["A", "Phase 2", "A (4)"]);
    assert_eq!((definition.first, definition.version.as_deref()), (1, Some("2")));
    assert_eq!(
        told(&parsed(&folder)),
        [
            "W/metadata.json:3: phase_number 4 comes where 3 is due: it is counted as 3",
            "W/metadata.json:2: `total_phases` is 7, and 3 phases are named: those count",
        ]
    );
}

#[test]
fn a_workflow_begins_where_it_says() {
    let two =
        json!([{"phase_number": 0, "phase_name": "A"}, {"phase_number": 1, "phase_name": "B"}]);
    let definition = definition(&with_phases("\"start_phase\": 1,", &two));
    assert_eq!(
        definition.phases[0].skip,
        Some(SkipRule::Always("the workflow begins with phase 1".into()))
    );
    let next = definition.next_after(None, None, &serde_json::Map::new());
    assert_eq!(next.to.as_deref(), Some("B"));
    let refused = parsed(&with_phases("\"start_phase\": 5,", &two));
    assert!(refused.definition.is_none());
    assert_eq!(
        told(&refused),
        ["W/metadata.json:2: `start_phase` is the number of one of its phases"]
    );
}

#[test]
fn a_folder_without_metadata_is_read_by_its_phases() {
    let folder = Folder::with(&[
        ("phases/1/phase.md", "# Phase 1: Look\n"),
        ("phases/1/task-10-last.md", "z"),
        ("phases/1/task-2-first.md", "a"),
        ("phases/2/phase.md", "no heading\n"),
    ]);
    let definition = definition(&folder);
    assert_eq!(
        (definition.first, definition.names()),
        (1, vec!["Look".to_owned(), "Phase 2".to_owned()])
    );
    let tasks: Vec<_> =
        definition.phases[0].tasks.iter().map(|task| (task.number, task.name.as_str())).collect();
    assert_eq!(tasks, [(Some(2), "first"), (Some(10), "last")]);
}

#[test]
fn what_would_be_another_workflow_is_refused_with_file_and_line() {
    let rows = [
        ("", "W/metadata.json:1: it is no JSON: EOF while parsing a value"),
        ("[]", "W/metadata.json:1: it has to be an object, not a list"),
        ("{\"phases\":\n 5}", "W/metadata.json:2: `phases` is a list, not a whole number"),
        (
            "{}",
            "W/metadata.json:1: it names no phases, and there is no folder `phases/0` or `phases/1`",
        ),
        ("{\"phases\": [\n5]}", "W/metadata.json:2: a phase is an object, not a whole number"),
        (
            "{\"phases\": [\n{\"phase_number\": \"1-N\"}]}",
            "W/metadata.json:2: `phase_number` is a whole number where the phases are not dynamic",
        ),
        (
            "{\"phases\": [{}], \"dynamic_phases\": true,\n\"dynamic_config\": {\"parser\": \"other_parser\"}}",
            "W/metadata.json:2: phases that `other_parser` reads are not known here: only those of a tasks file are \
             (`spec_tasks_parser`); list the phases, and say `\"dynamic_phases\": false`",
        ),
    ];
    for (text, wanted) in rows {
        let parsed = parsed(&Folder::with(&[("metadata.json", text)]));
        assert!(parsed.definition.is_none(), "{text}");
        assert_eq!(told(&parsed).first().map(String::as_str), Some(wanted));
    }
}

#[test]
fn lesser_problems_are_only_told() {
    let tasks = json!([{"phase_number": 0, "skippable": true, "tasks": [{"name": "a", "file": "gone.md"}, {}, 7, "b"]}]);
    let folder = with_phases("\"total_phases\": true,", &tasks);
    let parsed = parsed(&folder);
    assert_eq!(
        told(&parsed),
        [
            "W/metadata.json:3: there is no file `phases/0/gone.md`",
            "W/metadata.json:3: a task needs a `name`",
            "W/metadata.json:3: a task needs a `name`",
            "W/metadata.json:3: the last phase cannot be skipped: nothing follows it",
            "W/metadata.json:2: `total_phases` is a number, or \"dynamic\"",
        ]
    );
    let definition = parsed.definition.unwrap();
    assert_eq!(definition.phases[0].tasks.len(), 2);
}

#[test]
fn long_texts_are_cut_and_say_where_the_rest_is() {
    let long = "ä".repeat(100_000);
    let mut folder = dynamic();
    folder.0.insert("phases/0/phase.md".to_owned(), long);
    let text = &definition(&folder).phases[0].text;
    assert!(text.len() < 66_000 && text.ends_with("(more in W/phases/0/phase.md)"));
}
