//! A session note in Markdown: front matter, acceptance criteria, observations and wikilinks.

mod parts;

use waypost_core::event::Past;
use waypost_core::text::{one_line, shortened};

use super::NOTE;
use super::matter::Matter;
use crate::foreign::protocol_session::Page;
use crate::foreign::session::times::{LOCAL_TIMES, Times};
use crate::foreign::session::{Brought, ForeignFile, Outline, Reading, Status};

const STATUSES: [(&str, Status); 17] = [
    ("IN_PROGRESS", Status::Active),
    ("INPROGRESS", Status::Active),
    ("INCOMPLETE", Status::Active),
    ("ACTIVE", Status::Active),
    ("OPEN", Status::Active),
    ("STARTED", Status::Active),
    ("PAUSED", Status::Paused),
    ("ON_HOLD", Status::Paused),
    ("BLOCKED", Status::Paused),
    ("COMPLETED", Status::Complete),
    ("COMPLETE", Status::Complete),
    ("DONE", Status::Complete),
    ("FINISHED", Status::Complete),
    ("CLOSED", Status::Complete),
    ("FAILED", Status::Failed),
    ("ABANDONED", Status::Paused),
    ("CANCELLED", Status::Failed),
];

/// What names of notes of sessions begin with.
const BEGINS: &str = "SESSION-";

/// Reads a note; `None` if it is none of a session.
pub(super) fn read(
    file: &ForeignFile<'_>,
    matter: &Matter<'_>,
    times: &Times<'_>,
) -> Option<Reading> {
    let is_typed = matter.all("type").any(|kind| kind.eq_ignore_ascii_case("session"));
    // Notes that Brain's own tool creates have the type of any note.
    let may_be = matter.all("type").all(|kind| {
        kind.eq_ignore_ascii_case("note") || kind.to_ascii_lowercase().starts_with("session")
    });
    let title = matter.get(&["title"]).unwrap_or_default();
    let is_named = may_be && [file.name, title].iter().any(|name| is_session_name(name));
    let note = Note::of(matter);
    let says = !matter.is_empty() || note.told_status().next().is_some();
    (is_typed || (is_named && says)).then(|| Reading::Sessions(vec![note.brought(file, times)]))
}

/// Whether a name is `SESSION-YYYY-MM-DD…`.
fn is_session_name(name: &str) -> bool {
    day_of(name).is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
}

fn day_of(name: &str) -> Option<&str> {
    let start = name.get(..BEGINS.len()).filter(|start| start.eq_ignore_ascii_case(BEGINS));
    start.and(name.get(BEGINS.len()..BEGINS.len() + 10))
}

struct Note<'t> {
    matter: &'t Matter<'t>,
    /// What stands before the first section.
    head: Page,
    page: Page,
}

impl<'t> Note<'t> {
    fn of(matter: &'t Matter<'t>) -> Self {
        let end = matter.body.find("\n## ").unwrap_or(matter.body.len());
        let head = Page::of(&matter.body[..end]);
        Self { matter, head, page: Page::of(matter.body) }
    }

    /// What a note says of a field: in its front matter, at its beginning, in a section of that name, or anywhere.
    fn field(&self, keys: &[&str]) -> Option<String> {
        let own = self.matter.get(keys).map(str::to_owned);
        let own = own.or_else(|| self.head.field(keys)).or_else(|| self.section(keys));
        own.or_else(|| self.page.field(keys))
    }

