//! The phrases of `phrases.txt`, and whether words are one of them.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Claimed;

/// Words that have a name together.
type Named = HashMap<&'static str, Vec<&'static str>>;

/// The file.
const TEXT: &str = include_str!("phrases.txt");

/// More optional words and gaps than any phrase has, so that trying them out stays short.
const MAX_STEPS: usize = 10_000;

/// A part of a phrase.
#[derive(Debug, Clone)]
enum Part {
    /// One of these words.
    Word(Vec<&'static str>),
    /// The same, or none.
    Maybe(Vec<&'static str>),
    /// At most so many other words.
    Gap(usize),
    /// The clause begins here.
    Start,
    /// The clause ends here.
    End,
    /// The next word is none of these.
    NotNext(Vec<&'static str>),
    /// The word before is none of these.
    NotBefore(Vec<&'static str>),
}

/// A phrase.
#[derive(Debug)]
pub(super) struct Phrase(Vec<Part>);

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Phrases {
    /// Those that claim something.
    pub(super) claims: Vec<(Claimed, Phrase)>,
    /// Those that admit that something is not done.
    pub(super) admits: Vec<Phrase>,
    /// Those that do so behind a `but`.
    pub(super) admits_behind_but: Vec<Phrase>,
    /// Words before a claim in its clause that undo it.
    pub(super) before: Vec<&'static str>,
    /// Words right before a claim that undo it.
    pub(super) right_before: Vec<&'static str>,
    /// Words after a claim in its clause that undo it.
    pub(super) after: Vec<&'static str>,
    /// Words within a claim that undo it: those before and after it.
    pub(super) within: Vec<&'static str>,
    /// Words that undo claims in the rest of the sentence.
    pub(super) rest: Vec<&'static str>,
    /// Phrases that undo whatever stands in their sentence.
    pub(super) undoing: Vec<Phrase>,
    /// Phrases that undo whatever stands in their clause.
    pub(super) undoing_clause: Vec<Phrase>,
    /// Phrases that tell what is always so; what only goes on with them does too.
    pub(super) telling: Vec<Phrase>,
    /// Phrases of headings beneath which nothing is claimed: what is listed there is yet to come.
    pub(super) ahead: Vec<Phrase>,
    /// Words beside which nothing is admitted.
    pub(super) excused: Vec<&'static str>,
}

/// What the file says.
pub(super) static ALL: LazyLock<Phrases> = LazyLock::new(|| {
    let mut all = Phrases::default();
    let mut section = "";
    let mut named = Named::new();
    for line in TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
            continue;
        }
        let words = || line.split_whitespace();
        let phrase = |line| Phrase::of(line, &named);
        match section {
            "words" => {
                let mut words = words();
                named.extend(words.next().map(|name| (name, words.collect())));
            }
            "tested" => all.claims.push((Claimed::Tested, phrase(line))),
            "fixed" => all.claims.push((Claimed::Fixed, phrase(line))),
            "done" => all.claims.push((Claimed::Done, phrase(line))),
            "admits" => all.admits.push(phrase(line)),
            "admits behind but" => all.admits_behind_but.push(phrase(line)),
            "undone by words before it in the clause" => all.before.extend(words()),
            "undone by words right before it" => all.right_before.extend(words()),
            "undone by words after it in the clause" => all.after.extend(words()),
            "undone with the whole sentence" => all.undoing.push(phrase(line)),
            "undone with the clause" => all.undoing_clause.push(phrase(line)),
            "undone where it only goes on with one of these" => all.telling.push(phrase(line)),
            "undone beneath a heading with one of these" => all.ahead.push(phrase(line)),
            "undone for the rest of the sentence" => all.rest.extend(words()),
            _ => all.excused.extend(words()),
        }
    }
    all.within = [all.before.as_slice(), &all.after].concat();
    all
});

impl Phrase {
    fn of(line: &'static str, named: &Named) -> Self {
        let one = |word: &'static str| {
            let words = word.strip_prefix('@').and_then(|name| named.get(name));
            words.cloned().unwrap_or_else(|| vec![word])
        };
        let either = |text: &'static str| text.split('/').flat_map(one).collect::<Vec<_>>();
        let part = |text: &'static str| match text {
            "^" => Part::Start,
            "$" => Part::End,
            _ => {
                if let Some(most) = text.strip_prefix("...") {
                    Part::Gap(most.parse().unwrap_or(1))
                } else if let Some(words) = text.strip_prefix('!') {
                    Part::NotNext(either(words))
                } else if let Some(words) = text.strip_prefix('~') {
                    Part::NotBefore(either(words))
                } else if let Some(words) = text.strip_suffix('?') {
                    Part::Maybe(either(words))
                } else {
                    Part::Word(either(text))
                }
            }
        };
        Self(line.split_whitespace().map(part).collect())
    }

    /// Where in a clause it is first said: its first word and the one behind its last. None of `undoing` stands in a gap.
    pub(super) fn find(&self, words: &[String], undoing: &[&str]) -> Option<(usize, usize)> {
        (0..words.len()).find_map(|at| {
            let mut steps = 0;
            fits(&self.0, (words, undoing), at, &mut steps).map(|end| (at, end))
        })
    }
}

/// Where the parts end that begin at `at`, if they fit there.
fn fits(
    parts: &[Part],
    (words, undoing): (&[String], &[&str]),
    at: usize,
    steps: &mut usize,
) -> Option<usize> {
    *steps += 1;
    if *steps > MAX_STEPS {
        return None;
    }
    let Some((part, rest)) = parts.split_first() else { return Some(at) };
    let is_next = |these: &[&str]| words.get(at).is_some_and(|word| is_one_of(these, word));
    match part {
        Part::Start => (at == 0).then(|| fits(rest, (words, undoing), at, steps))?,
        Part::End => (at == words.len()).then(|| fits(rest, (words, undoing), at, steps))?,
        Part::NotNext(these) => {
            (!is_next(these)).then(|| fits(rest, (words, undoing), at, steps))?
        }
        Part::NotBefore(these) => {
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            let is = before.is_some_and(|word| is_one_of(these, word));
            (!is).then(|| fits(rest, (words, undoing), at, steps))?
        }
        Part::Word(these) => is_next(these).then(|| fits(rest, (words, undoing), at + 1, steps))?,
        Part::Maybe(these) => {
            let taken =
                is_next(these).then(|| fits(rest, (words, undoing), at + 1, steps)).flatten();
            taken.or_else(|| fits(rest, (words, undoing), at, steps))
        }
        Part::Gap(most) => {
            let is_undoing = |word: &String| undoing.contains(&word.as_str());
            let near = words[at..].iter().take(*most);
            let last = at + near.take_while(|word| !is_undoing(word)).count();
            (at..=last).find_map(|next| fits(rest, (words, undoing), next, steps))
        }
    }
}

fn is_one_of(these: &[&str], word: &str) -> bool {
    these.iter().any(|one| match (*one, one.strip_prefix('*')) {
        ("N", _) => is_number(word),
        ("V", _) => is_version(word),
        (_, Some(end)) => word.len() > end.len() + 1 && word.ends_with(end),
        (one, None) => one == word,
    })
}

/// `v2`, `2.1`, `v2.3.1`.
fn is_version(word: &str) -> bool {
    let number = word.strip_prefix('v').unwrap_or(word);
    is_number(number) && !number.contains(['/', ',', '%'])
}

/// `12`, `1,204`, `12/12`, `100%`.
fn is_number(word: &str) -> bool {
    let word = word.strip_suffix('%').unwrap_or(word);
    word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '/' | ',' | '.'))
}
