//! How many tests a run says that it executed, read from its output by the formats in `runners/*.toml`.

mod lines;
mod template;

use serde::{Deserialize, Serialize};

use super::own::OwnFormat;
use super::profile::{Format, List};
use super::{Awaited, data};
use lines::Lines;
pub use template::problem as template_problem;
use template::{Found, Glance, Kind, fit};

/// How many names of failed tests are kept, and how many characters of each.
const MAX_NAMES: usize = 1000;
const MAX_NAME: usize = 300;
/// How many are kept before it is known which formats the output has.
const MAX_KEPT: usize = 4 * MAX_NAMES;
/// How long a prefix may be, in bytes.
const MAX_PREFIX: usize = 100;

/// How many tests a run says that it executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tests {
    /// Those that passed.
    pub passed: u64,
    /// Those that failed, or could not be run to their end.
    pub failed: u64,
    /// Those that were left out, or expected to fail.
    pub skipped: u64,
}

impl Tests {
    /// Those that were executed.
    pub fn executed(&self) -> u64 {
        self.passed.saturating_add(self.failed)
    }

    fn and(self, other: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(other.passed),
            failed: self.failed.saturating_add(other.failed),
            skipped: self.skipped.saturating_add(other.skipped),
        }
    }
}

/// What a whole output says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counted {
    /// How many tests; `None` where that cannot be told.
    pub tests: Option<Tests>,
    /// The names of failed tests, as far as they are told.
    pub failed: Vec<String>,
    /// Whether it says that it stopped at a failure, with tests left that did not run.
    pub stopped: bool,
}

/// Output that is being read.
#[derive(Debug)]
pub struct Tally<'p> {
    lines: Lines,
    sheets: Sheets<'p>,
}

impl<'p> Tally<'p> {
    /// For a run of what is awaited. Whoever only calls others may print in any format.
    pub fn new(awaited: &Awaited<'p>) -> Self {
        let named = awaited.formats();
        let any = named.is_empty();
        let own = awaited.own.iter().flat_map(|profile| &profile.formats).map(OwnFormat::format);
        // Built-in ones have a line first: what they say, no project changes.
        let formats = data::FORMATS.iter().copied().chain(own);
        let wanted = formats.filter(|format| any || named.iter().any(|name| name == format.name));
        let each = wanted.map(|format| Sheet::of(&format)).collect();
        Self { lines: Lines::default(), sheets: Sheets { each, any, names: 0 } }
    }

    /// Takes more output.
    pub fn feed(&mut self, bytes: &[u8]) {
        let Self { lines, sheets } = self;
        lines.feed(bytes, |line| sheets.read(line));
    }

    /// What all of it says.
    pub fn finish(self) -> Counted {
        let Self { lines, mut sheets } = self;
        lines.finish(|line| sheets.read(line));
        sheets.counted()
    }
}

#[derive(Debug)]
struct Sheets<'p> {
    each: Vec<Sheet<'p>>,
    /// Whether it may be the output of anything.
    any: bool,
    /// How many names are kept.
    names: usize,
}

impl Sheets<'_> {
    fn read(&mut self, line: &str) {
        if !self.note(line) && self.any {
            without_prefix(line).any(|rest| self.note(rest));
        }
    }

    /// Whether a format knows the line. The first that counts it has it to itself.
    fn note(&mut self, line: &str) -> bool {
        let mut knows = false;
        for sheet in self.each.iter_mut().filter(|sheet| sheet.glance.may_fit(line)) {
            if self.names < MAX_KEPT {
                self.names += usize::from(sheet.name(line));
            }
            knows = knows || sheet.note(line);
        }
        knows
    }

    fn counted(self) -> Counted {
        let counting = self.each.iter().filter(|sheet| sheet.has_counted());
        let over: Vec<&str> = counting.flat_map(|sheet| sheet.format.over.iter()).collect();
        let is_covered = |format: &Format<'_>| {
            let covers_all = format.over.iter().any(|over| over == "*");
            over.contains(&format.name) || (over.contains(&"*") && !covers_all)
        };
        let sheets: Vec<Sheet<'_>> =
            self.each.into_iter().filter(|sheet| !is_covered(&sheet.format)).collect();
        let all = sheets.iter().filter_map(Sheet::tests).reduce(Tests::and);
        let is_sure = sheets.iter().any(Sheet::has_counted);
        let uncounted = sheets.iter().any(|sheet| sheet.uncounted);
        let stopped = sheets.iter().any(|sheet| sheet.stopped);
        // Where it may be the output of anything, a line that looks like a name means little.
        let has_failed = |sheet: &Sheet<'_>| match sheet.tests() {
            Some(tests) if !sheet.uncounted => tests.failed > 0,
            _ => sheet.uncounted || !self.any,
        };
        let mut failed: Vec<String> = Vec::new();
        for name in sheets.into_iter().filter(has_failed).flat_map(|sheet| sheet.names) {
            if failed.len() < MAX_NAMES && !failed.contains(&name) {
                failed.push(name);
            }
        }
        Counted { tests: all.filter(|_| is_sure || !uncounted), failed, stopped }
    }
}

