//! A session protocol as a project writes it down in Markdown: sections, phases, what each asks for, and checklists
//! that say it again. Whatever bytes it gets, it gives a result and tells with lines what it could not take.

mod convert;
mod document;
mod gather;
mod known;
mod naming;
mod outline;
mod paths;
mod steps;
mod table;
mod wording;

#[cfg(test)]
mod tests;

use waypost_core::gate::Level;
use waypost_core::text::{one_line, shortened};
use waypost_core::track::{ANY_SESSION, MAX_PHASES, Part};

use self::document::{Block, Kind};
use self::gather::{Found, How};
use self::outline::{Elsewhere, Outlined, outline, part_named, problem};
use self::paths::Paths;
use self::steps::{Context, MAX_STEPS, words};
use self::wording::wordings;
use crate::config::Problem;

pub(crate) use self::outline::PhaseType;
pub(crate) use self::steps::Step;

/// The longest name of a phase, in characters.
const MAX_NAME: usize = 80;
/// More that stands outside of phases is not told.
const MAX_OUTSIDE: usize = 200;

/// What a protocol's file says.
#[derive(Debug)]
pub(crate) struct ProtocolFile {
    /// The file, as the project calls it.
    pub(crate) file: String,
    /// Its first heading.
    pub(crate) title: String,
    /// Which version it says that it is.
    pub(crate) version: Option<String>,
    /// Its phases, those before the work first.
    pub(crate) phases: Vec<FilePhase>,
    /// What it asks for outside of phases and checklists: nobody follows that step by step.
    pub(crate) outside: Vec<Outside>,
    /// What could not be understood.
    pub(crate) problems: Vec<Problem>,
}

/// A phase of the file.
#[derive(Debug)]
pub(crate) struct FilePhase {
    /// Its name, its own in the whole protocol.
    pub(crate) name: String,
    /// What its heading calls it, such as `Phase 1.5`; empty for a checklist that adds something.
    pub(crate) label: String,
    /// The section that it stands in.
    pub(crate) section: String,
    /// Whether that is before or after the work.
    pub(crate) part: Part,
    /// How much it insists, if its heading says so.
    pub(crate) kind: Option<PhaseType>,
    /// When it is that, if not always.
    pub(crate) condition: Option<String>,
    /// The line of its heading.
    pub(crate) line: usize,
    /// What it is for.
    pub(crate) purpose: String,
    /// Whether nothing goes on without it.
    pub(crate) blocking: bool,
    /// What it asks for.
    pub(crate) steps: Vec<Step>,
}

/// Something that is asked for outside of phases.
#[derive(Debug)]
pub(crate) struct Outside {
    /// The heading that it stands below.
    pub(crate) section: String,
    /// How much it insists.
    pub(crate) level: Level,
    /// What it says.
    pub(crate) text: String,
    /// The line that it stands at.
    pub(crate) line: usize,
}

/// Reads the text of a protocol's file.
pub(crate) fn read(file: &str, text: &str) -> ProtocolFile {
    // Some editors mark that it is text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut blocks, cut) = document::blocks(text);
    if !blocks.iter().any(Block::has_key_word) {
        blocks.iter_mut().for_each(Block::raise);
    }
    let mut problems = Vec::new();
    if cut {
        let line = blocks.last().map_or(1, |last| last.line);
        problems.push(problem(
            file,
            line,
            "what follows is not read: the file has too many pieces",
        ));
    }
    unclosed(file, &blocks, &mut problems);
    let outlined = outline(file, &blocks, &mut problems);
    let mut paths = Paths::default();
    for block in blocks.iter().filter(|block| block.text.contains('/')) {
        paths.learn(&block.text);
    }
    let about_log = blocks.iter().filter(|block| block.text.contains("ession log"));
    let mut wordings = about_log.flat_map(|block| wordings(&block.text));
    let log = wordings.find_map(|one| known::log_place(&one));
    let log = log.unwrap_or_else(|| format!(".agents/sessions/{ANY_SESSION}*"));
    let context = Context { log: &log, paths: &paths };

    let mut phases: Vec<FilePhase> = Vec::new();
    let (mut steps, mut summaries) = (Vec::new(), Vec::new());
    let (mut total, mut outside) = (0, Vec::new());
    for phase in outlined.phases.iter().take(MAX_PHASES - 4) {
        let (read, mut found) = read_phase(&context, file, phase, &mut problems, &mut outside);
        // Comparing all of them with each other has to end.
        found.truncate((2 * MAX_STEPS).saturating_sub(total));
        total += found.len();
        summaries.push((phase.part, words(&read.purpose)));
        steps.push((phase.part, found));
        phases.push(read);
    }
    if let Some(phase) = outlined.phases.get(MAX_PHASES - 4) {
        problems.push(problem(
            file,
            phase.line,
            "there are too many phases: this one and what follows is not read",
        ));
    }
    steps::once(&mut steps);
    let mut added = Vec::new();
    for rest in &outlined.elsewhere {
        read_rest(&context, rest, &mut steps, &summaries, &mut added, &mut outside);
    }
    for (phase, (_, steps)) in phases.iter_mut().zip(steps) {
        phase.steps = steps;
    }
    phases.extend(added);
    phases.sort_by_key(|phase| phase.part == Part::End);
    bound(file, &mut phases, &mut problems);
    steps::name_all(phases.iter_mut().flat_map(|phase| phase.steps.iter_mut()));
    convert::name_phases(&mut phases);
    outside.truncate(MAX_OUTSIDE);
    problems.sort_by_key(|problem| problem.line);
    let title = shortened(&one_line(&outlined.title), MAX_NAME);
    ProtocolFile { file: file.to_owned(), title, version: version(text), phases, outside, problems }
}

