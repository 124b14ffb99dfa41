//! Approving a gate: exactly what was shown, and nothing that has changed since.

use serde_json::json;
use waypost_app::enforce::gates::{self, Say};
use waypost_app::enforce::offer::offers;
use waypost_app::error::AppError;
use waypost_core::id::SessionId;
use waypost_core::next_step::NextStep;

use super::{Action, Doing, Done, Field};

pub(super) const APPROVE: Action = Action {
    name: "approve",
    about: "Approve a gate of a session, for people. `shown` is the hash of the text that told what would be approved.",
    fields: &[
        Field { name: "project", needed: true, about: "The project's id" },
        Field { name: "session", needed: true, about: "The session's id" },
        Field { name: "gate", needed: true, about: "The gate" },
        Field {
            name: "shown",
            needed: true,
            about: "The hash of the text that was shown (`hash` of an offer)",
        },
        Field { name: "note", needed: false, about: "What there is to say about it" },
    ],
    act: approve,
};

fn approve(doing: &Doing<'_>) -> Result<Done, AppError> {
    let view = doing.view()?;
    let (gate, shown) = (doing.asked.needed("gate")?, doing.asked.needed("shown")?);
    let session: SessionId = view.id_by_prefix(doing.asked.needed("session")?)?;
    let offered = offers(&view, &session, &[gate.to_owned()])?;
    let offer = offered.iter().find(|offer| offer.gate.gate == gate).ok_or_else(|| {
        AppError::refused(format!("gate {gate} waits for no approval now: it is met, or not due"))
    })?;
    if offer.hash() != shown {
        let told = "what would be approved is not what was shown any more";
        return Err(AppError::refused(told).hint("look at it again, and approve what is there now"));
    }
    let say = Say {
        session: Some(session.as_str()),
        shown: Some(shown.to_owned()),
        note: doing.asked.get("note").map(str::to_owned),
        ..Say::default()
    };
    let spoken = gates::approve(&view, gate, &say, |_, _| {
        Err(AppError::refused(format!(
            "gate {gate} asks for a signed approval, which takes a terminal"
        ))
        .hint(NextStep::Approve(gate.to_owned())))
    })?;
    let value = json!({
        "session_id": spoken.session,
        "gate": spoken.gate,
        "provenance": spoken.provenance,
        "conversation": spoken.conversation,
        "until": spoken.until,
        "tree": spoken.tree,
        "shown": shown,
    });
    Ok(Done { value, go: None })
}
