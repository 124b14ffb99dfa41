//! Which files a simple command writes, by what is known about the program.
//!
//! Programs that are not known here may write anything, but to hold them all would hold everything.

use super::args::{Arg, Args, OptionSpec, PLAIN, Spelt, operands};
use super::walk::Walker;
use super::{Attribute, MAX_BYTES, Word, Write};

/// More of paths than this is not kept.
const MAX_WRITTEN: usize = 4 * MAX_BYTES;

/// Where the shell is.
pub(super) const HERE: Spelt<'static> = Spelt { text: ".", literal: true };

const fn spec(valued: &'static str, long: &'static [&'static str]) -> OptionSpec {
    OptionSpec { valued, attached: "", long }
}

/// Whether `effects` knows what the program writes.
pub(super) fn is_writer(name: &str) -> bool {
    matches!(
        name,
        "apply_patch"
            | "applypatch"
            | "awk"
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
                self.whole(|walker| walker.modes(name, args));
            }
            "chgrp" | "chmod" | "chown" => self.modes(name, args),
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
            "apply_patch" | "applypatch" => self.apply_patch(args),
            "bsdtar" | "gtar" | "tar" => self.tar(args),
            "unzip" => self.unzip(args),
            "cpio" => {
                let acts =
                    |word: &Word| word.text.starts_with('-') && word.text.contains(['i', 'p']);
                if args.iter().any(acts) {
                    self.write_in(HERE);
                }
            }
            "curl" | "sort" | "wget" => self.fetched(name, args),
            "find" => self.found(args),
            "git" => self.git_effects(words),
            _ => {}
        }
    }

    fn unzip(&mut self, args: &[Word]) {
        const UNZIP: OptionSpec = spec("dPx", &[]);
        let mut folder = HERE;
        for arg in Args::new(args, &UNZIP) {
            match arg {
                // These only tell of it, or print what is in it.
                Arg::Short('l' | 'p' | 't' | 'v' | 'Z', _) => return,
                Arg::Short('d', Some(given)) => folder = given,
                Arg::Short(..) | Arg::Long(..) | Arg::Operand(_) => {}
            }
        }
        self.write_in(folder);
    }

    /// A file of this name is written.
    pub(super) fn write(&mut self, path: Spelt<'_>) {
        if path.text.is_empty() || is_device(path) {
            return;
        }
        // It is one of the files that a search finds.
        if path.text.starts_with("{}") && !self.searched.is_empty() {
            for start in std::mem::take(&mut self.searched) {
                self.write_in(start.spelt());
                self.searched.push(start);
            }
            return;
        }
        for Word { text, literal } in self.folders.resolve(path) {
            self.written += text.len();
            if self.written > MAX_WRITTEN {
                self.writes_unknown = true;
                return;
            }
            let (whole, unnamed, attribute) = (false, false, None);
            self.writes.push(Write { path: text, literal, whole, unnamed, attribute });
        }
    }

    /// Files that nobody names are written in this folder.
    pub(super) fn write_in(&mut self, folder: Spelt<'_>) {
        let first_new = self.writes.len();
        self.write(folder);
        for write in &mut self.writes[first_new..] {
            write.unnamed = true;
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
        let mut links = matches!(name, "link" | "ln");
        for arg in Args::new(args, &spec) {
            match arg {
                Arg::Operand(word) => operands.push(word),
                Arg::Short('l' | 's', _) | Arg::Long("link" | "symbolic-link", _)
                    if name == "cp" =>
                {
                    links = true;
                }
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
            _ if links => write_sources(self),
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
    fn modes(&mut self, name: &str, args: &[Word]) {
        let (mut mode, first_new) = (None, self.writes.len());
        for word in args {
            let text = word.text.as_str();
            match text.strip_prefix('-') {
                Some(rest) if rest.starts_with("-ref") => mode = Some(text),
                Some(rest) if !rest.is_empty() => {
                    let is_mode = name == "chmod" && rest.chars().all(|c| "rwxXst".contains(c));
                    mode = if is_mode { mode.or(Some(text)) } else { mode };
                }
                _ if mode.is_some() => self.write(word.spelt()),
                _ => mode = Some(text),
            }
        }
        let mode = mode.unwrap_or_default().to_owned();
        let attribute = match name {
            "chmod" => Attribute::Mode(mode),
            "chgrp" => Attribute::Owner(format!(":{mode}")),
            _ => Attribute::Owner(mode),
        };
        for write in &mut self.writes[first_new..] {
            write.attribute = Some(attribute.clone());
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

/// Where `find` begins when it is given these words.
pub(super) fn starts(words: &[Word]) -> Vec<Spelt<'_>> {
    let options = |word: &&Word| matches!(word.text.as_str(), "-H" | "-L" | "-P");
    let is_start = |word: &&Word| !word.text.starts_with(['-', '(', '!']);
    let named = words.iter().skip_while(options).take_while(is_start);
    let named: Vec<Spelt<'_>> = named.map(Word::spelt).collect();
    if named.is_empty() { vec![HERE] } else { named }
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
