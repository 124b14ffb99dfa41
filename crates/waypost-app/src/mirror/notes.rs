//! Notes of sessions, by the tools of basic-memory. A note is replaced only as long as it is the very revision that was
//! read, and that one is what was written: what somebody changed stays as it is, and is told.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use waypost_core::id::SessionId;
use waypost_core::key::sha256_hex;
use waypost_core::mirror::block::{self, BlockError};
use waypost_core::mirror::notes::{self as texts, CURRENT, FOLDER};

use super::gathering::{self, Gathered};
use super::server::{ASKED, Fault, Server, Servers, WORK};
use super::{Mirror, MirrorKind, PushError, Pushed, Text, picture};
use crate::error::AppError;
use crate::view::View;

/// How many notes are listed at once, and how many pages of them at the most.
const PAGE: u64 = 200;
const MAX_PAGES: u64 = 50;
/// How often a note is read and written again that changed in between.
const TRIES: u32 = 3;

/// The notes, as one sender or command knows them.
pub(super) struct Notes {
    servers: Arc<dyn Servers>,
    server: Server,
    /// Whose notes they are there, where that is said.
    project: Option<String>,
    /// What was last written, by its hash.
    written: RefCell<BTreeMap<String, String>>,
}

/// A note to be written.
struct Note {
    title: String,
    text: String,
    metadata: Value,
    session: Option<Gathered>,
}

/// A note as it is there.
struct There {
    content: String,
    checksum: Option<String>,
}

impl Notes {
    pub(super) fn new(servers: Arc<dyn Servers>, server: Server, project: Option<String>) -> Self {
        Self { servers, server, project, written: RefCell::default() }
    }

    fn call(&self, tool: &str, mut arguments: Map<String, Value>) -> Result<Value, Fault> {
        if let Some(project) = &self.project {
            arguments.insert("project".to_owned(), project.as_str().into());
        }
        arguments.insert("output_format".to_owned(), "json".into());
        let answer = self.servers.call(&self.server, tool, arguments, WORK)?;
        let answer = answer.get("result").cloned().unwrap_or(answer);
        // An older one gives its JSON as text.
        Ok(match answer.as_str().map(serde_json::from_str::<Value>) {
            Some(Ok(value)) => value,
            Some(Err(_)) | None => answer,
        })
    }

    fn there(&self, title: &str) -> Result<Option<There>, Fault> {
        let path = format!("{FOLDER}/{title}.md");
        let arguments = Map::from_iter([("identifier".to_owned(), path.as_str().into())]);
        let answer = self.call("read_note", arguments)?;
        // What it takes for the one that is meant may be another one.
        let is_it = answer["file_path"].as_str() == Some(&path);
        let content = answer["content"].as_str().filter(|_| is_it);
        let checksum = answer["checksum"].as_str().map(str::to_owned);
        Ok(content.map(|content| There { content: content.to_owned(), checksum }))
    }

    /// Writes a note, unless somebody else wrote what is there: then that is told.
    fn write(&self, view: &View<'_>, note: Note) -> Result<Option<String>, PushError> {
        let place = place(&note.title);
        let held = note.session.map(|session| session.held).into_iter().collect();
        let content = block::print(view.log.ring().current(), &place, &note.text, held)
            .map_err(|error| AppError::refused(error.to_string()).because(error))?;
        let hash = sha256_hex(&[content.as_bytes()]);
        if self.written.borrow().get(&note.title) == Some(&hash) {
            return Ok(None);
        }
        let mut arguments = Map::from_iter([
            ("title".to_owned(), note.title.as_str().into()),
            ("content".to_owned(), content.as_str().into()),
            ("directory".to_owned(), FOLDER.into()),
            ("tags".to_owned(), json!(["session", "waypost"])),
            ("note_type".to_owned(), "session".into()),
            ("metadata".to_owned(), note.metadata),
        ]);
        for _ in 0..TRIES {
            if let Some(there) = self.there(&note.title)? {
                if there.content.trim() == content.trim() {
                    self.written.borrow_mut().insert(note.title, hash);
                    return Ok(None);
                }
                if let Err(why) = block::open(view.log.ring(), &place, &there.content) {
                    return Ok(Some(conflict(&note.title, &why.to_string())));
                }
                arguments.insert("overwrite".to_owned(), true.into());
                if let Some(checksum) = there.checksum {
                    arguments.insert("expected_checksum".to_owned(), checksum.into());
                }
            }
            match self.call("write_note", arguments.clone()) {
                Ok(_) => {
                    self.written.borrow_mut().insert(note.title, hash);
                    return Ok(None);
                }
                // Somebody was faster between reading and writing: it may have been another sender of ours.
                Err(Fault::Refused(told))
                    if told.contains("REVISION_CONFLICT") || told.contains("already exists") => {}
                Err(fault) => return Err(fault.into()),
            }
        }
        Ok(Some(conflict(&note.title, "somebody writes it at the same time, again and again")))
    }

