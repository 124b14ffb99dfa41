//! Scripts that are given to an interpreter as text and only read files.
//!
//! Nothing is understood of them: every name that is called, and every name behind a dot, has to be among
//! those that are known to read. Whatever is not, may write.

/// What scripts of a language may say.
struct Language {
    /// What may be called.
    calls: &'static str,
    /// What may stand behind a dot without being called.
    parts: &'static str,
    /// What may be loaded.
    modules: &'static str,
    /// Words that load something.
    loading: &'static [&'static str],
    /// The mark behind which a line is a comment, if there is one.
    comment: Option<char>,
}

const PYTHON: Language = Language {
    calls: "Path abspath all any basename bool count dict dirname dumps endswith enumerate exists exit find \
        format get getsize glob int is_dir is_file isdir isfile isinstance items iterdir join keys len \
        list listdir load loads lower max min open pprint print range read read_bytes read_text \
        readlines repr rglob safe_load set sorted split splitlines startswith str strip sum tuple type \
        upper values zip",
    parts: "argv environ name parent path stderr stdin stdout stem suffix version",
    modules: "collections json os os.path pathlib pprint re sys textwrap toml tomli tomllib yaml",
    loading: &["import", "from"],
    comment: Some('#'),
};
const JAVASCRIPT: Language = Language {
    calls: "Array Number Object String basename dirname entries error existsSync exit filter find flat flatMap \
        forEach includes isArray join keys log map parse readFileSync readdirSync require resolve slice \
        some sort split startsWith statSync stringify toString trim values",
    parts: "argv cwd env length size version versions",
    modules: "fs node:fs node:path path",
    loading: &[],
    comment: None,
};

/// A piece of a script.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Name(&'a str),
    Text(&'a str),
    Other(char),
}

/// Whether a script for the interpreter of that name only reads.
pub(super) fn only_reads(interpreter: &str, script: &str) -> bool {
    if interpreter == "perl" {
        return is_substitution(script);
    }
    let language = match interpreter.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "python" => &PYTHON,
        "node" | "nodejs" | "bun" => &JAVASCRIPT,
        _ => return false,
    };
    let Some(pieces) = pieces(script, language.comment) else { return false };
    let is_known = |at: usize| language.knows(&pieces, at);
    !script.contains("__") && (0..pieces.len()).all(is_known)
}

