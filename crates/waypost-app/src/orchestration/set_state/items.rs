//! New entries of a state's lists, as the commands that record them: the same that agents' own tools give.

use serde_json::Value;
use waypost_core::command::{Completion, OrchestrationCommand};
use waypost_core::event::{AgentInvoked, HandoffCreated};

use super::fields::{Fields, is_no};
use crate::error::AppError;
use crate::foreign::brain::is_uuid;
use crate::orchestration::decisions::{self, Decided};
use crate::orchestration::state::Told;
use crate::orchestration::{handoffs, verdicts};
use crate::view::View;

/// What an invocation may hold.
pub(super) const INVOCATION: [&str; 9] = [
    "agent",
    "startedAt",
    "completedAt",
    "status",
    "input",
    "output",
    "handoffFrom",
    "handoffTo",
    "handoffReason",
];
const AT_WORK: &str = "in_progress";

/// An agent that was given work, and what came of it if it is done.
pub(super) fn invoked(at: &str, item: &Value) -> Result<Vec<OrchestrationCommand>, AppError> {
    let fields = Fields::of_value(at, item, &INVOCATION)?;
    let none = Value::Object(serde_json::Map::new());
    let input = fields.get("input").unwrap_or(&none);
    let input =
        Fields::of_value(&fields.path("input"), input, &["prompt", "context", "artifacts"])?;
    fields.text("startedAt")?;
    let invoked = AgentInvoked {
        agent: fields.needed("agent")?,
        prompt: input.needed("prompt")?,
        context: input.object("context")?.unwrap_or_default(),
        artifacts: input.texts("artifacts")?,
        handoff_from: fields.text("handoffFrom")?.map(str::to_owned),
    };
    let mut commands = vec![OrchestrationCommand::Invoke(invoked)];
    commands.extend(completed(&fields)?.map(OrchestrationCommand::Complete));
    Ok(commands)
}

/// What came of an agent's work; nothing while it goes on.
pub(super) fn completed(fields: &Fields<'_>) -> Result<Option<Completion>, AppError> {
    let status = fields.text("status")?.unwrap_or(AT_WORK);
    fields.text("completedAt")?;
    if status == AT_WORK {
        let done = ["completedAt", "output", "handoffTo"];
        return match done.iter().find(|name| fields.get(name).is_some()) {
            None => Ok(None),
            Some(name) => {
                Err(is_no(&fields.path(name), "`null` while the status is `in_progress`"))
            }
        };
    }
    let Some(output) = fields.get("output") else {
        return Err(is_no(&fields.path("output"), "there, though the work is over"));
    };
    let known = ["artifacts", "summary", "recommendations", "blockers"];
    let output = Fields::of_value(&fields.path("output"), output, &known)?;
    let completion = Completion {
        agent: fields.needed("agent")?,
        summary: output.needed("summary")?,
        artifacts: output.texts("artifacts")?,
        recommendations: output.texts("recommendations")?,
        blockers: output.texts("blockers")?,
        handoff_to: fields.text("handoffTo")?.map(str::to_owned),
        handoff_reason: fields.text("handoffReason")?.map(str::to_owned),
        failed: status == "failed",
    };
    match (status, completion.blockers.is_empty()) {
        ("failed", _) | ("completed", true) | ("blocked", false) => Ok(Some(completion)),
        ("completed", false) => {
            Err(is_no(&output.path("blockers"), "empty, and the status is `completed`"))
        }
        ("blocked", true) => {
            Err(is_no(&output.path("blockers"), "filled, and the status is `blocked`"))
        }
        _ => Err(is_no(&fields.path("status"), "in_progress, completed, failed or blocked")),
    }
}

/// A decision. One that has an id keeps it, if no other has the same.
pub(super) fn decided(
    told: &Told,
    at: &str,
    item: &Value,
    taken: &mut Vec<String>,
) -> Result<OrchestrationCommand, AppError> {
    let known = [
        "id",
        "type",
        "description",
        "rationale",
        "decidedBy",
        "approvedBy",
        "rejectedBy",
        "timestamp",
    ];
    let fields = Fields::of_value(at, item, &known)?;
    fields.text("timestamp")?;
    let id = fields.or_empty("id")?;
    if !id.is_empty() && (!is_uuid(&id) || taken.contains(&id)) {
        return Err(is_no(&fields.path("id"), "a UUID that no other decision has"));
    }
    taken.push(id.clone());
    let decided = Decided {
        decision_type: fields.needed("type")?,
        description: fields.needed("description")?,
        rationale: fields.or_empty("rationale")?,
        decided_by: fields.needed("decidedBy")?,
        approved_by: fields.texts("approvedBy")?,
        rejected_by: fields.texts("rejectedBy")?,
    };
    decisions::command(&told.session.id, decided, id)
}

/// A verdict: it is what somebody says that an agent said.
pub(super) fn judged(
    view: &View<'_>,
    told: &Told,
    at: &str,
    item: &Value,
) -> Result<OrchestrationCommand, AppError> {
    let known =
        ["agent", "decision", "confidence", "reasoning", "conditions", "blockers", "timestamp"];
    let fields = Fields::of_value(at, item, &known)?;
    fields.text("timestamp")?;
    let confidence = fields.get("confidence").and_then(Value::as_f64);
    let given = verdicts::Told {
        agent: fields.needed("agent")?,
        decision: fields.needed("decision")?,
        confidence: confidence.ok_or_else(|| is_no(&fields.path("confidence"), "a number"))?,
        reasoning: fields.needed("reasoning")?,
        conditions: fields.texts("conditions")?,
        blockers: fields.texts("blockers")?,
    };
    verdicts::claimed(view, &told.session, given)
}

/// A handoff.
pub(super) fn handed_over(
    view: &View<'_>,
    at: &str,
    item: &Value,
) -> Result<OrchestrationCommand, AppError> {
    let known =
        ["fromAgent", "toAgent", "reason", "context", "artifacts", "preservedContext", "createdAt"];
    let fields = Fields::of_value(at, item, &known)?;
    fields.text("createdAt")?;
    let handoff = HandoffCreated {
        from_agent: fields.needed("fromAgent")?,
        to_agent: fields.needed("toAgent")?,
        reason: fields.needed("reason")?,
        context: fields.needed("context")?,
        artifacts: fields.texts("artifacts")?,
        preserved_context: fields.object("preservedContext")?,
        checklist: Vec::new(),
    };
    handoffs::created(view, handoff)
}
