//! The configuration anew, once the commands of its gates were run for the first time.

use super::gates::{FirstRun, SLOW, TestGate};
use super::items::Item;
use super::manifest::Manifest;
use super::{InitOutcome, Preset, template};
use crate::error::AppError;
use crate::machine::deadline;
use crate::machine::plain_files;
use crate::machine::project::Project;

/// Writes what the first runs say into the `waypost.toml` that was just written. Returns its text where that is
/// another one now. A file that somebody has changed meanwhile stays as it is.
pub fn settle(
    project: &Project,
    preset: Option<Preset>,
    outcome: &mut InitOutcome,
    runs: &[FirstRun],
) -> Result<Option<String>, AppError> {
    let slow = deadline::in_force(SLOW);
    let run_of = |gate: &TestGate| runs.iter().find(|run| run.gate == gate.id);
    let gates: Vec<TestGate> = outcome
        .gates
        .iter()
        .map(|gate| run_of(gate).map_or_else(|| gate.clone(), |run| gate.after(run, slow)))
        .collect();
    if gates == outcome.gates {
        return Ok(None);
    }
    let path = project.config_file();
    let now = plain_files::look(&path)?;
    let written = outcome.config.as_deref().map(str::as_bytes);
    let Some(now) = now.filter(|now| Some(now.bytes.as_slice()) == written) else {
        outcome.note("waypost.toml was changed meanwhile and stays as it is");
        return Ok(None);
    };
    let text = template::config(preset.unwrap_or_default(), &gates);
    let mut manifest = Manifest::load(project)?;
    // The file was not there before, so there is nothing to give back.
    manifest.record(project, Item::Config, None, text.as_bytes());
    manifest.save(project)?;
    plain_files::write(&path, text.as_bytes(), Some(now.mode), Item::Config.new_mode())?;
    outcome.gates = gates;
    outcome.config = Some(text.clone());
    Ok(Some(text))
}
