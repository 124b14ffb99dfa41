//! Lists of MCP servers that a client starts, below `mcpServers`: Waypost's is put in, found, and taken out.
//!
//! What else stands in it stays as it is. It reads and writes no files.

use std::path::Path;

use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp};
use jsonc_parser::json;
use serde_json::Value;
use waypost_app::documents::document::{Document, remove_if_bare, text, text_of, texts};
use waypost_app::error::AppError;
use waypost_app::harness::{Added, Content, Left, SERVER, Server};

const SERVERS: &str = "mcpServers";

/// A list of servers in a file.
#[derive(Clone, Copy)]
pub(in crate::harnesses) struct Servers<'a> {
    /// The file.
    pub(in crate::harnesses) document: &'a Document,
}

/// What a file has of its own, so that it stays: the list when it gets empty again, and a server
/// that somebody else registered.
#[derive(Debug, Default)]
pub(in crate::harnesses) struct ServersShape {
    has_servers: bool,
    is_registered: bool,
}

impl Servers<'_> {
    /// The server that is registered under Waypost's name.
    pub(in crate::harnesses) fn found(self) -> Option<Server> {
        let entry = self.entry()?.object_value()?;
        let is_started = text_of(&entry, "type").is_none_or(|kind| kind == "stdio");
        let env = entry.object_value("env").map(|env| env.properties()).unwrap_or_default();
        let variable = |one: &CstObjectProp| Some((one.decoded_name()?, text(&one.value()?)?));
        Some(Server {
            command: text_of(&entry, "command").filter(|_| is_started),
            args: texts(entry.array_value("args")),
            env: env.iter().filter_map(variable).collect(),
        })
    }

    /// Registers `command`, or puts it in the place of what is registered. What else the user set
    /// for it stays.
    pub(in crate::harnesses) fn add(self, command: &str) -> Result<(), AppError> {
        if let Some(entry) = self.entry().and_then(|property| property.object_value()) {
            if text_of(&entry, "command").as_deref() != Some(command)
                && let Some(property) = entry.get("command")
            {
                property.set_value(command.into());
            }
            return Ok(());
        }
        let servers = self.document.top_or_new()?.object_value_or_create(SERVERS);
        let servers = servers.ok_or_else(|| self.document.wrong_type(SERVERS, "an object"))?;
        let args = Server::own_args().iter().copied().map(CstInputValue::from).collect();
        let args = CstInputValue::Array(args);
        servers.append(SERVER, json!({ "command": command, "args": args }));
        Ok(())
    }

    /// Takes Waypost's server out, and with it what it leaves empty, unless `shape` has it.
    pub(in crate::harnesses) fn take_out(self, shape: &ServersShape, exe: Option<&str>) {
        if shape.is_registered || !self.found().is_some_and(|server| server.is_ours(exe)) {
            return;
        }
        if let Some(property) = self.entry() {
            property.remove();
        }
        if !shape.has_servers {
            remove_if_bare(self.document.top().and_then(|top| top.get(SERVERS)));
        }
    }

    /// What the file has.
    pub(in crate::harnesses) fn shape(self) -> ServersShape {
        ServersShape { has_servers: self.list().is_some(), is_registered: self.entry().is_some() }
    }

    fn list(self) -> Option<CstObject> {
        self.document.top()?.object_value(SERVERS)
    }

    fn entry(self) -> Option<CstObjectProp> {
        self.list()?.get(SERVER)
    }

    /// Refuses what has another form than a list of servers, before anything is changed.
    pub(in crate::harnesses) fn check(self) -> Result<(), AppError> {
        let Some(top) = self.document.top() else {
            return Ok(());
        };
        self.document.refuse_twice(&top, |name| name == SERVERS)?;
        let Some(servers) = top.get(SERVERS) else {
            return Ok(());
        };
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
}

/// A file that is a list of servers, with Waypost's in it.
pub(in crate::harnesses) fn added(content: Content<'_>, command: &str) -> Result<Added, AppError> {
    let document = parsed(content)?;
    let servers = Servers { document: &document };
    let was_there = servers.found().is_some();
    servers.add(command)?;
    Ok(Added { bytes: document.to_bytes(), was_there, notes: Vec::new() })
}

/// Such a file without it. What `original` has stays.
pub(in crate::harnesses) fn left(
    content: Content<'_>,
    original: Option<Content<'_>>,
) -> Result<Left, AppError> {
    let document = parsed(content)?;
    let before = original.and_then(|original| parsed(original).ok());
    let shape = before.map(|before| Servers { document: &before }.shape()).unwrap_or_default();
    Servers { document: &document }.take_out(&shape, content.exe);
    Ok(Left { bytes: document.to_bytes(), is_bare: document.is_bare() })
}

/// The server that such a file registers under Waypost's name.
pub(in crate::harnesses) fn found(content: Content<'_>) -> Result<Option<Server>, AppError> {
    Ok(Servers { document: &parsed(content)? }.found())
}

/// The names of the servers that such a file lists, and those that it lists for the project in `root`.
pub(in crate::harnesses) fn names(content: &[u8], root: &Path) -> Vec<String> {
    let Ok(content) = serde_json::from_slice::<Value>(content) else { return Vec::new() };
    // A user's file may have servers for all projects, and some for each.
    let of_project = || content.get("projects")?.get(root.to_str()?);
    let lists = [Some(&content), of_project()].into_iter().flatten();
    let lists = lists.filter_map(|list| list.get(SERVERS)?.as_object());
    lists.flat_map(|list| list.keys().cloned()).collect()
}

/// An empty file counts as an empty list.
fn parsed(content: Content<'_>) -> Result<Document, AppError> {
    let document = Document::parse(content.path, content.bytes)?;
    Servers { document: &document }.check()?;
    Ok(document)
}
