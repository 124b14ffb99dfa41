//! Whether conversations here never called Waypost's hooks.

use waypost_core::next_step::NextStep;

use super::{Finding, Patient};
use crate::standing::lapses::Lapses;

const CHECK: &str = "conversations";

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let Ok(view) = &patient.view else { return Vec::new() };
    let lapses = Lapses::of(view, None);
    let Some(told) = lapses.told_unenforced() else {
        return vec![Finding::good(CHECK, "each that began here since the set-up called the hook")];
    };
    let fix = "see how they were started: with hooks silenced, from a folder whose settings do not register them, or \
               with a plugin that swallows them";
    vec![Finding::warning(CHECK, told, NextStep::Said(fix.to_owned()))]
}
