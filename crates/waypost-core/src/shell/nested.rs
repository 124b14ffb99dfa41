//! Commands that are given to another command: `bash -c '…'`, `env X=1 git …`, `find -exec`.

use super::args::{Arg, Args, OptionSpec};
use super::companion::Options;
use super::expand::with_newlines;
use super::walk::Walker;
use super::wrapper::{Kind, Wrapper, wrapper_named};
use super::{Simple, Word, files, git_call, reader};

const SHELLS: &[&str] =
    &["ash", "bash", "dash", "fish", "ksh", "mksh", "rbash", "sh", "yash", "zsh"];

impl Walker {
    /// What a command with these words does. `outer` is the simple command that it stands in.
    pub(super) fn run(&mut self, words: &[Word], outer: &Simple, depth: usize) {
        let Some(name) = name_of(words) else { return };
        if self.is_read {
            self.print(name, &words[1..]);
        }
        match name {
            "cd" | "pushd" if words[0].text == name => self.folders.change(&words[1..]),
            "popd" => self.folders.lose(),
            "eval" => self.line(&joined(&words[1..]), depth + 1, &hidden(outer)),
            "trap" if words.len() > 2 => {
                let line = words[1..].iter().find(|word| !word.text.starts_with('-'));
                if let Some(line) = line {
                    self.line_elsewhere(&line.text, depth + 1, &hidden(outer));
                }
            }
            "set" => words.iter().for_each(|word| self.tampering.hold(&word.text)),
            "alias" => self.shell_alias(&words[1..], outer, depth),
            "source" | "." => self.script(&words[1..], outer, depth),
            "find" => self.find(&words[1..], outer, depth),
            "git" => self.git_lines(words, outer, depth),
            "nix-shell" => self.nix_shell(&words[1..], outer, depth),
            _ if SHELLS.contains(&name) => self.shell(&words[1..], outer, depth),
            _ => {
                if let Some(wrapper) = wrapper_named(name) {
                    self.wrapped(&wrapper, words, outer, depth);
                } else {
                    self.wrapped_shell(words, outer, depth);
                }
            }
        }
        self.effects(name, words);
    }

    /// Runs a command that stands in another one.
    fn inner(&mut self, words: &[Word], assigned: &[String], outer: &Simple, depth: usize) {
        if words.is_empty() || self.too_deep(depth) {
            return;
        }
        if name_of(words).is_some_and(|name| name == "git" || name.starts_with("git-")) {
            let assigned = outer.assigned.iter().chain(assigned).cloned().collect();
            let standing = hidden(outer);
            let words = words.to_vec();
            let acted_before = self.tampering.acts;
            let (unseen, folders) = (false, self.folders.told());
            self.commands.push(Simple { words, assigned, standing, unseen, acted_before, folders });
        }
        self.run(words, outer, depth);
    }

    fn wrapped(&mut self, wrapper: &Wrapper, words: &[Word], outer: &Simple, depth: usize) {
        let is_env = words[0].text.ends_with("env");
        let words = &words[1..];
        if wrapper.kind == Kind::Unclear {
            return self.somewhere(words, outer, depth);
        }
        let before = self.folders.clone();
        let (mut operands, mut assigned, mut sure) = (wrapper.operands, Vec::new(), true);
        let mut replaced = None;
        let mut args = Args::new(words, &wrapper.spec);
        let start = loop {
            let at = args.at;
            match args.next() {
                None => break words.len(),
                Some(Arg::Operand(word)) => {
                    sure &= word.literal;
                    let assignment = word.text.split_once('=');
                    match assignment.filter(|_| wrapper.kind == Kind::Assigning) {
                        Some((name, _)) => {
                            self.tampering.assign(name, word.text, &mut self.folders);
                            assigned.push(name.to_owned());
                        }
                        None if operands > 0 => operands -= 1,
                        // After `--` the index is that of the dashes.
                        None => break if words[at].text == "--" { at + 1 } else { at },
                    }
                }
                Some(Arg::Short('S', Some(line)) | Arg::Long("split-string", Some(line)))
                    if wrapper.kind == Kind::Assigning =>
                {
                    let line = format!("{} {}", line.text, joined(&words[args.at..]));
                    return self.line_elsewhere(&line, depth + 1, &hidden(outer));
                }
                Some(Arg::Short('D', Some(folder)) | Arg::Long("chdir", Some(folder))) => {
                    self.folders.enter(folder);
                }
                Some(Arg::Short('C', Some(folder))) if is_env => self.folders.enter(folder),
                Some(Arg::Short('I' | 'i', text) | Arg::Long("replace", text)) => replaced = text,
                Some(Arg::Long(_, value)) => sure &= value.is_some(),
                Some(Arg::Short(..)) => {}
            }
        };
        let command = &words[start..];
        // Variables that it sets are set for a shell in it, too, and what it reads may be nothing at all.
        let mut outer = outer.clone();
        outer.assigned.extend(assigned.iter().cloned());
        if wrapper.kind == Kind::Adding {
            outer.standing = hidden(&outer);
        }
        let outer = &outer;
        match wrapper.kind {
            _ if !sure && !is_known(command) => self.somewhere(command, outer, depth),
            Kind::Line => self.line_elsewhere(&joined(command), depth + 1, &hidden(outer)),
            Kind::Adding => {
                let command = with_added(command, replaced.map(|replaced| replaced.text));
                self.inner(&command, &assigned, outer, depth + 1);
            }
            _ => self.inner(command, &assigned, outer, depth + 1),
        }
        // Only the shell itself can change where the shell is.
        if wrapper.kind != Kind::Builtin {
            self.folders.back(before);
        }
    }

