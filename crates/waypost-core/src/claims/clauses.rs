//! A text as sentences and clauses of plain words. Code, quotes and quoted lines are left out.

use std::iter::Peekable;
use std::str::Chars;

/// A sentence.
#[derive(Debug)]
pub(super) struct Sentence {
    /// As it was written, on one line.
    pub(super) text: String,
    pub(super) is_question: bool,
    pub(super) place: Place,
    pub(super) clauses: Vec<Clause>,
}

/// Where a sentence stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It is a heading.
    Heading,
    /// What follows it is a list: it ends with a colon, or is set like a heading.
    Lead,
    /// It is a point of a list.
    Point,
    /// It stands for itself.
    Text,
}

/// A part of a sentence that says one thing.
#[derive(Debug)]
pub(super) struct Clause {
    pub(super) words: Vec<String>,
    /// Whether it says what stands against what was said before.
    pub(super) is_behind_but: bool,
}

/// Words at which another thing begins.
const JOINING: [&str; 7] = ["and", "but", "however", "although", "though", "while", "whereas"];

/// Those of them behind which something stands against what was said.
const BUT: [&str; 4] = ["but", "however", "although", "though"];

/// Words for what is tested, in whose row or line a mark or a word stands for how that went.
const TESTED: [&str; 7] = ["build", "checks", "ci", "specs", "suite", "test", "tests"];

/// Words for how something went, behind the name of a command.
const OUTCOMES: [&str; 6] = ["clean", "green", "ok", "pass", "passed", "passes"];

/// The sentences of a text that stand for themselves.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let plain = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| plain.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, Some(mark)) => fence = Some(mark),
            (Some(_), _) => {}
            (None, None) if plain.starts_with('>') || line.starts_with("    ") => {}
            (None, None) => of_line(plain, &mut sentences),
        }
    }
    sentences
}

fn of_line(line: &str, sentences: &mut Vec<Sentence>) {
    let place = place(line);
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '#' | '-' | '*' | '+' | '•' | '|' | '✅' | '✓' | '✔')
    });
    // What is only planned, or is to be done.
    if line.starts_with("[ ]") {
        return;
    }
    let mut rest = line.strip_prefix("[x]").unwrap_or(line).trim_start();
    while !rest.is_empty() {
        let (sentence, others) = rest.split_at(sentence_end(rest));
        rest = others.trim_start();
        let text = sentence.trim().replace("**", "").replace("__", "");
        if !text.is_empty() {
            let is_question = text.trim_end_matches(['"', ')', '*', ' ']).ends_with('?');
            sentences.push(Sentence { clauses: clauses(&text), is_question, place, text });
        }
    }
}

fn place(line: &str) -> Place {
    let plain = line.trim_end_matches(['*', '_', ' ']);
    let is_point = line.starts_with(['-', '+', '•', '|', '✅', '✓', '✔'])
        || line.starts_with("* ")
        || line.split_once(['.', ')']).is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    if line.starts_with('#') {
        Place::Heading
    } else if is_point {
        Place::Point
    } else if plain.ends_with(':') || (line.starts_with("**") && line.ends_with("**")) {
        Place::Lead
    } else {
        Place::Text
    }
}

/// Behind the mark that ends the first sentence.
fn sentence_end(text: &str) -> usize {
    let (mut in_code, mut in_quotes) = (false, false);
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '`' => in_code = !in_code,
            '"' => in_quotes = !in_quotes,
            '.' | '!' | '?' | '…' if !in_code && !in_quotes => {
                let next = letters.peek().map(|(_, next)| *next);
                if next.is_none_or(|next| next.is_whitespace() || matches!(next, '*' | ')')) {
                    return at + letter.len_utf8();
                }
            }
            _ => {}
        }
    }
    text.len()
}

fn clauses(sentence: &str) -> Vec<Clause> {
    let mut clauses = vec![Clause { words: Vec::new(), is_behind_but: false }];
    for token in tokens(sentence) {
        let is_break = token == "," || JOINING.contains(&token.as_str());
        let is_behind_but = BUT.contains(&token.as_str());
        match clauses.last_mut() {
            Some(last) if !is_break => last.words.push(token),
            Some(last) if last.words.is_empty() => last.is_behind_but |= is_behind_but,
            _ => clauses.push(Clause { words: Vec::new(), is_behind_but }),
        }
    }
    clauses.retain(|clause| !clause.words.is_empty());
    clauses
}

