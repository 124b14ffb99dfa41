//! Finding a conversation, by transcripts and by records, whichever there are.

use std::collections::BTreeMap;

use waypost_app::cost;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_app::index::{Ask, Rows};
use waypost_app::rulings::explain::explain_record;
use waypost_app::transcripts::Found as Transcript;
use waypost_app::transcripts::window::{Part, Said, part_name};
use waypost_app::view::calling::reopening;
use waypost_core::id::SessionId;
use waypost_core::tables::{
    AgentRow, Cell, ConversationRow, ProjectRow, Row, SessionRow, TranscriptRow,
};
use waypost_core::time::Timestamp;

use super::records::In;
use super::{Agent, Explained, Found, InSession, Talk, Told, talk};
use crate::asked::Asked;

/// So many things that were found are shown.
const MOST_FOUND: u32 = 50;
/// So many records are on a page, where there is no transcript.
const MOST_RECORDS: u32 = 100;
/// So many agents are shown of a session.
const MOST_AGENTS: u32 = 500;
/// The shortest beginning of a name that is looked for.
const SHORTEST: usize = 4;

pub(super) fn look(desk: &Desk, asked: &Asked) -> Result<Told, AppError> {
    let named = asked.needed("conversation")?;
    let Some(rows) = desk.rows()? else { return Ok(unindexed(named)) };
    let id = known_as(&rows, named)?;
    let whose = [("conversation", Cell::Text(id.clone()))];
    let mut files: Vec<TranscriptRow> = rows.of(Ask { with: &whose, ..Ask::default() })?;
    files.sort_by_key(|file| (file.part, std::cmp::Reverse(file.modified)));
    let sessions = sessions(&rows, &id)?;
    let harness = sessions.first().map(|one| one.conversation.harness.clone());
    let client = files.first().map(|file| file.client.clone()).or(harness);
    let used = cost::of_conversation(&desk.host, &desk.transcripts(), &rows, &id, &files)?;
    let part = asked.get("part").map(str::to_owned);
    let mut told = Told {
        reopen: client.as_deref().and_then(|client| reopening(&desk.host, client, &id)),
        folder: files.iter().find_map(|file| file.folder.clone()),
        last: files.iter().map(|file| file.modified).max().and_then(changed),
        ended: sessions
            .iter()
            .map(|one| one.conversation.detached_at)
            .collect::<Option<Vec<_>>>()
            .and_then(|left| left.into_iter().max()),
        sessions: in_sessions(&rows, &sessions)?,
        agents: agents(&rows, &sessions, &files)?,
        client,
        part,
        ..unindexed(&id)
    };
    told.indexed = true;
    let joined = sessions.iter().map(|one| one.conversation.attached_at).min();
    told.used = (used.tokens > 0).then_some(used);
    let first_use = told.used.as_ref().and_then(|used| used.first);
    let beside: Vec<&In> = sessions.iter().filter(|one| is_asked(one, asked)).collect();
    if let Some(file) = chosen(&files, told.part.as_deref())? {
        let found = Transcript::known(&desk.transcripts(), &file.client, &file.path);
        let found = found.ok_or_else(|| {
            AppError::refused(format!("nobody here reads the transcripts of {}", file.client))
        })?;
        told.began = [joined, first_use].into_iter().flatten().min();
        if let Err(error) = read(&mut told, desk, &rows, &found, file, &beside, asked)? {
            told.unread = Some(format!("{}: {error}", file.path));
        }
    } else {
        told.began = [joined, first_use].into_iter().flatten().min();
        recorded(&mut told, &rows, &beside, asked.page()?)?;
    }
    told.explained = explained(desk, asked)?;
    Ok(told)
}

/// Nothing is known of it.
fn unindexed(id: &str) -> Told {
    Told {
        conversation: id.to_owned(),
        indexed: false,
        client: None,
        folder: None,
        reopen: None,
        began: None,
        last: None,
        ended: None,
        used: None,
        sessions: Vec::new(),
        agents: Vec::new(),
        part: None,
        talk: None,
        unread: None,
        found: None,
        records: Vec::new(),
        more: false,
        explained: None,
    }
}

