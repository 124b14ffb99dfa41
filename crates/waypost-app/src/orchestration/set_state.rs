//! A state that somebody gives, taken as far as it is something that they can say: mode, focus and phase are set, what
//! is new in its lists is recorded, and the rest has to be what the records tell. All of it, or nothing.

mod fields;
mod items;
mod workflow;

use serde_json::{Map, Value};
use waypost_core::command::{Command, FocusChange};
use waypost_core::time::Timestamp;

use self::fields::{Fields, forged, is_no};
use super::state::{self, Told};
use crate::error::{AppError, Kind};
use crate::sessions::mode;
use crate::view::View;

const FIELDS: [&str; 17] = [
    "operation",
    "sessionId",
    "mode",
    "currentMode",
    "modeHistory",
    "feature",
    "activeFeature",
    "task",
    "activeTask",
    "protocolStartComplete",
    "protocolEndComplete",
    "protocolStartEvidence",
    "protocolEndEvidence",
    "orchestratorWorkflow",
    "version",
    "createdAt",
    "updatedAt",
];
/// How often whoever was overtaken looks again.
const RETRIES: usize = 3;
/// What states elsewhere hold, and why it is not taken.
const OTHERS: [(&str, &str); 2] = [
    (
        "_signature",
        "signs another program's state; what is recorded here is signed record by record",
    ),
    ("topic", "is what a session is begun with"),
];

/// What came of it.
#[derive(Debug)]
pub struct Changed {
    /// The state now.
    pub document: Map<String, Value>,
    /// What somebody should be told about the stream.
    pub warnings: Vec<String>,
}

/// The version that whoever gives this decided on, if they say.
pub fn version_of(given: &Map<String, Value>) -> Result<Option<u64>, AppError> {
    let version = given.get("version").filter(|version| !version.is_null());
    let number =
        |version: &Value| version.as_u64().ok_or_else(|| is_no("version", "a whole number"));
    version.map(number).transpose()
}

/// Sets what is given. The view expects the version that is given, if one is; without one, whoever was overtaken looks
/// again.
pub fn set(
    view: &View<'_>,
    named: Option<&str>,
    given: &Map<String, Value>,
) -> Result<Changed, AppError> {
    let mut tried = set_once(view, named, given);
    for _ in 0..RETRIES {
        let is_overtaken =
            tried.as_ref().is_err_and(|error| matches!(error.kind, Kind::Conflict { .. }));
        if !is_overtaken || version_of(given)?.is_some() {
            break;
        }
        tried = set_once(&View::open(view.host)?, named, given);
    }
    tried
}

fn set_once(
    view: &View<'_>,
    named: Option<&str>,
    given: &Map<String, Value>,
) -> Result<Changed, AppError> {
    if let Some((name, why)) = OTHERS.iter().find(|(name, _)| given.contains_key(*name)) {
        return Err(AppError::refused(format!("`{name}` {why}")).hint("leave it out"));
    }
    let fields = Fields::of("", given, &FIELDS)?;
    let named = whose(&fields, named)?;
    let told = state::of(view, named)?;
    if given.get("sessionId").is_some_and(|id| id != told.session.id.as_str()) && named.is_none() {
        return Err(is_no("sessionId", "this session"));
    }
    recorded(&fields, &told)?;
    let mode_now = told.document["mode"].as_str().unwrap_or_default().to_owned();
    let mode = either(&fields, ["mode", "currentMode"])?.filter(|mode| *mode != mode_now);
    let focus = focus(&fields, &told)?;
    let asked = fields.raw("orchestratorWorkflow").map(|given| workflow::asked(view, &told, given));
    let asked = asked.transpose()?.unwrap_or_default();
    if let Some(mode) = &mode {
        mode::permitted(view, &mode_now, mode)?;
    }
    let focus = FocusChange { workflow_phase: asked.phase, ..focus };
    let mut commands: Vec<Command> = Vec::new();
    commands.extend(mode.clone().map(|mode| Command::SetMode { mode }));
    commands.extend((focus != FocusChange::default()).then_some(Command::SetFocus(focus)));
    let of_agents = asked.commands.into_iter().map(Box::new);
    commands.extend(of_agents.map(Command::Orchestrate));
    if commands.is_empty() {
        return Ok(Changed { document: told.document, warnings: Vec::new() });
    }
    let id = told.session.id;
    // Which invocation is completed depends on those that are open: nobody may come in between.
    let pinned = asked.completes.then(|| View::open(view.host)).transpose()?;
    let pinned = pinned.map(|again| again.expecting(Some(told.session.state.version)));
    let executed = pinned.as_ref().unwrap_or(view).execute_all(&id, &view.actor(), commands)?;
    if let Some(mode) = &mode {
        mode::changed(view, &id, &mode_now, mode)?;
    }
    let document = state::of(pinned.as_ref().unwrap_or(view), Some(id.as_str()))?.document;
    Ok(Changed { document, warnings: executed.warnings })
}

