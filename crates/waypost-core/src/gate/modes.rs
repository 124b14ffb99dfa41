//! Modes: what an agent may do while it looks, plans or works. They are gates like any other, made
//! for the mode at hand.

use super::{Before, Gate, Proof, Source, When};

/// Looking only: no edits, no command lines.
pub const ANALYSIS: &str = "analysis";
/// Planning: no edits.
pub const PLANNING: &str = "planning";
/// Working: nothing is denied by the mode.
pub const CODING: &str = "coding";
/// Gates only report. Only a human can choose it.
pub const DISABLED: &str = "disabled";

/// All modes.
pub const ALL: [&str; 4] = [ANALYSIS, PLANNING, CODING, DISABLED];

/// How strict a mode is, the strictest first. One that nobody knows is among the strictest.
pub fn looseness(mode: &str) -> usize {
    ALL.iter().position(|known| *known == mode).unwrap_or_default()
}

/// The gates of a mode. `artifacts` is the session's own folder, which stays writable in every mode.
/// A mode that nobody knows denies like the strictest.
/// `by_humans`: agents cannot leave it by themselves.
pub fn gates(mode: &str, artifacts: &str, by_humans: bool) -> Vec<Gate> {
    let gate = |mode: &str, artifacts: &str, before| gate(mode, artifacts, before, by_humans);
    match mode {
        CODING | DISABLED => Vec::new(),
        PLANNING => vec![gate(mode, artifacts, vec![Before::Edit])],
        _ => vec![
            gate(mode, artifacts, vec![Before::Edit]),
            Gate {
                id: format!("mode-{}-bash", name(mode)),
                when: When::default(),
                ..gate(mode, artifacts, vec![Before::Tool("Bash".to_owned())])
            },
        ],
    }
}

fn gate(mode: &str, artifacts: &str, before: Vec<Before>, by_humans: bool) -> Gate {
    let way_out = if by_humans { "ask the user to change the mode" } else { "waypost mode coding" };
    let message = match mode {
        ANALYSIS => "In mode analysis no file is changed and no command is run.".to_owned(),
        PLANNING => "In mode planning no file is changed but the session's own.".to_owned(),
        "" => "The mode is empty, so everything is held.".to_owned(),
        other => format!("`{other}` is not a known mode, so everything is held."),
    };
    Gate {
        when: When { unless: own_files(artifacts), ..When::default() },
        message,
        source: Source::new("mode", 1),
        ..Gate::new(format!("mode-{}", name(mode)), before, Proof::Never(way_out.to_owned()))
    }
}

/// What stays writable in every mode: the session's folder, and its log where a protocol asks for one.
fn own_files(artifacts: &str) -> Vec<String> {
    let session = artifacts.rsplit('/').next().unwrap_or(artifacts);
    vec![format!("{artifacts}/**"), format!(".agents/sessions/{session}*")]
}

fn name(mode: &str) -> &str {
    if matches!(mode, ANALYSIS | PLANNING) { mode } else { "unknown" }
}
