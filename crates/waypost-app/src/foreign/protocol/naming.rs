//! What the words of a sentence tell: with which verb it begins, and which tool, memory, skill or branch it names.

use super::wording::codes;

/// Whether an act begins with one of these verbs.
pub(super) fn begins(act: &str, verbs: &[&str]) -> bool {
    verbs.iter().any(|verb| {
        act.strip_prefix(verb).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })
}

/// Whether what is to be kept is to stay as it is: "keep `x` up to date" asks for the opposite.
pub(super) fn stays(act: &str) -> bool {
    const SAME: &[&str] = &[
        "",
        "the",
        "file",
        "files",
        "and",
        "as",
        "is",
        "are",
        "it",
        "they",
        "unchanged",
        "read",
        "only",
        "untouched",
        "alone",
        "intact",
        "was",
        "were",
        "existing",
        "a",
        "reference",
        "unmodified",
        "do",
        "not",
        "update",
        "modify",
        "edit",
        "in",
        "place",
        "both",
        "or",
    ];
    let outside = act.split('`').step_by(2).flat_map(str::split_whitespace).skip(1);
    let mut words = outside.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.all(|word| {
        let is_file = word.contains(['.', '/']);
        is_file || word.split(|c: char| !c.is_alphanumeric()).all(|part| SAME.contains(&part))
    })
}

/// Whether somebody of QA is asked, and not only something that has its name, such as data.
pub(super) fn asks_qa(words: &[&str]) -> bool {
    let goes_on = [
        "agent",
        "agents",
        "subagent",
        "specialist",
        "team",
        "skill",
        "validation",
        "validate",
        "review",
        "report",
        "verdict",
        "approval",
        "sign",
        "signoff",
        "pass",
        "check",
        "checks",
        "gate",
        "to",
        "after",
        "before",
        "for",
        "when",
        "if",
        "unless",
        "with",
        "and",
        "or",
        "on",
        "in",
        "via",
        "is",
        "has",
        "by",
        "as",
        "on",
        "until",
        "verification",
        "assessment",
    ];
    let place = words.iter().position(|word| *word == "qa");
    place.is_some_and(|place| {
        let next = words.iter().skip(place + 1).find(|word| !word.is_empty());
        next.is_none_or(|next| goes_on.contains(next))
    })
}

/// Whether the log is what the verb is about, and nothing that is to be done to something else in it.
pub(super) fn before_log(act: &str) -> bool {
    let words = act.split(' ').take_while(|word| !word.starts_with("session"));
    words.count() <= 4
}

/// The usual names of main branches that a text speaks of.
pub(super) fn branches(act: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = act.split(|c: char| !c.is_alphanumeric()).collect();
    let usual = ["main", "master", "trunk", "develop"].into_iter();
    let named: Vec<String> = usual.filter(|name| words.contains(name)).map(str::to_owned).collect();
    (!named.is_empty()).then_some(named)
}

pub(super) fn mcp_tool(code: &str) -> Option<(&str, &str)> {
    let (server, tool) = code.strip_prefix("mcp__")?.split_once("__")?;
    let tool = tool.split(['(', ' ']).next()?;
    let plain = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    };
    (plain(server) && plain(tool)).then_some((server, tool))
}

pub(super) fn mcp_tools<'t>(act: &'t str, details: &'t str) -> impl Iterator<Item = &'t str> {
    let codes = codes(act).into_iter().chain(codes(details));
    codes.filter_map(mcp_tool).map(|(_, tool)| tool)
}

pub(super) fn writes_memory(tool: &str) -> bool {
    matches!(tool, "write_memory" | "edit_memory")
}

/// The memory that a text names: in code, as an argument, or before the word.
pub(super) fn memory_named(act: &str) -> Option<String> {
    let plain = |name: &str| {
        let name = name.trim_matches(|c: char| !c.is_alphanumeric());
        let fits = name.contains('-')
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        (fits && !name.contains("task-") && name.len() <= 80).then(|| name.to_owned())
    };
    for code in codes(act) {
        let value = code.split_once('=').filter(|(key, _)| key.starts_with("memory"));
        if let Some(name) = value.and_then(|(_, value)| plain(value)) {
            return Some(name);
        }
        if let Some(name) = plain(code).filter(|_| !code.contains(['/', '=', '.'])) {
            return Some(name);
        }
    }
    let outside = act.split('`').step_by(2).collect::<String>();
    let words: Vec<&str> = outside.split_whitespace().collect();
    let pairs = words.windows(2).filter(|pair| pair[1].starts_with("memor"));
    let before = pairs.filter(|pair| !pair[0].contains("relevant")).find_map(|pair| plain(pair[0]));
    before.or_else(|| {
        words.iter().find(|word| word.starts_with("memory-")).and_then(|word| plain(word))
    })
}

/// `use the X skill`
pub(super) fn skill_named(act: &str) -> Option<String> {
    let words: Vec<&str> = act.split_whitespace().collect();
    let place = words.iter().position(|word| word.trim_end_matches(['.', ',', ':']) == "skill")?;
    let name = words.get(place.checked_sub(1)?)?.trim_matches(['`', '*', '"']);
    let fits =
        !matches!(name, "a" | "the" | "this" | "appropriate" | "applicable" | "right" | "matching")
            && name.len() <= 80
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    fits.then(|| name.to_owned())
}

pub(super) fn slash_command(code: &str) -> Option<String> {
    let name = code.strip_prefix('/')?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    (!name.is_empty() && name.len() <= 80 && name.chars().all(plain)).then(|| name.to_owned())
}
