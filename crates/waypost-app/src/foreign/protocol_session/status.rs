//! What the words that people write for the state of their session mean here.

use crate::foreign::session::Status;

/// Words that say that it goes on, whatever stands beside them: `partially complete`.
const GOES_ON: &[&str] = &[
    "incomplete",
    "partial",
    "partially",
    "mostly",
    "nearly",
    "almost",
    "not",
    "unfinished",
    "ongoing",
    "active",
    "progress",
    "started",
    "wip",
    "pending",
    "awaiting",
];
const FAILED: &[&str] = &["fail", "failed", "failure", "aborted", "cancelled", "canceled"];
const RESTS: &[&str] = &["paused", "blocked", "hold", "suspended", "deferred", "abandoned"];
const DONE: &[&str] = &[
    "complete",
    "completed",
    "done",
    "success",
    "successful",
    "succeeded",
    "finished",
    "closed",
    "resolved",
];
/// What follows one of these is a remark.
const BREAKS: &[&str] = &[" - ", " – ", " — ", ",", "(", ";", ". ", ": ", "]"];
/// No more words than these tell a status; more are prose.
const MAX_WORDS: usize = 4;

/// What a text says of the state of a session; none where it does not tell.
pub(super) fn status(text: &str) -> Option<Status> {
    let text = text.trim();
    let begins = text.find(char::is_alphanumeric).unwrap_or(text.len());
    let (signs, text) = text.split_at(begins);
    let end = BREAKS.iter().filter_map(|mark| text.find(mark)).min().unwrap_or(text.len());
    let said = text[..end].to_lowercase();
    let words: Vec<&str> =
        said.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    if words.len() > MAX_WORDS {
        return signs.contains('✅').then_some(Status::Complete).filter(|_| !has(GOES_ON));
    }
    if has(GOES_ON) {
        Some(Status::Active)
    } else if has(FAILED) {
        Some(Status::Failed)
    } else if has(RESTS) {
        Some(Status::Paused)
    } else if has(DONE) || signs.contains('✅') {
        Some(Status::Complete)
    } else {
        None
    }
}

/// What the phase of a protocol says of the state of its session. `QA_COMPLETE` is a phase before the end.
pub(super) fn of_phase(phase: &str) -> Status {
    let phase = phase.trim().trim_matches(['`', '*', '[', ']']);
    if phase.eq_ignore_ascii_case("complete") || phase.eq_ignore_ascii_case("completed") {
        Status::Complete
    } else {
        Status::Active
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_state_of_a_session_mean_what_people_mean_by_them() {
        for (text, meant) in [
            ("COMPLETE", Some(Status::Complete)),
            ("[COMPLETE] All comments addressed", Some(Status::Complete)),
            ("✅ **COMPLETE**", Some(Status::Complete)),
            ("✅", Some(Status::Complete)),
            ("✅ All five of the threads are resolved", Some(Status::Complete)),
            ("✅ Partially", Some(Status::Active)),
            ("Complete - Awaiting CI verification", Some(Status::Complete)),
            ("VERIFICATION_COMPLETE", Some(Status::Complete)),
            ("Analysis complete, recommendations provided", Some(Status::Complete)),
            ("SUCCESS - PR opened", Some(Status::Complete)),
            ("INCOMPLETE", Some(Status::Active)),
            ("Partially complete", Some(Status::Active)),
            ("not complete yet", Some(Status::Active)),
            ("in-progress", Some(Status::Active)),
            ("[IN_PROGRESS] - Awaiting a push", Some(Status::Active)),
            ("Failed", Some(Status::Failed)),
            ("On hold", Some(Status::Paused)),
            ("Abandoned", Some(Status::Paused)),
            ("[BLOCKED] by review", Some(Status::Paused)),
            ("clean", None),
            ("SUPERSEDED - consolidated elsewhere", None),
            ("All of the eighteen threads were completed by others", None),
            ("", None),
            ("✅ ", Some(Status::Complete)),
            ("é", None),
        ] {
            assert_eq!(status(text), meant, "{text}");
        }
    }

    #[test]
    fn a_phase_before_the_end_is_not_the_end() {
        assert_eq!(of_phase("QA_COMPLETE"), Status::Active);
        assert_eq!(of_phase("BLOCKED"), Status::Active);
        assert_eq!(of_phase("COMPLETE"), Status::Complete);
    }
}
