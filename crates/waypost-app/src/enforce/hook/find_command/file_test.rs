//! What `find` asks of a file. Where it cannot be told, the answer is neither yes nor no.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use waypost_store::look;

/// A file that a search comes to.
#[derive(Debug)]
pub(super) struct Found<'a> {
    path: &'a Path,
    /// As the search spells it, and how deep it lies; `None` where nobody knows where the search begins.
    pub(super) shown: Option<(&'a str, usize)>,
    about: Option<Metadata>,
}

/// A question that a search asks of a file.
#[derive(Debug)]
pub(super) enum FileTest {
    /// Its name fits a pattern, which is one of these.
    Name { patterns: Vec<String>, any_case: bool },
    /// Its path fits a pattern, which is one of these.
    Path { patterns: Vec<String>, any_case: bool },
    /// Its path has one of these endings.
    Ending { endings: Vec<String>, any_case: bool },
    /// It is of one of these types.
    Kind(Vec<String>),
    /// It is there, and where it is a link, what that leads to.
    There,
    /// It is a link that leads nowhere.
    Broken,
    /// Nothing is in it.
    Empty,
    /// It is so large.
    Size(Vec<String>),
    /// The answer is always the same.
    Always(bool),
    /// Nobody here can tell.
    Unclear,
}

impl<'a> Found<'a> {
    pub(super) fn at(path: &'a Path, shown: Option<(&'a str, usize)>) -> Self {
        Self { path, shown, about: look::link(path).ok() }
    }

    pub(super) fn is_folder(&self) -> bool {
        self.about.as_ref().is_some_and(Metadata::is_dir)
    }

    fn name(&self) -> String {
        let spelt = self.shown.map(|(shown, _)| shown.trim_end_matches('/'));
        let spelt = spelt.and_then(|shown| shown.rsplit('/').next()).map(str::to_owned);
        let own = || self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        spelt.unwrap_or_else(own)
    }

    fn is_empty(&self) -> Option<bool> {
        let about = self.about.as_ref()?;
        if about.is_dir() {
            return Some(look::folder(self.path).ok()?.next().is_none());
        }
        Some(about.is_file() && about.len() == 0)
    }

    fn is_of(&self, kinds: &str) -> Option<bool> {
        let about = self.about.as_ref()?;
        let is = |kind: &str| match kind {
            "f" => about.is_file(),
            "d" => about.is_dir(),
            "l" => about.is_symlink(),
            _ => false,
        };
        Some(kinds.split(',').any(is))
    }

    fn has_size(&self, asked: &str) -> Option<bool> {
        let about = self.about.as_ref()?;
        let number = asked.trim_start_matches(['+', '-']);
        let digits = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &number[digits.len()..] {
            "" | "b" => 512,
            "c" => 1,
            "w" => 2,
            "k" => 1 << 10,
            "M" => 1 << 20,
            "G" => 1 << 30,
            _ => return None,
        };
        let (units, wanted) = (about.size().div_ceil(unit), digits.parse::<u64>().ok()?);
        Some(match asked.as_bytes().first() {
            Some(b'+') => units > wanted,
            Some(b'-') => units < wanted,
            _ => units == wanted,
        })
    }
}

impl FileTest {
    pub(super) fn answer(&self, found: &Found<'_>) -> Option<bool> {
        match self {
            Self::Name { patterns, any_case } => {
                let name = found.name();
                agreed(patterns, |pattern| Some(fits(pattern, &name, *any_case)))
            }
            Self::Path { patterns, any_case } => {
                let (shown, _) = found.shown?;
                agreed(patterns, |pattern| Some(fits(pattern, shown, *any_case)))
            }
            Self::Ending { endings, any_case } => {
                let path = found.path.to_string_lossy();
                let has = |ending: &String| match any_case {
                    true => path.to_lowercase().ends_with(&ending.to_lowercase()),
                    false => path.ends_with(ending.as_str()),
                };
                Some(endings.iter().any(has))
            }
            Self::Kind(kinds) => agreed(kinds, |kinds| found.is_of(kinds)),
            Self::There => Some(look::is_there(found.path)),
            Self::Broken => {
                let is_link = found.about.as_ref().map(Metadata::is_symlink);
                is_link.map(|is_link| is_link && !look::is_there(found.path))
            }
            Self::Empty => found.is_empty(),
            Self::Size(asked) => agreed(asked, |asked| found.has_size(asked)),
            Self::Always(answer) => Some(*answer),
            Self::Unclear => None,
        }
    }
}

