//! What a sentence asks for: how much it insists, what is to be done, and on what condition.

use waypost_core::gate::Level;

/// Which key word stands for what, the longer first.
const WORDS: &[(&str, Level)] = &[
    ("MUST", Level::Must),
    ("SHALL", Level::Must),
    ("SHOULD", Level::Should),
    ("MAY", Level::May),
];
/// Key words that only tables and headings use for a level.
const TITLES: &[(&str, Level)] = &[
    ("REQUIRED", Level::Must),
    ("MANDATORY", Level::Must),
    ("RECOMMENDED", Level::Should),
    ("OPTIONAL", Level::May),
];
/// What a key word does not speak of itself before.
const SPOKEN_OF: &[&str] = &["requirement", "item", "row", "level", "step", "/"];

/// A key word in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeyWord {
    pub(super) level: Level,
    /// Whether it forbids.
    pub(super) forbids: bool,
    /// Where it begins, and where what follows it does.
    start: usize,
    end: usize,
}

/// A sentence that asks for something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wording {
    pub(super) level: Level,
    pub(super) forbids: bool,
    /// What is to be done, without who is to do it.
    pub(super) act: String,
    /// When that is, if not always.
    pub(super) condition: Option<String>,
}

/// What each sentence of a text asks for.
pub(super) fn wordings(text: &str) -> Vec<Wording> {
    sentences(text).into_iter().filter_map(wording).collect()
}

/// What a sentence asks for, if it has a key word.
pub(super) fn wording(sentence: &str) -> Option<Wording> {
    let found = key_word(sentence).or_else(|| title(sentence))?;
    let before = sentence.get(..found.start).unwrap_or_default().trim();
    let after = sentence.get(found.end..).unwrap_or_default();
    let act = after.trim().trim_start_matches([':', ',']).trim();
    // Where who is to act is not the agent, it has to be said.
    let act = match subject_of(before) {
        Some(subject) => format!("{subject} {} {act}", if found.forbids { "not" } else { "must" }),
        None => act.to_owned(),
    };
    let (level, forbids) = (found.level, found.forbids);
    let condition = leading(before).or_else(|| trailing(&act));
    let act = without_parenthesis(&act);
    let (act, forbids) = never(act, forbids);
    (!act.is_empty()).then_some(Wording { level, forbids, act, condition })
}

/// What a row or an item asks for whose level stands elsewhere.
pub(super) fn plain(text: &str, level: Level, forbids: bool) -> Wording {
    let condition = leading(text).or_else(|| trailing(text));
    let (act, forbids) = never(without_parenthesis(text), forbids);
    Wording { level, forbids, act, condition }
}

/// How much a text insists on what is listed below it, and whether it forbids that: "The agent MUST:".
pub(super) fn demand(text: &str) -> Option<(Level, bool)> {
    const GENERAL: &[&str] = &[
        "do",
        "the",
        "following",
        "these",
        "this",
        "steps",
        "step",
        "complete",
        "perform",
        "follow",
        "execute",
        "carry",
        "out",
        "things",
        "in",
        "order",
        "actions",
        "tasks",
        "all",
        "of",
        "be",
        "done",
        "as",
        "follows",
        "any",
        "items",
        "below",
        "each",
        "every",
        "always",
        "also",
    ];
    let found = key_word(text).filter(|_| text.trim_end().ends_with(':'))?;
    let after = text.get(found.end..).unwrap_or_default().to_lowercase();
    let mut words = after.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| GENERAL.contains(&word)).then_some((found.level, found.forbids))
}

/// The text with its key words written as such, where somebody wrote them in small letters.
pub(super) fn raised(text: &str) -> String {
    let mut code = false;
    let mut raised = String::with_capacity(text.len());
    let mut after_word = false;
    for piece in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
        let upper = word.to_uppercase();
        let is_key = matches!(upper.as_str(), "MUST" | "SHALL" | "SHOULD");
        let is_not = after_word && upper == "NOT";
        if !code && (is_key || is_not) {
            raised.push_str(&upper);
            raised.push_str(piece.get(word.len()..).unwrap_or_default());
        } else {
            raised.push_str(piece);
        }
        after_word = is_key;
        code ^= piece.ends_with('`');
    }
    raised
}