/// The whole name of a conversation, by that or by its beginning.
fn known_as(rows: &Rows, named: &str) -> Result<String, AppError> {
    let is_it = |found: &[String]| found.iter().any(|id| id == named);
    let mut found = beginning(rows, named, |row: TranscriptRow| row.conversation, "conversation")?;
    found.extend(beginning(rows, named, |row: ConversationRow| row.id, "id")?);
    found.sort();
    found.dedup();
    match found.as_slice() {
        all if is_it(all) => Ok(named.to_owned()),
        [one] if named.len() >= SHORTEST => Ok(one.clone()),
        [] => Err(AppError::refused(format!("no conversation is called {named}, or begins so"))
            .hint(
                "it may be in a project that is not listed here: `waypost onboard DIR` lists it",
            )),
        all => {
            let some = all.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
            Err(AppError::refused(format!("several conversations begin with {named}: {some}")))
        }
    }
}

fn beginning<R: Row>(
    rows: &Rows,
    named: &str,
    id: fn(R) -> String,
    column: &'static str,
) -> Result<Vec<String>, AppError> {
    let (from, to) = (Cell::Text(named.to_owned()), Cell::Text(format!("{named}\u{10ffff}")));
    let within = Some((column, &from, &to));
    let asked = Ask { within, by: Some((column, false)), most: Some(200), ..Ask::default() };
    Ok(rows.of::<R>(asked)?.into_iter().map(id).collect())
}

/// The sessions that it was in, the last first.
fn sessions(rows: &Rows, id: &str) -> Result<Vec<In>, AppError> {
    let with = [("id", Cell::Text(id.to_owned()))];
    let mut found = Vec::new();
    for conversation in rows.of::<ConversationRow>(Ask { with: &with, ..Ask::default() })? {
        let row = rows.one::<SessionRow>("session", Cell::Int(conversation.session))?;
        found.extend(row.map(|row| In { row, conversation }));
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.conversation.attached_at));
    Ok(found)
}

fn in_sessions(rows: &Rows, sessions: &[In]) -> Result<Vec<InSession>, AppError> {
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    for one in sessions {
        let id = one.row.project.as_str();
        if !names.contains_key(id) {
            let project = rows.one::<ProjectRow>("id", Cell::Text(id.to_owned()))?;
            names.insert(id, project.map_or_else(|| id.to_owned(), |project| project.name));
        }
    }
    let told = |one: &In| InSession {
        project: one.row.project.clone(),
        project_name: names.get(one.row.project.as_str()).cloned().unwrap_or_default(),
        session: one.row.id.clone(),
        objective: one.row.objective.clone(),
        lifecycle: one.row.lifecycle.clone(),
        harness: one.conversation.harness.clone(),
        attached_at: one.conversation.attached_at,
        detached_at: one.conversation.detached_at,
        reason: one.conversation.reason.clone(),
        turns: one.conversation.turns,
    };
    Ok(sessions.iter().map(told).collect())
}

/// The agents that it gave work to, as records and transcripts tell of them.
fn agents(rows: &Rows, sessions: &[In], files: &[TranscriptRow]) -> Result<Vec<Agent>, AppError> {
    let mut parts: Vec<String> =
        files.iter().filter(|file| file.part).map(|file| part_name(&file.path)).collect();
    let mut agents = Vec::new();
    for one in sessions {
        let with = [
            ("session", Cell::Int(one.row.session)),
            ("conversation", Cell::Text(one.conversation.id.clone())),
        ];
        let asked = Ask { with: &with, most: Some(MOST_AGENTS), ..Ask::default() };
        for row in rows.of::<AgentRow>(asked)? {
            let place = parts.iter().position(|part| row.subagent.as_ref() == Some(part));
            let part = place.map(|place| parts.remove(place));
            agents.push(Agent { row: Some(row), part });
        }
    }
    agents.extend(parts.into_iter().map(|part| Agent { row: None, part: Some(part) }));
    Ok(agents)
}

fn is_asked(one: &In, asked: &Asked) -> bool {
    let fits = |name, own: &str| asked.get(name).is_none_or(|given| given == own);
    fits("project", &one.row.project) && fits("session", &one.row.id)
}

/// The file that is shown: the conversation's own, or that of a subagent.
fn chosen<'f>(
    files: &'f [TranscriptRow],
    part: Option<&str>,
) -> Result<Option<&'f TranscriptRow>, AppError> {
    let Some(part) = part else { return Ok(files.first()) };
    let found = files.iter().find(|file| file.part && part_name(&file.path) == part);
    let missing = || AppError::refused(format!("this conversation has no transcript of {part}"));
    found.map(Some).ok_or_else(missing)
}