/// The session that is meant: the one that is named, or the one that the state says it is of.
fn whose<'a>(fields: &Fields<'a>, named: Option<&'a str>) -> Result<Option<&'a str>, AppError> {
    match fields.text("operation")? {
        None | Some("set") => {}
        Some(_) => return Err(is_no("operation", "`set`, the one that changes a state")),
    }
    match (named, fields.text("sessionId")?) {
        (Some(named), Some(id)) if !id.starts_with(named) => {
            Err(is_no("sessionId", "the session that is named"))
        }
        (_, Some(id)) => Ok(Some(id)),
        (named, None) => Ok(named),
    }
}

/// What nobody sets has to be what the records tell.
fn recorded(fields: &Fields<'_>, told: &Told) -> Result<(), AppError> {
    for name in ["modeHistory", "createdAt"] {
        if fields.raw(name).is_some_and(|given| Some(given) != told.document.get(name)) {
            return Err(forged(name, "is not what is recorded"));
        }
    }
    for name in [
        "protocolStartComplete",
        "protocolEndComplete",
        "protocolStartEvidence",
        "protocolEndEvidence",
    ] {
        if fields.raw(name).is_some_and(|given| Some(given) != told.document.get(name)) {
            return Err(AppError::refused(format!(
                "`{name}` is not what the gates find: a protocol is followed, not declared"
            ))
            .hint("do what is open; the checklists tell what that is"));
        }
    }
    // It is the time of the last record, whatever clock whoever gives it goes by.
    match fields.text("updatedAt")?.map(Timestamp::lenient) {
        None | Some(Some(_)) => Ok(()),
        Some(None) => Err(is_no("updatedAt", "a time such as 2026-11-15T10:00:00.000Z")),
    }
}

/// A field that has two names: both may be given, if they say the same.
fn either(fields: &Fields<'_>, names: [&str; 2]) -> Result<Option<String>, AppError> {
    let told = [text_or_none(fields, names[0])?, text_or_none(fields, names[1])?];
    match told {
        [Some(one), Some(other)] if one != other => Err(AppError::refused(format!(
            "`{}` and `{}` are two names for one thing, and say different things",
            names[0], names[1]
        ))
        .hint("give one of them")),
        [one, other] => Ok(one.or(other)),
    }
}

/// A text; what is `null` is empty.
fn text_or_none(fields: &Fields<'_>, name: &str) -> Result<Option<String>, AppError> {
    let is_given = fields.raw(name).is_some();
    Ok(if is_given { Some(fields.or_empty(name)?) } else { None })
}

/// What is given of the focus, if it is another one.
fn focus(fields: &Fields<'_>, told: &Told) -> Result<FocusChange, AppError> {
    let feature = either(fields, ["feature", "activeFeature"])?;
    let task = either(fields, ["task", "activeTask"])?;
    let now = &told.session.state.focus;
    let is_now = |given: &Option<String>, now: &Option<String>| {
        given.as_ref().is_none_or(|given| *given == now.clone().unwrap_or_default())
    };
    if is_now(&feature, &now.feature) && is_now(&task, &now.task) {
        return Ok(FocusChange::default());
    }
    Ok(FocusChange { feature, task, workflow_phase: None })
}
