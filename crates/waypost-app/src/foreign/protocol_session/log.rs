//! What any of these files tells of a session.

use waypost_core::event::{Past, PastNote, PastPause, PastPhase, PastStep, PastViolation};
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;

use super::FORMAT;
use crate::foreign::named_session::NamedSession;
use crate::foreign::named_session::is_day;
use crate::foreign::session::times::{LOCAL_TIMES, Times};
use crate::foreign::session::{Brought, ForeignFile, OPEN_MUSTS, Outline, Status};
use crate::foreign::session_log::{ItemLevel, ItemState, LogItem};
use crate::foreign::words::{reason, says_not_applicable};

/// How much of a text is kept in a note, in characters; the original has all of it.
pub(super) const MAX_TEXT: usize = 4_000;
/// No more notes than this are taken.
pub(super) const MAX_NOTES: usize = 500;
/// Words that stand where nothing was written.
const PLACEHOLDERS: &[&str] = &[
    "(none recorded)",
    "not specified",
    "tbd",
    "todo",
    "n/a",
    "na",
    "none",
    "unknown",
    "-",
    "[migrated from markdown]",
    "pending",
];

/// So many open musts are named.
const MAX_NAMED: usize = 3;
/// How much of what somebody wrote is quoted in a remark, in characters.
const MAX_QUOTED: usize = 60;

/// What a file tells of a session.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) name: String,
    pub(super) objective: Option<String>,
    pub(super) status: Option<Status>,
    /// The words for that, or words that nobody here knows.
    pub(super) said: Option<String>,
    /// Why it rests.
    pub(super) pause: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) starting_commit: Option<String>,
    /// Hashes and messages.
    pub(super) commits: Vec<(String, String)>,
    pub(super) started: Option<Timestamp>,
    pub(super) updated: Option<Timestamp>,
    pub(super) checklist: Vec<PastStep>,
    /// The musts that are open.
    pub(super) open: Vec<String>,
    pub(super) has_end: bool,
    pub(super) notes: Vec<PastNote>,
    pub(super) summary: Option<String>,
    pub(super) next_notes: Option<String>,
    pub(super) violations: Vec<PastViolation>,
    pub(super) phase: Option<String>,
    pub(super) phases: Vec<PastPhase>,
    pub(super) remarks: Vec<String>,
}

impl Log {
    /// Takes a checklist.
    pub(super) fn check(&mut self, items: &[LogItem]) {
        let open = items.iter().filter(|item| item.open().is_some() && !does_not_apply(item));
        self.open.extend(open.map(|item| one_line(&item.step)));
        self.checklist.extend(steps(items));
    }

    /// Writes something down.
    pub(super) fn note(&mut self, kind: &str, text: &str, time: Option<Timestamp>) {
        self.note_by(kind, text, time, None);
    }

    /// Writes down what somebody said.
    pub(super) fn note_by(
        &mut self,
        kind: &str,
        text: &str,
        time: Option<Timestamp>,
        by: Option<String>,
    ) {
        if self.notes.len() < MAX_NOTES && says_something(text) {
            let text = shortened(text.trim(), MAX_TEXT);
            self.notes.push(PastNote { kind: kind.to_owned(), text, by, time });
        }
    }

    /// A commit, where the text is one.
    pub(super) fn commit(&mut self, text: &str, message: &str) {
        let sha = text.trim().trim_matches('`').to_ascii_lowercase();
        if !is_commit(&sha) {
            return;
        }
        // One is often told by its whole hash here and by its beginning there.
        let is_same = |known: &&mut (String, String)| {
            known.0.starts_with(sha.as_str()) || sha.starts_with(known.0.as_str())
        };
        let is_full = self.commits.len() >= MAX_NOTES;
        match self.commits.iter_mut().find(is_same) {
            Some((known, told)) => {
                if sha.len() > known.len() {
                    *known = sha;
                }
                if told.is_empty() {
                    *told = one_line(message);
                }
            }
            None if !is_full => {
                self.commits.push((sha, shortened(&one_line(message), 500)));
            }
            None => {}
        }
    }

    /// The time that a text says; a time of day is one of the session's day.
    pub(super) fn time(&self, text: &str, times: &Times<'_>) -> Option<Timestamp> {
        let text = text.trim();
        let is_clock = text.len() <= 12 && text.contains(':') && !text.contains('-');
        let day = day_session(&self.name).filter(|_| is_clock);
        times.read(text).or_else(|| times.read(&format!("{}T{text}", day?)))
    }

    /// Where it is in its life: what it says itself, unless everything that it asked for is done.
    fn state(&mut self) -> Status {
        let finished = self.has_end && self.open.is_empty() && !self.checklist.is_empty();
        let quoted = |said: &str| shortened(&one_line(said), MAX_QUOTED);
        match (self.status, &self.said) {
            (Some(Status::Active), Some(said)) if finished => {
                let told = format!(
                    "its status is `{}`, but everything in its checklists is done: it counts as \
                     completed",
                    quoted(said)
                );
                self.remarks.push(told);
                Status::Complete
            }
            (Some(status), _) => status,
            (None, said) => {
                if let Some(said) = said {
                    let told = format!(
                        "its status is `{}`, which says nothing here: it is judged by its checklists",
                        quoted(said)
                    );
                    self.remarks.push(told);
                }
                if finished { Status::Complete } else { Status::Active }
            }
        }
    }

