//! Words for phases and states in manifests, as other programs, their users and their agents write them.

/// The phase that a word stands for: `spec`, `plan`, `build`, `docs` or `complete`.
pub fn phase(word: &str) -> Option<&'static str> {
    Some(match plain(word).as_str() {
        // Research and debugging are parts of finding out what is wanted.
        "spec" | "specification" | "specifying" | "research" | "debug" => "spec",
        "plan" | "planning" => "plan",
        "build" | "building" | "implement" | "implementing" | "implementation" => "build",
        "docs" | "doc" | "documentation" | "docs_update" => "docs",
        word if is_done(word) => "complete",
        _ => return None,
    })
}

/// The status that a word stands for: `active`, `paused`, `complete` or `failed`.
pub fn status(word: &str) -> Option<&'static str> {
    Some(match plain(word).as_str() {
        "active" | "in_progress" | "open" | "started" | "running" | "wip" | "draft" | "pending"
        | "not_started" | "todo" | "new" | "resumed" => "active",
        // Whoever gave it up for now can go on.
        "paused" | "on_hold" | "blocked" | "waiting" | "suspended" | "stopped" | "abandoned" => {
            "paused"
        }
        "failed" | "failure" | "error" | "errored" | "aborted" | "cancelled" | "canceled" => {
            "failed"
        }
        word if is_done(word) => "complete",
        _ => return None,
    })
}

/// Whether a word says that something is done.
pub fn is_done(word: &str) -> bool {
    matches!(
        plain(word).as_str(),
        "complete"
            | "completed"
            | "done"
            | "finished"
            | "finalized"
            | "finalised"
            | "finalized_complete"
            | "closed"
            | "archived"
    )
}

/// Whether a specification was all that the session was for.
pub(super) fn needs_no_plan(word: &str) -> bool {
    plain(word) == "finalized_complete"
}

/// A word in small letters, its parts joined in one way.
fn plain(word: &str) -> String {
    word.trim().to_lowercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_what_whoever_wrote_them_means() {
        for (word, meant) in [
            ("spec", Some("spec")),
            ("Building", Some("build")),
            ("docs-update", Some("docs")),
            ("completed", Some("complete")),
            ("ARCHIVED ", Some("complete")),
            ("review", None),
            ("", None),
        ] {
            assert_eq!(phase(word), meant, "{word}");
        }
        for (word, meant) in [
            ("In Progress", Some("active")),
            ("done", Some("complete")),
            ("on-hold", Some("paused")),
            ("canceled", Some("failed")),
            ("sideways", None),
        ] {
            assert_eq!(status(word), meant, "{word}");
        }
    }
}
