//! `.mcp.json`: the MCP servers that a client starts in a project. Waypost's is put in, found, and
//! taken out.
//!
//! What else stands in it stays as it is. It reads and writes no files.

use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp};
use jsonc_parser::json;
use waypost_app::documents::document::{Document, remove_if_bare, text, text_of, texts};
use waypost_app::error::AppError;
use waypost_app::harness::{Content, SERVER, Server};

const SERVERS: &str = "mcpServers";

/// A list of servers.
pub(super) struct Servers {
    document: Document,
}

/// What a file has of its own, so that it stays: the list when it gets empty again, and a server
/// that somebody else registered.
#[derive(Debug, Default)]
pub(super) struct Shape {
    has_servers: bool,
    is_registered: bool,
}

impl Servers {
    /// Reads a file's content. An empty one counts as an empty list.
    pub(super) fn parse(content: Content<'_>) -> Result<Self, AppError> {
        let servers = Self { document: Document::parse(content.path, content.bytes)? };
        servers.check()?;
        Ok(servers)
    }

    /// The file's content.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.document.to_bytes()
    }

    /// Whether it says nothing at all.
    pub(super) fn is_bare(&self) -> bool {
        self.document.is_bare()
    }

    /// The server that is registered under Waypost's name.
    pub(super) fn found(&self) -> Option<Server> {
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
    pub(super) fn add(&self, command: &str) -> Result<(), AppError> {
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
    pub(super) fn take_out(&self, shape: &Shape, exe: Option<&str>) {
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
    pub(super) fn shape(&self) -> Shape {
        Shape { has_servers: self.list().is_some(), is_registered: self.entry().is_some() }
    }

    fn list(&self) -> Option<CstObject> {
        self.document.top()?.object_value(SERVERS)
    }

    fn entry(&self) -> Option<CstObjectProp> {
        self.list()?.get(SERVER)
    }

    /// Refuses what has another form than a list of servers, before anything is changed.
    fn check(&self) -> Result<(), AppError> {
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
