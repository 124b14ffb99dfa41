//! What a tool call is evidence of, as far as gates ask for it.

use std::path::Path;

use waypost_core::evidence::Sort;
use waypost_core::gate::policy::Watched;
use waypost_core::gate::proof::skill::SkillProof;
use waypost_core::glob;
use waypost_core::shell;

use super::Call;
use super::seen_call::relative;
use crate::harness::{Does, Tool};
use crate::view::View;

/// Something that a call is evidence of.
pub(super) struct Witnessed {
    pub(super) sort: Sort,
    /// Which one.
    pub(super) subject: String,
    /// The gates' name for it.
    pub(super) wanted: String,
}

impl Witnessed {
    fn of(sort: Sort, subject: &str, wanted: &str) -> Self {
        Self { sort, subject: subject.to_owned(), wanted: wanted.to_owned() }
    }
}

/// What a call is evidence of: its sort, which one, and the gates' name
/// for it. Whoever reads a file with some tool has called that tool, too.
pub(super) fn subjects(
    view: &View<'_>,
    call: &Call,
    tool: &Tool,
    watched: &Watched,
) -> Vec<Witnessed> {
    let done = match &tool.does {
        Does::Read(path) => read(view, call, path, watched),
        Does::Shell { command, background: false }
            if !watched.read.is_empty() && reads_by_lines(view, call) =>
        {
            shown(command).and_then(|file| read(view, call, Path::new(&file), watched))
        }
        Does::Skill(used) => {
            let mut names = watched.skill.iter();
            let wanted = names.find(|name| SkillProof::new(*name).is(used));
            wanted.map(|wanted| Witnessed::of(Sort::Skill, used, wanted))
        }
        _ => None,
    };
    let called = watched.called.iter().find(|pattern| glob::matches(pattern, &tool.name));
    let called = called.map(|wanted| Witnessed::of(Sort::Called, &tool.name, wanted));
    done.into_iter().chain(called).collect()
}

/// A file that gates ask for, read.
fn read(view: &View<'_>, call: &Call, path: &Path, watched: &Watched) -> Option<Witnessed> {
    // A name that is not a whole path may also be meant from the project's top folder.
    let root = path.is_relative().then(|| view.place().project.root.join(path));
    let mut files = [Some(call.cwd.join(path)), root].into_iter().flatten();
    let file = files.find_map(|path| {
        let file = relative(view, &path);
        watched.read.contains(&file).then_some(file)
    })?;
    Some(Witnessed::of(Sort::Read, &file, &file))
}

/// Whether agents of the harness have no tool for reading, and read files by command lines.
fn reads_by_lines(view: &View<'_>, call: &Call) -> bool {
    let harness = view.host.harness(call.harness);
    harness.is_some_and(|harness| harness.facts().words.reading.is_empty())
}

/// The file that a command line shows to whoever runs it, if it does that and nothing else.
fn shown(command: &str) -> Option<String> {
    // What goes elsewhere is shown to nobody.
    if command.contains(['<', '>']) {
        return None;
    }
    let line = shell::analyse(command);
    let simple = line.remedy().filter(|simple| simple.folders.is_empty())?;
    let words: Vec<&str> = simple.words.iter().map(|word| word.text.as_str()).collect();
    match (simple.name()?, words.as_slice()) {
        ("cat", [_, file]) | ("nl", [_, "-ba", file]) => Some((*file).to_owned()),
        ("sed", [_, "-n", lines, file]) if is_range(lines) => Some((*file).to_owned()),
        _ => None,
    }
}

/// Lines from one number to another, printed.
fn is_range(script: &str) -> bool {
    let numbers = script.strip_suffix('p').and_then(|range| range.split_once(','));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(from, to)| is_number(from) && is_number(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_a_file_where_it_does_nothing_else() {
        for line in
            ["cat notes/todo.txt", "nl -ba notes/todo.txt", "sed -n '1,200p' notes/todo.txt"]
        {
            assert_eq!(shown(line).as_deref(), Some("notes/todo.txt"), "{line}");
        }
        for line in [
            "cat notes/todo.txt > /dev/null",
            "cat notes/todo.txt | head -1",
            "cat notes/todo.txt || true",
            "cd notes && cat todo.txt",
            "cat $NOTES",
            "cat",
            "sed -n '1,2d' notes/todo.txt",
            "sed 1,2p notes/todo.txt",
            "grep x notes/todo.txt",
        ] {
            assert_eq!(shown(line), None, "{line}");
        }
    }
}
