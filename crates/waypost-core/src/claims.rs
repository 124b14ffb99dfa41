//! What an agent says of its own work: that something is done, fixed or tested.
//!
//! Only plain statements are claims. Questions, plans, hopes, what others said, what stands in code or in quotes, and
//! statements that the same words take back are none. The phrases are data (`claims/phrases.txt`). English only.

mod clauses;
mod phrases;

use clauses::{Clause, Place, Sentence};
use phrases::{ALL, Phrase, Phrases};

/// More of a text than this is not looked at: its end is what counts.
const MAX_BYTES: usize = 64 * 1024;

/// What stands behind a number of a hundred that are done.
const SHARED: [&str; 5] = ["complete", "completed", "done", "finished", "of"];

/// Numbers in words, from one on.
const NUMBERS: [&str; 10] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// What is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claimed {
    /// It was tested.
    Tested,
    /// Something that was wrong is right.
    Fixed,
    /// The work is done.
    Done,
}

impl Claimed {
    /// How it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tested => "tested",
            Self::Fixed => "fixed",
            Self::Done => "done",
        }
    }
}

/// A claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What is claimed.
    pub what: Claimed,
    /// The sentence in which it is.
    pub quote: String,
}

/// The claim in a text that says the most, if there is one: of tests before all others.
pub fn find(text: &str) -> Option<Claim> {
    let sentences = clauses::sentences(end_of(text));
    if sentences.iter().any(|sentence| sentence.admits(&ALL)) {
        return None;
    }
    let claims = standing(&sentences).filter_map(|sentence| {
        let what = sentence.claims(&ALL)?;
        Some(Claim { what, quote: sentence.text.clone() })
    });
    claims.min_by_key(|claim| claim.what)
}

/// The sentences that do not stand beneath a heading of what is yet to come.
fn standing(sentences: &[Sentence]) -> impl Iterator<Item = &Sentence> {
    let mut ahead: Option<Place> = None;
    sentences.iter().filter(move |sentence| {
        match (ahead, sentence.place) {
            // A list ends with what is no point of it, a chapter with the next heading.
            (Some(Place::Lead), Place::Text) => ahead = None,
            (_, Place::Lead | Place::Heading) => {
                let is_ahead = sentence.has(&ALL.ahead);
                ahead = is_ahead
                    .then_some(sentence.place)
                    .or(ahead.filter(|at| *at == Place::Heading && sentence.place == Place::Lead));
            }
            _ => {}
        }
        ahead.is_none()
    })
}

