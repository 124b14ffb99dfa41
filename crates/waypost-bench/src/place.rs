//! Where hooks are called: which repositories, and what their gates are.

const EXPRESSION: &str = "[[gate]]\nid = \"named\"\nlevel = \"must\"\nbefore = [\"edit\"]\n\
    proof = { check = \"branch.name != 'nobody'\" }\n";

/// Where a hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The agent edited a file, and one gate waits for the tests.
    OneGate,
    /// The same, and 49 gates more wait for other commands.
    FiftyGates,
    /// As with one gate, and an expression has to hold before an edit.
    WithExpression,
    /// A repository that Waypost was never set up in.
    NeverInitialised,
    /// As with one gate; the session has few events.
    ShortSession,
    /// The same with many events.
    LongSession,
    /// As with one gate; edits come after runs, so that each of them is an event.
    RunsAndEdits,
    /// As with one gate, in a repository of many files.
    ManyFiles,
}

impl Place {
    /// Where the hook's rows are measured.
    pub(crate) const OF_HOOKS: &[Self] =
        &[Self::OneGate, Self::FiftyGates, Self::WithExpression, Self::NeverInitialised];
    /// Where the event store is measured.
    pub(crate) const OF_STORE: &[Self] =
        &[Self::ShortSession, Self::LongSession, Self::RunsAndEdits, Self::ManyFiles];

    pub(crate) fn folder_name(self) -> &'static str {
        match self {
            Self::OneGate => "one-gate",
            Self::FiftyGates => "fifty-gates",
            Self::WithExpression => "with-expression",
            Self::NeverInitialised => "never-initialised",
            Self::ShortSession => "short-session",
            Self::LongSession => "long-session",
            Self::RunsAndEdits => "runs-and-edits",
            Self::ManyFiles => "many-files",
        }
    }

    /// What follows an event in the name of a row.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::OneGate => "",
            Self::FiftyGates => ", 50 gates",
            Self::WithExpression => ", a gate with CEL",
            Self::NeverInitialised => ", never initialised",
            Self::ShortSession => ", 10 events",
            Self::LongSession => ", 100,000 events",
            Self::RunsAndEdits => ", after a run",
            Self::ManyFiles => ", 20,000 files",
        }
    }

    pub(crate) fn conversation(self) -> &'static str {
        match self {
            Self::OneGate => "35cdd49e-b292-477b-8105-7f2b93d927f9",
            Self::FiftyGates => "7dd8ff99-8747-4dbb-b5bb-c5e393431c87",
            Self::WithExpression => "8e0b6a4c-3b7d-4d52-a1a7-5c9be2f0d3a6",
            Self::NeverInitialised => "4dbed043-d1a2-416b-9560-08807c009b13",
            Self::ShortSession => "0c5f1a3e-6f0d-4a53-9a3b-6d8a7a1f2b10",
            Self::LongSession => "b7c0d2f4-1e7a-4c1d-8f52-93c4e5a6d7f8",
            Self::RunsAndEdits => "5f1d6c0b-90c5-4c39-8a53-2f3c1c6c4d7e",
            Self::ManyFiles => "d3a1b5c7-4e8f-4b0a-9c6d-7e2f1a0b3c5d",
        }
    }

    /// The text of `waypost.toml`, if there is one.
    pub(crate) fn config(self) -> Option<String> {
        let others = match self {
            Self::FiftyGates => 49,
            Self::NeverInitialised => return None,
            _ => 0,
        };
        let others = (1..=others).map(|n| gate(&format!("check-{n}"), &format!("./check-{n}.sh*")));
        let expression = if self == Self::WithExpression { EXPRESSION } else { "" };
        Some(format!(
            "[project]\n\n{}{}{expression}",
            gate("tests-pass", "cargo test*"),
            others.collect::<String>()
        ))
    }
}

fn gate(id: &str, pattern: &str) -> String {
    format!(
        "[[gate]]\nid = \"{id}\"\nlevel = \"must\"\nbefore = [\"stop\", \"commit\"]\n\
         scope = \"session\"\nproof = {{ ran = \"{pattern}\", fresh = \"tree\" }}\n\n"
    )
}
