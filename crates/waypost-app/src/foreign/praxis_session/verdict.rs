//! Where a session is: complete, failed, paused or active, and in which phase. What its phases show decides over what it
//! calls itself.

use std::collections::BTreeSet;

use serde_json::Value;
use waypost_core::text::{one_line, shortened};

use super::extent::{Extent, says_all_done};
use super::source::Source;
use crate::foreign::session::Status;

/// Words for sessions that failed.
const FAILED: &[&str] = &["error", "failed", "failure"];
/// Words that say where a session is, or nothing.
const STATUSES: &[&str] = &[
    "",
    "active",
    "in_progress",
    "pending",
    "running",
    "started",
    "paused",
    "completed",
    "complete",
    "error",
    "failed",
    "failure",
];

/// Where a session is.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) status: Status,
    /// Whether every phase is done with.
    pub(super) complete: bool,
    /// The number of the phase that it is in: always a real one.
    pub(super) current: u64,
    /// The number of the last phase that is known.
    pub(super) last: u64,
}

/// What its phases show.
struct Shown<'a> {
    source: &'a Source<'a>,
    extent: &'a Extent,
    last: u64,
    /// The phases that are not done with.
    open: BTreeSet<u64>,
    /// What tells that no more follow.
    ended_by: Option<String>,
}

impl Verdict {
    pub(super) fn of(source: &Source<'_>, extent: &Extent, remarks: &mut Vec<String>) -> Self {
        let calls_itself = label(source);
        let shown = Shown::of(source, extent, calls_itself == Some(true), remarks);
        let by_facts = shown.is_complete();
        let anything = source.last_closed().is_some();
        let complete = match calls_itself {
            Some(true) => anything && shown.open.is_empty(),
            _ => by_facts,
        };
        let failed = FAILED.contains(&source.status().to_ascii_lowercase().as_str());
        let is_paused = source.lifecycle("paused").and_then(Value::as_bool);
        let paused = is_paused.unwrap_or_else(|| source.status().eq_ignore_ascii_case("paused"));
        let status = match (failed, complete, paused) {
            (true, ..) => Status::Failed,
            (_, true, _) => Status::Complete,
            (.., true) => Status::Paused,
            _ => Status::Active,
        };
        if calls_itself == Some(true) && !complete {
            remarks.push(format!(
                "it calls itself completed, but {}: here it is not complete",
                shown.what_is_open()
            ));
        }
        if !STATUSES.contains(&source.status().to_ascii_lowercase().as_str()) {
            let word = shortened(&one_line(source.status()), 60);
            remarks.push(format!(
                "its status `{word}` is not known here: its phases tell where it is"
            ));
        }
        let (current, last) = if complete {
            shown.tell_why(calls_itself, remarks);
            (shown.last, shown.last)
        } else {
            shown.current(remarks)
        };
        shown.tell_gaps(current, remarks);
        if !complete && extent.last.is_none() && !extent.open {
            remarks.push(format!(
                "how many phases there are is not in the file: phase {last} is the last that is known"
            ));
        }
        Self { status, complete, current, last }
    }
}

/// Whether it calls itself complete. Explicit flags say more than the word.
fn label(source: &Source<'_>) -> Option<bool> {
    let flag = source.lifecycle("completed").and_then(Value::as_bool);
    flag.or_else(|| match source.status().to_ascii_lowercase().as_str() {
        "completed" | "complete" => Some(true),
        "" => None,
        _ => Some(false),
    })
}

impl<'a> Shown<'a> {
    fn of(
        source: &'a Source<'a>,
        extent: &'a Extent,
        calls_itself_complete: bool,
        remarks: &mut Vec<String>,
    ) -> Self {
        let last_closed = source.last_closed();
        let words = last_closed
            .and_then(|number| Some((number, says_all_done(source.evidence(number)?)?)))
            .map(|(number, key)| {
                format!("the evidence of phase {number} says that all is done (`{key}`)")
            });
        let end = extent.last.max(last_closed.filter(|_| words.is_some() || extent.last.is_some()));
        let mut named = source.named();
        // The program begins the phase after the last one, too.
        if let Some(end) = end.filter(|_| calls_itself_complete) {
            let known = source.without_timings();
            let stray: Vec<u64> = named
                .iter()
                .copied()
                .filter(|number| *number > end && !known.contains(number))
                .collect();
            named.retain(|number| !stray.contains(number));
            if !stray.is_empty() {
                remarks.push(format!(
                    "{} was begun behind the last phase: it is none of the workflow's",
                    phases(&stray.into_iter().collect())
                ));
            }
        }
        if let (Some(said), Some(closed)) = (extent.last, last_closed)
            && closed > said
        {
            remarks.push(format!(
                "{} says that phase {said} is the last, and phase {closed} is completed: all that it names count",
                if extent.basis.is_some() { "what is known of its workflow" } else { "it" }
            ));
        }
        let vain = source.completed_in_vain();
        if !vain.is_empty() {
            remarks.push(format!(
                "it calls {} completed, whose checkpoint failed: that counts as failed",
                phases(&vain.into_iter().collect())
            ));
        }
        let last =
            named.into_iter().chain(extent.last).max().unwrap_or(source.first).max(source.first);
        let open = (source.first..=last).filter(|number| !source.is_closed(*number)).collect();
        let by_count = extent.last.map(|last| {
            extent.basis.clone().unwrap_or_else(|| format!("it counts phases up to {last}"))
        });
        Self { source, extent, last, open, ended_by: words.or(by_count) }
    }

