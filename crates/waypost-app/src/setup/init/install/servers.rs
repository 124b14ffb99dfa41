//! Registering the MCP server, and keeping what holds a path of this machine out of commits.

use waypost_core::next_step::{Mend, amid};
use waypost_store::files;

use super::{Registered, Setup};
use crate::error::AppError;
use crate::harness::{File, Form, Local, Role, SERVER, Server};
use crate::machine::plain_files;
use crate::setup::init::exclude::{KeptFiles, is_left_out_by};
use crate::setup::init::items::{Client, Item};
use crate::setup::init::{InitOutcome, manifest};

impl<'a> Setup<'a> {
    /// Registers the MCP server: for everyone where everyone gets the file, else by its path.
    pub(super) fn servers(
        &mut self,
        local: &'a Local,
        shared: bool,
        outcome: &mut InitOutcome,
    ) -> Result<Registered, AppError> {
        let Some(client) = Client::of(local).find(|client| client.file.role == Role::Servers)
        else {
            return Ok(Registered::Not);
        };
        let (item, path) = (Item::Client(client), client.path(self.site));
        let before = match plain_files::look(&path) {
            Ok(before) => before,
            // The hooks do the work without it.
            Err(error) => {
                outcome.note(format!("{}: so the MCP server is not registered", error.message));
                return Ok(Registered::Not);
            }
        };
        let content = before.as_ref().map(|now| now.bytes.as_slice()).unwrap_or_default();
        let asked = client.content(&path, content, Some(self.exe));
        let known = local.harness.registering().server(asked)?;
        if known.as_ref().is_some_and(|known| !known.is_ours(Some(self.exe))) {
            let server = format!("{} has a server named {SERVER} that ", path.display());
            let stays =
                " did not write: it stays as it is, and the client asks you before it starts it";
            outcome.note(amid(server, Mend::SetUp, stays));
            self.keep(item, path, before, "already there");
            return Ok(Registered::Not);
        }
        let is_portable = known.as_ref().is_some_and(Server::is_portable);
        let everywhere = shared || is_portable || item.is_everyones(self.site);
        let form = Form::Server(if everywhere { SERVER } else { self.exe });
        let added = local.harness.registering().add(asked, form)?;
        let entry = self.manifest.entry(self.project, item);
        let made = before.is_none() || entry.is_some_and(manifest::FileEntry::is_new);
        if added.bytes == content && before.is_some() {
            self.keep(item, path, before, "already there");
        } else {
            let what = match &before {
                None => "created",
                Some(_) if added.was_there => "server updated",
                Some(_) => "server added",
            };
            self.put(item, path, before, added.bytes, what);
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
    pub(super) fn exclude(
        &mut self,
        chosen: &[&'a Local],
        registered: &[Registered],
        shared: bool,
        outcome: &mut InitOutcome,
    ) {
        let Some(path) = Item::Exclude.path(self.site) else {
            return;
        };
        let chosen = chosen.iter().zip(registered);
        let files = chosen.flat_map(|(local, registered)| {
            Client::of(local)
                .filter_map(|client| Some((client.file, self.wanted(client, *registered, shared)?)))
        });
        let ignored = files::read(&self.project.root.join(".gitignore"), 1024 * 1024);
        let ignored = ignored.ok().flatten().unwrap_or_default();
        let files: Vec<(&File, bool)> = files
            .filter(|(file, is_left_out)| !is_left_out || !is_left_out_by(file, &ignored))
            .collect();
        let before = match plain_files::look(&path) {
            Ok(before) => before,
            Err(error) => {
                outcome.note(format!(
                    "{}: so files with a path of this machine, such as a client's local \
                     settings, are not left out of commits",
                    error.message
                ));
                return;
            }
        };
        let content = before.as_ref().map(|now| now.bytes.as_slice()).unwrap_or_default();
        let kept = KeptFiles::of(self.site.clients().map(|client| client.file));
        let after = kept.settled(content, &files);
        if after != content {
            self.put(Item::Exclude, path, before, after, "local settings left out of commits");
        } else if files.iter().any(|(_, is_left_out)| *is_left_out) {
            self.keep(Item::Exclude, path, before, "already there");
        }
    }

    /// Whether a file is to be left out of commits; none if that is not ours to say.
    fn wanted(&self, client: Client<'_>, registered: Registered, shared: bool) -> Option<bool> {
        match (client.file.role, registered) {
            (Role::Local, _) | (Role::Servers, Registered::Here) => Some(true),
            (Role::Servers, Registered::Shared) => Some(false),
            (Role::Servers, Registered::Beside | Registered::Not) | (Role::Shared, _) => None,
            (Role::Either, _) => Some(!self.is_for_everyone(client, shared)),
        }
    }

    /// Whether the only settings that a project has are, or become, everyone's.
    pub(super) fn is_for_everyone(&self, client: Client<'_>, shared: bool) -> bool {
        shared || Item::Client(client).is_everyones(self.site)
    }
}
