//! `validate_gate`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::standing::validate::{self, Validated, ValidatedGates};

use super::{RequirementLevel, gate_status};
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;
use crate::words;
use waypost_app::tracks::protocol::GateStatus;

pub(crate) struct ValidateGate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// A gate's name, such as SERENA_INIT or one of waypost.toml, or ALL.
    phase: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The gate, or ALL.
    phase: String,
    /// How much it insists.
    requirement_level: RequirementLevel,
    /// Whether it holds. With ALL: whether every must-gate does.
    #[schemars(schema_with = "gate_status")]
    status: GateStatus,
    /// What shows it, or what is missing.
    evidence: String,
    /// Whether it keeps work from going on while it does not hold.
    blocking: bool,
    /// What to do about it.
    message: String,
    /// With ALL: every gate.
    gates: Vec<Gate>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Gate {
    /// The gate.
    phase: String,
    /// How much it insists.
    requirement_level: RequirementLevel,
    /// Whether it holds.
    #[schemars(schema_with = "gate_status")]
    status: GateStatus,
    /// What shows it, or what is missing.
    evidence: String,
    /// Whether it keeps work from going on while it does not hold.
    blocking: bool,
    /// What to do about it.
    message: String,
}

impl From<Validated> for Gate {
    fn from(found: Validated) -> Self {
        Self {
            phase: found.phase,
            requirement_level: found.requirement_level.into(),
            status: found.status,
            evidence: found.evidence,
            blocking: found.blocking,
            message: found.message,
        }
    }
}

impl Tool for ValidateGate {
    const NAME: &'static str = "validate_gate";
    const TITLE: &'static str = "Check a gate";
    const DESCRIPTION: &'static str = "Really checks a gate of the protocol or of the project: looks at \
        files, asks git, matches what was seen of your tool calls. Call it after you did what a gate \
        asks for, and with ALL before you say that you are done. Gives PASS, FAIL or SKIPPED (its \
        subject is not there), what shows it, and the next step. What you only say proves nothing.";
    const TOOLSET: Toolset = Toolset::Protocol;
    const EFFECT: Effect = Effect::Sets;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        call.progress.tell(0, 1, "looking at the gates");
        let ValidatedGates { status, gates } =
            validate::validate(&call.view, call.session(), &input.phase)?;
        call.progress.tell(1, 1, "done");
        let mut gates: Vec<Gate> = gates.into_iter().map(Gate::from).collect();
        let lines: Vec<String> = gates.iter().map(line).collect();
        let all = input.phase.eq_ignore_ascii_case(validate::ALL);
        let output = match (all, gates.len()) {
            (false, 1) => single(gates.remove(0)),
            _ => together(status, gates),
        };
        let text = if all {
            format!(
                "ALL: {}. {}\n{}",
                words::word(&output.status),
                output.message,
                lines.join("\n")
            )
        } else {
            lines.join("\n")
        };
        Ok(Answer::new(output, text))
    }
}

fn single(gate: Gate) -> Output {
    let Gate { phase, requirement_level, status, evidence, blocking, message } = gate;
    let gates = Vec::new();
    Output { phase, requirement_level, status, evidence, blocking, message, gates }
}

fn together(status: GateStatus, gates: Vec<Gate>) -> Output {
    let count = |status| gates.iter().filter(|gate| gate.status == status).count();
    let (pass, skipped) = (count(GateStatus::Pass), count(GateStatus::Skipped));
    let failing: Vec<&str> = gates
        .iter()
        .filter(|gate| gate.status == GateStatus::Fail)
        .map(|gate| gate.phase.as_str())
        .collect();
    let message = match failing.as_slice() {
        [] => "nothing is left to do".to_owned(),
        failing => format!("these do not hold: {}", failing.join(", ")),
    };
    Output {
        phase: validate::ALL.to_owned(),
        requirement_level: RequirementLevel::Must,
        status,
        evidence: format!("{pass} hold, {skipped} do not apply, {} fail", failing.len()),
        blocking: gates.iter().any(|gate| gate.blocking && gate.status == GateStatus::Fail),
        message,
        gates,
    }
}

fn line(gate: &Gate) -> String {
    let Gate { phase, status, evidence, message, .. } = gate;
    match status {
        GateStatus::Fail => format!("{} {phase}: {evidence}. {message}", words::word(status)),
        GateStatus::Pass | GateStatus::Skipped => {
            format!("{} {phase}: {evidence}", words::word(status))
        }
    }
}