    fn section(&self, names: &[&str]) -> Option<String> {
        let found = self.page.sections.iter().find(|(name, _)| names.contains(&name.as_str()))?;
        let text = found.1.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Each place that says how far it came. Statuses of parts of its work are not its own.
    fn told_status(&self) -> impl Iterator<Item = (&'static str, String)> {
        let matter = self.matter.get(&["status"]).map(str::to_owned);
        let section = self.section(&["status"]);
        let text = self.head.field(&["status"]).or(section);
        let places = [("front matter", matter), ("text", text)];
        places.into_iter().filter_map(|(place, told)| Some((place, told?)))
    }

    /// How far it came. Where it says two things, its front matter counts: Brain reads that alone.
    fn status(&self, (open, all): (usize, usize), remarks: &mut Vec<String>) -> Status {
        let mut told = self.told_status();
        let Some((_, word)) = told.next() else {
            // Brain itself takes it like that.
            let (status, told) = if open == 0 {
                (Status::Complete, "it has no status, and Brain takes such a note for complete")
            } else {
                (
                    Status::Active,
                    "it has no status, and criteria are open: it is taken for one that goes on",
                )
            };
            remarks.push(told.to_owned());
            return status;
        };
        let (status, is_exact) = read_status(&word);
        let shown = |word: &str| shortened(&one_line(word.trim().trim_matches('*')), 60);
        if !is_exact {
            let taken = format!("{status:?}").to_lowercase();
            remarks.push(format!("its status is `{}`, which is taken as {taken}", shown(&word)));
        }
        if let Some((_, other)) = told.next()
            && read_status(&other).0 != status
        {
            let both = (shown(&word), shown(&other));
            remarks.push(format!(
                "its front matter says {} and its text says {}; the front matter counts",
                both.0, both.1
            ));
        }
        if status == Status::Complete && open > 0 {
            let is = if open == 1 { "is" } else { "are" };
            remarks.push(format!(
                "it says that it is complete; {open} of its {all} criteria {is} open"
            ));
        }
        status
    }

    /// What it is called: as its file, unless only its title says which session it is.
    fn name(&self, stem: &str) -> String {
        let begins = |name: &str| {
            name.get(..BEGINS.len()).is_some_and(|start| start.eq_ignore_ascii_case(BEGINS))
        };
        let title = self.matter.get(&["title"]).and_then(|title| title.rsplit('/').next());
        let title = title.filter(|title| begins(title) && !begins(stem));
        title.unwrap_or(stem).to_owned()
    }

    fn topic(&self, name: &str) -> String {
        let page = &self.page;
        let told = self.head.field(&["objective", "topic"]);
        let told = told.or_else(|| page.field(&["objective"]));
        let told = told.or_else(|| self.section(&["objective", "topic", "goal"]));
        let told = told.or_else(|| page.field(&["topic"]));
        let told = told.or_else(|| Some(page.title.clone()).filter(|title| !title.is_empty()));
        let told = told.or_else(|| self.matter.get(&["title"]).map(str::to_owned));
        let told = told.unwrap_or_else(|| name.to_owned());
        let first = told.trim().split("\n\n").next().unwrap_or_default();
        shortened(&one_line(first), 500)
    }

    fn brought(&self, file: &ForeignFile<'_>, times: &Times<'_>) -> Brought {
        let mut remarks = Vec::new();
        let name = self.name(file.stem());
        let lines = parts::lines(self.matter.body);
        let (checklist, open, criteria) = parts::checklist(&lines, self.matter.body);
        let (notes, more) = parts::notes(&lines);
        if more > 0 {
            remarks.push(format!("{more} more of its notes are in its original alone"));
        }
        let status = self.status((open, criteria), &mut remarks);
        let time = |keys: &[&str]| self.field(keys).and_then(|text| times.read(&text));
        let day = || {
            [name.as_str(), self.matter.get(&["title"])?]
                .iter()
                .find_map(|name| times.read(day_of(name)?))
        };
        let created_at = time(&["created", "date"]).or_else(day);
        let updated_at = time(&["updated", "completed", "ended"]).or(created_at);
        let pause = parts::pause(&self.page, times);
        let next = self.page.section(&["next session", "next steps", "context to reload"]);
        let going_on = || pause.as_ref().and_then(|pause| pause.context.clone());
        let outline = Outline {
            session_id: self.matter.get(&["title"]).unwrap_or(&name).to_owned(),
            topic: self.topic(&name),
            status,
            created_at,
            updated_at,
            branch: self.field(&["branch"]).and_then(|text| word(&text)),
            commits: parts::commits(
                &lines,
                self.field(&["ending-commit", "ending commit"]).as_deref(),
            ),
            ..Outline::default()
        };
        let past = Past {
            workflow: Some("none".to_owned()),
            ended_at: updated_at.filter(|_| matches!(status, Status::Complete | Status::Failed)),
            starting_commit: self
                .field(&["starting-commit", "starting commit"])
                .and_then(|text| word(&text)),
            checklist,
            notes,
            next_notes: next
                .or_else(going_on)
                .filter(|_| status != Status::Complete || pause.is_none()),
            summary: self.section(&["summary", "session summary", "outcome"]),
            pause: pause.filter(|_| status == Status::Paused),
            ..Past::default()
        };
        if times.took_naive() {
            remarks.push(LOCAL_TIMES.to_owned());
        }
        Brought {
            name,
            format: NOTE,
            manifest: outline.manifest(),
            past,
            definition: None,
            original: file.original(),
            remarks,
        }
    }
}

/// The first word of a text that says something.
fn word(text: &str) -> Option<String> {
    let found = text.split([' ', '`', '\n', '*', '(', ',']).find(|word| !word.is_empty())?;
    let is_blank =
        ["tbd", "n/a", "none", "sha", "unknown", "-"].contains(&found.to_lowercase().as_str());
    (!is_blank).then(|| found.to_owned())
}

/// What a word means, and whether it is one that is known as it stands.
pub(super) fn read_status(word: &str) -> (Status, bool) {
    let plain: String = word
        .trim_matches(|c: char| !c.is_alphanumeric())
        .chars()
        .map(|c| if matches!(c, ' ' | '-') { '_' } else { c.to_ascii_uppercase() })
        .collect();
    let exact = STATUSES.iter().find(|(known, _)| plain == *known);
    let begins = || STATUSES.iter().find(|(known, _)| plain.starts_with(known));
    let status = exact.or_else(begins).map_or(Status::Active, |(_, status)| *status);
    (status, exact.is_some())
}
