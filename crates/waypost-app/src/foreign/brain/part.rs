//! What Brain keeps beside a state: what one agent did (`session-ID-agent-NAME`), and the agents' work that was moved out
//! of a state that had become long (`session-ID-history-NUMBER`). Both belong to the session of that id.

use serde_json::{Map, Value};
use waypost_core::event::{Past, PastNote};
use waypost_core::text::{one_line, shortened};

use super::PART;
use super::told::Told;
use crate::foreign::session::times::{LOCAL_TIMES, Times};
use crate::foreign::session::{Brought, ForeignFile, Outline, Reading};

/// No more entries than this are taken.
const MAX: usize = 1_000;
/// What the text of an agent's work begins with while it goes on.
const AT_WORK: &str = "in_progress";
const ALONE: &str = "the state of its session was not found; this is only what was kept beside it";

/// Reads what is kept beside a state; `None` if it is none of that.
pub(super) fn read(
    file: &ForeignFile<'_>,
    title: &str,
    fields: &Map<String, Value>,
    times: &Times<'_>,
) -> Option<Reading> {
    let has = |key: &str| fields.contains_key(key);
    let history = fields.get("fullHistory").and_then(Value::as_array);
    let is_agent = has("agent") && has("startedAt") && (has("input") || has("output"));
    let mut told = Told::new(times);
    if let Some(history) = history.filter(|_| has("compactedAt") || has("sessionId")) {
        history.iter().take(MAX).for_each(|ran| told.agent(ran));
    } else if is_agent {
        told.agent(&Value::Object(fields.clone()));
    } else {
        return None;
    }
    let own = fields.get("sessionId").and_then(Value::as_str).filter(|id| !id.is_empty());
    let names = [title.rsplit('/').next().unwrap_or_default(), file.stem()];
    let told_by = names.iter().find_map(|name| session_in(name));
    let stem = file.stem().to_owned();
    let name = own.or(told_by).map_or(stem, str::to_owned);
    let topic = told.notes.first().map_or_else(|| name.clone(), |note| note.text.clone());
    let latest = told.notes.iter().filter_map(|note| note.time).max();
    let outline = Outline {
        session_id: name.clone(),
        topic: shortened(&one_line(&topic), 300),
        created_at: told.notes.iter().filter_map(|note| note.time).min(),
        updated_at: fields.get("compactedAt").and_then(|time| times.value(time)).or(latest),
        ..Outline::default()
    };
    let past = Past { workflow: Some("none".to_owned()), notes: told.notes, ..Past::default() };
    let mut remarks = vec![ALONE.to_owned()];
    if times.took_naive() {
        remarks.push(LOCAL_TIMES.to_owned());
    }
    Some(Reading::Sessions(vec![Brought {
        name,
        format: PART,
        manifest: outline.manifest(),
        past,
        definition: None,
        original: file.original(),
        remarks,
    }]))
}

/// The session that a name of such a note tells.
fn session_in(name: &str) -> Option<&str> {
    let start = name.find("session-")? + "session-".len();
    let rest = name.get(start..)?;
    let end = [rest.find("-agent-"), rest.find("-history-")].into_iter().flatten().min()?;
    Some(&rest[..end]).filter(|id| !id.is_empty())
}

/// Whether what is kept beside a state does not say of which: then it is that of the folder that it lies in.
pub fn is_of_folder(part: &Brought) -> bool {
    part.format == PART && part.name.starts_with("agent-")
}

/// A session with what was kept beside it.
pub fn join(session: &mut Brought, part: Brought) {
    let mut new = Vec::new();
    for note in part.past.notes {
        let same = |known: &&mut PastNote| {
            (&known.kind, &known.by, known.time) == (&note.kind, &note.by, note.time)
                && (note.kind == "agent" || known.text == note.text)
        };
        match session.past.notes.iter_mut().find(same) {
            // Of the same work, what was written once it was done.
            Some(known) if known.text.starts_with(AT_WORK) => known.text = note.text,
            Some(_) => {}
            None => new.push(note),
        }
    }
    // What was moved out came before what is still there.
    let at = session.past.notes.iter().position(|note| note.kind == "agent");
    let rest = session.past.notes.split_off(at.unwrap_or(session.past.notes.len()));
    session.past.notes.append(&mut new);
    session.past.notes.extend(rest);
    for (name, value) in part.original {
        let mut free = name;
        while session.original.get(&free).is_some_and(|known| *known != value) {
            free.push('\'');
        }
        session.original.insert(free, value);
    }
    for remark in part.remarks {
        if remark != ALONE && !session.remarks.contains(&remark) {
            session.remarks.push(remark);
        }
    }
}
