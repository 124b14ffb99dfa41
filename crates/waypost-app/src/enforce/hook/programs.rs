//! What is known of the programs in a command line, as far as guarding Waypost's files takes it.

use std::path::Path;

use waypost_core::shell::{Simple, Word};

/// Programs that only read, with whatever arguments; what they are redirected to is looked at apart.
const READERS: &str = ": [ ag b2sum basename bat cat cd cksum cmp column comm cut date dirname \
    delta diff difft du echo egrep eza false fd fgrep file find fmt fold git gron grep head hexdump \
    hexyl jless jq jsonlint less ls md5sum more nl od popd printf pushd pwd pygmentize readlink realpath \
    rev rg sed sha1sum sha256sum sha512sum sleep sort stat strings tac tail test tr tree true type uniq \
    waypost wc which xxd yamllint zcat";
/// Programs that run what they are given as text, or read.
const INTERPRETERS: &str =
    "Rscript awk bun deno gawk lua node nodejs osascript perl php python ruby tclsh";
/// Programs that tell of a folder without reading the files in it.
const LISTERS: &str =
    "[ basename cd dirname du echo file find ls printf readlink realpath stat test tree";
/// Programs that take a folder with everything in it somewhere else.
const COPIERS: &str = "7z bsdtar cp gtar rsync scp tar zip";
/// Where programs lie that nobody has just written.
const FOLDERS: [&str; 5] = ["", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"];

fn is_in(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == name)
}

/// Whether the command only reads. One of that name in a folder of the agent's own may do anything.
pub(super) fn only_reads(simple: &Simple, exe: &Path) -> bool {
    let Some(first) = simple.words.first() else { return true };
    let Some(name) = simple.name() else { return false };
    let folder = first.text.strip_suffix(name).unwrap_or_default();
    if name == "waypost" {
        return folder.is_empty() || Path::new(&first.text) == exe;
    }
    let given = |letters: &str| {
        simple
            .words
            .iter()
            .any(|word| is_option(word) && word.text.contains(|c| letters.contains(c)))
    };
    let says = |text: &str| simple.words.iter().any(|word| word.text.contains(text));
    FOLDERS.contains(&folder)
        && match name {
            // What it writes is known; a link would be another name of what it links to.
            "cp" => !given("ls"),
            "awk" | "gawk" | "mawk" => {
                !given("i") && ![">", "|", "system"].iter().any(|one| says(one))
            }
            // What each of them writes, it is told to write.
            "yq" | "tomlq" | "xq" => !given("i") && !says("--inplace") && !says("--in-place"),
            "taplo" => is_told(simple, &["check", "lint", "get"]) || says("--check"),
            "prettier" => {
                (says("--check") || says("--list-different") || given("cl"))
                    && !says("--write")
                    && !given("w")
            }
            // With a second file it writes that one.
            _ if is_python(name) => {
                let words = simple.words.iter().skip(1).map(|word| word.text.as_str());
                let words: Vec<&str> = words.collect();
                matches!(words.as_slice(), ["-m", "json.tool", rest @ ..]
                    if rest.iter().filter(|word| !word.starts_with('-')).count() < 2)
            }
            _ => is_in(READERS, name),
        }
}

fn is_python(name: &str) -> bool {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') == "python"
}

/// Whether its first operand is one of these.
fn is_told(simple: &Simple, these: &[&str]) -> bool {
    let mut operands = simple.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    operands.next().is_some_and(|word| these.contains(&word.text.as_str()))
}

/// An option with one dash.
fn is_option(word: &Word) -> bool {
    word.text.starts_with('-') && !word.text.starts_with("--")
}

/// Whether it runs text. A command whose name is not spelt out may be anything.
pub(super) fn is_interpreter(simple: &Simple) -> bool {
    if simple.words.is_empty() {
        return false;
    }
    let Some(name) = simple.name() else { return true };
    is_in(INTERPRETERS, name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Whether it looks at folders only.
pub(super) fn is_lister(simple: &Simple) -> bool {
    simple.name().is_some_and(|name| is_in(LISTERS, name))
}

/// Whether it takes folders somewhere else.
pub(super) fn is_copier(simple: &Simple) -> bool {
    simple.name().is_some_and(|name| is_in(COPIERS, name))
}

/// Whether it gives names that it reads to a command that may change what they stand for.
pub(super) fn hands_on(simple: &Simple) -> bool {
    let at =
        simple.words.iter().position(|word| matches!(word.text.as_str(), "xargs" | "parallel"));
    at.is_some_and(|at| !reads_what_it_is_given(simple.words[at + 1..].iter()))
}

/// Whether the command that begins with the first of `words` that is a name only reads.
pub(super) fn reads_what_it_is_given<'a>(words: impl Iterator<Item = &'a Word>) -> bool {
    let is_name = |word: &&Word| word.text.starts_with(|c: char| c.is_ascii_alphabetic());
    let mut words = words.skip_while(|word| !is_name(word));
    let Some(first) = words.next() else { return true };
    let in_place = |word: &Word| is_option(word) && word.text.contains('i');
    match first.text.as_str() {
        "sed" => !words.any(in_place),
        "cp" => true,
        name => is_in(READERS, name),
    }
}
