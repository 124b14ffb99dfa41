//! Registering the MCP server, and keeping what holds a path of this machine out of commits.

use waypost_store::files;

use super::{Registered, Setup};
use crate::error::AppError;
use crate::init::exclude::{self, Kept};
use crate::init::place::{self, Item};
use crate::init::servers::{NAME, Server, Servers};
use crate::init::{Outcome, manifest};

impl Setup<'_> {
    /// Registers the MCP server: for everyone where everyone gets the file, else by its path.
    pub(super) fn servers(
        &mut self,
        shared: bool,
        outcome: &mut Outcome,
    ) -> Result<Registered, AppError> {
        let Some(path) = Item::Servers.path(self.project) else {
            return Ok(Registered::Not);
        };
        let before = match place::look(&path) {
            Ok(before) => before,
            // The hooks do the work without it.
            Err(error) => {
                outcome.note(format!("{}: so the MCP server is not registered", error.message));
                return Ok(Registered::Not);
            }
        };
        let content = before.as_ref().map(|now| now.bytes.as_slice()).unwrap_or_default();
        let servers = Servers::parse(&path, content)?;
        let known = servers.found();
        if known.as_ref().is_some_and(|known| !known.is_ours(Some(self.exe))) {
            outcome.note(format!(
                "{} has a server named {NAME} that `waypost init` did not write: it stays as it \
                 is, and the client asks you before it starts it",
                path.display()
            ));
            self.keep(Item::Servers, path, before, "already there");
            return Ok(Registered::Not);
        }
        let is_portable = known.as_ref().is_some_and(Server::is_portable);
        let everywhere = shared || is_portable || Item::Servers.is_everyones(self.project);
        servers.add(if everywhere { NAME } else { self.exe })?;
        let entry = self.manifest.entry(self.project, Item::Servers);
        let made = before.is_none() || entry.is_some_and(manifest::FileEntry::is_new);
        let after = servers.to_bytes();
        if after == content && before.is_some() {
            self.keep(Item::Servers, path, before, "already there");
        } else {
            let what = match (&before, known) {
                (None, _) => "created",
                (_, Some(_)) => "server updated",
                (_, None) => "server added",
            };
            self.put(Item::Servers, path, before, after, what);
        }
        Ok(if shared {
            Registered::Shared
        } else if made && !everywhere {
            Registered::Here
        } else {
            Registered::Beside
        })
    }

    /// Keeps what holds a path of this machine out of commits.
    pub(super) fn exclude(&mut self, registered: Registered, outcome: &mut Outcome) {
        let Some(path) = Item::Exclude.path(self.project) else {
            return;
        };
        let mut files = vec![(Kept::LocalSettings, true)];
        match registered {
            Registered::Here => files.push((Kept::Servers, true)),
            Registered::Shared => files.push((Kept::Servers, false)),
            Registered::Beside | Registered::Not => {}
        }
        let ignored = files::read(&self.project.root.join(".gitignore"), 1024 * 1024);
        let ignored = ignored.ok().flatten().unwrap_or_default();
        files.retain(|(kept, is_left_out)| !is_left_out || !kept.is_left_out_by(&ignored));
        let before = match place::look(&path) {
            Ok(before) => before,
            Err(error) => {
                outcome.note(format!(
                    "{}: so files with a path of this machine, such as \
                     .claude/settings.local.json, are not left out of commits",
                    error.message
                ));
                return;
            }
        };
        let content = before.as_ref().map(|now| now.bytes.as_slice()).unwrap_or_default();
        let after = exclude::settled(content, &files);
        if after != content {
            self.put(Item::Exclude, path, before, after, "local settings left out of commits");
        } else if files.iter().any(|(_, is_left_out)| *is_left_out) {
            self.keep(Item::Exclude, path, before, "already there");
        }
    }
}