    fn text(&self, view: &View<'_>, title: &str) -> Result<Option<Text>, Fault> {
        let Some(there) = self.there(title)? else { return Ok(None) };
        let opened = block::open(view.log.ring(), &place(title), &there.content);
        let held = opened.map(|opened| opened.sessions);
        Ok(Some(Text { name: format!("{FOLDER}/{title}"), held }))
    }

    /// The titles of all notes of sessions.
    fn titles(&self) -> Result<Vec<String>, Fault> {
        let mut titles = Vec::new();
        for page in 1..=MAX_PAGES {
            let arguments = Map::from_iter([
                ("dir_name".to_owned(), format!("/{FOLDER}").into()),
                ("file_name_glob".to_owned(), "session-*.md".into()),
                ("page".to_owned(), page.into()),
                ("page_size".to_owned(), PAGE.into()),
            ]);
            let answer = self.call("list_directory", arguments)?;
            let nodes = answer["nodes"].as_array().into_iter().flatten();
            let name = |node: &Value| Some(node["name"].as_str()?.strip_suffix(".md")?.to_owned());
            titles.extend(nodes.filter_map(name));
            if answer["has_more"] != true {
                break;
            }
        }
        Ok(titles)
    }
}

impl Mirror for Notes {
    fn kind(&self) -> MirrorKind {
        MirrorKind::Notes
    }

    fn push(&self, view: &View<'_>, sessions: &[SessionId]) -> Result<Pushed, PushError> {
        let shown = gathering::shown(view)?;
        let mut pushed = Pushed::default();
        for id in sessions {
            if shown.iter().any(|entry| entry.id == *id) {
                for note in all(Gathered::of(view, id)?) {
                    pushed.conflicts.extend(self.write(view, note)?);
                }
            }
        }
        let live = shown.iter().find(|entry| gathering::is_live(entry)).map(|entry| &entry.id);
        let current = Note {
            title: CURRENT.to_owned(),
            text: texts::current(live),
            metadata: json!({ "session_id": live.map(SessionId::as_str) }),
            session: None,
        };
        pushed.conflicts.extend(self.write(view, current)?);
        Ok(pushed)
    }

    fn list(&self, view: &View<'_>) -> Result<Vec<Text>, Fault> {
        let titles = self.titles()?;
        let mut found = Vec::new();
        for title in titles {
            let text = self.text(view, &title)?;
            // Notes of agents hold no session; they are looked at only where they are damaged.
            let holds = |text: &Text| match &text.held {
                Ok(held) => !held.is_empty(),
                Err(BlockError::None) => false,
                Err(_) => true,
            };
            found.extend(text.filter(holds));
        }
        Ok(found)
    }

    fn read(&self, view: &View<'_>, session: &SessionId) -> Result<Vec<Text>, Fault> {
        Ok(self.text(view, &texts::title(session))?.into_iter().collect())
    }

    fn health(&self) -> Result<(), Fault> {
        self.servers.call(&self.server, "list_memory_projects", Map::new(), ASKED).map(drop)
    }
}

/// The notes of a session: those that belong to it first, so that its own names only what is there.
fn all(session: Gathered) -> Vec<Note> {
    let id = session.held.session.clone();
    let mut notes = Vec::new();
    let mut by_agent: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for work in session.agents.at_hand() {
        by_agent.entry(work.agent.clone()).or_default().push(picture::work(work));
    }
    let metadata = |of: &str| json!({ "session_id": id.as_str(), "part": of });
    let mut add = |title: String, part: &str, work: &[_]| {
        let text = texts::work(&title, &id, work);
        notes.push(Note { title, text, metadata: metadata(part), session: None });
    };
    for (agent, work) in &by_agent {
        add(texts::agent_title(&id, agent), "agent", work);
    }
    for (compaction, number) in session.agents.compactions.iter().zip(1..) {
        let range = compaction.range.from..=compaction.range.to;
        let work = session.agents.invocations.iter().filter(|work| range.contains(&work.seq));
        let work: Vec<_> = work.map(picture::work).collect();
        add(texts::history_title(&id, number), "history", &work);
    }
    let relations = notes.iter().map(|note| note.title.clone()).collect();
    let picture = picture::note(&session, relations);
    notes.push(Note {
        title: texts::title(&id),
        text: texts::session(&picture),
        metadata: json!({
            "session_id": id.as_str(),
            "status": picture.status,
            "branch": picture.branch,
            "created": picture.started_at,
            "updated": picture.updated_at,
        }),
        session: Some(session),
    });
    notes
}

fn conflict(title: &str, why: &str) -> String {
    format!("the note {FOLDER}/{title} is kept as it is: {why}")
}

/// Where a note's block belongs.
fn place(title: &str) -> String {
    format!("notes/{title}")
}