    /// A shell that a program runs which runners are often called by: `uv run bash -c 'pytest'`.
    fn wrapped_shell(&mut self, words: &[Word], outer: &Simple, depth: usize) {
        let inner = reader::carried(words);
        if inner.len() < words.len() && name_of(inner).is_some_and(|name| SHELLS.contains(&name)) {
            self.shell(&inner[1..], outer, depth + 1);
        }
    }

    /// `nix-shell --run 'pytest'`.
    fn nix_shell(&mut self, words: &[Word], outer: &Simple, depth: usize) {
        let is_run = |pair: &&[Word]| matches!(pair[0].text.as_str(), "--run" | "--command");
        if let Some([_, line]) = words.windows(2).find(is_run) {
            let standing =
                if outer.is_treacherous() { hidden(outer) } else { outer.standing.clone() };
            self.line_elsewhere(&line.text, depth + 1, &standing);
        }
    }

    /// The first thing among `words` that looks like a command, and the first that is git; or the
    /// line after `-c`.
    fn somewhere(&mut self, words: &[Word], outer: &Simple, depth: usize) {
        let is_start = |at: &usize| {
            let word = &words[*at].text;
            is_c(word) || (word != "exec" && is_known(&words[*at..]))
        };
        let Some(start) = (0..words.len()).find(is_start) else { return };
        let before = self.folders.clone();
        if let [flag, line, ..] = &words[start..]
            && is_c(&flag.text)
        {
            self.line(&line.text, depth + 1, &hidden(outer));
        } else {
            self.inner(&words[start..], &[], outer, depth + 1);
            // The first may be an option's value. Whatever runs commands itself has found git by now.
            let is_writer = name_of(&words[start..]).is_some_and(files::is_writer);
            let is_git = |at: &usize| is_writer && name_of(&words[*at..]) == Some("git");
            if let Some(git) = (start + 1..words.len()).find(is_git) {
                self.inner(&words[git..], &[], outer, depth + 1);
            }
        }
        self.folders.back(before);
    }

    fn shell(&mut self, words: &[Word], outer: &Simple, depth: usize) {
        const SPEC: OptionSpec =
            OptionSpec { valued: "oO", attached: "", long: &["rcfile", "init-file", "command"] };
        let mut given = false;
        // Its flags say nothing about the line but how failures are taken.
        let mut plain = !outer.is_treacherous();
        let mut options = Options::default();
        options.set(
            words
                .iter()
                .map(|word| word.text.as_str())
                .take_while(|word| word.starts_with(['-', '+']) || *word == "pipefail"),
        );
        let mut args = Args::new(words, &SPEC);
        while let Some(arg) = args.next() {
            match arg {
                Arg::Short('c', _) => given = true,
                Arg::Short('e' | 'l' | 'u' | 'v' | 'x', _) => {}
                Arg::Short('o', Some(option)) if matches!(option.text, "pipefail" | "errexit") => {}
                Arg::Long("command", Some(line)) => {
                    return self.line_elsewhere(line.text, depth + 1, &hidden(outer));
                }
                Arg::Operand(line) if given => {
                    for word in &words[args.at..] {
                        self.tampering.hold(&word.text);
                    }
                    let standing = if plain { outer.standing.clone() } else { hidden(outer) };
                    let before = std::mem::replace(&mut self.options, options);
                    self.line_elsewhere(line.text, depth + 1, &standing);
                    self.options = before;
                    return;
                }
                Arg::Operand(word) if word.text.starts_with('+') => plain = false,
                Arg::Operand(_) => return self.script(&words[args.at - 1..], outer, depth),
                Arg::Short('s', _) => break,
                Arg::Short(..) | Arg::Long(..) => plain = false,
            }
        }
        self.script(&[], outer, depth);
    }

