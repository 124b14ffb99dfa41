//! Files and commands as they are written in running text: which words are one, and what is only an example.

use std::collections::BTreeMap;

use super::wording::codes;

/// Words longer than this are no file.
const MAX_PATH: usize = 200;
/// What stands in for something that whoever acts has to put there.
const PLACEHOLDERS: &[char] =
    &['<', '>', '[', ']', '{', '}', '"', '\'', '$', '*', '(', ')', '|', ';', '&'];
const PROGRAMS: &[&str] = &[
    "uv",
    "uvx",
    "npx",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "bunx",
    "deno",
    "node",
    "python",
    "python3",
    "pytest",
    "poetry",
    "pwsh",
    "powershell",
    "bash",
    "sh",
    "make",
    "just",
    "task",
    "cargo",
    "go",
    "gradle",
    "mvn",
    "dotnet",
    "ruff",
    "mypy",
    "eslint",
    "tsc",
    "git",
    "gh",
    "docker",
    "pre-commit",
    "markdownlint",
    "markdownlint-cli2",
    "tox",
    "nox",
    "rake",
    "bundle",
    "mix",
    "composer",
    "phpunit",
];

/// The files that a document names, by their last part: where only that is written, the whole path is meant.
#[derive(Debug, Default)]
pub(super) struct Paths(BTreeMap<String, String>);

impl Paths {
    /// Remembers the files that a text names.
    pub(super) fn learn(&mut self, text: &str) {
        for file in files(text) {
            if let Some((_, last)) = file.rsplit_once('/') {
                self.0.entry(last.to_lowercase()).or_insert_with(|| file.clone());
            }
        }
    }

    /// The whole path of a file.
    pub(super) fn whole(&self, file: &str) -> String {
        let last = file.to_lowercase();
        if file.contains('/') {
            return file.to_owned();
        }
        if let Some(known) = self.0.get(&last) {
            return known.clone();
        }
        // `PROJECT-PLAN.md` is also what ends so.
        let longer = self.0.iter().find(|(name, _)| name.ends_with(&format!("-{last}")));
        let folder = longer.and_then(|(_, path)| path.rsplit_once('/'));
        folder.map_or_else(|| file.to_owned(), |(folder, _)| format!("{folder}/*{file}"))
    }
}

/// The files that a text names, in code or not, but not as an example.
pub(super) fn files(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |word: &str| {
        if let Some(file) = file(word).filter(|file| !found.contains(file)) {
            found.push(file);
        }
    };
    codes(text).into_iter().for_each(&mut add);
    let plain = text.split('`').step_by(2).flat_map(str::split_whitespace);
    plain.for_each(|word| add(word.trim_matches(['(', ')', ',', ';', ':', '"', '.'])));
    found
}

/// Names that stand side by side.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) names: Vec<String>,
    /// Whether one of them will do.
    pub(super) choice: bool,
}

/// The first files that a text names side by side, as in "`a.md`, `b.md` and `c.md`". What it names later on is
/// about something else.
pub(super) fn listed_files(text: &str) -> Listed {
    listed(text, |word, _| file(word))
}

/// The same for commands in code.
pub(super) fn listed_commands(text: &str) -> Listed {
    listed(text, |word, in_code| in_code.then(|| command(word))?)
}

fn listed(text: &str, named: impl Fn(&str, bool) -> Option<String>) -> Listed {
    let mut listed = Listed::default();
    let mut chosen = false;
    for (at, piece) in text.split('`').enumerate() {
        let in_code = at % 2 == 1;
        let words: Vec<&str> = if in_code {
            piece.split("&&").map(str::trim).collect()
        } else {
            piece.split_whitespace().collect()
        };
        for word in words {
            let bare = word.trim_matches(['(', ')', ',', ';', ':', '"', '.']);
            let name = named(if in_code { word } else { bare }, in_code);
            if let Some(name) = name {
                listed.choice |= chosen && !listed.names.is_empty();
                if !listed.names.contains(&name) {
                    listed.names.push(name);
                }
                chosen = false;
                continue;
            }
            match bare.to_lowercase().as_str() {
                "or" | "alternatively" => chosen = true,
                "" | "and" | "&" | "then" | "plus" | "both" | "either" | "and/or" => {
                    chosen |= bare == "and/or";
                }
                _ if listed.names.is_empty() => chosen = false,
                _ => return listed,
            }
        }
    }
    listed
}

/// A file of the project, if a word can only be one.
fn file(word: &str) -> Option<String> {
    let word = word.trim().trim_start_matches("./");
    let last = word.rsplit('/').next()?;
    let (stem, ending) = last.rsplit_once('.')?;
    let ends = (1..=5).contains(&ending.len())
        && ending.chars().all(|c| c.is_ascii_alphanumeric())
        && ending.starts_with(|c: char| c.is_ascii_lowercase());
    // A name such as `2.5` or `e.g` is no file; without a folder it has to be a document.
    let known = word.contains('/')
        || matches!(ending, "md" | "txt" | "json" | "yaml" | "yml" | "toml" | "rst" | "adoc");
    let dated = word.contains("YYYY") || word.contains("NN");
    (ends && known && !stem.is_empty() && !dated && is_inside(word)).then(|| word.to_owned())
}

/// Whether a path stays inside of the project, and is one.
pub(super) fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && path.len() <= MAX_PATH
        && !path.starts_with(['/', '~', '-'])
        && !path.contains(PLACEHOLDERS)
        && !path.contains("://")
        && !path.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\')
        && path.split('/').all(|part| part != "..")
}

/// The folder that a text names in code.
pub(super) fn folder(text: &str) -> Option<String> {
    let folders = codes(text).into_iter().filter(|code| code.contains('/') && !code.contains(' '));
    let mut folders = folders.map(|code| code.trim_start_matches("./").trim_end_matches('/'));
    folders.find(|folder| is_inside(folder)).map(str::to_owned)
}

/// The part of a command line that is always the same; `None` if a text is none.
pub(super) fn command(text: &str) -> Option<String> {
    let mut words = text.split_whitespace().skip_while(|word| is_carried(word));
    let first = words.next()?;
    let is_script = first.contains('/') && script_named(first);
    if !PROGRAMS.contains(&first) && !is_script {
        return None;
    }
    let fixed =
        words.take_while(|word| *word != "--" && !word.contains(PLACEHOLDERS) && !is_blank(word));
    let mut command = first.to_owned();
    for word in fixed.take(12) {
        command.push(' ');
        command.push_str(word);
    }
    (command.len() <= MAX_PATH).then_some(command)
}

/// `xargs -0 -r`, after which the command comes that is meant.
fn is_carried(word: &str) -> bool {
    matches!(word, "xargs" | "sudo" | "time" | "(") || (word.starts_with('-') && word.len() <= 3)
}

/// `NNN`, which stands for a number.
fn is_blank(word: &str) -> bool {
    word.len() > 1 && word.chars().all(|c| c == 'N' || c == '_' || c == '.')
}

/// The commands in a block of code, a line each.
pub(super) fn commands(code: &str) -> Vec<String> {
    let lines = code.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines.filter_map(command).take(8).collect()
}

/// The script that a command runs, if it is a file of the project.
pub(super) fn script(command: &str) -> Option<String> {
    let mut words = command.split(' ').map(|word| word.trim_start_matches("./"));
    words
        .find(|word| word.contains('/') && script_named(word) && is_inside(word))
        .map(str::to_owned)
}

fn script_named(word: &str) -> bool {
    let ending = word.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "sh" | "bash" | "py" | "ps1" | "js" | "mjs" | "ts" | "rb" | "pl" | "php")
}
