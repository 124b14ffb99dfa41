//! One item of a checklist: what it asks for, how it is marked, and whether that leaves it open.

use waypost_core::text::{one_line, shortened};

use crate::foreign::words::{
    Said, plain, reason, said, says_it_happened, says_not_applicable, says_not_done,
};

/// The longest name of a step that is told, in characters.
const MAX_STEP: usize = 120;

/// How much an item matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemLevel {
    /// It has to be done.
    Must,
    /// It has to be left alone.
    MustNot,
    /// It is better done.
    Should,
    /// It may be done.
    May,
}

impl ItemLevel {
    /// The level that a text is, and nothing else.
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = plain(text).replace(['_', '-'], " ");
        // `MUST (if exported)`
        let text = text.split('(').next().unwrap_or_default();
        Some(match text.trim_matches(|c: char| !c.is_alphanumeric()) {
            "must" | "shall" | "required" | "mandatory" | "blocking" | "blocked" => Self::Must,
            "must not" | "shall not" | "mustnot" => Self::MustNot,
            "should" | "should not" | "recommended" => Self::Should,
            "may" | "optional" => Self::May,
            _ => return None,
        })
    }

    /// The level that a text names among other words, in capitals.
    pub(super) fn within(text: &str) -> Option<Self> {
        let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            let level = match word {
                "MUST" | "SHALL" => match words.next() {
                    Some("NOT") => Self::MustNot,
                    _ => Self::Must,
                },
                "REQUIRED" => Self::Must,
                "SHOULD" | "RECOMMENDED" => Self::Should,
                "MAY" | "OPTIONAL" => Self::May,
                _ => continue,
            };
            return Some(level);
        }
        None
    }
}

/// How an item is marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemState {
    /// As done.
    Done,
    /// As not done, in these words.
    NotDone(String),
    /// As one that does not apply.
    NotApplicable,
    /// Not at all.
    Unsaid,
}

impl ItemState {
    /// What a mark says.
    pub(super) fn of(mark: &str) -> Self {
        match said(mark) {
            Said::Done => Self::Done,
            Said::NotDone(words) => Self::NotDone(words),
            Said::NotApplicable => Self::NotApplicable,
        }
    }
}

/// Whether a list is one for the beginning of a session, by its name: `Session Start`, `startChecklist`.
pub fn is_of_start(list: &str) -> bool {
    has_word(list, "start")
}

/// Whether a list says which side of a session it is for.
pub(super) fn says_side(list: &str) -> bool {
    is_of_start(list) || has_word(list, "end")
}

/// Whether a name has a word, also one that is written together with others: `sessionEnd`.
fn has_word(name: &str, word: &str) -> bool {
    let mut apart = String::new();
    let mut was_small = false;
    for c in name.chars() {
        if was_small && c.is_uppercase() {
            apart.push(' ');
        }
        was_small = c.is_lowercase();
        apart.push(c);
    }
    apart.split(|c: char| !c.is_alphanumeric()).any(|one| one.eq_ignore_ascii_case(word))
}

/// One item of a checklist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogItem {
    /// Its line in the file, from 1.
    pub line: u64,
    /// How much it matters.
    pub level: ItemLevel,
    /// What it asks for.
    pub step: String,
    /// Which list it stands in, in the words there.
    pub list: Option<String>,
    /// How it is marked.
    pub state: ItemState,
    /// What is said to show it.
    pub evidence: String,
}

impl LogItem {
    /// Why it is open, if it is.
    pub fn open(&self) -> Option<String> {
        match self.level {
            ItemLevel::Should | ItemLevel::May => None,
            ItemLevel::MustNot => self.forbidden(),
            ItemLevel::Must => self.wanted(),
        }
    }

    /// The same with its line and what it asks for.
    pub fn told_open(&self) -> Option<String> {
        let why = self.open()?;
        let step = shortened(&one_line(&self.step), MAX_STEP);
        Some(format!("line {}: {step} ({why})", self.line))
    }

    fn wanted(&self) -> Option<String> {
        let quoted = || shortened(&one_line(&self.evidence), MAX_STEP);
        match &self.state {
            ItemState::NotDone(words) if words.is_empty() || is_empty_box(words) => {
                Some("not ticked".to_owned())
            }
            ItemState::NotDone(words) => {
                Some(format!("it says `{}`", shortened(&one_line(words), 40)))
            }
            ItemState::Unsaid => Some("nothing says whether it is done".to_owned()),
            ItemState::NotApplicable if reason(&self.evidence).is_none() => {
                Some("nothing says why it does not apply".to_owned())
            }
            // Ticked, as one that does not apply.
            ItemState::Done if says_not_applicable(&self.evidence) => {
                match reason(&self.evidence) {
                    Some(reason) if !says_not_done(&reason) => None,
                    _ => Some(format!("ticked, but its evidence is `{}`", quoted())),
                }
            }
            ItemState::Done if says_not_done(&self.evidence) => {
                Some(format!("ticked, but its evidence is `{}`", quoted()))
            }
            ItemState::Done | ItemState::NotApplicable => None,
        }
    }

    /// What is forbidden is open when it was done. Some tick it to say that they kept to it, and say
    /// so in their evidence.
    fn forbidden(&self) -> Option<String> {
        let ticked = self.state == ItemState::Done;
        if !ticked {
            return None;
        }
        if self.evidence.trim().is_empty() {
            return Some("ticked, and nothing says that it was left alone".to_owned());
        }
        let happened = says_it_happened(&self.evidence);
        let quoted = || shortened(&one_line(&self.evidence), MAX_STEP);
        happened.then(|| format!("it was done: `{}`", quoted()))
    }
}

fn is_empty_box(words: &str) -> bool {
    words.chars().all(|c| matches!(c, '[' | ']' | ' ' | '-' | '–' | '—' | '☐' | '⬜'))
}
