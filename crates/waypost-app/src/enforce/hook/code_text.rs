//! Whether code of an interpreter says that it runs other programs, as far as that can be read off it. Code that only
//! holds a text, prints it or writes it to a file runs nothing.
//!
//! Runs nothing and understands no language: whoever takes pains to hide what the code does is not found here.

/// How a language runs others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Language {
    /// By the names of functions alone.
    Plain,
    /// Also by marks within and around its texts: backquotes, pipes.
    Marks,
}

/// Languages of the second sort.
const MARKS: [&str; 7] = ["awk", "gawk", "lua", "osascript", "perl", "php", "ruby"];
/// What scripts say where they run other programs.
const RUNNING: [&str; 12] = [
    "system",
    "exec",
    "spawn",
    "popen",
    "Popen",
    "subprocess",
    "pty",
    "qx",
    "run(",
    "call(",
    "check_output",
    "getoutput",
];
/// What is named in a text, and runs them.
const NAMED: &str = "child_process";

impl Language {
    /// That of an interpreter.
    pub(super) fn of(interpreter: &str) -> Self {
        let name = interpreter.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if MARKS.contains(&name) { Self::Marks } else { Self::Plain }
    }

    /// Whether the code says that it runs others.
    pub(super) fn runs_others(self, code: &str) -> bool {
        let says = |code: &str| RUNNING.iter().any(|one| code.contains(one));
        match self {
            Self::Marks => says(code) || code.contains(['`', '|']),
            Self::Plain => code.contains(NAMED) || says(&outside_of_texts(code)),
        }
    }
}

/// The code without its texts.
fn outside_of_texts(code: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(code.len()), code);
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        let quote = &from[..1];
        let triple = quote.repeat(3);
        let mark = if from.starts_with(&triple) { triple.as_str() } else { quote };
        let inner = &from[mark.len()..];
        // What is not closed is no text.
        let Some(end) = closed_at(inner, mark) else {
            kept.push_str(mark);
            rest = inner;
            continue;
        };
        // Some texts hold code.
        let is_filled = quote == "`" || before.ends_with(['f', 'F', 'r', 'R']);
        kept.push_str(if is_filled && inner[..end].contains('{') { &inner[..end] } else { "''" });
        rest = &inner[end + mark.len()..];
    }
    kept.push_str(rest);
    kept
}

/// Where a text ends. One in single marks ends with its line, but for those in backquotes.
fn closed_at(inner: &str, mark: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        if escaped {
            escaped = false;
        } else if inner[at..].starts_with(mark) {
            return Some(at);
        } else if c == '\\' {
            escaped = true;
        } else if c == '\n' && mark.len() == 1 && mark != "`" {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_code_says_outside_of_its_texts_runs_others() {
        for code in [
            "import os; os.system('x')",
            "# don't\nimport subprocess",
            "print(f\"{os.system('x')}\")",
            "x = 'it\\'s'; exec(x)",
            "require('child_process')",
            "`${execSync('x')}`",
        ] {
            assert!(Language::Plain.runs_others(code), "{code}");
        }
        for code in [
            "open('x', 'w').write('exec it | `now`')",
            "t = '''\ndon't use the system\n'''",
            "x = 'it\\'s exec'",
            "",
        ] {
            assert!(!Language::Plain.runs_others(code), "{code}");
        }
        assert!(Language::of("perl5.36").runs_others("`x`"));
    }
}
