//! Logs in Markdown: a title, fields in bold, sections, checklists.

use super::log::{Log, day_session, says_something};
use super::page::{Page, Part, first, first_word};
use super::sections;
use super::status::status;
use crate::foreign::named_session::{NamedSession, is_day};
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, ForeignFile, Reading, Status};
use crate::foreign::session_log;

/// How sections are called whose fields are about the whole session. One without a name stands before all others.
const ABOUT_IT: &[&str] = &[
    "",
    "session",
    "session info",
    "session information",
    "session metadata",
    "metadata",
    "session context",
    "session details",
    "overview",
    "status",
    "session status",
    "final status",
    "outcome",
    "outcomes",
    "session outcome",
    "summary",
    "session summary",
    "conclusion",
    "signoff",
    "sign-off",
];
const STATUS: &[&str] =
    &["status", "session status", "outcome", "session outcome", "final status", "overall status"];
/// Fields and sections that say what it is for.
const OBJECTIVE: &[&str] = &[
    "objective",
    "session objective",
    "objectives",
    "session objectives",
    "primary objective",
    "goal",
    "goals",
    "session goal",
    "session goals",
];
/// Fields and sections that say so where those are missing.
const PURPOSE: &[&str] =
    &["task", "task summary", "task description", "purpose", "mission", "focus", "session focus"];

/// Reads a log; `None` if it is none.
pub(super) fn read(file: &ForeignFile<'_>, text: &str, times: &Times<'_>) -> Option<Reading> {
    let page = Page::of(text);
    brought(file, text, &page, times).map(|log| Reading::Sessions(vec![log]))
}

fn brought(file: &ForeignFile<'_>, text: &str, page: &Page, times: &Times<'_>) -> Option<Brought> {
    let title = page.title.to_lowercase();
    let named = day_session(file.stem()).is_some();
    let is_titled = title.contains("session")
        && !["protocol", "handoff", "template"].iter().any(|other| title.contains(other));
    let found = session_log::read("log.md", text.as_bytes()).ok();
    let items = found.as_ref().map(|found| found.items.as_slice()).unwrap_or_default();
    let about = about(page);
    let field = |names: &[&str]| first(&about, names).or_else(|| page.field(names));
    let objective = [OBJECTIVE, PURPOSE].iter().find_map(|names| {
        let field = first(&about, names).filter(|text| says_something(text));
        field.or_else(|| sections::objective(page, names).filter(|text| !sections::is_list(text)))
    });
    let listed = sections::objective(page, OBJECTIVE);
    let date = field(&["date", "started", "started at", "start", "session date", "start time"]);
    let (said, word) = said(page);
    let number = found.as_ref().and_then(|log| log.number).map(|(number, _)| number);
    let known = date.is_some() || number.is_some();
    let says = !items.is_empty() || objective.is_some() || listed.is_some() || said.is_some();
    // A file in which nothing stands but its name is none. Designs and plans are about sessions, too: what has no number
    // lies among logs, or says that it is one.
    let numbered = NamedSession::at_start_of(file.stem()).is_some();
    let starting = field(&["starting commit", "start commit", "starting sha"]);
    let says_so = number.is_some() || starting.is_some() || calls_itself_log(&title);
    let is_log = if named { !text.trim().is_empty() } else { known && says && is_titled };
    if !is_log || !(numbered || says_so || lies_among_logs(file.path)) || title.contains("{{") {
        return None;
    }
    let mut log = Log {
        name: sections::name(file.stem(), date.as_deref(), number, page),
        // A list of tasks tells less of what it is for than a title does.
        objective: objective.or_else(|| subject(&page.title)).or(listed),
        branch: field(&["branch", "current branch"]).map(|text| first_word(&text)),
        starting_commit: starting.map(|text| first_word(&text)),
        started: date.and_then(|text| time(&text, times)),
        updated: field(&["end", "ended", "ended at", "end time", "completed at"])
            .and_then(|text| time(&text, times)),
        status: said,
        said: word,
        has_end: page.parts.iter().any(|part| {
            let name = part.name();
            name.contains("session end") || name.contains("end checklist")
        }),
        ..Log::default()
    };
    log.check(items);
    sections::commits(page, items, &mut log);
    sections::notes(page, &mut log);
    Some(log.brought(file, times))
}

