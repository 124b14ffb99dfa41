//! The plan for people to read: Markdown, made from the plan alone, the same for the same plan.

use waypost_core::text::one_line;

use super::{Checkpoint, Group, Plan, PlanStatus, PlannedFile, Task};

/// The first line: what has it is ours to write.
pub(super) const FIRST_LINE: &str =
    "<!-- Generated from plan.json by Waypost. Edits here are lost: change plan.json. -->";

/// A plan as Markdown. Text of the plan stands on one line each and cannot become markup that does
/// more than letters do.
pub fn markdown(plan: &Plan) -> String {
    let mut text = format!("{FIRST_LINE}\n\n# Plan\n\n");
    if let Some(session) = &plan.session_id {
        text.push_str(&format!("Session: {}  \n", code(session)));
    }
    text.push_str(&format!("Progress: {}\n", plan.progress()));
    for one in &plan.checkpoints {
        checkpoint(&mut text, one);
    }
    text
}

fn checkpoint(text: &mut String, checkpoint: &Checkpoint) {
    let title = shown(&checkpoint.title);
    let id = shown(&checkpoint.id);
    text.push_str(&format!("\n## {} Checkpoint {id}: {title}\n\n", mark(&checkpoint.status)));
    let mut facts = Vec::new();
    facts.push(format!("- Status: {}", shown(checkpoint.status.name())));
    if let Some(goal) = filled(checkpoint.goal.as_ref()) {
        facts.push(format!("- Goal: {goal}"));
    }
    if !checkpoint.prerequisites.is_empty() {
        let ids: Vec<String> = checkpoint.prerequisites.iter().map(|id| shown(id)).collect();
        facts.push(format!("- After: checkpoint {}", ids.join(", ")));
    }
    text.push_str(&facts.join("\n"));
    text.push('\n');
    files(text, "Files before", &checkpoint.files_before);
    files(text, "Files after", &checkpoint.files_after);
    for one in &checkpoint.task_groups {
        group(text, one);
    }
    let testing = &checkpoint.testing;
    let approach = filled(testing.approach.as_ref());
    if approach.is_some() || !testing.verification_steps.is_empty() {
        text.push_str("\n### Verification\n\n");
        if let Some(approach) = approach {
            text.push_str(&format!("{approach}\n"));
            text.push_str(if testing.verification_steps.is_empty() { "" } else { "\n" });
        }
        for step in &testing.verification_steps {
            text.push_str(&format!("- {}\n", shown(step)));
        }
    }
}

fn files(text: &mut String, heading: &str, files: &[PlannedFile]) {
    if files.is_empty() {
        return;
    }
    text.push_str(&format!("\n{heading}:\n\n"));
    for file in files {
        let status = filled(file.status.as_ref()).map(|status| format!(" ({status})"));
        let about = filled(file.description.as_ref()).map(|about| format!(": {about}"));
        let (status, about) = (status.unwrap_or_default(), about.unwrap_or_default());
        text.push_str(&format!("- {}{status}{about}\n", code(&file.path)));
    }
}

fn group(text: &mut String, group: &Group) {
    if !group.id.is_empty() {
        let title = filled(group.title.as_ref()).or_else(|| filled(group.objective.as_ref()));
        let title = title.map(|title| format!(" {title}")).unwrap_or_default();
        text.push_str(&format!("\n### {}{title}\n", shown(&group.id)));
    }
    let objective = filled(group.title.as_ref()).and(filled(group.objective.as_ref()));
    if let Some(objective) = objective {
        text.push_str(&format!("\n{objective}\n"));
    }
    if !group.tasks.is_empty() {
        text.push('\n');
    }
    for one in &group.tasks {
        task(text, one);
    }
}

fn task(text: &mut String, task: &Task) {
    let file = task.file_path.as_ref().map(|path| format!(" ({})", code(path)));
    text.push_str(&format!(
        "- {} **{}** {}{}{}\n",
        tick(&task.status),
        shown(&task.id),
        shown(&task.title),
        file.unwrap_or_default(),
        remark(&task.status)
    ));
    if let Some(description) = filled(task.description.as_ref()) {
        text.push_str(&format!("  {description}\n"));
    }
    if !task.depends_on.is_empty() {
        let ids: Vec<String> = task.depends_on.iter().map(|id| shown(id)).collect();
        text.push_str(&format!("  - After: {}\n", ids.join(", ")));
    }
    for reading in &task.read_before {
        let lines = filled(reading.lines.as_ref()).map(|lines| format!(" ({lines})"));
        let purpose = filled(reading.purpose.as_ref()).map(|purpose| format!(": {purpose}"));
        let (lines, purpose) = (lines.unwrap_or_default(), purpose.unwrap_or_default());
        text.push_str(&format!("  - Read first: {}{lines}{purpose}\n", code(&reading.file)));
    }
    for action in &task.actions {
        let done = if task.status.is_completed() { &task.status } else { &action.status };
        let file = filled(action.file.as_ref()).filter(|_| action.file != task.file_path);
        let file = file.map(|file| format!(" ({})", code(&file))).unwrap_or_default();
        let command = shown(&action.command);
        text.push_str(&format!("  - {} {command}{file}{}\n", tick(done), remark(done)));
    }
}

fn mark(status: &PlanStatus) -> &'static str {
    match status {
        PlanStatus::Completed => "✅",
        PlanStatus::InProgress => "▶️",
        PlanStatus::Blocked => "⛔",
        PlanStatus::Skipped => "⏭️",
        PlanStatus::Pending | PlanStatus::Other(_) => "⬜",
    }
}

fn tick(status: &PlanStatus) -> &'static str {
    if status.is_completed() { "[x]" } else { "[ ]" }
}

/// The statuses that a box cannot show.
fn remark(status: &PlanStatus) -> String {
    match status {
        PlanStatus::Pending | PlanStatus::Completed => String::new(),
        PlanStatus::InProgress => " (under way)".to_owned(),
        other => format!(" ({})", shown(other.name())),
    }
}

/// Foreign text on one line, if there is any.
fn filled(text: Option<&String>) -> Option<String> {
    text.map(|text| shown(text)).filter(|text| !text.is_empty())
}

/// Foreign text on one line. Tags do nothing, and neither does what would begin a heading, a list or a
/// quotation; emphasis and code stay as they were meant.
fn shown(text: &str) -> String {
    let text = one_line(text).replace('<', "&lt;");
    match text.chars().next() {
        Some('#' | '>' | '-' | '+' | '|' | '=' | '*') => format!("\\{text}"),
        _ => text,
    }
}

/// Foreign text as code, whatever backticks are in it.
fn code(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("`{text}`") } else { format!("{fence} {text} {fence}") }
}