/// Reads what is shown of a transcript. Inside, why it cannot be read.
fn read(
    told: &mut Told,
    desk: &Desk,
    rows: &Rows,
    found: &Transcript,
    file: &TranscriptRow,
    beside: &[&In],
    asked: &Asked,
) -> Result<std::io::Result<()>, AppError> {
    if let Some(query) = asked.get("q") {
        return Ok(search(rows, found, file, query)?.map(|hits| told.found = Some(hits)));
    }
    let from = asked.number("from")?;
    let read = match desk.window(found, from) {
        Ok(read) => read,
        Err(error) => return Ok(Err(error)),
    };
    let window = &read.window;
    told.began = [told.began, read.began].into_iter().flatten().min();
    let mut times = window.entries.iter().filter_map(|part| part.time);
    let first = times.next();
    let last = times.next_back().or(first);
    let from = if window.earlier.is_some() { first } else { None };
    let to = if window.later.is_some() { last } else { None };
    let mut records = Vec::new();
    for one in beside {
        records.extend(one.between(rows, (from, to), told.part.as_deref())?);
    }
    told.talk = Some(Talk {
        file: file.path.clone(),
        entries: talk::joined(window.entries.clone(), records),
        from: window.from,
        earlier: window.earlier,
        later: window.later,
        length: window.length,
        unreadable: window.unreadable,
        is_last: window.later.is_none(),
    });
    Ok(Ok(()))
}

/// Where these words stand in a transcript, the last first.
fn search(
    rows: &Rows,
    found: &Transcript,
    file: &TranscriptRow,
    query: &str,
) -> Result<std::io::Result<Found>, AppError> {
    let wanted: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let has_all = |part: &Part| {
        let text = text_of(part).to_lowercase();
        wanted.iter().all(|word| text.contains(word))
    };
    let mut hits: Vec<Part> = Vec::new();
    if let Some(all) = found.matching(&has_all) {
        let Ok(all) = all else { return Ok(all.map(|_| Found { hits, more: false })) };
        let more = all.len() > MOST_FOUND as usize;
        hits.extend(all.into_iter().rev().take(MOST_FOUND as usize));
        return Ok(Ok(Found { hits, more }));
    }
    let messages = rows.said_in(file.file, query, MOST_FOUND + 1)?;
    let more = messages.len() > MOST_FOUND as usize;
    let mut offsets: Vec<u64> = messages.iter().map(|message| message.offset).collect();
    offsets.truncate(MOST_FOUND as usize);
    offsets.dedup();
    for offset in offsets {
        let parts = match found.said_at(offset) {
            Ok(parts) => parts,
            Err(error) => return Ok(Err(error)),
        };
        // The index may take words apart where they stand otherwise.
        let mut fitting: Vec<Part> = parts.iter().filter(|part| has_all(part)).cloned().collect();
        if fitting.is_empty() {
            fitting.extend(parts.into_iter().next());
        }
        hits.extend(fitting);
    }
    Ok(Ok(Found { hits, more }))
}

/// What can be searched of something that was said or done.
pub(super) fn text_of(part: &Part) -> String {
    match &part.told {
        Said::Words { text, .. } | Said::Event { text } => text.clone(),
        Said::Call { tool, about, .. } => format!("{tool}: {about}"),
        Said::Result { printed, .. } => printed.clone().unwrap_or_default(),
    }
}

/// What the records tell, where there is no transcript.
fn recorded(told: &mut Told, rows: &Rows, beside: &[&In], page: u32) -> Result<(), AppError> {
    let past = page.saturating_sub(1).min(100) * MOST_RECORDS;
    for one in beside {
        let records = one.last(rows, past, MOST_RECORDS + 1)?;
        told.more |= records.len() > MOST_RECORDS as usize;
        told.records.extend(records.into_iter().take(MOST_RECORDS as usize));
    }
    told.records.sort_by_key(|record| std::cmp::Reverse((record.time, record.seq)));
    Ok(())
}

fn explained(desk: &Desk, asked: &Asked) -> Result<Option<Explained>, AppError> {
    let Some(seq) = asked.number("explain")? else { return Ok(None) };
    let session = asked.needed("session")?.to_owned();
    let explain = || {
        let listed = desk.project(asked.needed("project")?)?;
        let id: SessionId = session
            .parse()
            .map_err(|error| AppError::configuration(format!("`session` is no id: {error}")))?;
        explain_record(&desk.view(&listed)?, &id, seq)
    };
    let (explanation, error) = match explain() {
        Ok(explanation) => (Some(explanation), None),
        Err(error) => (None, Some(error.message)),
    };
    Ok(Some(Explained { session, seq, explanation, error }))
}

/// When a file was changed, of nanoseconds.
fn changed(modified: u64) -> Option<Timestamp> {
    Timestamp::from_millis(i64::try_from(modified / 1_000_000).ok()?).ok()
}
