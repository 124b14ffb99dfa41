//! Taking everything out again: files as they were, or, where the user went on, without our entries.
//!
//! The key and what was recorded stay: they are the user's, not part of the installation.

use std::fs;
use std::path::{Path, PathBuf};

use waypost_core::next_step::{Mend, amid};
use waypost_store::{files, look};

use super::exclude::KeptFiles;
use super::git_hooks::GitHook;
use super::hooks_folder;
use super::items::{Client, Folder, Item, Site};
use super::manifest::{FileEntry, Manifest};
use super::{InitOutcome, attributes, git_hooks, ref_hook, registrations};
use crate::error::AppError;
use crate::harness::Role;
use crate::machine::host::Host;
use crate::machine::plain_files::{self, Existing};
use crate::machine::project::Project;
use crate::view::registry::Registry;

/// Takes out what [`run`](super::run) put in.
pub fn remove(host: &Host, project: &Project) -> Result<InitOutcome, AppError> {
    let exe = host.cwd.join(&host.exe);
    let manifest = Manifest::load(project)?;
    let is_last = !manifest.has_others(project);
    let mut outcome = InitOutcome::default();
    let exe = exe.to_string_lossy();
    let site = Site { host, project };
    let mut removal = Removal { site, project, exe: &exe, manifest, steps: Vec::new() };
    for client in site.clients() {
        removal.registration(client, &mut outcome)?;
    }
    if is_last {
        removal.lines(Item::Exclude)?;
    }
    removal.lines(Item::Attributes)?;
    removal.own_file(Item::Wrapper, &mut outcome)?;
    removal.own_file(Item::Config, &mut outcome)?;
    removal.carry_out(is_last, &mut outcome)?;
    forget_conversations(host, project);
    Ok(outcome)
}

/// Conversations that go on here are Waypost's business no more.
fn forget_conversations(host: &Host, project: &Project) {
    let Ok(ring) = host.keyring() else { return };
    let registry = Registry::new(&host.state_dir, &ring);
    for known in registry.all().into_iter().filter(|known| known.root == project.root) {
        let _ = registry.leave(&known.harness, &known.conversation);
    }
}

/// A settings or exclude file without Waypost's entries; none if nothing is left of a file that was
/// not there before.
pub(super) fn without_ours(
    site: Site<'_>,
    item: Item<'_>,
    entry: Option<&FileEntry>,
    now: &[u8],
    exe: &str,
) -> Result<Option<Vec<u8>>, AppError> {
    let original = entry.and_then(FileEntry::original);
    let is_new = entry.is_some() && original.as_deref().is_none_or(is_blank);
    let kept = || KeptFiles::of(site.clients().map(|client| client.file));
    let (after, is_bare) = match item {
        Item::Client(client) => {
            let path = client.path(site);
            let asked = client.content(&path, now, Some(exe));
            let registering = client.local.harness.registering();
            let left = registering.take_out(asked, original.as_deref(), entry.is_some())?;
            (left.bytes, left.is_bare)
        }
        Item::Exclude => lines_left(kept().taken_out(now)),
        Item::Attributes => lines_left(attributes::taken_out(now)),
        Item::Config
        | Item::Wrapper
        | Item::PreCommit
        | Item::PrePush
        | Item::ReferenceTransaction => (now.to_vec(), false),
    };
    Ok(if is_new && is_bare { original } else { Some(after) })
}

fn lines_left(after: Vec<u8>) -> (Vec<u8>, bool) {
    let is_bare = is_blank(&after);
    (after, is_bare)
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.trim_ascii().is_empty()
}

/// A file, and what is to be done with it.
struct FileToRestore {
    path: PathBuf,
    before: Existing,
    /// What is to be in it; none removes it.
    after: Option<Vec<u8>>,
    what: &'static str,
}

struct Removal<'a> {
    site: Site<'a>,
    project: &'a Project,
    exe: &'a str,
    manifest: Manifest,
    steps: Vec<FileToRestore>,
}

