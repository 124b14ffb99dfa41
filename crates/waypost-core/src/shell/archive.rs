//! Which files are written by programs that bring them from somewhere else.

use super::Word;
use super::args::{Arg, Args, OptionSpec, Spelt};
use super::files::{HERE, starts};
use super::walk::Walker;
use crate::patch;

const RSYNC: OptionSpec = OptionSpec {
    valued: "efTBM@",
    attached: "",
    long: &[
        "backup-dir",
        "block-size",
        "bwlimit",
        "chmod",
        "chown",
        "compare-dest",
        "copy-dest",
        "debug",
        "exclude",
        "exclude-from",
        "files-from",
        "filter",
        "groupmap",
        "include",
        "include-from",
        "info",
        "link-dest",
        "log-file",
        "max-delete",
        "max-size",
        "min-size",
        "modify-window",
        "out-format",
        "partial-dir",
        "password-file",
        "port",
        "remote-option",
        "rsh",
        "rsync-path",
        "suffix",
        "temp-dir",
        "timeout",
        "usermap",
    ],
};
const PATCH: OptionSpec = OptionSpec {
    valued: "BDFVYdgioprxz",
    attached: "",
    long: &[
        "basename-prefix",
        "directory",
        "fuzz",
        "get",
        "ifdef",
        "input",
        "output",
        "prefix",
        "reject-file",
        "strip",
        "suffix",
        "version-control",
    ],
};
const TAR: OptionSpec = OptionSpec {
    valued: "CFHIKLNTVXbfg",
    attached: "",
    long: &[
        "add-file",
        "directory",
        "exclude",
        "exclude-from",
        "file",
        "files-from",
        "format",
        "group",
        "mode",
        "mtime",
        "newer",
        "owner",
        "strip-components",
        "transform",
    ],
};
const FETCH: OptionSpec = OptionSpec {
    valued: "AbBcCdDeEFhHiKmoPQrtTuUwxXyYz",
    attached: "",
    long: &["cookie-jar", "dump-header", "output", "output-dir", "output-document", "output-file"],
};
const SORT: OptionSpec = OptionSpec { valued: "kSTto", attached: "", long: &["output"] };
const WGET: OptionSpec = OptionSpec {
    valued: "aABDeiIlOoPQRtTUwX",
    attached: "",
    long: &["append-output", "directory-prefix", "output-document", "output-file"],
};

impl Walker {
    pub(super) fn rsync(&mut self, args: &[Word]) {
        let (mut operands, mut moves) = (Vec::new(), false);
        for arg in Args::new(args, &RSYNC) {
            match arg {
                Arg::Operand(word) => operands.push(word),
                Arg::Short('n', _) | Arg::Long("dry-run", None) => return,
                arg => moves |= arg.is_long("remove-source-files"),
            }
        }
        let is_here =
            |path: &Spelt<'_>| !path.text.split('/').next().unwrap_or_default().contains(':');
        let Some((target, sources)) = operands.split_last() else { return };
        if moves {
            for source in sources.iter().filter(|source| is_here(source)) {
                self.write(*source);
            }
        }
        if !is_here(target) {
            return;
        }
        if sources.is_empty() {
            // One path is only listed, unless it turns out to be several.
            if !target.literal {
                self.write(*target);
            }
        } else if sources.iter().any(|source| source.text.ends_with('/')) {
            self.write(*target);
        } else {
            self.write_to(*target, sources);
        }
    }

    pub(super) fn patch(&mut self, args: &[Word]) {
        let before = self.folders.clone();
        let (mut file, mut output) = (None, None);
        for arg in Args::new(args, &PATCH) {
            match arg {
                Arg::Operand(word) => file = file.or(Some(word)),
                Arg::Long("dry-run", None) => return self.folders.back(before),
                Arg::Short('d', Some(folder)) | Arg::Long("directory", Some(folder)) => {
                    self.folders.enter(folder);
                }
                Arg::Short('o', value) | Arg::Long("output", value) => output = value,
                Arg::Short(..) | Arg::Long(..) => {}
            }
        }
        match output.or(file) {
            Some(path) if path.text == "-" => {}
            Some(path) => self.write(path),
            None => self.write_in(HERE),
        }
        self.folders.back(before);
    }

    /// A patch between markers, as agents give it to a program of this name: in its argument or on its input.
    pub(super) fn apply_patch(&mut self, args: &[Word]) {
        let given = args.iter().find(|word| patch::is_marked(&word.text));
        let text =
            given.map(|word| word.text.clone()).or_else(|| Some(self.feed.as_ref()?.to_string()));
        let named = text.as_deref().map(patch::files).unwrap_or_default();
        if named.is_empty() {
            return self.write_in(HERE);
        }
        let literal = given.is_none_or(|word| word.literal);
        for text in &named {
            self.write(Spelt { text, literal });
        }
    }

