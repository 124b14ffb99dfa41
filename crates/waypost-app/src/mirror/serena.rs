//! Serena's memories: the session that goes on, the last ones, and what was missed in any of them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use waypost_core::id::SessionId;
use waypost_core::key::sha256_hex;
use waypost_core::mirror::block;
use waypost_core::mirror::serena::{self as memories, CURRENT, HISTORY, VIOLATIONS};

use super::gathering::{self, Gathered};
use super::server::{ASKED, Fault, Server, Servers, WORK};
use super::{Mirror, MirrorKind, PushError, Pushed, Text, picture};
use crate::error::AppError;
use crate::view::{SessionEntry, View};

/// What a memory may have that is asked for no leave, in characters: Serena refuses longer ones then.
const USUAL: usize = 100_000;
/// How many sessions are looked at for what was missed, the latest.
const MAX_VIOLATED: usize = 50;

/// Serena, as one sender or command knows it.
pub(super) struct Serena {
    servers: Arc<dyn Servers>,
    server: Server,
    /// What the memories were last written as, by their hashes.
    written: RefCell<BTreeMap<&'static str, String>>,
    /// Sessions as they were last read, by how long their streams were.
    known: RefCell<BTreeMap<SessionId, (u64, Arc<Gathered>)>>,
}

impl Serena {
    pub(super) fn new(servers: Arc<dyn Servers>, server: Server) -> Self {
        Self { servers, server, written: RefCell::default(), known: RefCell::default() }
    }

    fn gather(&self, view: &View<'_>, entry: &SessionEntry) -> Result<Arc<Gathered>, AppError> {
        let known = self.known.borrow().get(&entry.id).cloned();
        if let Some((_, session)) = known.filter(|(version, _)| *version == entry.version) {
            return Ok(session);
        }
        let session = Arc::new(Gathered::of(view, &entry.id)?);
        self.known.borrow_mut().insert(entry.id.clone(), (entry.version, Arc::clone(&session)));
        Ok(session)
    }

    /// The parameters of a tool, so that they are called as this Serena calls them.
    fn parameters(&self, tool: &str, limit: Duration) -> Result<Vec<String>, Fault> {
        let found = self.servers.parameters(&self.server, tool, limit)?;
        found.ok_or_else(|| {
            Fault::Refused(format!(
                "this Serena has no tool {tool}: start it with --agent-interface tools"
            ))
        })
    }

    fn name(&self, tool: &str, memory: &str) -> Result<(Map<String, Value>, Vec<String>), Fault> {
        let parameters = self.parameters(tool, WORK)?;
        let older = parameters.iter().any(|name| name == "memory_file_name");
        let key = if older { "memory_file_name" } else { "memory_name" };
        Ok((Map::from_iter([(key.to_owned(), memory.into())]), parameters))
    }