impl Removal<'_> {
    /// A file of the user's that registers Waypost with a client.
    fn registration(
        &mut self,
        client: Client<'_>,
        outcome: &mut InitOutcome,
    ) -> Result<(), AppError> {
        let (item, path) = (Item::Client(client), client.path(self.site));
        if self.is_seen_to(item, &path) {
            return Ok(());
        }
        // A file of somebody else's that is broken is no reason to keep our own entries.
        let is_others =
            client.file.role != Role::Local && self.manifest.entry(self.project, item).is_none();
        let now = match plain_files::look(&path) {
            Ok(Some(now)) => now,
            Ok(None) => return Ok(()),
            Err(_) if is_others => return Ok(()),
            Err(error) => return Err(error),
        };
        if is_others {
            if !self.is_registered_in(client, &path, &now) {
                return Ok(());
            }
            if item.is_everyones(self.site) {
                let there = format!(
                    "{} registers Waypost for everyone who works on this project and was there before ",
                    path.display()
                );
                outcome.note(amid(there, Mend::SetUp, ", so it stays"));
                return Ok(());
            }
        }
        let what = match client.file.role {
            Role::Local | Role::Shared | Role::Either => "hooks removed",
            Role::Servers => "server removed",
        };
        self.give_back(item, path, now, what)
    }

    /// Whether a file is given back for another client that reads the same one: once, and for one of those that
    /// `waypost init` wrote it for.
    fn is_seen_to(&self, item: Item<'_>, path: &Path) -> bool {
        let is_written_for = |item| self.manifest.entry(self.project, item).is_some();
        let reads = |client: &Client<'_>| client.path(self.site) == path;
        let is_written = || {
            let mut others = self.site.clients().filter(reads);
            others.any(|client| is_written_for(Item::Client(client)))
        };
        self.steps.iter().any(|step| step.path == path) || (!is_written_for(item) && is_written())
    }

    fn is_registered_in(&self, client: Client<'_>, path: &Path, now: &Existing) -> bool {
        let registering = client.local.harness.registering();
        let asked = client.content(path, &now.bytes, None);
        match client.file.role {
            Role::Local | Role::Shared | Role::Either => {
                registering.said(asked).is_ok_and(|said| !said.hooks.is_empty())
            }
            Role::Servers => {
                let server = registering.server(asked).ok().flatten();
                server.is_some_and(|server| server.is_ours(Some(self.exe)))
            }
        }
    }

    /// A list that belongs to the user, with lines of ours.
    fn lines(&mut self, item: Item<'_>) -> Result<(), AppError> {
        let Some(path) = item.path(self.site) else {
            return Ok(());
        };
        if self.manifest.entry(self.project, item).is_none() {
            return Ok(());
        }
        let Some(now) = plain_files::look(&path)? else {
            return Ok(());
        };
        self.give_back(item, path, now, "lines removed")
    }

    /// Files that are Waypost's as a whole: removed if unchanged, else left to the user.
    fn own_file(&mut self, item: Item<'_>, outcome: &mut InitOutcome) -> Result<(), AppError> {
        let Some(path) = item.path(self.site) else {
            return Ok(());
        };
        let Some(entry) = self.manifest.entry(self.project, item) else {
            if matches!(item, Item::Config) && look::link(&path).is_ok() {
                outcome.note(amid("waypost.toml was there before ", Mend::SetUp, ", so it stays"));
            }
            return Ok(());
        };
        let Some(now) = plain_files::look(&path)? else {
            return Ok(());
        };
        if entry.is_untouched(Some(&now)) {
            let after = entry.original();
            self.steps.push(FileToRestore { path, before: now, after, what: "removed" });
        } else {
            let name = self.project.relative(&path);
            outcome.change(path, "kept");
            outcome.note(amid(format!("{name} was changed since "), Mend::SetUp, ", so it stays"));
        }
        Ok(())
    }

    fn give_back(
        &mut self,
        item: Item<'_>,
        path: PathBuf,
        now: Existing,
        what: &'static str,
    ) -> Result<(), AppError> {
        let entry = self.manifest.entry(self.project, item);
        let untouched = entry.filter(|entry| entry.is_untouched(Some(&now)));
        let (after, what) = match untouched {
            Some(entry) => (entry.original(), "restored"),
            None => (without_ours(self.site, item, entry, &now.bytes, self.exe)?, what),
        };
        if after.as_ref() != Some(&now.bytes) {
            let what = if after.is_none() { "removed" } else { what };
            self.steps.push(FileToRestore { path, before: now, after, what });
        }
        Ok(())
    }

    fn carry_out(mut self, is_last: bool, outcome: &mut InitOutcome) -> Result<(), AppError> {
        if look::is_folder(&self.project.store) {
            files::check_writable(&self.project.store)?;
        }
        self.git_hooks(is_last, outcome)?;
        if is_last {
            let entry = self.manifest.entry(self.project, Item::ReferenceTransaction);
            let own = ref_hook::Own { exe: Path::new(self.exe), entry };
            ref_hook::take_out(self.project, own, outcome)?;
        }
        for step in &self.steps {
            match &step.after {
                Some(bytes) => {
                    let mode = step.before.mode;
                    plain_files::write(&step.path, bytes, Some(mode), mode)?;
                }
                None => files::remove(&step.path)?,
            }
            outcome.change(&step.path, step.what);
        }
        let mut folders = self.manifest.own_folders(self.project);
        if is_last {
            folders.extend(self.manifest.common_folders());
            Manifest::delete(self.project)?;
        } else {
            self.manifest.forget(self.project);
            self.manifest.save(self.project)?;
        }
        for folder in folders {
            self.remove_folder(&folder);
        }
        self.say_what_stays(is_last, outcome);
        Ok(())
    }

    /// Git's own hooks: all work trees share them, unless their folder lies in this one.
    fn git_hooks(&self, is_last: bool, outcome: &mut InitOutcome) -> Result<(), AppError> {
        let entry = |hook: GitHook| self.manifest.entry(self.project, hook.item());
        let folder = match hooks_folder::folder(self.project) {
            Ok(folder) => folder,
            // Nothing of ours is out there, or somebody has moved git's eyes away from it since.
            Err(error) if GitHook::ALL.into_iter().any(|hook| entry(hook).is_some()) => {
                outcome.note(format!("the git hooks stay where they are: {}", error.message));
                None
            }
            Err(_) => None,
        };
        let own = |folder: &PathBuf| is_last || hooks_folder::is_in_work_tree(self.project, folder);
        let Some(folder) = folder.filter(own) else {
            return Ok(());
        };
        for hook in GitHook::ALL {
            git_hooks::take_out(&folder.join(hook.name()), entry(hook), outcome)?;
        }
        Ok(())
    }

    fn remove_folder(&self, key: &str) {
        let folder = Folder::named(key, self.site.host);
        if let Some(path) = folder.and_then(|folder| folder.path(self.site)) {
            // A folder that holds something of the user's by now stays, which is no failure.
            let _ = fs::remove_dir(path);
        }
    }

    fn say_what_stays(&self, is_last: bool, outcome: &mut InitOutcome) {
        if look::is_folder(&self.project.store) {
            let store = self.project.store.display();
            outcome.note(format!(
                "what was recorded of the project stays in {store}, and so does the key"
            ));
        }
        if !is_last {
            outcome.note("another work tree of this repository is still set up");
        }
        let harnesses = self.site.host.harnesses.iter();
        let rest = harnesses.flat_map(|local| {
            registrations(self.site.host, local.harness, self.project).unwrap_or_default()
        });
        for left in rest.filter(|left| left.role == Role::Local && !left.is_shared) {
            let file = left.file.display();
            let left = format!("{file} still registers Waypost, for this work tree too: run ");
            outcome.note(amid(left, Mend::TakeOut, " there"));
        }
        if outcome.changes.is_empty() {
            outcome.note("there was nothing of Waypost's to take out here");
        }
    }
}
