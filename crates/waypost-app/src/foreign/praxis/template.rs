//! The texts of phases and tasks that a tasks file names: a template with `[WORDS]` in the place of what it says.

use waypost_core::gate::Proof;
use waypost_core::track::{Definition, Phase, PhaseTask, Templates};

/// What stands for something that the file does not say.
const UNSAID: &str = "not said";

/// The text of a phase; that of its own where it has no template.
pub fn phase(definition: &Definition, phase: &Phase) -> String {
    let template = templates(definition, phase).map(|templates| templates.phase.as_str());
    let Some(template) = template.filter(|template| !template.is_empty()) else {
        return phase.text.clone();
    };
    let number = definition.number(&phase.name).unwrap_or_default();
    let criteria: Vec<String> = criteria(phase).iter().map(|it| format!("- [ ] {it}")).collect();
    filled(
        template,
        &[
            ("[PHASE_NUMBER]", number.to_string()),
            ("[PHASE_NAME]", phase.name.clone()),
            ("[PHASE_DESCRIPTION]", or_unsaid(&phase.purpose)),
            ("[ESTIMATED_DURATION]", UNSAID.to_owned()),
            ("[TASK_COUNT]", phase.tasks.len().to_string()),
            ("[NEXT_PHASE_NUMBER]", (number + 1).to_string()),
            ("[VALIDATION_GATE]", criteria.join("\n")),
        ],
    )
}

/// The text of a task, by its number; its own where it has no template.
pub fn task(definition: &Definition, phase: &Phase, number: usize, task: &PhaseTask) -> String {
    let template = templates(definition, phase).map(|templates| templates.task.as_str());
    let Some(template) = template.filter(|template| !template.is_empty()) else {
        return task.text.clone();
    };
    let of_phase = definition.number(&phase.name).unwrap_or_default();
    let criteria: Vec<String> = task.accept.iter().map(|it| format!("- [ ] {it}")).collect();
    filled(
        template,
        &[
            ("[PHASE_NUMBER]", of_phase.to_string()),
            ("[PHASE_NAME]", phase.name.clone()),
            ("[TASK_ID]", format!("{of_phase}.{number}")),
            ("[TASK_NAME]", task.name.clone()),
            ("[TASK_DESCRIPTION]", or_unsaid(&task.text)),
            ("[ESTIMATED_TIME]", said(&task.text, "estimated time").unwrap_or(UNSAID.to_owned())),
            ("[DEPENDENCIES]", said(&task.text, "dependencies").unwrap_or("None".to_owned())),
            ("[ACCEPTANCE_CRITERIA]", criteria.join("\n")),
            ("[NEXT_TASK_NUMBER]", (number + 1).to_string()),
        ],
    )
}

/// The templates, if the phase is one of those that they are for.
fn templates<'d>(definition: &'d Definition, phase: &Phase) -> Option<&'d Templates> {
    let templates = definition.templates.as_ref()?;
    let place = definition.phases.iter().position(|known| known.name == phase.name)?;
    (place >= templates.after).then_some(templates)
}

/// Every word replaced once: what is put in is not looked at again.
fn filled(template: &str, words: &[(&str, String)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find('[') {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let found = words.iter().find(|(word, _)| from.starts_with(word));
        let (word, value) = found.map_or(("[", "["), |(word, value)| (*word, value.as_str()));
        text.push_str(value);
        rest = &from[word.len()..];
    }
    text.push_str(rest);
    text
}

fn or_unsaid(text: &str) -> String {
    if text.is_empty() { UNSAID.to_owned() } else { text.to_owned() }
}

/// What stands behind a label in a task's text.
fn said(text: &str, label: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (before, after) = line.split_once(':')?;
        let before = before.trim_matches(|unit: char| !unit.is_alphanumeric());
        let after = after.trim_matches(['*', ' ']);
        (before.eq_ignore_ascii_case(label) && !after.is_empty()).then(|| after.to_owned())
    })
}

/// What the file wants at the end of a phase.
fn criteria(phase: &Phase) -> Vec<String> {
    let mut all = Vec::new();
    for gate in &phase.gates {
        gate.proof.each(&mut |proof| {
            if let Proof::Fields(wanted) = proof {
                all.extend(wanted.fields.iter().map(|field| {
                    if field.about.is_empty() { field.name.clone() } else { field.about.clone() }
                }));
            }
        });
    }
    all
}