/// What a format has read by now.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each true or not")]
struct Sheet<'p> {
    format: Format<'p>,
    glance: Glance<'p>,
    counts: [Option<u64>; Kind::COUNTED],
    nothing: bool,
    uncounted: bool,
    /// Whether it stopped at a failure.
    stopped: bool,
    /// Whether counts are to be expected.
    open: bool,
    names: Vec<String>,
}

impl<'p> Sheet<'p> {
    fn of(format: &Format<'p>) -> Self {
        let mut glance = Glance::default();
        for list in format.lines() {
            list.iter().for_each(|template| glance.add(template, &format.words));
        }
        Self {
            format: *format,
            glance,
            counts: Default::default(),
            nothing: false,
            uncounted: false,
            stopped: false,
            open: format.after.is_empty(),
            names: Vec::new(),
        }
    }

    /// Whether the line means something in this format.
    fn note(&mut self, line: &str) -> bool {
        if self.knows(self.format.ignored, line) {
            return true;
        }
        if self.knows(self.format.stopped, line) {
            self.stopped = true;
            return true;
        }
        if self.knows(self.format.went_on, line) {
            self.stopped = false;
            return true;
        }
        self.open = self.open || self.knows(self.format.after, line);
        if self.open && self.count(line).is_some() {
            return true;
        }
        let nothing = self.knows(self.format.nothing, line);
        let uncounted = !nothing && self.knows(self.format.uncounted, line);
        self.nothing |= nothing;
        self.uncounted |= uncounted;
        nothing || uncounted
    }

    /// Counts what the line says.
    fn count(&mut self, line: &str) -> Option<()> {
        let Format { summary, each_passed, each_failed, each_skipped, last, .. } = self.format;
        if let Some(found) = self.find(summary, line) {
            if last {
                self.counts = Default::default();
            }
            self.add(found.counts);
            return Some(());
        }
        // `ok 3 # SKIP` looks like a test that passed as well.
        let each = [
            (Kind::Skipped, each_skipped),
            (Kind::Failed, each_failed),
            (Kind::Passed, each_passed),
        ];
        let (kind, _) = each.into_iter().find(|(_, list)| self.knows(*list, line))?;
        let mut one = [None; Kind::COUNTED];
        one[kind as usize] = Some(1);
        self.add(one);
        Some(())
    }

    fn add(&mut self, counts: [Option<u64>; Kind::COUNTED]) {
        for (all, more) in self.counts.iter_mut().zip(counts) {
            *all = match (*all, more) {
                (Some(all), Some(more)) => Some(all.saturating_add(more)),
                (one, other) => one.or(other),
            };
        }
        // A summary without any number of tests still says that there were none.
        self.nothing = true;
    }

    fn find<'l>(&self, templates: List<'p>, line: &'l str) -> Option<Found<'l>> {
        templates.iter().find_map(|template| fit(template, line, &self.format.words))
    }

    fn knows(&self, templates: List<'p>, line: &str) -> bool {
        self.find(templates, line).is_some()
    }

    /// Whether the line names a failed test that was not named before. Many runners name it when it fails,
    /// and again at the end.
    fn name(&mut self, line: &str) -> bool {
        let Format { names, each_failed, ignored, summary, .. } = self.format;
        let is_over = self.names.len() >= MAX_NAMES || self.knows(ignored, line);
        let one = || self.find(each_failed, line).filter(|_| !self.knows(summary, line));
        let found = self.find(names, line).or_else(one);
        let Some(name) = found.and_then(|found| found.name).filter(|_| !is_over) else {
            return false;
        };
        let name: String = name.trim().chars().take(MAX_NAME).collect();
        if self.names.contains(&name) {
            return false;
        }
        self.names.push(name);
        true
    }

    fn tests(&self) -> Option<Tests> {
        let [passed, failed, skipped, total, ran] = self.counts;
        let (failed, skipped) = (failed.unwrap_or(0), skipped.unwrap_or(0));
        let rest = |all: u64, others: u64| all.saturating_sub(others);
        let passed = passed
            .or_else(|| ran.map(|ran| rest(ran, failed)))
            .or_else(|| total.map(|total| rest(total, failed.saturating_add(skipped))));
        let tests = Tests { passed: passed.unwrap_or(0), failed, skipped };
        (tests != Tests::default() || self.nothing).then_some(tests)
    }

    fn has_counted(&self) -> bool {
        self.tests().is_some_and(|tests| tests != Tests::default())
    }
}

/// The line without what those who run several commands at once put before it: `web:test: `, `[web] `,
/// `packages/web test: `, `web-1  | `.
fn without_prefix(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim_start();
    let cut = |end: &str| line.find(end).map(|at| line.split_at(at + end.len()));
    ["] ", "]: ", "| ", ": "].into_iter().filter_map(cut).filter_map(|(prefix, rest)| {
        let is_short = prefix.len() <= MAX_PREFIX && prefix.split_whitespace().count() <= 2;
        is_short.then_some(rest)
    })
}

#[cfg(test)]
mod tests;