impl Language {
    fn knows(&self, pieces: &[Piece<'_>], at: usize) -> bool {
        let before = at.checked_sub(1).map(|at| &pieces[at]);
        let after = pieces.get(at + 1);
        let is_called = after == Some(&Piece::Other('('));
        match &pieces[at] {
            // What is taken out of something goes by another name, and names are given by `:=` as well.
            Piece::Other('}' | ':') => after != Some(&Piece::Other('=')),
            // What another call gives may be anything.
            Piece::Other('(') => !matches!(before, Some(Piece::Other(')' | ']') | Piece::Text(_))),
            // What stands between two slashes may be a text.
            Piece::Other('/') => self.comment.is_some(),
            Piece::Other(c) => !matches!(c, '@' | '`' | '#'),
            Piece::Text(text) => !is_writing_mode(text),
            Piece::Name(name) if self.loading.contains(name) => self.loads(&pieces[at + 1..]),
            Piece::Name(name @ ("open" | "require")) => {
                is_called
                    && self.calls.contains(name)
                    && self.opens(name, &pieces[at + 2..], before)
            }
            Piece::Name("exec" | "eval" | "import" | "new" | "lambda" | "globals" | "async") => {
                false
            }
            Piece::Name(name) if is_called => is_keyword(name) || is_among(self.calls, name),
            Piece::Name(name) if before == Some(&Piece::Other('.')) => {
                let knows = is_among(self.parts, name) || is_among(self.modules, name);
                // Where no module is loaded, there is nothing but data.
                knows || (self.loading.is_empty() && !self.has_module(pieces))
            }
            // What may be called may not become something else.
            Piece::Name(name) => {
                let is_given = after == Some(&Piece::Other('='))
                    || matches!(before, Some(Piece::Name("for" | "as" | "def" | "class")));
                !is_among(self.calls, name) || !is_given
            }
        }
    }

    fn has_module(&self, pieces: &[Piece<'_>]) -> bool {
        pieces.iter().any(|piece| match piece {
            Piece::Text(text) => is_among(self.modules, text),
            Piece::Name(_) | Piece::Other(_) => false,
        })
    }

    /// Whether only what is harmless is loaded by what follows `import`.
    fn loads(&self, pieces: &[Piece<'_>]) -> bool {
        let line = pieces.iter().take_while(|piece| !matches!(piece, Piece::Other('\n' | ';')));
        line.filter_map(|piece| match piece {
            Piece::Name(name) => Some(*name),
            _ => None,
        })
        .all(|name| {
            matches!(name, "import" | "as")
                || is_among(self.modules, name)
                || is_among(self.calls, name)
        })
    }

    /// Whether what is between the brackets says that something is only read.
    fn opens(&self, name: &str, pieces: &[Piece<'_>], before: Option<&Piece<'_>>) -> bool {
        if name == "require" {
            let [Piece::Text(what), Piece::Other(')'), ..] = pieces else { return false };
            let kind = what.rsplit_once('.').map(|(_, kind)| kind);
            return is_among(self.modules, what) || kind == Some("json");
        }
        let mut depth = 0usize;
        let inside = pieces.iter().take_while(|piece| {
            depth += usize::from(**piece == Piece::Other('('));
            let is_end = depth == 0 && **piece == Piece::Other(')');
            depth = depth.saturating_sub(usize::from(**piece == Piece::Other(')')));
            !is_end
        });
        let inside: Vec<&Piece<'_>> = inside.collect();
        // A method's file stands before the dot.
        let of_file = before == Some(&Piece::Other('.'));
        let comma = inside.iter().position(|piece| **piece == Piece::Other(','));
        let at = if of_file { 0 } else { comma.unwrap_or(inside.len()) };
        let (file, options) = inside.split_at(at);
        let is_harmless = |(at, piece): (usize, &&Piece<'_>)| match piece {
            Piece::Text(text) => matches!(*text, "r" | "rb" | "rt" | "utf-8" | "utf8"),
            Piece::Name(name) => {
                let is_given = options.get(at + 1) == Some(&&Piece::Other('='));
                is_given && matches!(*name, "encoding" | "mode")
            }
            Piece::Other(c) => matches!(c, ',' | '='),
        };
        let is_plain = |piece: &&Piece<'_>| !matches!(piece, Piece::Other('=' | '*'));
        file.iter().all(is_plain) && options.iter().enumerate().all(is_harmless)
    }
}

fn is_among(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == name)
}

fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "and" | "if" | "in" | "not" | "or" | "return" | "for" | "of" | "while" | "elif" | "is"
    )
}

/// Whether a script is `s/a/b/` and nothing else.
fn is_substitution(script: &str) -> bool {
    let Some(rest) = script.trim().strip_prefix('s') else { return false };
    let Some(mark) = rest.chars().next().filter(|c| "/|#,!".contains(*c)) else { return false };
    let parts: Vec<&str> = rest[1..].split(mark).collect();
    let is_escaped = script.contains(&format!("\\{mark}"));
    let [_, _, flags] = parts.as_slice() else { return false };
    // Variables may have code between their brackets.
    let is_plain = !script.contains(['$', '@']) && !script.contains("(?");
    is_plain && !is_escaped && flags.trim_end_matches(';').chars().all(|c| "gimsx".contains(c))
}

/// Whether a text is what a file is opened with to be written.
fn is_writing_mode(text: &str) -> bool {
    (1..=3).contains(&text.len())
        && text.chars().all(|c| "rwaxbt+s".contains(c))
        && text.contains(['w', 'a', 'x', '+'])
}

/// The script in pieces; `None` if it cannot be taken apart, or holds texts with code in them.
fn pieces(script: &str, comment: Option<char>) -> Option<Vec<Piece<'_>>> {
    let (mut pieces, mut rest) = (Vec::new(), script);
    while let Some(c) = rest.chars().next() {
        let length = if c.is_alphabetic() || c == '_' || c == '$' {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let name = &rest[..end];
            let quoted = rest[end..].starts_with(['"', '\'']);
            if quoted && name.len() < 3 && name.contains(['f', 'F', 't', 'T']) {
                return None;
            }
            pieces.push(Piece::Name(name));
            end
        } else if c == '"' || c == '\'' {
            let inner = &rest[1..];
            let end = inner.find(c)?;
            // Three quotes begin another sort of text.
            if inner[..end].contains('\\') || inner[end + 1..].starts_with(['"', '\'']) {
                return None;
            }
            pieces.push(Piece::Text(&inner[..end]));
            end + 2
        } else {
            if Some(c) == comment {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            if !c.is_whitespace() || c == '\n' {
                pieces.push(Piece::Other(c));
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::only_reads;

    #[test]
    fn scripts_in_python_that_only_read_are_known() {
        for script in [
            "import json; print(json.load(open('.claude/settings.json')).keys())",
            "import tomllib; print(tomllib.load(open(\"waypost.toml\", \"rb\"))[\"gate\"])",
            "import json\nd = json.load(open('a.json', encoding='utf-8'))\nfor k in d['hooks']:\n    print(k, len(d['hooks'][k]))\n",
            "from pathlib import Path\nprint(Path('waypost.toml').read_text())",
            "import os; print(os.path.exists('waypost.toml'))",
            "import json,sys; print(json.dumps(json.load(sys.stdin), indent=2))",
            "with open('waypost.toml') as f:\n    print(f.read())",
        ] {
            assert!(only_reads("python3", script), "{script}");
        }
        for script in [
            "open('waypost.toml', 'w')",
            "open('waypost.toml', mode)",
            "open('waypost.toml', 'now'[2])",
            "load = open; load('waypost.toml', m)",
            "import os; os.remove('waypost.toml')",
            "from os import remove as load; load('waypost.toml')",
            "import shutil; print(1)",
            "from pathlib import Path; Path('waypost.toml').write_text('')",
            "from pathlib import Path; Path('waypost.toml').open('w')",
            "from pathlib import Path; sorted(['waypost.toml'], key=Path.unlink)",
            "__import__('os').remove('waypost.toml')",
            "print(f\"{open('waypost.toml', mode)}\")",
            "import sys; sys.modules['os'].remove('waypost.toml')",
            "exec('x')",
            "open(mode=m, file='waypost.toml')",
            "open(*x)",
            "load = x['y']; load('waypost.toml')",
            "getattr(p, 'un' + 'link')()",
            "open('waypost.toml', '\\x77')",
            "import json; json.dump({}, open('.claude/settings.json', 'w'))",
            "'''q'y'''; import os; os.remove(\"waypost.toml\") #'",
            "(load := x)",
            "for load in x: load('waypost.toml')",
        ] {
            assert!(!only_reads("python3.12", script), "{script}");
        }
    }

    #[test]
    fn scripts_in_other_languages_that_only_read_are_known() {
        for script in [
            "console.log(Object.keys(require(\"./.claude/settings.json\")))",
            "console.log(require('./.claude/settings.json').hooks)",
            "const fs = require('fs'); console.log(JSON.parse(fs.readFileSync('.claude/settings.json', 'utf8')))",
        ] {
            assert!(only_reads("node", script), "{script}");
        }
        for script in [
            "require('fs').writeFileSync('waypost.toml', '')",
            "require('child_process').execSync('rm waypost.toml')",
            "import('fs')",
            "const {rmSync: log} = require('fs'); log('waypost.toml')",
            "log = require('fs')['rmSync']; log('waypost.toml')",
            "['waypost.toml'].map(require('fs').rmSync)",
            "const w = require; w('child_process')",
            "console.log(`${require('fs').rmSync('waypost.toml')}`)",
            "/#/;require('fs').rmSync('waypost.toml')",
            "/'/;require(\"fs\").rmSync(\"waypost.toml\");/'/",
        ] {
            assert!(!only_reads("node", script), "{script}");
        }
        assert!(!only_reads("ruby", "puts 1"));
        assert!(only_reads("perl", r"s/waypost\.toml/x/g"));
        for script in [
            "unlink 'x'",
            "s/a/b/e",
            "s/a/@{[unlink 1]}/",
            "s/a/b/; unlink 1",
            r"s/a\/b/c/",
            "s/^/$x[unlink 1]/",
        ] {
            assert!(!only_reads("perl", script), "{script}");
        }
    }
}