    pub(super) fn tar(&mut self, args: &[Word]) {
        // The first word may do without its dash, and then the letters' values follow in order.
        let old = args.first().filter(|word| !word.text.starts_with('-'));
        let letters = old.map_or("", |word| word.text.as_str());
        let position = |letter| {
            let valued = |c: &char| TAR.valued.contains(*c);
            letters.chars().filter(valued).position(|c| c == letter)
        };
        let value = |letter| position(letter).and_then(|at| args.get(1 + at)).map(Word::spelt);
        let (mut archive, mut folder) = (value('f'), value('C'));
        let (mut extracts, mut makes) = (letters.contains('x'), letters.contains(['c', 'r', 'u']));
        let (mut to_output, mut removes, mut members) = (letters.contains('O'), false, Vec::new());
        for arg in Args::new(args, &TAR) {
            match arg {
                Arg::Short('x', _) | Arg::Long("extract" | "get", _) => extracts = true,
                Arg::Short('c' | 'r' | 'u' | 'A', _)
                | Arg::Long("append" | "create" | "delete" | "update" | "concatenate", _) => {
                    makes = true;
                }
                Arg::Short('f', value) | Arg::Long("file", value) => archive = value,
                Arg::Short('C', value) | Arg::Long("directory", value) => folder = value,
                Arg::Short('O', _) => to_output = true,
                arg if arg.is_long("to-stdout") => to_output = true,
                arg if arg.is_long("extract") => extracts = true,
                arg if arg.is_long("remove-files") => removes = true,
                Arg::Operand(word) => members.push(word),
                Arg::Short(..) | Arg::Long(..) => {}
            }
        }
        let valued = letters.chars().filter(|c| TAR.valued.contains(*c)).count();
        let members = members.get(usize::from(old.is_some()) + valued..).unwrap_or_default();
        if extracts && !to_output {
            self.write_in(folder.unwrap_or(HERE));
        }
        if (extracts && !to_output) || removes {
            let before = self.folders.clone();
            if let Some(folder) = folder {
                self.folders.enter(folder);
            }
            for member in members {
                self.write(*member);
            }
            self.folders.back(before);
        }
        if let Some(archive) = archive.filter(|archive| makes && archive.text != "-") {
            self.write(archive);
        }
    }

    /// `curl -o file`, `wget -O file`, `sort -o file`.
    pub(super) fn fetched(&mut self, name: &str, args: &[Word]) {
        let spec = match name {
            "curl" => &FETCH,
            "wget" => &WGET,
            _ => &SORT,
        };
        let (mut named, mut remotely, mut folder) = (false, name == "wget", HERE);
        for arg in Args::new(args, spec) {
            let path = match arg {
                Arg::Short('O', None) | Arg::Long("remote-name" | "remote-name-all", _)
                    if name == "curl" =>
                {
                    remotely = true;
                    None
                }
                Arg::Short('P', Some(value)) | Arg::Long("directory-prefix", Some(value))
                    if name == "wget" =>
                {
                    folder = value;
                    None
                }
                Arg::Long("output-dir", Some(value)) if name == "curl" => {
                    folder = value;
                    None
                }
                Arg::Short('c' | 'D', path) if name == "curl" => path,
                Arg::Short('O', path) | Arg::Long("output-document", path) => {
                    named = true;
                    path
                }
                Arg::Short('o', path)
                | Arg::Long("cookie-jar" | "dump-header" | "output" | "output-file", path) => path,
                Arg::Long("help" | "spider" | "version", _) => {
                    named = true;
                    None
                }
                Arg::Short(..) | Arg::Long(..) | Arg::Operand(_) => None,
            };
            if let Some(path) = path.filter(|path| path.text != "-") {
                self.write(path);
            }
        }
        if remotely && !named {
            self.write_in(folder);
        }
    }

    /// What `find` itself writes.
    pub(super) fn found(&mut self, args: &[Word]) {
        if args.iter().any(|word| word.text == "-delete") {
            for start in starts(args) {
                self.write_in(start);
            }
        }
        for pair in args.windows(2) {
            if matches!(pair[0].text.as_str(), "-fls" | "-fprint" | "-fprint0" | "-fprintf") {
                self.write(pair[1].spelt());
            }
        }
    }
}