/// Words in lower case, `,` for whatever separates clauses.
fn tokens(sentence: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    let mut letters = sentence.chars().peekable();
    while let Some(letter) = letters.next() {
        let letter = if letter == '’' { '\'' } else { letter };
        let closing = match letter {
            '`' => Some(('`', "code")),
            '"' => Some(('"', "quote")),
            '“' => Some(('”', "quote")),
            '\'' if word.is_empty() && is_quote(&letters) => Some(('\'', "quote")),
            _ => None,
        };
        if let Some((closing, name)) = closing {
            finish(&mut word, &mut tokens);
            letters.by_ref().take_while(|c| *c != closing).for_each(drop);
            tokens.push(name.to_owned());
            continue;
        }
        let next = letters.peek().copied();
        let is_within = |next: Option<char>| next.is_some_and(char::is_alphanumeric);
        match letter {
            _ if letter.is_alphanumeric() => word.extend(letter.to_lowercase()),
            '\'' | '-' | '/' | '.' if !word.is_empty() && is_within(next) => word.push(letter),
            '%' if word.ends_with(|c: char| c.is_ascii_digit()) => word.push(letter),
            // `Tests: pass` says one thing.
            ':' if TESTED.contains(&word.as_str()) => finish(&mut word, &mut tokens),
            ',' if word.ends_with(|c: char| c.is_ascii_digit())
                && next.is_some_and(|c| c.is_ascii_digit()) =>
            {
                word.push(letter);
            }
            // So does the line of a command: ok.
            ':' if tokens.last().is_some_and(|last| last == "code") && is_outcome(&letters) => {}
            ',' | ';' | ':' | '(' | ')' | '—' | '–' | '|' => {
                finish(&mut word, &mut tokens);
                tokens.push(",".to_owned());
            }
            '✅' | '✓' | '✔' | '❌' | '✗' | '✘' => {
                finish(&mut word, &mut tokens);
                mark(letter, &mut tokens);
            }
            '-' => {
                finish(&mut word, &mut tokens);
                if next.is_none_or(char::is_whitespace) {
                    tokens.push(",".to_owned());
                }
            }
            _ => finish(&mut word, &mut tokens),
        }
    }
    finish(&mut word, &mut tokens);
    tokens
}

/// Whether the next word says how something went.
fn is_outcome(letters: &Peekable<Chars<'_>>) -> bool {
    let blank = |c: &char| c.is_whitespace();
    let word = letters.clone().skip_while(blank).take_while(|c| c.is_alphanumeric());
    OUTCOMES.contains(&word.collect::<String>().to_lowercase().as_str())
}

/// What a mark behind a word says of it: `Tests ✅`.
fn mark(letter: char, tokens: &mut Vec<String>) {
    let is_count = |token: &String| token.starts_with(|c: char| c.is_ascii_digit());
    let said = tokens.iter().rposition(|token| token != "," && !is_count(token));
    if let Some(at) = said.filter(|at| TESTED.contains(&tokens[*at].as_str())) {
        tokens.truncate(at + 1);
        let is_good = matches!(letter, '✅' | '✓' | '✔');
        tokens.push(if is_good { "pass" } else { "fail" }.to_owned());
    }
}

/// Whether a single quotation mark that a word begins with is closed again.
fn is_quote(letters: &Peekable<Chars<'_>>) -> bool {
    let rest: Vec<char> = letters.clone().collect();
    let is_end =
        |at: usize| rest[at] == '\'' && rest.get(at + 1).is_none_or(|next| !next.is_alphanumeric());
    rest.first().is_some_and(|first| !first.is_whitespace()) && (1..rest.len()).any(is_end)
}

/// Adds a word, apart where it is several.
fn finish(word: &mut String, tokens: &mut Vec<String>) {
    let word = std::mem::take(word);
    if word.is_empty() {
        return;
    }
    let whole = match word.as_str() {
        "can't" | "cannot" => &["can", "not"][..],
        "won't" => &["will", "not"],
        "let's" => &["let"],
        _ => &[],
    };
    if !whole.is_empty() {
        tokens.extend(whole.iter().map(|word| (*word).to_owned()));
        return;
    }
    for (ending, second) in [
        ("n't", "not"),
        ("'ve", "have"),
        ("'ll", "will"),
        ("'re", "are"),
        ("'m", "am"),
        ("'d", "would"),
        ("'s", "is"),
    ] {
        if let Some(first) = word.strip_suffix(ending) {
            tokens.extend([first.to_owned(), second.to_owned()]);
            return;
        }
    }
    let before: Vec<&str> = tokens.iter().rev().take(2).map(String::as_str).collect();
    match (before.as_slice(), word.as_str()) {
        // `can confirm` says no less than `confirm`, and `can no longer happen` than `no longer happens`.
        (["can", ..], "confirm") => drop(tokens.pop()),
        (["no", "can"], "longer") => drop(tokens.remove(tokens.len() - 2)),
        (["once", ..], "more") => {
            tokens.pop();
            return tokens.push("again".to_owned());
        }
        (["made", ..], "sure") => {
            tokens.pop();
            return tokens.push("confirmed".to_owned());
        }
        (["all" | "everything" | "every", ..], "but") => {
            return tokens.push("except".to_owned());
        }
        _ => {}
    }
    tokens.push(word);
}
