//! Which command lines count as a run that a gate waits for.

use std::path::Path;

use serde::Serialize;
use waypost_core::gate::Proof;
use waypost_core::next_step::NextStep;
use waypost_core::runner::{Argument, Awaited};
use waypost_core::shell::{self, Analysis};

use crate::error::AppError;
use crate::machine::place;
use crate::view::View;

/// What a line is worth.
#[derive(Debug, Serialize)]
pub struct Worth {
    /// The line.
    pub command: String,
    /// Whether it counts as a run that a gate waits for.
    pub counts: bool,
    /// The gate that waits for it, or would.
    pub gate: Option<String>,
    /// Why it counts or not.
    pub why: String,
    /// What would count, where it does not.
    pub next: NextStep,
}

/// Whether a line that begins in `cwd` is a run of what `pattern` names: `None` if not, else whether it
/// counts, or why not.
pub fn counts(
    root: &Path,
    cwd: &Path,
    line: &Analysis,
    pattern: &str,
) -> Option<Result<(), String>> {
    let found = shell::ran(line, &Awaited::by(pattern, &[]))?;
    Some(found.counts.and_then(|reach| {
        let folder = place::folder_after(cwd, &line.commands[..found.at]);
        let folder = folder.ok_or_else(|| "where it ran cannot be told".to_owned())?;
        let folder = place::without_dots(&folder.join(reach.elsewhere.unwrap_or_default()));
        place::objection(root, &folder, pattern).map_or(Ok(()), Err)
    }))
}

/// The same for a command that is run as it is, without a shell.
pub fn counts_alone(
    root: &Path,
    cwd: &Path,
    words: &[String],
    pattern: &str,
) -> Option<Result<(), String>> {
    let words: Vec<Argument<'_>> = words.iter().map(|word| Argument::plain(word)).collect();
    let counts = Awaited::by(pattern, &[]).fits(&words, &[])?;
    Some(counts.and_then(|reach| {
        let folder = place::without_dots(&cwd.join(reach.elsewhere.unwrap_or_default()));
        place::objection(root, &folder, pattern).map_or(Ok(()), Err)
    }))
}

/// What each line would be worth here, alone, as a run of what the gates in force wait for.
pub fn of_lines(view: &View<'_>, lines: &[String]) -> Result<Vec<Worth>, AppError> {
    let policy = view.policy_for_caller()?;
    let mut waiting: Vec<(&str, &str)> = Vec::new();
    for gate in &policy.policy.gates {
        gate.proof.each(&mut |proof| {
            if let Proof::Ran(ran) = proof {
                waiting.push((&gate.id, &ran.pattern));
            }
        });
    }
    Ok(lines.iter().map(|line| worth(view, line, &waiting)).collect())
}

fn worth(view: &View<'_>, command: &str, waiting: &[(&str, &str)]) -> Worth {
    let line = shell::analyse(command);
    let (root, cwd) = (view.project.root.as_path(), view.host.cwd.as_path());
    let mut objection = None;
    for (gate, pattern) in waiting {
        let told = |counts, why: String, next| Worth {
            command: command.to_owned(),
            counts,
            gate: Some((*gate).to_owned()),
            why,
            next,
        };
        match counts(root, cwd, &line, pattern) {
            Some(Ok(())) => {
                let why = match Awaited::by(pattern, &[]).runner() {
                    Some(runner) => format!("it is a whole run of {runner}"),
                    None => format!("it is a run of `{pattern}`"),
                };
                return told(true, why, NextStep::Nothing);
            }
            Some(Err(why)) if objection.is_none() => {
                objection = Some(told(false, why, NextStep::Run((*pattern).to_owned())));
            }
            Some(Err(_)) | None => {}
        }
    }
    objection.unwrap_or_else(|| {
        let why = match &line.opaque {
            Some(why) => format!("the line cannot be read: {why}"),
            None => "no gate waits for it".to_owned(),
        };
        let next = match waiting {
            [] => NextStep::Nothing,
            several => NextStep::Any(
                several.iter().map(|(_, pattern)| NextStep::Run((*pattern).to_owned())).collect(),
            ),
        };
        Worth { command: command.to_owned(), counts: false, gate: None, why, next }
    })
}
