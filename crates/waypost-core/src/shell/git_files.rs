//! Which files of the work tree a git command writes.
//!
//! Going from one recorded state to another (`git switch`, `merge`, `stash`) is not counted: what is
//! told here is what happens to files by name, or to changes that nobody recorded.

use super::Word;
use super::args::{Arg, Args, OptionSpec, Spelt, operands};
use super::files::HERE;
use super::git_call::GitCall;
use super::walk::Walker;

impl Walker {
    pub(super) fn git_effects(&mut self, words: &[Word]) {
        let call = GitCall::of(words);
        let Some(sub) = call.sub.filter(|sub| sub.literal) else { return };
        if !matches!(
            sub.text,
            "apply"
                | "archive"
                | "checkout"
                | "checkout-index"
                | "clean"
                | "config"
                | "diff"
                | "format-patch"
                | "log"
                | "mv"
                | "reset"
                | "restore"
                | "rm"
                | "show"
        ) {
            return;
        }
        let before = self.folders.clone();
        for folder in &call.folders {
            self.folders.enter(*folder);
        }
        let first_new = self.writes.len();
        match sub.text {
            "apply" => self.git_apply(call.args),
            "checkout" => self.git_checkout(call.args),
            "restore" => self.git_restore(call.args),
            "mv" | "rm" => self.git_move(sub.text, call.args),
            "config" => self.git_config(call.args),
            "checkout-index" => self.write_in(HERE),
            "clean" => {
                const CLEAN: OptionSpec =
                    OptionSpec { valued: "e", attached: "", long: &["exclude"] };
                if !is_given(call.args, &CLEAN, 'n', "dry-run") {
                    self.write_in(HERE);
                }
            }
            "reset" => {
                let hard =
                    |word: &Word| matches!(word.text.as_str(), "--hard" | "--keep" | "--merge");
                if call.args.iter().any(hard) {
                    self.write_in(HERE);
                }
            }
            _ => self.git_output(sub.text, call.args),
        }
        for write in &mut self.writes[first_new..] {
            write.literal &= !call.elsewhere;
        }
        self.folders.back(before);
    }

    /// A path of git's, which expands patterns itself.
    fn write_matching(&mut self, path: Spelt<'_>) {
        let literal =
            path.literal && !path.text.starts_with(':') && !path.text.contains(['*', '?', '[']);
        self.write(Spelt { literal, ..path });
    }

    fn git_apply(&mut self, args: &[Word]) {
        const APPLY: OptionSpec = OptionSpec {
            valued: "pC",
            attached: "",
            long: &["build-fake-ancestor", "directory", "exclude", "include"],
        };
        let (mut only_tells, mut applies) = (false, false);
        for arg in Args::new(args, &APPLY) {
            match arg {
                Arg::Long("cached" | "check" | "numstat" | "stat" | "summary", None) => {
                    only_tells = true;
                }
                Arg::Long("apply" | "index", _) => applies = true,
                Arg::Short(..) | Arg::Long(..) | Arg::Operand(_) => {}
            }
        }
        if applies || !only_tells {
            self.write_in(HERE);
        }
    }

    fn git_checkout(&mut self, args: &[Word]) {
        const CHECKOUT: OptionSpec = OptionSpec {
            valued: "bB",
            attached: "",
            long: &["conflict", "orphan", "pathspec-from-file"],
        };
        if let Some(dashes) = args.iter().position(|word| word.text == "--") {
            for path in &args[dashes + 1..] {
                self.write_matching(path.spelt());
            }
            return;
        }
        let (mut operands, mut are_paths, mut forced) = (Vec::new(), false, false);
        for arg in Args::new(args, &CHECKOUT) {
            match arg {
                Arg::Operand(word) => operands.push(word),
                Arg::Short('b' | 'B' | 'd' | 't', _)
                | Arg::Long("detach" | "orphan" | "track", _) => return,
                Arg::Short('p', _) | Arg::Long("patch" | "pathspec-from-file", _) => {
                    self.write_in(HERE);
                }
                Arg::Long("ours" | "theirs", _) => are_paths = true,
                Arg::Short('f', _) | Arg::Long("force", _) => forced = true,
                Arg::Short(..) | Arg::Long(..) => {}
            }
        }
        if forced {
            self.write_in(HERE);
        }
        for (index, operand) in operands.iter().enumerate() {
            if index > 0 || are_paths || looks_like_path(operand.text) {
                self.write_matching(*operand);
            }
        }
    }

