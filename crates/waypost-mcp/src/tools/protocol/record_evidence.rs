//! `record_evidence`

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::tracks::protocol::evidence::{self, EvidenceStatus, EvidenceType, Given};

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;
use crate::words;

pub(crate) struct RecordEvidence;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The gate, such as CONTEXT_RETRIEVAL.
    phase: String,
    /// What sort of evidence it is.
    #[schemars(schema_with = "evidence_type")]
    evidence_type: EvidenceType,
    /// The evidence: what the tool said, a path, a commit, the SHA-256 of a file. At most 1 MB.
    evidence: String,
    /// The step, where the gate has several: its name in the checklist.
    step: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The gate.
    phase: String,
    /// The step.
    step: String,
    /// Whether it is kept.
    evidence_recorded: bool,
    /// Whether it was verified, or matched with what was seen; else it is kept as said.
    auto_validated: bool,
    /// Whether the gate holds now: FAIL where the evidence is wrong, PENDING where more is needed.
    #[schemars(schema_with = "evidence_status")]
    gate_status: EvidenceStatus,
    /// What was found, and what to do next.
    message: String,
}

fn evidence_type(_: &mut SchemaGenerator) -> Schema {
    words::one_of(&EvidenceType::ALL)
}

fn evidence_status(_: &mut SchemaGenerator) -> Schema {
    words::one_of(&EvidenceStatus::ALL)
}

impl Tool for RecordEvidence {
    const NAME: &'static str = "record_evidence";
    const TITLE: &'static str = "Give evidence for a step";
    const DESCRIPTION: &'static str = "Gives evidence for a step of the checklist. Files, commits and \
        content hashes are verified on the spot, tool output is matched with what was seen; anything \
        else is kept as said, and counts only where nobody could have seen it. Call it after the step, \
        with what shows it: text that says skipped, N/A, unreachable or zero tests proves nothing.";
    const TOOLSET: Toolset = Toolset::Protocol;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let given = Given {
            session: call.session(),
            gate: &input.phase,
            step: input.step.as_deref(),
            of: input.evidence_type,
            evidence: &input.evidence,
        };
        let recorded = evidence::record(&call.view, &given)?;
        let word = words::word(&recorded.gate_status);
        let text = format!("{} {}: {word}. {}", recorded.phase, recorded.step, recorded.message);
        let output = Output {
            phase: recorded.phase,
            step: recorded.step,
            evidence_recorded: recorded.evidence_recorded,
            auto_validated: recorded.auto_validated,
            gate_status: recorded.gate_status,
            message: recorded.message,
        };
        Ok(Answer::new(output, text))
    }
}