    fn remark(&mut self, times: &Times<'_>) {
        if !self.open.is_empty() {
            let named: Vec<String> =
                self.open.iter().take(MAX_NAMED).map(|step| shortened(step, MAX_QUOTED)).collect();
            let more = self.open.len() - named.len();
            let musts = if self.open.len() == 1 {
                "1 must is".to_owned()
            } else {
                format!("{} musts are", self.open.len())
            };
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            self.remarks.push(format!("{musts} {OPEN_MUSTS}: {}{more}", named.join("; ")));
        }
        if times.took_naive() {
            self.remarks.push(LOCAL_TIMES.to_owned());
        }
    }

    /// The session.
    pub(super) fn brought(mut self, file: &ForeignFile<'_>, times: &Times<'_>) -> Brought {
        let day = day_session(&self.name)
            .or_else(|| NamedSession::in_name(&self.name).map(|named| named.day));
        let created_at = self.started.or_else(|| times.read(&day?));
        // A day is all that most logs know: what happened, happened by its end.
        let missed = self.violations.iter().filter_map(|missed| missed.time);
        let noted = self.notes.iter().filter_map(|note| note.time).chain(missed).max();
        let updated_at = self.updated.or(noted.max(created_at));
        let status = self.state();
        self.remark(times);
        let topic = self.objective.filter(|text| says_something(text));
        let first = |text: String| one_line(text.trim().split("\n\n").next().unwrap_or_default());
        let topic = topic.map_or_else(|| self.name.clone(), first);
        let outline = Outline {
            session_id: self.name.clone(),
            topic: shortened(&topic, 500),
            status,
            created_at,
            updated_at,
            branch: self.branch.filter(|branch| says_something(branch)),
            commits: self.commits.into_iter().map(|(sha, message)| (sha, message, None)).collect(),
            ..Outline::default()
        };
        let pause = self.pause.or(self.said).filter(|_| status == Status::Paused);
        let text = |text: Option<String>| {
            text.filter(|text| says_something(text)).map(|text| shortened(text.trim(), MAX_TEXT))
        };
        let past = Past {
            workflow: Some("none".to_owned()),
            phase: self.phase,
            phases: self.phases,
            ended_at: updated_at.filter(|_| status == Status::Complete),
            pause: pause.map(|said| PastPause {
                reason: shortened(&one_line(&said), MAX_TEXT),
                context: None,
                since: None,
            }),
            starting_commit: self.starting_commit.filter(|sha| is_commit(sha)),
            notes: self.notes,
            checklist: self.checklist,
            violations: self.violations,
            summary: text(self.summary),
            next_notes: text(self.next_notes),
            ..Past::default()
        };
        Brought {
            name: self.name,
            format: FORMAT,
            manifest: outline.manifest(),
            past,
            definition: None,
            original: file.original(),
            remarks: self.remarks,
        }
    }
}

/// Whether an item that nobody ticked says itself why it does not apply.
fn does_not_apply(item: &LogItem) -> bool {
    let is_bare = matches!(item.state, ItemState::NotDone(_) | ItemState::Unsaid);
    is_bare && says_not_applicable(&item.evidence) && reason(&item.evidence).is_some()
}

/// The items of a checklist as steps.
pub(in crate::foreign) fn steps(items: &[LogItem]) -> Vec<PastStep> {
    items.iter().map(step).collect()
}

fn step(item: &LogItem) -> PastStep {
    let level = match item.level {
        ItemLevel::Must => "MUST",
        ItemLevel::MustNot => "MUST NOT",
        ItemLevel::Should => "SHOULD",
        ItemLevel::May => "MAY",
    };
    PastStep {
        level: level.to_owned(),
        step: item.step.clone(),
        list: item.list.clone(),
        done: match (item.level, &item.state) {
            (_, ItemState::NotApplicable) => None,
            _ if does_not_apply(item) => None,
            // Some tick what they left alone, and some leave it without a tick.
            (ItemLevel::MustNot, _) => Some(item.open().is_none()),
            (_, state) => Some(*state == ItemState::Done),
        },
        evidence: item.evidence.clone(),
    }
}

/// Whether a text is more than what stands where nothing was written.
pub(super) fn says_something(text: &str) -> bool {
    let text = text.trim().trim_matches(['`', '*', '_']).trim();
    // `[What you are working on]` is what a template says.
    let is_blank = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|within| !within.contains(['[', ']']) && within.contains(char::is_alphabetic));
    let is_said = !text.is_empty() && text.chars().any(|c| !c.is_ascii_punctuation());
    is_said && !is_blank && !PLACEHOLDERS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The day of a session, where a name begins as those of logs do, also without a number:
/// `2026-11-15-session-pr-12-review`.
pub(super) fn day_session(name: &str) -> Option<String> {
    let (day, rest) = name.split_at_checked(10)?;
    (is_day(day) && rest.starts_with("-session-")).then(|| day.to_owned())
}

fn is_commit(sha: &str) -> bool {
    (7..=64).contains(&sha.len()) && sha.chars().all(|c| c.is_ascii_hexdigit())
}