    /// Whether its phases show that it is complete.
    fn is_complete(&self) -> bool {
        let is_behind = self.source.current.is_none_or(|current| current >= self.last);
        self.ended_by.is_some() && self.open.is_empty() && is_behind
    }

    fn what_is_open(&self) -> String {
        let begun: BTreeSet<u64> =
            self.open.iter().copied().filter(|number| self.source.is_begun(*number)).collect();
        if !begun.is_empty() {
            return format!("{} was begun and not completed", phases(&begun));
        }
        if self.open.is_empty() {
            return "no phase is completed".to_owned();
        }
        format!("not completed: {}", phases(&self.open))
    }

    /// Says why it is complete, where it does not say so itself.
    fn tell_why(&self, calls_itself: Option<bool>, remarks: &mut Vec<String>) {
        if let Some(current) = self.source.current.filter(|current| *current > self.last) {
            remarks.push(format!(
                "it is in phase {current}, which it does not have: that stands for the end, and phase {} is its last",
                self.last
            ));
        }
        if calls_itself == Some(true) {
            return;
        }
        let ended_by = self.ended_by.as_deref().unwrap_or("no other phase is known");
        let said =
            if calls_itself == Some(false) { ", though it does not call itself so" } else { "" };
        remarks.push(format!("it is complete{said}: {ended_by}, and all phases are completed"));
    }

    /// The phase that it is in, and the last one that is known.
    fn current(&self, remarks: &mut Vec<String>) -> (u64, u64) {
        let next = self.open.first().copied();
        let begun = self.open.iter().copied().find(|number| self.source.is_begun(*number));
        let Some(current) = self.source.current.filter(|current| *current >= self.source.first)
        else {
            let current = begun.or(next).unwrap_or(self.last);
            remarks.push(format!(
                "it does not say in which phase it is: that is taken to be phase {current}"
            ));
            return (current, self.last);
        };
        if self.open.contains(&current) {
            return (current, self.last);
        }
        if current <= self.last {
            let instead = begun.or(next).unwrap_or(current);
            if instead != current {
                remarks.push(format!("it is in phase {current}, which is completed: that is taken to be phase {instead}"));
            }
            return (instead, self.last);
        }
        if let (Some(_), Some(next)) = (self.extent.last, begun.or(next)) {
            remarks.push(format!(
                "it is in phase {current}, which it does not have: that is taken to be phase {next}"
            ));
            return (next, self.last);
        }
        if self.source.last_closed().is_some() {
            remarks.push(format!(
                "all phases that it names are completed, but nothing says that no more follow: it goes on with phase \
                 {current}"
            ));
        }
        (current, current)
    }

    /// Says which phases are passed over.
    fn tell_gaps(&self, current: u64, remarks: &mut Vec<String>) {
        let before = self.source.first..current;
        let gaps: BTreeSet<u64> = before.filter(|number| !self.source.is_closed(*number)).collect();
        if !gaps.is_empty() {
            remarks.push(format!(
                "not among the completed phases: {}; since it is in phase {current}, they count as done unless their \
                 checkpoint failed",
                phases(&gaps)
            ));
        }
    }
}

/// Phases by their numbers, the first few of many.
fn phases(numbers: &BTreeSet<u64>) -> String {
    const MAX: usize = 10;
    let mut shown: Vec<String> = numbers.iter().take(MAX).map(u64::to_string).collect();
    if numbers.len() > MAX {
        shown.push(format!("and {} more", numbers.len() - MAX));
    }
    format!("phase {}", shown.join(", "))
}
