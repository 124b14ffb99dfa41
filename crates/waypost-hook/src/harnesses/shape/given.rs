//! What a tool that Waypost does not know is given: command lines, files and patches, however it calls them and
//! however deep they lie. Only looks at names and texts, and never at files.

use std::path::PathBuf;

use serde_json::{Map, Value};
use waypost_app::harness::Input;
use waypost_core::patch;

/// What tools call a command line that they run. Names are compared without case, `_` and `-`.
const LINES: &[&str] = &[
    "command",
    "cmd",
    "commandline",
    "cmdline",
    "shellcommand",
    "shellcmd",
    "bashcommand",
    "terminalcommand",
    "commandtorun",
    "commandstring",
    "commands",
];
/// The same of tools that say that they are a shell, which others call other texts.
const SCRIPTS: &[&str] =
    &["script", "code", "input", "line", "lines", "keys", "chars", "text", "data", "source"];
/// What tools call the program and its words, where they are apart.
const PROGRAMS: &[&str] = &["program", "executable", "binary", "bin", "exe"];
const WORDS: &[&str] = &["args", "argv", "arguments", "commandargs", "cmdargs", "parameters"];
/// What they call the folder in which it runs.
const FOLDERS: &[&str] = &[
    "cwd",
    "workdir",
    "workingdir",
    "workingdirectory",
    "currentdirectory",
    "projectpath",
    "repopath",
];
/// What they call the language of a script, and those of shells.
const LANGUAGES: &[&str] = &["language", "lang", "interpreter", "shell", "runtime", "kernel"];
const SHELLS: &[&str] =
    &["bash", "sh", "zsh", "shell", "fish", "ksh", "dash", "powershell", "pwsh"];
/// What they call the files that they are given, the one that is changed first.
const FILES: &[&str] = &[
    "path",
    "filepath",
    "relativepath",
    "pathinproject",
    "absolutepath",
    "file",
    "filename",
    "uri",
    "fileuri",
    "targetfile",
    "notebookpath",
    "source",
    "sourcepath",
    "oldpath",
    "destination",
    "destinationpath",
    "newpath",
    "targetpath",
    "outputpath",
    "outputfile",
];
/// The same of several at once.
const MANY: &[&str] = &["paths", "files", "filepaths", "filenames", "relativepaths", "uris"];
/// What a tool with several uses calls the one that is meant.
const USES: &[&str] = &["action", "operation", "op", "command", "mode", "method", "subcommand"];
/// What lies deeper is not looked for.
const DEPTH: usize = 5;

/// What a tool is given.
pub(in crate::harnesses) struct Given {
    fields: Map<String, Value>,
}

impl Given {
    pub(in crate::harnesses) fn of(input: &Input<'_>) -> Option<Self> {
        let fields = serde_json::from_str(input.arguments?.get()).ok()?;
        Some(Self { fields })
    }

    /// The text of a field.
    pub(in crate::harnesses) fn text(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| field(&self.fields, name)?.as_str())
    }

    /// A field that is a text or a number, as text.
    pub(in crate::harnesses) fn named(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| match field(&self.fields, name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    }

    /// Which of its uses is meant, where it says so in a word.
    pub(in crate::harnesses) fn uses(&self) -> impl Iterator<Item = &str> {
        let texts = USES.iter().filter_map(|name| field(&self.fields, name)?.as_str());
        texts.filter(|text| !text.contains(char::is_whitespace))
    }

    /// All command lines, one below the other. `is_shell` says that the tool takes nothing else.
    pub(in crate::harnesses) fn lines(&self, is_shell: bool) -> Option<String> {
        let mut lines = Vec::new();
        Search { is_shell, folder: None }.object(&self.fields, DEPTH, &mut lines);
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// All files that it names.
    pub(in crate::harnesses) fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        files(&self.fields, DEPTH, &mut found);
        let folder = field(&self.fields, "projectpath").and_then(Value::as_str);
        let placed = |file: String| {
            folder.map_or_else(|| PathBuf::from(&file), |folder| PathBuf::from(folder).join(&file))
        };
        found.into_iter().map(placed).collect()
    }

    /// The files that a patch among its texts names.
    pub(in crate::harnesses) fn patched(&self, says_so: bool) -> Vec<PathBuf> {
        let texts = self.fields.values().filter_map(Value::as_str);
        let patches = texts.filter(|text| says_so || patch::is_marked(text));
        patches.flat_map(patch::files).map(PathBuf::from).collect()
    }
}