/// What is in code that never ends is lost.
fn unclosed(file: &str, blocks: &[Block], problems: &mut Vec<Problem>) {
    let open = blocks.iter().find(|block| matches!(&block.kind, Kind::Code(_, false, _)));
    if let Some(open) = open {
        let message = "the code that begins here is never closed, so what follows is not read";
        problems.push(problem(file, open.line, message));
    }
}

fn read_phase(
    context: &Context<'_>,
    file: &str,
    phase: &Outlined<'_>,
    problems: &mut Vec<Problem>,
    outside: &mut Vec<Outside>,
) -> (FilePhase, Vec<Step>) {
    let level = match phase.kind {
        Some(PhaseType::Blocking | PhaseType::Required) => Level::Must,
        Some(PhaseType::Recommended) | None => Level::Should,
        Some(PhaseType::Optional) => Level::May,
    };
    let (found, told) = gather::Gathering::new(file, level).phase(&phase.blocks);
    problems.extend(told);
    let steps = steps::of_phase(context, &found, phase.part, phase.condition.as_deref());
    let insists = matches!(phase.kind, Some(PhaseType::Blocking | PhaseType::Required));
    if steps.is_empty() && insists {
        let message = "nothing in this phase can be followed: write each step as an item that says MUST, SHOULD or MAY";
        problems.push(problem(file, phase.line, message));
    }
    let small = found.iter().filter(|one| one.how == How::Small);
    for one in small.filter(|one| !steps.iter().any(|step| step.line == one.line)) {
        let (section, level) = (shortened(&one_line(&phase.name), MAX_NAME), one.wording.level);
        let text = shortened(&one_line(&said(&one.wording)), 200);
        outside.push(Outside { section, level, text, line: one.line });
    }
    let first = phase.blocks.iter().find(|block| matches!(block.kind, Kind::Paragraph(0)));
    let purpose = first.map(|block| block.text.as_str()).unwrap_or_default();
    let says_so = purpose.contains("blocking gate") && phase.kind.is_none();
    let blocking = phase.kind == Some(PhaseType::Blocking) || says_so;
    let purpose = wording::sentences(purpose).first().copied().unwrap_or_default();
    let read = FilePhase {
        name: shortened(&one_line(&phase.name), MAX_NAME),
        label: phase.label.clone(),
        section: shortened(&one_line(&phase.section), MAX_NAME),
        part: phase.part,
        kind: phase.kind,
        condition: phase.condition.clone(),
        line: phase.line,
        purpose: shortened(&one_line(&purpose.replace('`', "")), 200),
        blocking: blocking && phase.condition.is_none(),
        steps: Vec::new(),
    };
    (read, steps)
}