    /// A script is unknown, unless it is what the shell reads from its standard input.
    fn script(&mut self, words: &[Word], outer: &Simple, depth: usize) {
        let is_input = match words.first() {
            None => true,
            Some(word) => {
                matches!(word.text.as_str(), "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
            }
        };
        if is_input && let Some(line) = self.feed.take() {
            self.line_elsewhere(&line, depth + 1, &hidden(outer));
        }
    }

    fn shell_alias(&mut self, words: &[Word], outer: &Simple, depth: usize) {
        for (name, line) in words.iter().filter_map(|word| word.text.split_once('=')) {
            self.folders.define(name);
            self.line_elsewhere(line, depth + 1, &hidden(outer));
        }
    }

    fn find(&mut self, words: &[Word], outer: &Simple, depth: usize) {
        let is_exec =
            |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
        let mut rest = words;
        while let Some(at) = rest.iter().position(is_exec) {
            let command = &rest[at + 1..];
            let is_end = |word: &Word| matches!(word.text.as_str(), ";" | "+");
            let end = command.iter().position(is_end).unwrap_or(command.len());
            let before = self.folders.clone();
            if rest[at].text.ends_with("dir") {
                self.folders.lose();
            }
            let found = with_replaced(&command[..end], "{}");
            let starts = files::starts(words).iter().map(|start| start.to_word()).collect();
            let outer_search = std::mem::replace(&mut self.searched, starts);
            self.inner(&found, &[], outer, depth + 1);
            self.searched = outer_search;
            self.folders.back(before);
            rest = &command[end..];
        }
    }

    /// Commands that git is told to run, and aliases that it is told to know.
    fn git_lines(&mut self, words: &[Word], outer: &Simple, depth: usize) {
        let call = git_call::GitCall::of(words);
        let first = call.args.first().map(|word| word.text.as_str());
        match (call.sub.map_or("", |sub| sub.text), first) {
            ("config", _) => {
                for pair in call.args.windows(2) {
                    if let Some(name) = git_call::alias_name(&pair[0].text) {
                        self.tampering.aliases.push((name.to_owned(), pair[1].clone()));
                    }
                }
            }
            ("bisect", Some("run")) => self.inner(&call.args[1..], &[], outer, depth + 1),
            ("submodule", _) => {
                let after = call.args.iter().skip_while(|word| word.text != "foreach").skip(1);
                let command = after.skip_while(|word| word.text.starts_with("--"));
                let line: Vec<&str> = command.map(|word| word.text.as_str()).collect();
                let before = self.folders.clone();
                self.folders.lose();
                self.line(&line.join(" "), depth + 1, &hidden(outer));
                self.folders.back(before);
            }
            ("rebase", _) => {
                const SPEC: OptionSpec =
                    OptionSpec { valued: "xsXC", attached: "S", long: &["exec"] };
                for arg in Args::new(call.args, &SPEC) {
                    if let Arg::Short('x', Some(line)) | Arg::Long("exec", Some(line)) = arg {
                        self.line_elsewhere(line.text, depth + 1, &hidden(outer));
                    }
                }
            }
            _ => {}
        }
    }

    /// Keeps what a command prints, as far as its words tell.
    fn print(&mut self, name: &str, words: &[Word]) {
        let text = match name {
            "cat" | "tee" => self.feed.take().map(|feed| feed.to_string()),
            "echo" => {
                let options = |word: &&Word| matches!(word.text.as_str(), "-n" | "-e" | "-ne");
                let skipped = words.iter().take_while(options).count();
                let escapes = words[..skipped].iter().any(|word| word.text.contains('e'));
                let text = joined(&words[skipped..]);
                Some(if escapes { with_newlines(&text) } else { text })
            }
            "printf" => words.split_first().map(|(format, values)| {
                let conversions = format.text.matches('%').count();
                if conversions == 0 || values.is_empty() {
                    return with_newlines(&format.text);
                }
                let values: Vec<&str> = values.iter().map(|word| word.text.as_str()).collect();
                values.join(if conversions == 1 { "\n" } else { " " })
            }),
            _ => None,
        };
        if let Some(text) = text {
            let output = self.output.get_or_insert_default();
            output.push_str(&text);
            output.push('\n');
        }
    }
}

fn hidden(outer: &Simple) -> super::ExitStanding {
    outer.standing.clone().hidden("another command runs it")
}

fn name_of(words: &[Word]) -> Option<&str> {
    let first = words.first().filter(|word| word.literal)?;
    first.text.rsplit('/').next()
}

fn joined(words: &[Word]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    words.join(" ")
}

fn is_c(word: &str) -> bool {
    word == "--command" || (word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))
}

/// Whether a command begins here whose doings are known.
fn is_known(words: &[Word]) -> bool {
    name_of(words).is_some_and(|name| {
        matches!(name, "git" | "eval" | "find")
            || SHELLS.contains(&name)
            || files::is_writer(name)
            || wrapper_named(name).is_some()
    })
}

/// The command with what is read into it: in the place of `replaced`, or else at its end.
fn with_added(words: &[Word], replaced: Option<&str>) -> Vec<Word> {
    let mut added = with_replaced(words, replaced.unwrap_or("{}"));
    if replaced.is_none() && !added.is_empty() {
        added.push(Word { text: "{}".to_owned(), literal: false });
    }
    added
}

fn with_replaced(words: &[Word], replaced: &str) -> Vec<Word> {
    let replace = |word: &Word| Word {
        text: word.text.clone(),
        literal: word.literal && !word.text.contains(replaced),
    };
    words.iter().map(replace).collect()
}