    fn git_restore(&mut self, args: &[Word]) {
        const RESTORE: OptionSpec = OptionSpec {
            valued: "s",
            attached: "",
            long: &["conflict", "pathspec-from-file", "source"],
        };
        let staged = is_given(args, &RESTORE, 'S', "staged");
        if staged && !is_given(args, &RESTORE, 'W', "worktree") {
            return;
        }
        for arg in Args::new(args, &RESTORE) {
            match arg {
                Arg::Operand(path) => self.write_matching(path),
                Arg::Short('p', _) | Arg::Long("patch" | "pathspec-from-file", _) => {
                    self.write_in(HERE);
                }
                Arg::Short(..) | Arg::Long(..) => {}
            }
        }
    }

    fn git_move(&mut self, sub: &str, args: &[Word]) {
        const REMOVE: OptionSpec =
            OptionSpec { valued: "", attached: "", long: &["pathspec-from-file"] };
        if is_given(args, &REMOVE, 'n', "dry-run")
            || args.iter().any(|word| word.text == "--cached")
        {
            return;
        }
        let paths: Vec<Spelt<'_>> = operands(args, &REMOVE).collect();
        match paths.split_last() {
            Some((target, sources)) if sub == "mv" => {
                for source in sources {
                    self.write(*source);
                }
                self.write_to(*target, sources);
            }
            _ => {
                for path in paths {
                    self.write_matching(path);
                }
            }
        }
    }

    /// `git config --file x` can write any file.
    fn git_config(&mut self, args: &[Word]) {
        const CONFIG: OptionSpec =
            OptionSpec { valued: "f", attached: "", long: &["default", "file", "type"] };
        let (mut file, mut operands, mut sets) = (None, Vec::new(), false);
        for arg in Args::new(args, &CONFIG) {
            match arg {
                Arg::Short('f', path) | Arg::Long("file", path) => file = path,
                Arg::Operand(word) => operands.push(word.text),
                Arg::Short('e', _) => sets = true,
                Arg::Long(name, _) => {
                    sets |=
                        ["add", "edit", "re", "unset"].iter().any(|verb| name.starts_with(verb));
                }
                Arg::Short(..) => {}
            }
        }
        let reads = matches!(operands.first(), Some(&("get" | "list")));
        if let Some(file) = file.filter(|_| sets || (operands.len() > 1 && !reads)) {
            self.write(file);
        }
    }

    fn git_output(&mut self, sub: &str, args: &[Word]) {
        const OUTPUT: OptionSpec = OptionSpec { valued: "o", attached: "", long: &["output"] };
        let spec = if sub == "archive" { &OUTPUT } else { &OptionSpec { valued: "", ..OUTPUT } };
        for arg in Args::new(args, spec) {
            if let Arg::Short('o', Some(path)) | Arg::Long("output", Some(path)) = arg {
                self.write(path);
            }
        }
    }
}

fn is_given(args: &[Word], spec: &OptionSpec, letter: char, name: &str) -> bool {
    Args::new(args, spec).any(|arg| match arg {
        Arg::Short(given, _) => given == letter,
        Arg::Long(given, _) => given == name,
        Arg::Operand(_) => false,
    })
}

/// Whether what could be a branch is more likely a path.
fn looks_like_path(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    let has_extension = name
        .rsplit_once('.')
        .is_some_and(|(_, end)| end.starts_with(|c: char| c.is_ascii_alphabetic()));
    matches!(name, "." | ".." | "")
        || ["/", "./", "../", ":"].iter().any(|start| text.starts_with(start))
        || text.contains(['*', '?', '['])
        || has_extension
}