/// Reads what stands outside of phases: checklists, and what nobody follows step by step.
fn read_rest(
    context: &Context<'_>,
    rest: &Elsewhere<'_>,
    steps: &mut [(Part, Vec<Step>)],
    summaries: &[(Part, Vec<String>)],
    added: &mut Vec<FilePhase>,
    outside: &mut Vec<Outside>,
) {
    let Some(heading) = rest.headings.last() else { return };
    let own = rest.headings.iter().rev().find_map(|heading| part_named(heading));
    let is_checklist = rest.headings.iter().any(|heading| {
        let lower = heading.to_lowercase();
        ["checklist", "template", "compliance"].iter().any(|word| lower.contains(word))
    });
    for part in [Part::Start, Part::End] {
        let of_part = |(named, found): (Option<Part>, Found)| {
            let here =
                named.or(own.filter(|_| is_checklist)).or(own.filter(|_| !is_middle(heading)));
            (here == Some(part)).then_some(found)
        };
        let rows = gather::checklist(&rest.blocks).into_iter().filter_map(of_part);
        let rows: Vec<Found> = rows.take(MAX_STEPS).collect();
        let new = steps::restated(context, steps, summaries, part, &rows);
        let Some(first) = new.first() else { continue };
        let line = first.line;
        match added.iter_mut().find(|phase| phase.part == part) {
            Some(known) => known.steps.extend(new),
            None => added.push(FilePhase {
                name: shortened(&one_line(heading), MAX_NAME),
                label: String::new(),
                section: shortened(&one_line(heading), MAX_NAME),
                part,
                kind: Some(PhaseType::Required),
                condition: None,
                line,
                purpose: "what only the checklist asks for".to_owned(),
                blocking: false,
                steps: new,
            }),
        }
    }
    if !is_checklist {
        tell_outside(rest, heading, own.is_none() || is_middle(heading), outside);
    }
}

fn is_middle(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    lower
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| matches!(word, "mid" | "middle" | "during"))
}

/// What is asked for elsewhere is told where it is found, so that nobody takes it for followed.
fn tell_outside(rest: &Elsewhere<'_>, heading: &str, with_rows: bool, outside: &mut Vec<Outside>) {
    let about_protocol = rest.headings.iter().skip(1).any(|heading| {
        let lower = heading.trim().to_lowercase();
        lower.ends_with("protocol")
            || ["(BLOCKING", "(REQUIRED"].iter().any(|word| heading.contains(word))
    });
    let section = shortened(&one_line(heading), MAX_NAME);
    let mut tell = |level, text: &str, line| {
        // What agents have to do is told wherever it stands; what other documents have to be like is not.
        let of_others = text.contains(" must ") || text.matches(" not ").count() > 1;
        if !about_protocol && (level != Level::Must || of_others) {
            return;
        }
        let text = shortened(&one_line(text), 200);
        outside.push(Outside { section: section.clone(), level, text, line });
    };
    for block in &rest.blocks {
        if matches!(block.kind, Kind::Item(_, false) | Kind::Paragraph(_)) {
            for wording in wordings(&block.text) {
                tell(wording.level, &said(&wording), block.line);
            }
        }
    }
    if with_rows {
        for (_, row) in gather::checklist(&rest.blocks) {
            tell(row.wording.level, &said(&row.wording), row.line);
        }
    }
}

fn said(wording: &wording::Wording) -> String {
    if wording.forbids { format!("do not {}", wording.act) } else { wording.act.clone() }
}

/// Keeps to what a session can carry.
fn bound(file: &str, phases: &mut [FilePhase], problems: &mut Vec<Problem>) {
    let mut left = MAX_STEPS;
    for phase in phases {
        if phase.steps.len() > left {
            let message = format!(
                "there are more than {MAX_STEPS} steps: those of this phase and what follows are not all followed"
            );
            problems.push(problem(file, phase.line, message));
            phase.steps.truncate(left);
        }
        left -= phase.steps.len();
    }
}

/// The version that the file says that it is: in its head, else the first row of its history.
fn version(text: &str) -> Option<String> {
    let plain = |line: &str| line.replace(['*', '_', '`'], "");
    let number = |text: &str| {
        let text = text.trim().trim_matches('"').trim_start_matches(['v', 'V']);
        let is_one = text.starts_with(|c: char| c.is_ascii_digit())
            && text.len() <= 20
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
        is_one.then(|| text.to_owned())
    };
    let said = text.lines().take(60).find_map(|line| {
        let line = plain(line);
        let (key, value) = line.trim_start_matches(['>', '-', ' ']).split_once(':')?;
        let is_key = matches!(key.trim().to_lowercase().as_str(), "version" | "protocol version");
        is_key.then(|| number(value))?
    });
    said.or_else(|| {
        let mut rows = text.lines().skip_while(|line| !line.trim().starts_with("| Version |"));
        rows.nth(2).and_then(|row| number(document::cells(row).first()?))
    })
}
