//! What people are told of a session that was taken out: the same for every way of showing it.

use serde_json::{Map, Value};
use waypost_core::chronicle::Note;
use waypost_core::course::{Passage, PhaseResult};
use waypost_core::redact::redact;
use waypost_core::session::Lifecycle;
use waypost_core::text::spoken::{count, long};
use waypost_core::text::{one_line, printable};
use waypost_core::time::Timestamp;

use super::files::Files;
use super::leaving::Told;

/// How much of a file is shown, in characters.
const MAX_FILE: usize = 200_000;
/// Sorts of notes that have a section of their own, in this order.
const SECTIONS: [(&str, &str); 4] = [
    ("decision", "Decisions"),
    ("question", "Open questions"),
    ("blocker", "Blockers"),
    ("handoff", "Handoffs"),
];

/// What people are told.
pub(super) struct Sheet {
    pub(super) title: String,
    pub(super) status: String,
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) phases: Vec<PhaseLine>,
    pub(super) sections: Vec<Section>,
    pub(super) files: Vec<(String, String)>,
    pub(super) foot: String,
}

/// A phase.
pub(super) struct PhaseLine {
    pub(super) name: String,
    pub(super) mark: &'static str,
    pub(super) times: String,
    pub(super) active_ms: i64,
}

/// A list under a title.
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) items: Vec<Item>,
}

/// Something that was written, done or seen.
pub(super) struct Item {
    pub(super) when: String,
    pub(super) label: String,
    pub(super) text: String,
}

impl Sheet {
    pub(super) fn of(told: &Told, files: &Files) -> Self {
        let state = &told.state;
        let title = state.objective.clone().unwrap_or_else(|| told.id.to_string());
        let mut sheet = Self {
            title: printable(&one_line(&title)),
            status: told.manifest["waypost"]["lifecycle"].as_str().unwrap_or_default().to_owned(),
            facts: facts(told),
            phases: told.course.phases.iter().map(PhaseLine::of).collect(),
            sections: Vec::new(),
            files: Vec::new(),
            foot: format!(
                "{}; the last one's hash is {}",
                count(state.version, "record"),
                told.head
            ),
        };
        sheet.notes(&told.notes);
        sheet.rest(told);
        for (name, text) in &files.texts {
            sheet.files.push((printable(name), shown(text)));
        }
        let others = files.others.iter();
        sheet.section(
            "Other files",
            others.map(|(name, bytes)| Item::new(None, name, &count(bytes.len(), "byte"))),
        );
        sheet
    }

    fn notes(&mut self, notes: &[Note]) {
        for (kind, title) in SECTIONS {
            self.section(title, notes.iter().filter(|note| note.kind == kind).map(Item::of_note));
        }
        let others =
            notes.iter().filter(|note| SECTIONS.iter().all(|(kind, _)| *kind != note.kind));
        self.section("Notes", others.map(Item::of_note));
    }

    fn rest(&mut self, told: &Told) {
        let proven = told.course.phases.iter().filter(|passage| !passage.evidence.is_empty());
        self.section(
            "What was given for phases",
            proven.map(|passage| Item::new(None, &passage.phase, &given(&passage.evidence))),
        );
        let steps = told.chronicle.imported.iter().flat_map(|imported| &imported.past.checklist);
        self.section(
            "Checklist",
            steps.map(|step| {
                let mark = match step.done {
                    Some(true) => "done",
                    Some(false) => "open",
                    None => "does not apply",
                };
                let evidence = Some(step.evidence.as_str()).filter(|text| !text.is_empty());
                let evidence = evidence.map(|text| format!(": {text}")).unwrap_or_default();
                Item::new(None, mark, &format!("{} {}{evidence}", step.level, step.step))
            }),
        );
        let commits = told.manifest["commits"].as_array().into_iter().flatten();
        self.section(
            "Commits",
            commits.map(|commit| {
                let text = |key: &str| commit[key].as_str().unwrap_or_default();
                let time = Timestamp::lenient(text("created_at"));
                let sha: String = text("sha").chars().take(12).collect();
                Item::new(time, &sha, text("message"))
            }),
        );
        self.section(
            "Evidence",
            told.chronicle.evidence.iter().map(|ran| {
                let how = format!("{}, ended with {}", ran.run.provenance, ran.run.status);
                Item::new(Some(ran.time), &how, &ran.run.command)
            }),
        );
        self.section(
            "Violations",
            told.violations.iter().map(|missed| {
                let recovery = missed.recovery.as_ref().map(|how| format!(" ({how})"));
                let text = format!("{}{}", missed.requirement, recovery.unwrap_or_default());
                Item::new(missed.time, &missed.severity, &text)
            }),
        );
        let remarks = told.chronicle.imported.iter().flat_map(|imported| &imported.remarks);
        self.section("How it was imported", remarks.map(|remark| Item::new(None, "", remark)));
    }