/// The answer, if it is the same whichever of these is asked.
fn agreed(asked: &[String], answer: impl Fn(&str) -> Option<bool>) -> Option<bool> {
    let mut answers = asked.iter().map(|one| answer(one));
    let first = answers.next()??;
    answers.all(|answer| answer == Some(first)).then_some(first)
}

/// Whether all of `text` fits a shell's pattern, in which `*` stands for slashes, too.
fn fits(pattern: &str, text: &str, any_case: bool) -> bool {
    let chars = |text: &str| -> Vec<char> {
        if any_case { text.to_lowercase().chars().collect() } else { text.chars().collect() }
    };
    let (pattern, text) = (chars(pattern), chars(text));
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, t));
            p += 1;
        } else if let Some(next) = one(&pattern, p, text[t]) {
            (p, t) = (next, t + 1);
        } else if let Some((star_p, star_t)) = star {
            star = Some((star_p, star_t + 1));
            (p, t) = (star_p + 1, star_t + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Where the pattern goes on if what stands at `at` fits the character.
fn one(pattern: &[char], at: usize, c: char) -> Option<usize> {
    match pattern.get(at)? {
        '?' => Some(at + 1),
        '\\' => (*pattern.get(at + 1)? == c).then_some(at + 2),
        '[' => {
            let negated = matches!(pattern.get(at + 1), Some('!' | '^'));
            let first = at + 1 + usize::from(negated);
            let length = pattern.get(first + 1..)?.iter().position(|c| *c == ']')?;
            let set = &pattern[first..=first + length];
            (is_in(set, c) != negated).then_some(first + length + 2)
        }
        other => (*other == c).then_some(at + 1),
    }
}

/// Whether the character is among those between brackets.
fn is_in(set: &[char], c: char) -> bool {
    let ranges = set.windows(3).filter(|range| range[1] == '-');
    set.contains(&c) || ranges.into_iter().any(|range| (range[0]..=range[2]).contains(&c))
}

/// The endings that a regular expression like `.*\.\(c\|h\)` asks for; `None` if it is another one.
pub(super) fn endings(expression: &str) -> Option<Vec<String>> {
    let rest = expression.strip_prefix(".*")?;
    let rest = rest.strip_suffix('$').unwrap_or(rest);
    // Both ways to write groups and alternatives, without what tells them apart from plain text.
    let plain = rest.replace("\\(", "(").replace("\\)", ")").replace("\\|", "|");
    let (before, group) = plain.split_once('(').unwrap_or((&plain, ""));
    let (alternatives, after) = group.split_once(')').unwrap_or(("", ""));
    let literal = |text: &str| {
        let text = text.replace("\\.", ".");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "./_-".contains(c);
        text.chars().all(is_plain).then_some(text)
    };
    // A dot that is not escaped would stand for any character.
    let dots = rest.matches('.').count() == rest.matches("\\.").count();
    let (before, after) = (literal(before)?, literal(after)?);
    let each = alternatives.split('|').map(|one| Some(format!("{before}{}{after}", literal(one)?)));
    each.collect::<Option<Vec<_>>>().filter(|_| dots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_those_of_a_shell_do() {
        for (pattern, text) in [
            ("*.pyc", "a.pyc"),
            ("*.py[co]", "a.pyo"),
            ("./.git/*", "./.git/a/b"),
            ("*[!a-c]", "xd"),
            ("a\\*", "a*"),
            ("[]]", "]"),
            ("?.rs", "x.rs"),
            ("*", ""),
        ] {
            assert!(fits(pattern, text, false), "{pattern} {text}");
        }
        for (pattern, text) in [("*.py[co]", "a.py"), ("*[!a-c]", "xb"), ("a\\*", "ab"), ("A", "a")]
        {
            assert!(!fits(pattern, text, false), "{pattern} {text}");
        }
        assert!(fits("*.ORIG", "a.orig", true));
    }

    #[test]
    fn endings_are_read_out_of_simple_expressions_only() {
        for (expression, expected) in [
            (r".*\.\(c\|h\)", Some(vec![".c", ".h"])),
            (r".*\.(c|h)$", Some(vec![".c", ".h"])),
            (r".*\.orig", Some(vec![".orig"])),
            (r".*/a\.txt", Some(vec!["/a.txt"])),
            (r".*.orig", None),
            (r".*", Some(vec![""])),
            (r".*\.[ch]", None),
            (r"a.*", None),
            (r".*\.\(c\|.\)", None),
        ] {
            let expected = expected.map(|all| all.into_iter().map(str::to_owned).collect());
            assert_eq!(endings(expression), expected, "{expression}");
        }
    }
}
