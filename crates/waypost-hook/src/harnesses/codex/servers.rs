//! `config.toml`: Waypost's MCP server put in, found, and taken out. Comments and whatever else stands in it stay.

use std::path::PathBuf;

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};
use waypost_app::error::AppError;
use waypost_app::harness::{Added, Content, Left, SERVER, Server};

const SERVERS: &str = "mcp_servers";

/// What says where Waypost's files and key are. Codex keeps all variables from servers but those that are named.
const VARIABLES: [&str; 7] = [
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "CODEX_HOME",
    "WAYPOST_SESSION_SECRET",
    "BRAIN_SESSION_SECRET",
];

/// A file of configuration.
pub(super) struct Servers {
    path: PathBuf,
    document: DocumentMut,
}

impl Servers {
    /// Reads a file's content.
    pub(super) fn parse(content: Content<'_>) -> Result<Self, AppError> {
        let path = content.path.to_owned();
        let unreadable = |why: String| {
            AppError::configuration(format!("{} cannot be read: {why}", content.path.display()))
                .hint("put it right, then run this again; nothing was changed")
        };
        let text =
            str::from_utf8(content.bytes).map_err(|_| unreadable("it is not UTF-8".into()))?;
        let document: DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| unreadable(error.to_string()))?;
        for (name, item) in
            [(SERVERS, document.get(SERVERS)), ("mcp_servers.waypost", entry(&document))]
        {
            if item.is_some_and(|item| item.as_table_like().is_none()) {
                return Err(unreadable(format!("{name} is no table")));
            }
        }
        Ok(Self { path, document })
    }

    /// The server that is registered under Waypost's name.
    pub(super) fn found(&self) -> Option<Server> {
        let entry = entry(&self.document)?.as_table_like()?;
        let text = |item: &Item| item.as_str().map(str::to_owned);
        let args = entry.get("args").and_then(Item::as_array).into_iter().flatten();
        let env = entry.get("env").and_then(Item::as_table_like);
        let variables = env.into_iter().flat_map(TableLike::iter);
        Some(Server {
            command: entry.get("command").and_then(text),
            args: args.filter_map(|arg| arg.as_str().map(str::to_owned)).collect(),
            env: variables
                .filter_map(|(name, item)| Some((name.to_owned(), text(item)?)))
                .collect(),
        })
    }

    /// The names of all servers.
    pub(super) fn names(&self) -> Vec<String> {
        let list = self.document.get(SERVERS).and_then(Item::as_table_like);
        list.into_iter().flat_map(TableLike::iter).map(|(name, _)| name.to_owned()).collect()
    }

    /// The content with `command` registered, or put in the place of what is registered.
    pub(super) fn added(mut self, command: &str) -> Result<Added, AppError> {
        let was_there = self.found().is_some();
        let list = self.document.entry(SERVERS).or_insert_with(|| {
            let mut list = Table::new();
            // It has no lines of its own but those of the servers below it.
            list.set_implicit(true);
            Item::Table(list)
        });
        let path = &self.path;
        let list = list.as_table_like_mut().ok_or_else(|| no_table(path))?;
        if let Some(entry) = list.get_mut(SERVER).and_then(Item::as_table_like_mut) {
            if entry.get("command").and_then(Item::as_str) != Some(command) {
                entry.insert("command", value(command));
            }
        } else {
            let mut entry = Table::new();
            entry.insert("command", value(command));
            entry.insert("args", value(Server::own_args().iter().copied().collect::<Array>()));
            entry.insert("env_vars", value(VARIABLES.into_iter().collect::<Array>()));
            list.insert(SERVER, Item::Table(entry));
        }
        Ok(Added { bytes: self.bytes(), was_there, notes: Vec::new() })
    }

    /// The content without Waypost's server, and without what that leaves empty, unless `before` has it.
    pub(super) fn left(
        mut self,
        before: Option<&Self>,
        exe: Option<&str>,
    ) -> Result<Left, AppError> {
        let was_there = before.is_some_and(|before| entry(&before.document).is_some());
        let is_ours = self.found().is_some_and(|server| server.is_ours(exe));
        if is_ours && !was_there {
            let path = &self.path;
            let list = self.document.get_mut(SERVERS).and_then(Item::as_table_like_mut);
            let list = list.ok_or_else(|| no_table(path))?;
            list.remove(SERVER);
            let is_empty = list.is_empty();
            if is_empty && before.is_none_or(|before| before.document.get(SERVERS).is_none()) {
                self.document.remove(SERVERS);
            }
        }
        let bytes = self.bytes();
        Ok(Left { is_bare: bytes.trim_ascii().is_empty(), bytes })
    }

    fn bytes(&self) -> Vec<u8> {
        self.document.to_string().into_bytes()
    }
}

fn entry(document: &DocumentMut) -> Option<&Item> {
    document.get(SERVERS)?.as_table_like()?.get(SERVER)
}

fn no_table(path: &std::path::Path) -> AppError {
    AppError::configuration(format!("{}: {SERVERS} is no table", path.display()))
}
