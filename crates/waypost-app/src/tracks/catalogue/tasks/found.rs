//! The phases among the headings that name one: summaries repeat phases that stand elsewhere in the file.

use waypost_core::track::Phase;

/// A phase of a tasks file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FoundPhase {
    /// The phase, with its tasks.
    pub(super) phase: Phase,
    /// What has to be true before it is complete, in the file's words.
    pub(super) criteria: Vec<String>,
}

/// A heading that names a phase, and what stands below it.
#[derive(Debug, Default)]
pub(super) struct NamedPhase {
    /// The number that it gives.
    pub(super) number: String,
    /// The level of the heading and the section above it: headings of one series have the same.
    pub(super) series: (u8, Option<usize>),
    /// Whether the section above it repeats what stands elsewhere.
    pub(super) in_summary: bool,
    /// The numbers of its tasks, as far as they have any.
    pub(super) task_numbers: Vec<String>,
    /// What was read.
    pub(super) found: FoundPhase,
}

/// What a section of its own says of the end of a phase: the phase's number, and a criterion.
pub(super) type OfNumber = (String, String);

/// The phases, without those that only repeat others, and with what sections of their own say of them.
pub(super) fn phases(mut named: Vec<NamedPhase>, of_numbers: Vec<OfNumber>) -> Vec<FoundPhase> {
    let main = main_series(&named);
    let numbered = named.iter().any(|one| one.series == main && !one.task_numbers.is_empty());
    let known: Vec<String> = of_series(&named, main).map(|one| one.number.clone()).collect();
    named.retain(|one| {
        let tasks = one.found.phase.tasks.len();
        let repeats = known.contains(&one.number);
        // Work that has tasks of its own is not passed over, unless it is told of once more.
        let empty = one.task_numbers.is_empty() && (tasks == 0 || numbered || one.in_summary);
        let is_summary = if one.in_summary { repeats || empty } else { repeats && empty };
        one.series == main || !is_summary
    });
    for (number, criterion) in of_numbers {
        let mut meant = named.iter_mut().filter(|one| one.number == number);
        if let Some(one) = meant.next() {
            one.found.criteria.push(criterion);
        }
    }
    named.into_iter().map(|one| one.found).collect()
}

fn of_series(
    named: &[NamedPhase],
    series: (u8, Option<usize>),
) -> impl Iterator<Item = &NamedPhase> {
    named.iter().filter(move |one| one.series == series)
}

/// The series that has the work in it: the most tasks with a number, then the most of any sort, then the most
/// phases; the first of equals.
fn main_series(named: &[NamedPhase]) -> (u8, Option<usize>) {
    let weight = |series| {
        let all = of_series(named, series);
        all.fold((0, 0, 0), |(numbered, tasks, phases), one| {
            let of_one = one.found.phase.tasks.len();
            (numbered + one.task_numbers.len(), tasks + of_one, phases + 1)
        })
    };
    let all = named.iter().rev().map(|one| one.series);
    all.max_by_key(|series| weight(*series)).unwrap_or_default()
}