/// Looks for command lines.
#[derive(Clone, Copy)]
struct Search<'a> {
    is_shell: bool,
    folder: Option<&'a str>,
}

impl<'a> Search<'a> {
    fn object(mut self, fields: &'a Map<String, Value>, depth: usize, found: &mut Vec<String>) {
        let of = |names: &[&str]| names.iter().find_map(|name| field(fields, name));
        self.folder = of(FOLDERS).and_then(Value::as_str).or(self.folder);
        let language = of(LANGUAGES).and_then(Value::as_str).map(str::to_ascii_lowercase);
        let is_script = match &language {
            Some(language) => SHELLS.iter().any(|shell| language.ends_with(shell)),
            None => self.is_shell,
        };
        let line = of(LINES).or_else(|| of(PROGRAMS)).or_else(|| of(SCRIPTS).filter(|_| is_script));
        let words = of(WORDS).filter(|words| words.is_array() || words.is_string());
        let lines = match (line, words) {
            (Some(line), words) => spelt(line, words),
            (None, Some(argv)) if field(fields, "argv").is_some() || self.is_shell => {
                spelt(argv, None)
            }
            (None, _) => Vec::new(),
        };
        found.extend(lines.into_iter().map(|line| self.placed(line)));
        for value in fields.values() {
            self.value(value, depth, found);
        }
    }

    fn value(self, value: &'a Value, depth: usize, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) if depth > 0 => self.object(fields, depth - 1, found),
            Value::Array(values) if depth > 0 => {
                for value in values {
                    self.value(value, depth - 1, found);
                }
            }
            _ => {}
        }
    }

    /// The line as it would be written from the folder that the agent is in.
    fn placed(self, line: String) -> String {
        match self.folder {
            Some(folder) if !matches!(folder, "" | "." | "./") => {
                format!("cd {} && {line}", quoted(folder))
            }
            _ => line,
        }
    }
}

/// The command lines in a field: one, several, or the words of one.
fn spelt(value: &Value, words: Option<&Value>) -> Vec<String> {
    let rest = match words {
        Some(Value::Array(words)) => {
            let words: Vec<String> = words.iter().filter_map(Value::as_str).map(quoted).collect();
            if words.is_empty() { String::new() } else { format!(" {}", words.join(" ")) }
        }
        Some(Value::String(text)) => format!(" {text}"),
        _ => String::new(),
    };
    match value {
        Value::String(line) if !line.trim().is_empty() => vec![format!("{line}{rest}")],
        Value::Array(values) => {
            let texts: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
            match texts.first() {
                None => Vec::new(),
                // A program's name has no spaces: these are whole lines.
                Some(first) if first.trim().contains(char::is_whitespace) => {
                    texts.into_iter().map(str::to_owned).collect()
                }
                Some(_) => {
                    let words: Vec<String> = texts.into_iter().map(quoted).collect();
                    vec![format!("{}{rest}", words.join(" "))]
                }
            }
        }
        _ => Vec::new(),
    }
}

fn files(fields: &Map<String, Value>, depth: usize, found: &mut Vec<String>) {
    let mut add = |text: &str| {
        let file = text.strip_prefix("file://").unwrap_or(text);
        // A text of several lines is what is written, not where.
        if !file.is_empty() && !file.contains('\n') && !found.iter().any(|known| known == file) {
            found.push(file.to_owned());
        }
    };
    for name in FILES {
        field(fields, name).and_then(Value::as_str).into_iter().for_each(&mut add);
    }
    for name in MANY {
        match field(fields, name) {
            Some(Value::Array(values)) => {
                values.iter().filter_map(Value::as_str).for_each(&mut add);
            }
            Some(Value::String(text)) => add(text),
            _ => {}
        }
    }
    for value in fields.values() {
        let within = match value {
            Value::Object(fields) => std::slice::from_ref(fields).to_vec(),
            Value::Array(values) => values.iter().filter_map(Value::as_object).cloned().collect(),
            _ => Vec::new(),
        };
        for fields in within.iter().filter(|_| depth > 0) {
            files(fields, depth - 1, found);
        }
    }
}

/// A field by its name, however that is spelt.
fn field<'v>(fields: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    let is = |key: &str| {
        let mut letters = key.bytes().filter(|byte| !matches!(byte, b'_' | b'-'));
        name.bytes().all(|wanted| {
            letters.next().is_some_and(|letter| letter.to_ascii_lowercase() == wanted)
        }) && letters.next().is_none()
    };
    fields.iter().find(|(key, value)| is(key) && !value.is_null()).map(|(_, value)| value)
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
