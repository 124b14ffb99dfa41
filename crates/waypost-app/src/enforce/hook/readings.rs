//! What a word of a command line may stand for: tildes, the line's own variables, patterns.

use std::path::{Path, PathBuf};

use waypost_core::glob;

use super::target::Target;
use crate::machine::place::without_dots;

/// No more readings of a word than this are looked at.
const MAX_READINGS: usize = 32;

/// What the words of one command line are read with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'a> {
    /// Where the agent is.
    pub(super) cwd: &'a Path,
    /// The user's home.
    pub(super) home: &'a Path,
    /// What the line gives to variables.
    pub(super) values: &'a [(String, String)],
    /// Whether a command in it prints where the agent is.
    pub(super) prints_here: bool,
}

/// A path that a word may stand for.
#[derive(Debug)]
pub(super) struct PossiblePath {
    target: Target,
    /// How it is spelt.
    spelt: String,
    /// The path with the stars of a shell's pattern, if it is one.
    pattern: Option<String>,
}

impl Reading<'_> {
    /// The word with the line's own variables in it, as far as they are known.
    pub(super) fn texts(&self, text: &str, literal: bool) -> Vec<String> {
        let mut texts = vec![text.to_owned()];
        if self.prints_here && !literal && text.contains("$()/") {
            texts[0] = text.replace("$()", &self.cwd.to_string_lossy());
        }
        if literal || !texts[0].contains('$') {
            return texts;
        }
        texts[0] = self.with_defaults(&texts[0]);
        if !texts[0].contains('$') {
            return texts;
        }
        let (home, cwd) = (self.home.to_string_lossy(), self.cwd.to_string_lossy());
        let own = self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let usual =
            [("HOME", &*home), ("PWD", &*cwd), ("TMPDIR", "/tmp"), ("$", "0"), ("RANDOM", "0")];
        for (name, value) in own.chain(usual) {
            for at in 0..texts.len() {
                if let Some(read) = replaced(&texts[at], name, value)
                    && texts.len() < MAX_READINGS
                {
                    texts.push(read);
                }
            }
        }
        texts.remove(0);
        texts
    }

    /// The word with what stands in `${x:-…}` in the place of variables that the line gives nothing.
    fn with_defaults(&self, text: &str) -> String {
        let (mut read, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((before, variable)) = rest.split_once("${") {
            read.push_str(before);
            let end = variable.find('}').unwrap_or(variable.len());
            let (name, default) =
                variable[..end].split_once(":-").unwrap_or((&variable[..end], ""));
            let is_given = self.values.iter().any(|(given, _)| given == name);
            if is_given || default.is_empty() || default.contains('$') {
                let name = if is_given { name } else { &variable[..end] };
                read.push_str(&format!("${{{name}}}"));
            } else {
                read.push_str(default);
            }
            rest = variable.get(end + 1..).unwrap_or_default();
        }
        read + rest
    }

    /// The paths that the word may stand for.
    pub(super) fn paths(&self, text: &str, literal: bool) -> Vec<PossiblePath> {
        let texts = self.texts(text, literal);
        // `{}` stands for what is read or found.
        let is_known = |text: &&String| !text.contains(['$', '`']) && !text.contains("{}");
        let known = texts.iter().filter(|text| literal || is_known(text));
        known.map(|text| self.path(text, literal)).collect()
    }

    fn path(&self, text: &str, literal: bool) -> PossiblePath {
        let tilde = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let path = match tilde.filter(|_| !literal) {
            Some(rest) => self.home.join(rest.trim_start_matches('/')),
            None => PathBuf::from(text),
        };
        let target = Target::of(self.cwd, &path);
        let is_pattern = !literal && text.contains(['*', '?', '[', '{', '(']);
        let pattern =
            is_pattern.then(|| with_stars(&without_dots(&self.cwd.join(&path)).to_string_lossy()));
        PossiblePath { target, spelt: text.to_owned(), pattern }
    }
}

impl PossiblePath {
    /// How it is spelt, with variables read.
    pub(super) fn spelt(&self) -> &str {
        &self.spelt
    }

    /// The file itself, unless it is a pattern.
    pub(super) fn target(&self) -> Option<&Target> {
        self.pattern.is_none().then_some(&self.target)
    }