    fn section(&mut self, title: &'static str, items: impl Iterator<Item = Item>) {
        let items: Vec<Item> = items.collect();
        if !items.is_empty() {
            self.sections.push(Section { title, items });
        }
    }
}

/// A file's text, without credentials, and not more than anybody reads.
fn shown(text: &str) -> String {
    let text = redact(text);
    let all = text.chars().count();
    let mut shown: String = text.chars().take(MAX_FILE).collect();
    if all > MAX_FILE {
        shown.push_str(&format!("\n… and {} more", count(all - MAX_FILE, "character")));
    }
    shown
}

/// Evidence, a line for each field.
fn given(evidence: &Map<String, Value>) -> String {
    let line = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    };
    evidence.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn facts(told: &Told) -> Vec<(&'static str, String)> {
    let state = &told.state;
    let workflow = printable(&one_line(&state.workflow));
    let mut facts = vec![("Session", told.id.to_string()), ("Workflow", workflow)];
    let mut put = |name, value: Option<String>| {
        let told = |value: String| (name, printable(&one_line(&value)));
        facts.extend(value.filter(|value| !value.is_empty()).map(told));
    };
    put("Branch", state.branch.clone());
    put("Started", state.started_at.map(moment));
    put("Updated", state.updated_at.map(moment));
    put("Ended", state.ended_at.map(moment));
    put("Description", told.manifest["description"].as_str().map(str::to_owned));
    let pause = state.pause.as_ref().filter(|_| state.lifecycle == Lifecycle::Paused);
    put("Paused", pause.map(|pause| pause.reason.clone()));
    put("Summary", told.summary.clone());
    put("Next", told.next_notes.clone());
    let build = &state.build;
    if build.total > 0 {
        put("Build", Some(format!("{} of {} checkpoints", build.done(), build.total)));
    }
    let from = told.chronicle.imported.as_ref().map(|imported| {
        let path = imported.from.as_ref().map(|from| format!(", {}", from.path));
        format!("{}{}", imported.format, path.unwrap_or_default())
    });
    put("Imported", from);
    facts
}

impl PhaseLine {
    fn of(passage: &Passage) -> Self {
        let mark = match passage.checkpoint {
            PhaseResult::Passed => "passed",
            PhaseResult::Failed => "failed",
            PhaseResult::Skipped => "skipped",
            PhaseResult::Pending if passage.started_at.is_some() => "under way",
            PhaseResult::Pending => "to come",
        };
        let times = match (passage.started_at, passage.completed_at) {
            (Some(from), Some(to)) => {
                format!("{} to {}, {}", moment(from), moment(to), long(passage.active_ms))
            }
            (Some(from), None) => format!("since {}", moment(from)),
            (None, Some(to)) => format!("until {}", moment(to)),
            (None, None) => String::new(),
        };
        Self {
            name: printable(&one_line(&passage.phase)),
            mark,
            times,
            active_ms: passage.active_ms,
        }
    }
}

impl Item {
    fn new(when: Option<Timestamp>, label: &str, text: &str) -> Self {
        let when = when.map(moment).unwrap_or_default();
        Self { when, label: printable(&one_line(label)), text: printable(text) }
    }

    fn of_note(note: &Note) -> Self {
        let known = SECTIONS.iter().any(|(kind, _)| *kind == note.kind);
        let label = match (known, note.by.as_deref().unwrap_or_default()) {
            (true, by) => by.to_owned(),
            (false, "") => note.kind.clone(),
            (false, by) => format!("{}, {by}", note.kind),
        };
        Self::new(note.time, &label, &note.text)
    }
}

/// A time that reads the same wherever somebody opens it.
fn moment(time: Timestamp) -> String {
    let text = time.to_string();
    format!("{} {} UTC", &text[..10], &text[11..16])
}
