//! What was decided, and who agrees.

use waypost_core::agents::Decision;
use waypost_core::command::{OrchestrationCommand, OrchestrationRefusal};
use waypost_core::event::{DecisionRecorded, DecisionType, Known};
use waypost_core::id::SessionId;
use waypost_core::text::{one_line, shortened};

use super::recorded::{Recorded, all, record};
use crate::error::AppError;
use crate::view::View;

/// A decision as somebody tells it.
#[derive(Debug, Clone, Default)]
pub struct Decided {
    /// What sort of decision.
    pub decision_type: String,
    /// What was decided.
    pub description: String,
    /// Why.
    pub rationale: String,
    /// Who decided it.
    pub decided_by: String,
    /// Who agrees.
    pub approved_by: Vec<String>,
    /// Who does not.
    pub rejected_by: Vec<String>,
}

/// Records a decision. Returns its id.
pub fn decide(
    view: &View<'_>,
    session: Option<&str>,
    decided: Decided,
) -> Result<(Recorded, String), AppError> {
    let session = view.session(session)?.id;
    let recorded = record(view, &session, command(&session, decided, String::new())?)?;
    let id = recorded.events.iter().find_map(|event| match event {
        Known::DecisionRecorded(decision) => Some(decision.id.clone()),
        _ => None,
    });
    Ok((recorded, id.unwrap_or_default()))
}

/// What records a decision. An empty id is made when it is recorded.
pub(super) fn command(
    session: &SessionId,
    decided: Decided,
    id: String,
) -> Result<OrchestrationCommand, AppError> {
    let Some(decision_type) = DecisionType::named(&decided.decision_type) else {
        let refusal = OrchestrationRefusal::UnknownType(decided.decision_type);
        return Err(AppError::refused(refusal.to_string()).hint("choose one of them"));
    };
    let Decided { description, rationale, decided_by, approved_by, rejected_by, .. } = decided;
    let decision = DecisionRecorded {
        id,
        decision_type,
        description,
        rationale,
        decided_by,
        approved_by,
        rejected_by,
    };
    Ok(OrchestrationCommand::Decide { decision, salt: session.to_string() })
}

/// Somebody agrees with a decision, or does not. Enough of the id's beginning finds it.
pub fn review(
    view: &View<'_>,
    session: Option<&str>,
    decision: &str,
    by: &str,
    approved: bool,
) -> Result<(Recorded, Decision), AppError> {
    let (session, agents) = all(view, session)?;
    let is_it = |known: &&Decision| known.decision.id.starts_with(decision);
    let found: Vec<&Decision> =
        agents.decisions.iter().filter(|_| !decision.is_empty()).filter(is_it).collect();
    let [found] = found[..] else {
        let named = shortened(&one_line(decision), 60);
        let ids = found.iter().take(5).map(|known| known.decision.id.clone());
        let (why, hint) = match found.len() {
            0 => (format!("no decision `{named}`"), "their list shows the ids".to_owned()),
            _ => (
                format!("several decisions begin with `{named}`"),
                format!("give more of the id: {}", ids.collect::<Vec<_>>().join(", ")),
            ),
        };
        return Err(AppError::refused(why).hint(hint));
    };
    let (decision, by) = (found.decision.id.clone(), by.to_owned());
    let recorded =
        record(view, &session.id, OrchestrationCommand::Review { decision, by, approved })?;
    Ok((recorded, found.clone()))
}