    /// Whether it may be `place`, or lie in it.
    pub(super) fn is_in(&self, place: &Path) -> bool {
        match &self.pattern {
            None => self.target.spellings().iter().any(|path| path.starts_with(place)),
            Some(pattern) => Path::new(pattern)
                .ancestors()
                .any(|part| glob::matches_path(&part.to_string_lossy(), &place.to_string_lossy())),
        }
    }

    /// Whether it may be `place`, or hold it.
    pub(super) fn holds(&self, place: &Path) -> bool {
        match &self.pattern {
            None => self.target.spellings().iter().any(|path| place.starts_with(path)),
            Some(pattern) => {
                place.ancestors().any(|part| glob::matches_path(pattern, &part.to_string_lossy()))
            }
        }
    }
}

/// `text` with every `$name` and `${name}` replaced; `None` where there is none.
fn replaced(text: &str, name: &str, value: &str) -> Option<String> {
    let braced = format!("${{{name}}}");
    let mut read = text.replace(&braced, value);
    let plain = format!("${name}");
    let mut from = 0;
    while let Some(at) = read[from..].find(&plain).map(|at| at + from) {
        let end = at + plain.len();
        let longer = read[end..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if longer {
            from = end;
        } else {
            read.replace_range(at..end, value);
            from = at + value.len();
        }
    }
    (read != text).then_some(read)
}

/// A shell's pattern with nothing in it but `*` and `?`: wider, never narrower.
fn with_stars(pattern: &str) -> String {
    let mut stars = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        let close = match c {
            '[' => ']',
            '{' => '}',
            // `!(a|b)` and its like.
            '(' => {
                if stars.ends_with(['!', '@', '+', '*', '?']) {
                    stars.pop();
                }
                ')'
            }
            _ => {
                stars.push(c);
                continue;
            }
        };
        stars.push(if close == ']' { '?' } else { '*' });
        chars.by_ref().find(|c| *c == close);
    }
    stars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_as_a_shell_would() {
        let values = [("X".to_owned(), ".git".to_owned()), ("X".to_owned(), "src".to_owned())];
        let (cwd, home) = (Path::new("/p"), Path::new("/h"));
        let reading = Reading { cwd, home, values: &values, prints_here: true };
        let is_in = |text: &str, literal: bool, place: &str| {
            reading.paths(text, literal).iter().any(|spelt| spelt.is_in(Path::new(place)))
        };
        for (text, place) in [
            ("~/.config/waypost/key", "/h/.config/waypost"),
            ("$HOME/x", "/h/x"),
            ("${HOME}/x", "/h/x"),
            ("$PWD/x", "/p/x"),
            ("$X/waypost", "/p/.git/waypost"),
            ("${X}/a/b", "/p/src/a"),
            (".git/way*", "/p/.git/waypost"),
            (".git/way*/x", "/p/.git/waypost"),
            ("wa[xy]post.{toml,x}", "/p/waypost.toml"),
            ("**/key", "/p/a/b/key"),
            ("$()/.git/waypost", "/p/.git/waypost"),
            ("${Y:-.git}/waypost", "/p/.git/waypost"),
            ("${X:-other}/waypost", "/p/.git/waypost"),
            ("${TMPDIR:-/var}/x", "/var/x"),
            ("$TMPDIR/x", "/tmp/x"),
            ("/tmp/x-$$", "/tmp/x-0"),
            ("!(src)", "/p/waypost.toml"),
            (".git/@(a|waypost)", "/p/.git/waypost"),
        ] {
            assert!(is_in(text, false, place), "{text} {place}");
            assert!(!is_in(text, true, place), "{text} is literal");
        }
        for (text, place) in [("$XY/waypost", "/p/.git/waypost"), ("$Y", "/p"), ("*.log", "/p/a")] {
            assert!(!is_in(text, false, place), "{text} {place}");
        }
        let home_itself = &reading.paths("~", false)[0];
        assert!(home_itself.holds(Path::new("/h/.config/waypost")));
        assert!(!home_itself.is_in(Path::new("/h/.config/waypost")));
        assert!(reading.paths(".git/*", false)[0].holds(Path::new("/p/.git/waypost")));
    }
}