/// The level that a cell or the words in a heading's parentheses name, whether it forbids, and what else they say.
pub(super) fn level_named(text: &str) -> Option<(Level, bool, &str)> {
    let text = text.trim();
    for (word, level) in WORDS.iter().chain(TITLES) {
        let Some(rest) = text.strip_prefix(word) else { continue };
        if rest.starts_with(|c: char| c.is_alphanumeric()) {
            continue;
        }
        let (forbids, rest) = match rest.strip_prefix(" NOT") {
            Some(rest) if !rest.starts_with(|c: char| c.is_alphanumeric()) => (true, rest),
            _ => (false, rest),
        };
        return Some((*level, forbids, rest.trim()));
    }
    None
}

/// The first key word that is one: not in code, not in quotation marks, not spoken of.
pub(super) fn key_word(text: &str) -> Option<KeyWord> {
    let mut code = false;
    let mut at = 0;
    for piece in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let start = at;
        at += piece.len();
        let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
        let known = WORDS.iter().find(|(known, _)| *known == word && !code);
        code ^= piece.ends_with('`');
        let Some((_, level)) = known else { continue };
        let before = text.get(..start).unwrap_or_default();
        let mut end = start + word.len();
        let mut rest = text.get(end..).unwrap_or_default();
        let not = rest.strip_prefix(" NOT").or_else(|| rest.strip_prefix(" not"));
        let forbids = not.is_some_and(|rest| !rest.starts_with(is_word));
        if forbids {
            end += " NOT".len();
            rest = text.get(end..).unwrap_or_default();
        }
        let quoted = before.ends_with(['"', '/', '\u{201c}']) || rest.starts_with(['"', '/']);
        let spoken = SPOKEN_OF.iter().any(|what| rest.trim_start().starts_with(what));
        if !quoted && !spoken {
            return Some(KeyWord { level: *level, forbids, start, end });
        }
    }
    None
}

/// A sentence that begins with its level, as in "REQUIRED: sing".
fn title(text: &str) -> Option<KeyWord> {
    let (_, level) = TITLES.iter().find(|(word, _)| {
        text.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with(':'))
    })?;
    let end = text.find(':')?;
    Some(KeyWord { level: *level, forbids: false, start: 0, end })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric()
}

/// Who is to act, where that is not the agent.
fn subject_of(before: &str) -> Option<String> {
    let who = before.rsplit([',', ':']).next().unwrap_or_default();
    // A sign before the key word, such as a tick, acts as little as nobody does.
    let who = who.trim_matches(|c: char| c != '`' && !c.is_alphanumeric());
    let lower = who.to_lowercase();
    let agents = ["", "agent", "agents", "the agent", "agents also", "you", "then the agent", "it"];
    let agent = agents.contains(&lower.as_str())
        || lower.ends_with("agent")
        || lower.ends_with("agents")
        || lower.len() > 60;
    (!agent).then(|| who.to_owned())
}

/// The condition that a sentence begins with.
fn leading(before: &str) -> Option<String> {
    let after_label = before.rsplit_once(": ").map_or(before, |(_, rest)| rest);
    for text in [before, after_label] {
        let lower = text.to_lowercase();
        if ["if ", "when ", "where ", "unless ", "in case "]
            .iter()
            .any(|word| lower.starts_with(word))
        {
            let end = comma(text).unwrap_or(text.len());
            return text.get(..end).map(|text| text.trim().to_owned());
        }
    }
    None
}

/// The first comma that stands in no parentheses.
fn comma(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return Some(at),
            _ => {}
        }
        None
    })
}