/// Whether a title is one of a log: `Session 12`, `Session log: …`.
fn calls_itself_log(title: &str) -> bool {
    let rest = title.trim_start_matches(|c: char| !c.is_alphanumeric()).strip_prefix("session");
    rest.is_some_and(|rest| {
        let rest = rest.trim_start_matches([' ', ':', '-', '#']);
        rest.starts_with(|c: char| c.is_ascii_digit())
            || ["log", "report", "summary", "notes"].iter().any(|word| rest.starts_with(word))
    })
}

/// Whether a file lies in a folder for sessions.
fn lies_among_logs(path: &str) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.split('/').any(|part| part.eq_ignore_ascii_case("sessions"))
}

/// The fields that are about the whole session.
fn about(page: &Page) -> Vec<(String, String)> {
    let parts = page.parts.iter().filter(|part| is_about_it(part));
    parts.flat_map(|part| part.fields.clone()).collect()
}

/// A phase or a finding has a status, too: only what is about the whole session counts.
fn is_about_it(part: &Part) -> bool {
    let name = part.name();
    part.level <= 2 && (ABOUT_IT.contains(&name.as_str()) || name.starts_with("session end"))
}

/// What it says of its own state, and in which words, also where nobody knows what those mean. One that says anywhere that it is
/// complete is: what stands above was written when it began.
fn said(page: &Page) -> (Option<Status>, Option<String>) {
    let mut words: Vec<String> = Vec::new();
    for part in page.parts.iter().filter(|part| is_about_it(part)) {
        let fields = part.fields.iter().filter(|(name, _)| STATUS.contains(&name.as_str()));
        words.extend(fields.map(|(_, value)| value.clone()));
        if STATUS.contains(&part.name().as_str()) {
            words.extend(first(&part.fields, &["result"]));
            let line = part.text.lines().map(str::trim).find(|line| !line.is_empty());
            // Of a sentence, and of a list, only what is marked as the status is one.
            let is_marked = |line: &&str| line.starts_with(['*', '[', '✅']) || is_short(line);
            let is_field = |line: &&str| line.contains(":**") || line.contains("**:");
            words.extend(line.filter(is_marked).filter(|line| !is_field(line)).map(str::to_owned));
        }
    }
    let mut known = words.iter().filter_map(|word| Some((status(word)?, word)));
    let first = known.next();
    if first.is_some_and(|(status, _)| status == Status::Complete)
        || known.any(|(status, _)| status == Status::Complete)
    {
        return (Some(Status::Complete), None);
    }
    if let Some((status, word)) = first {
        return (Some(status), Some(word.clone()));
    }
    (None, words.into_iter().find(|word| says_something(word) && !is_of_git(word)))
}

fn is_short(line: &str) -> bool {
    line.starts_with(|c: char| c.is_ascii_uppercase())
        && line.split(" - ").next().unwrap_or_default().split_whitespace().count() <= 3
}

/// Whether a status is that of the work tree.
fn is_of_git(word: &str) -> bool {
    let word = word.to_lowercase();
    ["clean", "dirty", "modified", "up to date"].iter().any(|known| word.starts_with(known))
}

/// What a title says beyond that it is a session's, its number and its day.
fn subject(title: &str) -> Option<String> {
    let rest = title.split_once(':').or_else(|| title.split_once(" - "))?.1.trim();
    let rest = rest.split_once(" - ").filter(|(day, _)| is_day(day)).map_or(rest, |(_, more)| more);
    let says = |word: &str| {
        let word = word.to_lowercase();
        let is_number = word.chars().all(|c| c.is_ascii_digit() || !c.is_alphanumeric());
        !is_number && !is_day(&word) && day_session(&word).is_none() && word != "session"
    };
    rest.split_whitespace().any(says).then(|| rest.to_owned())
}

/// A time, of which a field can say more than that.
fn time(text: &str, times: &Times<'_>) -> Option<waypost_core::time::Timestamp> {
    let text = text.trim().trim_matches(['`', '*']);
    let words: Vec<&str> = text.split_whitespace().take(3).collect();
    let whole = match words[..] {
        [day, time, zone, ..] if zone.trim_matches(['(', ')']).eq_ignore_ascii_case("utc") => {
            times.read(&format!("{day}T{time}Z"))
        }
        [day, time, ..] => times.read(&format!("{day} {time}")),
        _ => None,
    };
    whole.or_else(|| times.read(&first_word(text)))
}