fn end_of(text: &str) -> &str {
    let mut from = text.len().saturating_sub(MAX_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

impl Sentence {
    fn claims(&self, phrases: &Phrases) -> Option<Claimed> {
        if self.is_question || self.has(&phrases.undoing) || self.is_of_a_part() {
            return None;
        }
        let has = |clause: &Clause, these: &[&str]| {
            clause.words.iter().any(|word| these.contains(&word.as_str()))
        };
        let (mut found, mut is_undone) = (None, false);
        let (mut is_open, mut is_told) = (false, false);
        for clause in &self.clauses {
            is_undone |= has(clause, &phrases.rest);
            // `will be fixed and tested`: what undoes the first undoes what only goes on with it.
            let goes_on = clause.words.first().is_some_and(|word| word.ends_with("ed"));
            is_open = (is_open && goes_on) || has(clause, &phrases.before);
            let inherits = is_open && goes_on && !has(clause, &phrases.before);
            let own = clause.claims(phrases).filter(|_| !is_undone && !inherits);
            found = [found, own.filter(|_| !is_told || !goes_on)].into_iter().flatten().min();
            // `Files are made there and deleted later`: what is always done, not what was done.
            is_told = own.is_none() && clause.has(&phrases.telling);
        }
        found
    }

    /// Whether one of its clauses has one of these.
    fn has(&self, phrases: &[Phrase]) -> bool {
        self.clauses.iter().any(|clause| clause.has(phrases))
    }

    /// Whether it tells of so many of more: `11 of 12 tests`, `11/12`, `80% of them`.
    fn is_of_a_part(&self) -> bool {
        let number = |word: &str| {
            let written = NUMBERS.iter().position(|number| *number == word);
            word.parse::<u64>().ok().or(written.and_then(|at| u64::try_from(at + 1).ok()))
        };
        let is_less =
            |one: &str, all: &str| number(one).zip(number(all)).is_some_and(|(one, all)| one < all);
        let is_part = |words: &[String]| match words {
            [one, out, of, all, ..] if out == "out" && of == "of" => is_less(one, all),
            [one, of, ..] if SHARED.contains(&of.as_str()) && one.ends_with('%') => one != "100%",
            [one, of, the, all, ..] if of == "of" && the == "the" => is_less(one, all),
            [one, of, all, ..] if of == "of" => is_less(one, all),
            [one, ..] => one.split_once('/').is_some_and(|(one, all)| is_less(one, all)),
            [] => false,
        };
        self.clauses
            .iter()
            .any(|clause| (0..clause.words.len()).any(|at| is_part(&clause.words[at..])))
    }

    /// Whether it says that something is not done after all.
    fn admits(&self, phrases: &Phrases) -> bool {
        self.clauses.iter().any(|clause| {
            let excused = |word: &String| phrases.excused.contains(&word.as_str());
            !self.is_question
                && !clause.words.iter().any(excused)
                && (clause.has(&phrases.admits)
                    || clause.is_behind_but && clause.has(&phrases.admits_behind_but))
        })
    }
}

impl Clause {
    fn has(&self, phrases: &[Phrase]) -> bool {
        phrases.iter().any(|one| one.find(&self.words, &[]).is_some())
    }

    fn claims(&self, phrases: &Phrases) -> Option<Claimed> {
        if self.has(&phrases.undoing_clause) {
            return None;
        }
        let said = phrases.claims.iter().filter(|(_, phrase)| {
            let found = phrase.find(&self.words, &phrases.within);
            found.is_some_and(|(from, to)| self.stands(from, to, phrases))
        });
        said.map(|(what, _)| *what).min()
    }

    /// Whether nothing around a claim takes it back.
    fn stands(&self, from: usize, to: usize, phrases: &Phrases) -> bool {
        let is = |words: &[String], these: &[&str]| {
            words.iter().any(|word| these.contains(&word.as_str()))
        };
        let (before, after) = (&self.words[..from], &self.words[to.min(self.words.len())..]);
        let auxiliary =
            |word: &&String| !matches!(word.as_str(), "have" | "has" | "had" | "already");
        let nearest = before.iter().rev().find(auxiliary);
        let is_others = nearest.is_some_and(|word| phrases.right_before.contains(&word.as_str()));
        !is(before, &phrases.before) && !is_others && !is(after, &phrases.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line each: `tested: TEXT`, `none: TEXT` and so on, `\n` for the end of a line.
    #[test]
    fn sentences_claim_what_the_table_says() {
        let mut wrong = Vec::new();
        let lines = include_str!("claims/sentences.txt").lines();
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with("# ")) {
            let (wanted, text) = line.split_once(": ").unwrap();
            let found = find(&text.replace("\\n", "\n"));
            let name = found.map_or("none", |claim| claim.what.name());
            if name != wanted {
                wrong.push(format!("{name} instead of {line}"));
            }
        }
        assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn a_claim_is_quoted_with_its_sentence() {
        let text = "I looked at it.\n\n- **Fixed** the parser in `a.rs`. Want more?";
        assert_eq!(find(text).unwrap().quote, "Fixed the parser in `a.rs`.");
    }

    #[test]
    fn strange_texts_end() {
        let long = "all tests ".repeat(100_000);
        for text in ["", "```", "\"", "> ", "…", "\u{0}", &long, &"done ".repeat(50_000)] {
            find(text);
        }
    }
}
