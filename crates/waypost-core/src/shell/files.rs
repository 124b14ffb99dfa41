//! Which files a simple command writes, by what is known about the program.
//!
//! Programs that are not known here may write anything, but to hold them all would hold everything.

use super::args::{Arg, Args, OptionSpec, PLAIN, Spelt, operands};
use super::walk::Walker;
use super::{MAX_BYTES, Word, Write};

/// More of paths than this is not kept.
const MAX_WRITTEN: usize = 4 * MAX_BYTES;

const fn spec(valued: &'static str, long: &'static [&'static str]) -> OptionSpec {
    OptionSpec { valued, attached: "", long }
}

/// Whether `effects` knows what the program writes.
pub(super) fn is_writer(name: &str) -> bool {
    matches!(
        name,
        "awk"
            | "bsdtar"
            | "chgrp"
            | "chmod"
            | "chown"
            | "cp"
            | "cpio"
            | "curl"
            | "dd"
            | "ed"
            | "ex"
            | "gawk"
            | "gsed"
            | "gtar"
            | "install"
            | "link"
            | "ln"
            | "mv"
            | "nvim"
            | "patch"
            | "perl"
            | "rm"
            | "rsync"
            | "ruby"
            | "sed"
            | "shred"
            | "sort"
            | "sponge"
            | "tar"
            | "tee"
            | "touch"
            | "truncate"
            | "unlink"
            | "unzip"
            | "vi"
            | "vim"
            | "wget"
    )
}

impl Walker {
    /// Notes what the program called `name` writes when it is run with `words`.
    pub(super) fn effects(&mut self, name: &str, words: &[Word]) {
        let args = &words[1..];
        match name {
            "rm" => self.whole(|walker| walker.each(args, &PLAIN)),
            "sponge" | "tee" | "unlink" => self.each(args, &PLAIN),
            "ed" | "ex" | "nvim" | "vi" | "vim" => self.each(args, &spec("cSuUTw", &["cmd"])),
            "shred" => self.each(args, &spec("ns", &["iterations", "random-source", "size"])),
            "truncate" => self.each(args, &spec("sr", &["reference", "size"])),
            "touch" => self.each(args, &spec("drt", &["date", "reference", "time"])),
            "chgrp" | "chmod" | "chown" if is_recursive(args) => {
                self.whole(|walker| walker.modes(args));
            }
            "chgrp" | "chmod" | "chown" => self.modes(args),
            "cp" | "install" | "link" | "ln" | "mv" => self.transfer(name, args),
            "dd" => {
                for word in args {
                    if let Some(path) = word.text.strip_prefix("of=") {
                        self.write(Spelt { text: path, literal: word.literal });
                    }
                }
            }
            "gsed" | "sed" => self.sed(args),
            "perl" => {
                self.in_place(args, &OptionSpec { valued: "eEI", attached: "iMmF", long: &[] });
            }
            "ruby" => {
                self.in_place(args, &OptionSpec { valued: "eIrEC", attached: "iFKTW", long: &[] });
            }
            "awk" | "gawk" => self.awk(args),
            "rsync" => self.rsync(args),
            "patch" => self.patch(args),
            "bsdtar" | "gtar" | "tar" => self.tar(args),
            "unzip" => {
                let telling =
                    |arg: Arg<'_>| matches!(arg, Arg::Short('l' | 'p' | 't' | 'v' | 'Z', _));
                self.writes_unknown |= !Args::new(args, &spec("dPx", &[])).any(telling);
            }
            "cpio" => {
                self.writes_unknown |= args
                    .iter()
                    .any(|word| word.text.starts_with('-') && word.text.contains(['i', 'p']));
            }
            "curl" | "sort" | "wget" => self.fetched(name, args),
            "find" => self.found(args),
            "git" => self.git_effects(words),
            _ => {}
        }
    }

    /// A file of this name is written.
    pub(super) fn write(&mut self, path: Spelt<'_>) {
        if path.text.is_empty() || is_device(path) {
            return;
        }
        for Word { text, literal } in self.folders.resolve(path) {
            self.written += text.len();
            if self.written > MAX_WRITTEN {
                self.writes_unknown = true;
                return;
            }
            self.writes.push(Write { path: text, literal, whole: false });
        }
    }

    /// What `write` writes goes with everything in it.
    pub(super) fn whole(&mut self, write: impl FnOnce(&mut Self)) {
        let first_new = self.writes.len();
        write(self);
        for write in &mut self.writes[first_new..] {
            write.whole = true;
        }
    }

    fn each(&mut self, args: &[Word], spec: &OptionSpec) {
        for operand in operands(args, spec) {
            self.write(operand);
        }
    }

    /// A file called like `source` is written in `folder`.
    fn write_into(&mut self, folder: Spelt<'_>, source: Spelt<'_>) {
        let name = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if matches!(name, "" | "." | "..") {
            return self.write(folder);
        }
        let slash = if folder.text.ends_with('/') { "" } else { "/" };
        // Whatever is too long to be kept need not be put together either.
        if self.written > MAX_WRITTEN {
            self.writes_unknown = true;
            return;
        }
        let path = match folder.text {
            "." => name.to_owned(),
            folder => format!("{folder}{slash}{name}"),
        };
        self.write(Spelt { text: &path, literal: folder.literal && source.literal });
    }

    /// `sources` are written to `target`, or in it if it is a folder.
    pub(super) fn write_to(&mut self, target: Spelt<'_>, sources: &[Spelt<'_>]) {
        let text = target.text;
        let is_folder = sources.len() > 1
            || text.ends_with('/')
            || matches!(text.rsplit('/').next(), Some("." | ".."));
        if !is_folder {
            self.write(target);
        }
        for source in sources {
            self.write_into(target, *source);
        }
    }

    fn transfer(&mut self, name: &str, args: &[Word]) {
        let spec = match name {
            "install" => spec(
                "gmoSt",
                &["group", "mode", "owner", "strip-program", "suffix", "target-directory"],
            ),
            _ => spec("St", &["suffix", "target-directory"]),
        };
        let (mut operands, mut folder, mut exact) = (Vec::new(), None, false);
        for arg in Args::new(args, &spec) {
            match arg {
                Arg::Operand(word) => operands.push(word),
                Arg::Short('t', value) => folder = value,
                Arg::Short('T', _) => exact = true,
                Arg::Short('d', _) if name == "install" => return,
                arg if arg.is_long("target-directory") => {
                    let (Arg::Long(_, value) | Arg::Short(_, value)) = arg else { continue };
                    folder = value;
                }
                arg if arg.is_long("no-target-directory") => exact = true,
                arg if name == "install" && arg.is_long("directory") => return,
                Arg::Short(..) | Arg::Long(..) => {}
            }
        }
        if let Some(folder) = folder {
            operands.push(folder);
        } else if name == "ln" && operands.len() == 1 {
            operands.push(Spelt { text: ".", literal: true });
        }
        let Some((target, sources)) = operands.split_last() else { return };
        let write_sources = |walker: &mut Self| {
            for source in sources {
                walker.write(*source);
            }
        };
        match name {
            "mv" => self.whole(write_sources),
            // What has another name can be written by that.
            "link" | "ln" => write_sources(self),
            _ => {}
        }
        if exact || name == "link" || sources.is_empty() {
            self.write(*target);
        } else if folder.is_some() {
            for source in sources {
                self.write_into(*target, *source);
            }
        } else {
            self.write_to(*target, sources);
        }
    }

    /// `chmod -x file`: what looks like an option may be the mode.
    fn modes(&mut self, args: &[Word]) {
        let mut has_mode = false;
        for word in args {
            let text = word.text.as_str();
            match text.strip_prefix('-') {
                Some(rest) if rest.starts_with("-ref") => has_mode = true,
                Some(rest) if !rest.is_empty() => {
                    has_mode |= rest.chars().all(|c| "rwxXst".contains(c));
                }
                _ if has_mode => self.write(word.spelt()),
                _ => has_mode = true,
            }
        }
    }

    fn sed(&mut self, args: &[Word]) {
        const SED: OptionSpec = OptionSpec {
            valued: "efl",
            attached: "iI",
            long: &["expression", "file", "line-length"],
        };
        let (mut in_place, mut has_script) = (false, false);
        for arg in Args::new(args, &SED) {
            in_place |= matches!(arg, Arg::Short('i' | 'I', _)) || arg.is_long("in-place");
            has_script |= matches!(arg, Arg::Short('e' | 'f', _))
                || arg.is_long("expression")
                || arg.is_long("file");
        }
        if in_place {
            // Elsewhere than on Linux, `-i` takes a suffix that may be empty.
            let files = operands(args, &SED).filter(|word| !word.text.is_empty());
            let files: Vec<_> = files.skip(usize::from(!has_script)).collect();
            for file in files {
                self.write(file);
            }
        }
    }

    fn in_place(&mut self, args: &[Word], spec: &OptionSpec) {
        let is_given = |letters: &str| {
            let given = |arg| matches!(arg, Arg::Short(letter, _) if letters.contains(letter));
            Args::new(args, spec).any(given)
        };
        if is_given("i") {
            let script = usize::from(!is_given("eE"));
            for file in operands(args, spec).skip(script) {
                self.write(file);
            }
        }
    }

    fn awk(&mut self, args: &[Word]) {
        const AWK: OptionSpec = spec(
            "vfFieEl",
            &["assign", "exec", "field-separator", "file", "include", "load", "source"],
        );
        let (mut in_place, mut has_script) = (false, false);
        for arg in Args::new(args, &AWK) {
            if let Arg::Short('i', Some(value)) | Arg::Long(_, Some(value)) = arg {
                in_place |= value.text.contains("inplace");
            }
            has_script |= matches!(arg, Arg::Short('f' | 'e' | 'E', _))
                || ["exec", "file", "source"].iter().any(|name| arg.is_long(name));
        }
        if in_place {
            for file in operands(args, &AWK).skip(usize::from(!has_script)) {
                if !file.text.contains('=') {
                    self.write(file);
                }
            }
        }
    }
}

fn is_recursive(args: &[Word]) -> bool {
    let says = |text: &str| {
        text == "--recursive"
            || (text.starts_with('-') && !text.starts_with("--") && text.contains('R'))
    };
    args.iter().any(|word| says(&word.text))
}

/// What looks like a file and is none.
fn is_device(path: Spelt<'_>) -> bool {
    path.literal
        && (matches!(path.text, "/dev/null" | "/dev/stderr" | "/dev/stdout" | "/dev/tty")
            || ["/dev/fd/", "/dev/tcp/", "/dev/udp/"].iter().any(|dir| path.text.starts_with(dir)))
}
