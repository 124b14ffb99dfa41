//! `session_show`

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::standing::show::{self, Shown};
use waypost_core::text::spoken::count;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Nothing, Tool};
use crate::toolset::Toolset;
use crate::wire::{State, quoted, word};

/// How many notes, commits, violations and runs are given, the newest of each.
const MAX_ITEMS: usize = 100;
/// How many notes are also told in words.
const MAX_LINES: usize = 10;

pub(crate) struct SessionShow;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Where it stands.
    state: State,
    /// How it is kept here: live, or only as a folder in the work tree.
    kept: String,
    /// What there is to say about that.
    remark: Option<String>,
    /// The workflow it follows.
    workflow: String,
    /// The commit it began at.
    starting_commit: Option<String>,
    /// What was said at its end, if it ended.
    summary: Option<String>,
    /// What was written down, the newest last.
    notes: Vec<Note>,
    /// The commits that belong to it, the newest last.
    commits: Vec<Commit>,
    /// The musts that were missed, the newest last.
    violations: Vec<Violation>,
    /// The commands that ran as evidence, the newest last.
    runs: Vec<Run>,
    /// How many older notes, commits, violations and runs were left out.
    left_out: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Note {
    seq: u64,
    time: String,
    kind: String,
    text: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Commit {
    time: String,
    sha: String,
    message: String,
    checkpoint: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Violation {
    time: String,
    gate: String,
    severity: String,
    requirement: String,
    reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Run {
    seq: u64,
    time: String,
    command: String,
    status: i64,
    /// How well it is known: verified, observed, approved, reported or claimed.
    provenance: String,
}

impl Tool for SessionShow {
    const NAME: &'static str = "session_show";
    const TITLE: &'static str = "Everything about a session";
    const DESCRIPTION: &'static str = "Everything about one session: where it stands, its notes, \
        commits, violations and the commands that ran as evidence. Call it to learn what was done \
        and decided before; for what to do next, session_brief says it in fewer words. It changes \
        nothing.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Reads;
    type Input = Nothing;
    type Output = Output;

    fn call(call: &Call<'_>, Nothing {}: Nothing) -> Result<Answer<Output>, AppError> {
        let shown = match call.session() {
            Some(named) => show::of(&call.view, named)?,
            None => show::of(&call.view, call.view.session(None)?.id.as_str())?,
        };
        let output = Output::from(shown);
        let text = output.text();
        Ok(Answer::new(output, text))
    }
}

impl Output {
    fn text(&self) -> String {
        let mut lines = vec![self.state.text()];
        if !self.notes.is_empty() {
            lines.push("Latest notes (written by users and agents):".to_owned());
        }
        let skipped = self.notes.len().saturating_sub(MAX_LINES);
        lines.extend(
            self.notes.iter().skip(skipped).map(|note| {
                format!("- {} {}: {}", note.time, quoted(&note.kind), quoted(&note.text))
            }),
        );
        lines.push(format!(
            "{}, {}, {}.",
            count(self.commits.len(), "commit"),
            count(self.violations.len(), "violation"),
            count(self.runs.len(), "run")
        ));
        lines.join("\n")
    }
}

impl From<Shown> for Output {
    fn from(shown: Shown) -> Self {
        let mut left_out = 0;
        let notes = newest(shown.chronicle.notes, &mut left_out).map(|note| Note {
            seq: note.seq,
            time: note.time.map(|time| time.to_string()).unwrap_or_default(),
            kind: note.kind,
            text: note.text,
        });
        let notes = notes.collect();
        let commits = newest(shown.chronicle.commits, &mut left_out).map(|commit| Commit {
            time: commit.time.map(|time| time.to_string()).unwrap_or_default(),
            sha: commit.commit.sha,
            message: commit.commit.message,
            checkpoint: commit.commit.checkpoint,
        });
        let commits = commits.collect();
        let missed = newest(shown.violation_details, &mut left_out).map(|missed| Violation {
            time: missed.time.to_string(),
            gate: missed.violation.gate,
            severity: missed.violation.severity,
            requirement: missed.violation.requirement,
            reason: missed.violation.reason,
        });
        let violations = missed.collect();
        let runs = newest(shown.chronicle.evidence, &mut left_out).map(|run| Run {
            seq: run.seq,
            time: run.time.to_string(),
            command: run.run.command,
            status: i64::from(run.run.status),
            provenance: run.run.provenance.to_string(),
        });
        let runs = runs.collect();
        let workflow = shown.status.workflow.clone();
        Self {
            state: State::from(shown.status),
            kept: word(&shown.kept),
            remark: shown.remark,
            workflow,
            starting_commit: shown.chronicle.starting_commit,
            summary: shown.chronicle.ended.and_then(|ended| ended.summary),
            notes,
            commits,
            violations,
            runs,
            left_out,
        }
    }
}

fn newest<T>(items: Vec<T>, left_out: &mut usize) -> impl Iterator<Item = T> + use<T> {
    let skipped = items.len().saturating_sub(MAX_ITEMS);
    *left_out += skipped;
    items.into_iter().skip(skipped)
}
