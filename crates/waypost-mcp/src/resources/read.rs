//! What a resource says. Everything is bounded: a client that reads it may be a model.

use rmcp::ErrorData;
use rmcp::model::{MetaObject, ReadResourceResult, ResourceContents};
use serde_json::{Value, json};
use waypost_app::error::{AppError, Kind as Failure};
use waypost_app::machine::host::Host;
use waypost_app::orchestration;
use waypost_app::rulings::violations::{self, SessionViolations};
use waypost_app::sessions::list::Filter;
use waypost_app::sessions::{history, recent};
use waypost_app::standing::brief;
use waypost_app::standing::state;
use waypost_app::standing::status;
use waypost_app::tracks::protocol::{self, checklist::Checklist};
use waypost_app::view::View;
use waypost_core::gate::Level;
use waypost_core::id::SessionId;
use waypost_core::text::printable;

use super::bounded::{newest_that_fit, of_agents, unwritable};
use super::{Kind, Uri, dashboard};
use crate::outcome::{clean, voice};
use crate::wire::is_met;

/// For how long a client may take what it read for current. Whoever subscribes learns it sooner.
const TTL_MS: u64 = 1_000;
/// Reads a resource. Blocks.
pub(crate) fn read(host: &Host, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let Some(parsed) = Uri::parse(uri) else {
        let message = format!("there is no resource {}", printable(uri));
        return Err(ErrorData::resource_not_found(message, Some(json!({"uri": uri}))));
    };
    let text = text_of(host, &parsed).map_err(|error| {
        let data = Some(json!({"uri": uri}));
        match error.kind {
            Failure::Refused => ErrorData::resource_not_found(error.full_text(voice(host)), data),
            _ => ErrorData::internal_error(error.full_text(voice(host)), data),
        }
    })?;
    let mut meta = MetaObject::new();
    meta.insert("waypost/untrusted_text".to_owned(), json!(true));
    let contents =
        ResourceContents::text(text, uri).with_mime_type(parsed.kind.mime_type()).with_meta(meta);
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(TTL_MS))
}

fn text_of(host: &Host, uri: &Uri) -> Result<String, AppError> {
    let view = View::open(host)?;
    let session = uri.session.as_ref().map(SessionId::as_str);
    match uri.kind {
        Kind::State => json_text(&state::of(&view, session)?),
        Kind::Checklist => json_text(&checklist(&view, session)?),
        Kind::History => match uri.range {
            Some(range) => archive(&view, session, range),
            None => past(&view, session),
        },
        Kind::Violations => missed(&view, session),
        Kind::Brief => Ok(printable(&brief::of(&view, session)?.text(brief::BUDGET))),
        Kind::Dashboard => dashboard::of(&view, session),
    }
}

/// Invocations that are no longer in the state, and what was decided and judged meanwhile.
fn archive(view: &View<'_>, session: Option<&str>, range: (u64, u64)) -> Result<String, AppError> {
    let (session, agents) = orchestration::all(view, session)?;
    let total = orchestration::agents::archived(&agents, range.0, range.1).len();
    let mut told = Value::Object(of_agents(&session.id, &agents, range, true)?);
    let left_out = total - told["invocations"].as_array().map_or(0, Vec::len);
    told["session_id"] = json!(session.id);
    told["total"] = json!(total);
    told["left_out"] = json!(left_out);
    json_text(&told)
}

/// What happened in a session, and without a name also the last sessions of the project.
fn past(view: &View<'_>, session: Option<&str>) -> Result<String, AppError> {
    let (id, records) = match (history::of(view, session), session) {
        (Ok((id, records)), _) => (Some(id), records),
        // Without a session at hand there is still a past.
        (Err(error), None) if error.kind == Failure::Refused => (None, Vec::new()),
        (Err(error), _) => return Err(error),
    };
    let mut told = newest_that_fit("records", id.as_ref(), records)?;
    if let Some(id) = &id {
        // Other records displace no decision and no verdict.
        let (session, agents) = orchestration::all(view, Some(id.as_str()))?;
        let said = of_agents(id, &agents, (1, session.state.version), false)?;
        said.into_iter().for_each(|(list, all)| told[list] = all);
    }
    if session.is_none() {
        let sessions = recent::of(view, &Filter::default(), recent::LAST)?;
        told["sessions"] = serde_json::to_value(sessions).map_err(unwritable)?;
    }
    json_text(&told)
}

/// The violations of a session, and without a name those of all.
fn missed(view: &View<'_>, session: Option<&str>) -> Result<String, AppError> {
    if session.is_some() {
        let (id, found) = violations::of(view, session)?;
        return json_text(&newest_that_fit("violations", Some(&id), found)?);
    }
    let mut found = Vec::new();
    for SessionViolations { session_id, violations, .. } in violations::of_all(view)? {
        for violation in violations {
            let mut told = serde_json::to_value(violation).map_err(unwritable)?;
            told["session_id"] = json!(session_id);
            found.push(told);
        }
    }
    let id = match view.session(None) {
        Ok(session) => Some(session.id),
        Err(error) if error.kind == Failure::Refused => None,
        Err(error) => return Err(error),
    };
    json_text(&newest_that_fit("violations", id.as_ref(), found)?)
}

/// What the conversation has to do: the protocol's checklists, and the project's gates.
fn checklist(view: &View<'_>, session: Option<&str>) -> Result<Value, AppError> {
    let status = status::of(view, session)?;
    let items: Vec<Value> = status
        .gates
        .iter()
        .map(|gate| {
            json!({
                "name": gate.gate,
                "requirement_level": gate.level.to_string().to_uppercase(),
                "status": if is_met(gate) { "PASS" } else { "FAIL" },
                "blocking": gate.level == Level::Must && !is_met(gate),
                "message": gate.message,
                "why": gate.why,
                "next": gate.next,
            })
        })
        .collect();
    let Checklist { start, end } = protocol::checklist::of(view, session)?;
    Ok(json!({
        "session_id": status.session_id,
        "version": status.version,
        "start": start,
        "end": end,
        "items": items,
    }))
}

fn json_text(value: &impl serde::Serialize) -> Result<String, AppError> {
    let mut value = serde_json::to_value(value).map_err(unwritable)?;
    clean(&mut value);
    serde_json::to_string_pretty(&value).map_err(unwritable)
}