/// The condition that a sentence ends with.
fn trailing(act: &str) -> Option<String> {
    let plain = outside_code(act);
    let lower = plain.to_lowercase();
    for word in [
        "(if ",
        "(when ",
        "(unless ",
        "(only ",
        " only when ",
        " only if ",
        " if ",
        " unless ",
        " when ",
        " whenever ",
        " as needed",
        " as appropriate",
        " as applicable",
        " where applicable",
        " where possible",
    ] {
        let Some(at) = lower.find(word) else { continue };
        let rest = act.get(at..).unwrap_or_default().trim_start().trim_start_matches('(');
        let end = if word.starts_with('(') { rest.find(')') } else { None };
        let end = end.or_else(|| rest.find([';', ':'])).unwrap_or(rest.len());
        return rest.get(..end).map(|text| text.trim().to_owned());
    }
    None
}

/// "Never do it" forbids, whatever word stands before it.
fn never(act: String, forbids: bool) -> (String, bool) {
    let lower = act.to_lowercase();
    let found = ["never ", "do not ", "don't "].iter().find(|word| lower.starts_with(*word));
    match found {
        Some(word) if !forbids => (act.get(word.len()..).unwrap_or_default().to_owned(), true),
        _ => (act, forbids),
    }
}

/// When something that is forbidden is not, or something that holds else does not.
pub(super) fn exception(act: &str) -> Option<String> {
    let plain = outside_code(act).to_lowercase();
    let words =
        [" unless ", "(unless ", " without ", " except ", "(except ", " until ", " other than "];
    let at = words.iter().filter_map(|word| plain.find(word)).min()?;
    act.get(at..).map(|text| text.trim_matches([' ', '(', ')']).to_owned())
}

/// The text with every byte of code blotted out, as long as before.
fn outside_code(text: &str) -> String {
    let mut code = false;
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        code ^= c == '`';
        if code && c != '`' {
            plain.extend(std::iter::repeat_n('\u{1}', c.len_utf8()));
        } else {
            plain.push(if c.is_ascii() { c } else { '\u{1}' });
            if !c.is_ascii() {
                plain.extend(std::iter::repeat_n('\u{1}', c.len_utf8() - 1));
            }
        }
    }
    plain
}

/// Without a level in parentheses at its end, as in "(BLOCKING):".
fn without_parenthesis(act: &str) -> String {
    let act = act.trim().trim_end_matches([':', '.']).trim_end();
    if let Some((front, last)) = act.strip_suffix(')').and_then(|act| act.rsplit_once('('))
        && matches!(last.trim(), "BLOCKING" | "REQUIRED" | "CRITICAL" | "MANDATORY")
    {
        return front.trim().to_owned();
    }
    act.to_owned()
}

/// The sentences of a text. What looks like an end inside code is none.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let (mut start, mut code) = (0, false);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        code ^= *byte == b'`';
        if code || !matches!(byte, b'.' | b'!' | b'?' | b';') || bytes.get(at + 1) != Some(&b' ') {
            continue;
        }
        let sentence = text.get(start..=at).unwrap_or_default();
        let abbreviated =
            ["e.g.", "i.e.", "etc.", "vs.", "cf."].iter().any(|word| sentence.ends_with(word));
        let capital = bytes.get(at + 2).is_some_and(|next| !next.is_ascii_lowercase());
        if !abbreviated && (capital || *byte == b';') {
            sentences.push(sentence.trim());
            start = at + 1;
        }
    }
    sentences.push(text.get(start..).unwrap_or_default().trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// What stands in code, in order, but not as an example.
pub(super) fn codes(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text.split('`').collect();
    let pairs = parts.chunks(2).filter(|pair| pair.len() == 2);
    let given = pairs.filter(|pair| !is_example(pair[0])).map(|pair| pair[1].trim());
    given.filter(|code| !code.is_empty()).collect()
}

fn is_example(before: &str) -> bool {
    let before = before.trim_end_matches([' ', ',', '(']);
    ["e.g.", "e.g", "for example", "such as", "i.e."].iter().any(|word| before.ends_with(word))
}