    /// A memory; none if there is none.
    fn memory(&self, memory: &str) -> Result<Option<String>, Fault> {
        let (arguments, _) = self.name("read_memory", memory)?;
        match self.servers.call(&self.server, "read_memory", arguments, WORK) {
            Ok(answer) => Ok(text_of(&answer)),
            Err(Fault::Refused(told)) if told.contains("not found") => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    fn write(&self, memory: &str, content: &str) -> Result<(), Fault> {
        let (mut arguments, parameters) = self.name("write_memory", memory)?;
        arguments.insert("content".to_owned(), content.into());
        let length = content.chars().count();
        let limit = ["max_chars", "max_answer_chars"];
        let limit = limit.into_iter().find(|key| parameters.iter().any(|known| known == key));
        if let Some(key) = limit.filter(|_| length > USUAL) {
            arguments.insert(key.to_owned(), length.into());
        }
        self.servers.call(&self.server, "write_memory", arguments, WORK).map(drop)
    }

    fn delete(&self, memory: &str) -> Result<(), Fault> {
        let (arguments, _) = self.name("delete_memory", memory)?;
        match self.servers.call(&self.server, "delete_memory", arguments, WORK) {
            Err(Fault::Refused(told)) if told.contains("not found") => Ok(()),
            done => done.map(drop),
        }
    }

    /// Brings a memory up to date. What somebody else wrote under its name is kept under another one.
    fn bring(&self, memory: &'static str, content: Option<&str>) -> Result<(), Fault> {
        let hash = content.map_or_else(String::new, |text| sha256_hex(&[text.as_bytes()]));
        let known = self.written.borrow().get(memory).cloned();
        if known.as_ref() == Some(&hash) {
            return Ok(());
        }
        if known.is_none() {
            let there = self.memory(memory)?;
            if there.as_deref() == content {
                self.written.borrow_mut().insert(memory, hash);
                return Ok(());
            }
            if let Some(theirs) =
                there.filter(|text| !text.trim().is_empty() && !block::is_ours(text))
            {
                let name = format!("{memory}-kept-{}", &sha256_hex(&[theirs.as_bytes()])[..8]);
                self.write(&name, &theirs)?;
            }
        }
        match content {
            Some(content) => self.write(memory, content)?,
            None => self.delete(memory)?,
        }
        self.written.borrow_mut().insert(memory, hash);
        Ok(())
    }

    fn sealed(
        view: &View<'_>,
        memory: &str,
        text: &str,
        sessions: &[Arc<Gathered>],
    ) -> Result<String, AppError> {
        let held = sessions.iter().map(|session| session.held.clone()).collect();
        block::print(view.log.ring().current(), &place(memory), text, held)
            .map_err(|error| AppError::refused(error.to_string()).because(error))
    }

    fn opened(&self, view: &View<'_>, memory: &str) -> Result<Option<Text>, Fault> {
        let Some(text) = self.memory(memory)? else { return Ok(None) };
        let opened = block::open(view.log.ring(), &place(memory), &text);
        let held = opened.map(|opened| opened.sessions);
        Ok(Some(Text { name: memory.to_owned(), held }))
    }
}

impl Mirror for Serena {
    fn kind(&self) -> MirrorKind {
        MirrorKind::Serena
    }

    fn push(&self, view: &View<'_>, _: &[SessionId]) -> Result<Pushed, PushError> {
        let shown = gathering::shown(view)?;
        let live = shown.iter().find(|entry| gathering::is_live(entry));
        let past = shown.iter().filter(|entry| live.is_none_or(|live| live.id != entry.id));
        let past: Vec<&SessionEntry> = past.take(memories::MAX_HISTORY).collect();
        let gather = |entries: &[&SessionEntry]| -> Result<Vec<Arc<Gathered>>, AppError> {
            entries.iter().map(|entry| self.gather(view, entry)).collect()
        };
        let recent = |at: usize| at < memories::MAX_HISTORY;
        let violated = shown.iter().enumerate();
        let violated: Vec<&SessionEntry> = violated
            .filter(|(at, entry)| entry.violations > 0 || recent(*at))
            .map(|(_, entry)| entry)
            .collect();
        let (first, more) = violated.split_at(violated.len().min(MAX_VIOLATED));
        let (past, violated) = (gather(&past)?, gather(first)?);
        let live = live.map(|live| self.gather(view, live)).transpose()?;
        // What is over is in the history before it is gone from where it was.
        let text =
            memories::history(&past.iter().map(|one| picture::past(one)).collect::<Vec<_>>());
        let history = Self::sealed(view, HISTORY, &text, &past)?;
        self.bring(HISTORY, (!past.is_empty()).then_some(history.as_str()))?;
        let rows: Vec<_> = violated.iter().map(|one| picture::missed(one)).collect();
        let text = memories::violations(&rows, more.len());
        let log = Self::sealed(view, VIOLATIONS, &text, &[])?;
        self.bring(VIOLATIONS, (!rows.is_empty()).then_some(log.as_str()))?;
        let current = match &live {
            Some(live) => {
                let text = memories::current(&picture::current(view, live));
                Some(Self::sealed(view, CURRENT, &text, std::slice::from_ref(live))?)
            }
            None => None,
        };
        self.bring(CURRENT, current.as_deref())?;
        let wanted: BTreeSet<SessionId> =
            past.iter().chain(&violated).chain(&live).map(|one| one.held.session.clone()).collect();
        self.known.borrow_mut().retain(|id, _| wanted.contains(id));
        Ok(Pushed::default())
    }

    fn list(&self, view: &View<'_>) -> Result<Vec<Text>, Fault> {
        let mut texts = Vec::new();
        for memory in [CURRENT, HISTORY] {
            texts.extend(self.opened(view, memory)?);
        }
        Ok(texts)
    }

    fn read(&self, view: &View<'_>, _: &SessionId) -> Result<Vec<Text>, Fault> {
        self.list(view)
    }

    fn health(&self) -> Result<(), Fault> {
        self.parameters("write_memory", ASKED)?;
        self.servers.call(&self.server, "list_memories", Map::new(), ASKED).map(drop)
    }
}

/// Where a memory's block belongs.
fn place(memory: &str) -> String {
    format!("serena/{memory}")
}

/// The text of an answer, whether it is structured or not.
fn text_of(answer: &Value) -> Option<String> {
    let text = answer.as_str().or_else(|| answer.get("result")?.as_str())?;
    Some(text.to_owned())
}
