//! The MCP servers in `opencode.json`, below `mcp`: Waypost's is put in, found, and taken out.
//!
//! What else stands in it stays as it is. It reads and writes no files.

use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp};
use jsonc_parser::json;
use serde_json::Value;
use waypost_app::documents::document::{Document, remove_if_bare, text, text_of, texts};
use waypost_app::error::AppError;
use waypost_app::harness::{Added, Content, Left, SERVER, Server};

const SERVERS: &str = "mcp";
const COMMAND: &str = "command";
/// Servers that it starts.
const LOCAL: &str = "local";

/// A file with Waypost's server in it.
pub(super) fn added(content: Content<'_>, command: &str) -> Result<Added, AppError> {
    let list = List::parse(content)?;
    let was_there = list.found().is_some();
    list.add(command)?;
    Ok(Added { bytes: list.document.to_bytes(), was_there, notes: Vec::new() })
}

/// Such a file without it. What `original` has stays.
pub(super) fn left(content: Content<'_>, original: Option<Content<'_>>) -> Result<Left, AppError> {
    let list = List::parse(content)?;
    let before = original.and_then(|original| List::parse(original).ok());
    let (had_list, had_entry) =
        before.map_or((false, false), |before| (before.list().is_some(), before.entry().is_some()));
    let is_ours = list.found().is_some_and(|server| server.is_ours(content.exe));
    if is_ours && !had_entry {
        list.entry().into_iter().for_each(CstObjectProp::remove);
        if !had_list {
            remove_if_bare(list.document.top().and_then(|top| top.get(SERVERS)));
        }
    }
    Ok(Left { bytes: list.document.to_bytes(), is_bare: list.document.is_bare() })
}

/// The server that is registered under Waypost's name.
pub(super) fn found(content: Content<'_>) -> Result<Option<Server>, AppError> {
    Ok(List::parse(content)?.found())
}

/// The names of the servers that a file lists.
pub(super) fn names(content: &[u8]) -> Vec<String> {
    let document = Document::parse(std::path::Path::new(""), content).ok();
    let value = document.and_then(|document| document.value()).unwrap_or_default();
    let list = value.get(SERVERS).and_then(Value::as_object);
    list.into_iter().flat_map(|list| list.keys().cloned()).collect()
}

struct List {
    document: Document,
}

impl List {
    fn parse(content: Content<'_>) -> Result<Self, AppError> {
        let list = Self { document: Document::parse(content.path, content.bytes)? };
        list.check()?;
        Ok(list)
    }

    /// Refuses what has another form than a list of servers, before anything is changed.
    fn check(&self) -> Result<(), AppError> {
        let Some(top) = self.document.top() else { return Ok(()) };
        self.document.refuse_twice(&top, |name| name == SERVERS)?;
        let Some(servers) = top.get(SERVERS) else { return Ok(()) };
        let wrong_type = |what: &str| self.document.wrong_type(what, "an object");
        let servers = servers.object_value().ok_or_else(|| wrong_type(SERVERS))?;
        self.document.refuse_twice(&servers, |name| name == SERVER)?;
        match servers.get(SERVER) {
            Some(entry) if entry.object_value().is_none() => {
                Err(wrong_type(&format!("{SERVERS}.{SERVER}")))
            }
            _ => Ok(()),
        }
    }

    fn list(&self) -> Option<CstObject> {
        self.document.top()?.object_value(SERVERS)
    }

    fn entry(&self) -> Option<CstObjectProp> {
        self.list()?.get(SERVER)
    }

    fn found(&self) -> Option<Server> {
        let entry = self.entry()?.object_value()?;
        let is_started = text_of(&entry, "type").is_none_or(|kind| kind == LOCAL);
        let mut words = texts(entry.array_value(COMMAND)).into_iter();
        let env = entry.object_value("environment").map(|env| env.properties()).unwrap_or_default();
        let variable = |one: &CstObjectProp| Some((one.decoded_name()?, text(&one.value()?)?));
        Some(Server {
            command: words.next().filter(|_| is_started),
            args: words.collect(),
            env: env.iter().filter_map(variable).collect(),
        })
    }

    fn add(&self, command: &str) -> Result<(), AppError> {
        let words = std::iter::once(command).chain(Server::own_args().iter().copied());
        let words = CstInputValue::Array(words.map(CstInputValue::from).collect());
        if let Some(entry) = self.entry().and_then(|property| property.object_value()) {
            if self.found().and_then(|server| server.command).as_deref() != Some(command)
                && let Some(property) = entry.get(COMMAND)
            {
                property.set_value(words);
            }
            return Ok(());
        }
        let servers = self.document.top_or_new()?.object_value_or_create(SERVERS);
        let servers = servers.ok_or_else(|| self.document.wrong_type(SERVERS, "an object"))?;
        servers.append(SERVER, json!({ "type": LOCAL, "command": words, "enabled": true }));
        Ok(())
    }
}
