//! The whole content of a folder: what git would store of it, with the content of each repository in it, and with
//! what has a say in it and is in no commit. Without any of these it is git's own tree.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use waypost_store::look;

use super::attributes::Suspects;
use super::index::{GITLINK, Index, hex};
use super::part::{Base, Part};
use super::place::{Inner, Place};
use super::settings::Settings;
use super::shared::Shared;
use super::{cache, git_error, private, rules};
use crate::machine::git::{self, GitError};

/// The folder for what is in no commit. Of this name git stores nothing, so that no work tree has it.
pub(super) const PRIVATE: &str = ".git";
/// How entries for files' own bytes are named.
pub(super) const BYTES: &str = "bytes:";
/// Trees without anything in them: folders without files are no content.
const EMPTY: [&str; 2] = [
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];
/// How many repositories are looked at at the same time.
const AT_ONCE: usize = 4;

/// An entry of a tree: mode and id.
type Entry = (u32, String);
/// What is in a folder, by name.
type Folder = BTreeMap<Vec<u8>, Entry>;
const FOLDER: u32 = 0o040_000;
const FILE: u32 = 0o100_644;

/// What is put into git's own tree.
#[derive(Default)]
struct Changes {
    /// What stands at these paths instead; nothing, where they are left out.
    inner: BTreeMap<Vec<u8>, Option<Entry>>,
    private: BTreeMap<Vec<u8>, Entry>,
}

impl Part<'_> {
    /// The whole content's id.
    pub(super) fn whole(
        &self,
        base: &Base,
        settings: &Settings,
        around: Option<&Settings>,
        depth: usize,
    ) -> Result<String, GitError> {
        let mut changes = Changes::default();
        let suspects = Suspects::of(&self.place, settings, &[], false);
        let may_convert = !matches!(suspects, Suspects::None)
            || (base.kind.has_programs && !settings.filters.is_empty());
        let has_inner = base.kind.has_links || !base.without_commit.is_empty();
        let index = || look::bytes(&base.index).map_err(|error| git_error(&base.index, &error));
        let index = if may_convert || has_inner { index()? } else { Vec::new() };
        if has_inner {
            changes.inner = self.inner(base, &index, settings, depth)?;
        }
        if may_convert {
            let suspects = Suspects::of(&self.place, settings, &index, base.kind.has_programs);
            for (name, mode, id) in self.unfiltered(settings, &index, &suspects)? {
                changes.private.insert([BYTES.as_bytes(), &encoded(&name)].concat(), (mode, id));
            }
        }
        for (name, mut digest) in
            rules::of(&self.place, settings, around, &self.shared.trees.allowed)
        {
            digest.truncate(base.tree.len());
            changes.private.insert(encoded(name.as_bytes()), (FILE, digest));
        }
        if changes.inner.is_empty() && changes.private.is_empty() {
            return Ok(base.tree.clone());
        }
        self.composed(base, &index, &changes)
    }

    /// What stands at the paths of other repositories.
    fn inner(
        &self,
        base: &Base,
        index: &[u8],
        settings: &Settings,
        depth: usize,
    ) -> Result<BTreeMap<Vec<u8>, Option<Entry>>, GitError> {
        let ours = links(index);
        let users = self.place.users_index().and_then(|path| look::bytes(path).ok());
        let users = users.as_deref().map(links).unwrap_or_default();
        let all = ours.keys().chain(users.keys()).chain(&base.without_commit);
        let mut found = BTreeMap::new();
        let mut places: Vec<(Vec<u8>, Place)> = Vec::new();
        for path in all.collect::<std::collections::BTreeSet<_>>() {
            // What git knows as files is no repository to it.
            let is_gone = !look::is_folder(self.place.root.join(super::begin::as_path(path)));
            if is_gone || super::begin::is_below(path, &self.place.own) {
                continue;
            }
            match self.place.inner(path) {
                Inner::WorkTree => drop(found.insert(path.clone(), None)),
                Inner::Empty if users.get(path) == ours.get(path) => {}
                Inner::Empty => {
                    let link = users.get(path).map(|id| (GITLINK, id.clone()));
                    found.insert(path.clone(), link);
                }
                Inner::Content(place) => places.push((path.clone(), place)),
            }
        }
        let Some(depth) = depth.checked_sub(1) else {
            let deep = "repositories lie in each other too deeply";
            return Err(GitError::from_text(deep.to_owned()));
        };
        let length = base.tree.len();
        for (path, id) in self.looked_at(&places, settings, depth) {
            // Ids of another sort cannot stand in this one's trees.
            let id = id?;
            if EMPTY.contains(&id.as_str()) {
                found.insert(path, None);
                continue;
            }
            let entry = if id.len() == length {
                (FOLDER, id)
            } else {
                let mut hash = waypost_core::key::sha256_hex(&[id.as_bytes()]);
                hash.truncate(length);
                (GITLINK, hash)
            };
            found.insert(path, Some(entry));
        }
        Ok(found)
    }

    /// The contents of repositories, several at the same time.
    fn looked_at(
        &self,
        places: &[(Vec<u8>, Place)],
        settings: &Settings,
        depth: usize,
    ) -> Vec<(Vec<u8>, Result<String, GitError>)> {
        self.shared.know_objects_of(places.iter().map(|(_, place)| place));
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let look = || {
            while let Some((path, place)) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                let part = Part::new(self.shared, place.clone());
                let id = part.tree(Some(settings), depth);
                let id =
                    id.map_err(|error| GitError::from_text(format!("{}: {error}", place.path)));
                if let Ok(mut found) = found.lock() {
                    found.push((path.clone(), id));
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..AT_ONCE.min(places.len()) {
                scope.spawn(look);
            }
            look();
        });
        found.into_inner().unwrap_or_default()
    }

    /// Git's own tree with what is put into it. As a rule the same was done before.
    fn composed(&self, base: &Base, index: &[u8], changes: &Changes) -> Result<String, GitError> {
        let mut parts = vec![base.tree.as_bytes().to_vec()];
        let inner = changes.inner.iter().map(|(path, entry)| (path, entry.as_ref()));
        let private = changes.private.iter().map(|(name, entry)| (name, Some(entry)));
        for (path, entry) in inner.chain(private) {
            parts.push(path.clone());
            parts
                .push(entry.map_or_else(String::new, |(mode, id)| format!("{mode:o} {id}")).into());
        }
        let parts: Vec<&[u8]> = parts.iter().flat_map(|part| [part.as_slice(), b"\0"]).collect();
        let prefix = format!("whole-{}-", self.root_hash);
        let key = format!("{prefix}{}-", cache::short_hash(&parts));
        let folder = &self.shared.generation.folder;
        let names = look::folder(folder).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let names: Vec<String> = names.filter(|name| name.starts_with(&prefix)).collect();
        if let Some(id) = names.iter().find_map(|name| name.strip_prefix(&key)) {
            return Ok(id.to_owned());
        }
        let read;
        let index = if index.is_empty() {
            read = look::bytes(&base.index).map_err(|error| git_error(&base.index, &error))?;
            &read
        } else {
            index
        };
        let id = self.make(index, changes)?;
        self.shared.keep_whole(format!("{key}{id}"), names);
        Ok(id)
    }

    fn make(&self, index: &[u8], changes: &Changes) -> Result<String, GitError> {
        let mut folders = gathered(index, changes)?;
        let depth = |path: &[u8]| match path {
            b"" => 0,
            path => path.split(|byte| *byte == b'/').count(),
        };
        let deepest = folders.keys().map(|path| depth(path)).max().unwrap_or(0);
        for level in (0..=deepest).rev() {
            let paths: Vec<Vec<u8>> =
                folders.keys().filter(|path| depth(path) == level).cloned().collect();
            let full: Vec<Vec<u8>> = paths
                .into_iter()
                .filter(|path| {
                    path.is_empty() || folders.get(path).is_some_and(|all| !all.is_empty())
                })
                .collect();
            let ids = self.make_trees(full.iter().filter_map(|path| folders.get(path)))?;
            for (path, id) in full.iter().zip(ids) {
                if path.is_empty() {
                    return Ok(id);
                }
                let (above, name) = split(path);
                if let Some(above) = folders.get_mut(above) {
                    above.insert(name.to_vec(), (FOLDER, id));
                }
            }
        }
        Err(GitError::from_text("git made no tree".to_owned()))
    }

    fn make_trees<'t>(
        &self,
        trees: impl Iterator<Item = &'t Folder>,
    ) -> Result<Vec<String>, GitError> {
        let mut input = Vec::new();
        for tree in trees {
            for (name, (mode, id)) in tree {
                let sort = match *mode {
                    FOLDER => "tree",
                    GITLINK => "commit",
                    _ => "blob",
                };
                input.extend(format!("{mode:06o} {sort} {id}\t").into_bytes());
                input.extend_from_slice(name);
                input.push(0);
            }
            input.push(0);
        }
        if input.is_empty() {
            return Ok(Vec::new());
        }
        let git = self.place.git(&self.shared.objects());
        let args = ["mktree", "-z", "--batch", "--missing"];
        let made = git::output_of(git, args, input, self.shared.trees.deadline)?;
        Ok(String::from_utf8_lossy(&made).lines().map(str::to_owned).collect())
    }
}

impl Shared<'_> {
    /// Keeps the objects of these repositories findable: parts of a content's trees may lie only there.
    fn know_objects_of<'p>(&self, places: impl Iterator<Item = &'p Place>) {
        use std::io::Write;
        let info = self.generation.objects().join("info");
        let known = look::text(info.join("alternates")).unwrap_or_default();
        let objects =
            places.filter(|place| !place.is_lent).map(|place| place.common.join("objects"));
        let objects = objects.map(|path| path.to_string_lossy().into_owned());
        let new: String = objects
            .filter(|path| !path.contains('\n') && !known.lines().any(|line| line == path))
            .map(|path| path + "\n")
            .collect();
        if new.is_empty() || private::folder(&info).is_err() {
            return;
        }
        let file =
            self.scratch.file(&format!("alternates-{}", cache::short_hash(&[new.as_bytes()])));
        let written =
            private::file(&file).and_then(|mut file| file.write_all((known + &new).as_bytes()));
        // What cannot be found later is told as not known.
        let _ = written.and_then(|()| fs::rename(&file, info.join("alternates")));
    }

    /// Remembers a whole tree once its objects are where they stay, instead of those before.
    fn keep_whole(&self, name: String, before: Vec<String>) {
        if let Ok(mut wholes) = self.wholes.lock() {
            wholes.push((name, before));
        }
    }
}

/// The commits of repositories in an index.
fn links(index: &[u8]) -> BTreeMap<Vec<u8>, String> {
    let mut found = BTreeMap::new();
    if let Some((index, _)) = Index::read(index) {
        index.for_each(|entry| {
            if entry.mode == GITLINK {
                found.insert(entry.name.to_vec(), hex(entry.id));
            }
        });
    }
    found
}

/// The folders whose trees are other than git's own, with what is in them but for each other.
fn gathered(index: &[u8], changes: &Changes) -> Result<BTreeMap<Vec<u8>, Folder>, GitError> {
    let mut folders: BTreeMap<Vec<u8>, Folder> = BTreeMap::new();
    folders.insert(Vec::new(), BTreeMap::new());
    for path in changes.inner.keys() {
        let mut at = split(path).0;
        while !at.is_empty() {
            folders.entry(at.to_vec()).or_default();
            at = split(at).0;
        }
    }
    let paths: Vec<Vec<u8>> = folders.keys().cloned().collect();
    let unreadable = || GitError::from_text("the index that git wrote cannot be read".to_owned());
    let (index, _) = Index::read(index).ok_or_else(unreadable)?;
    let trees = index.folders();
    let mut is_whole = true;
    index.for_each(|entry| {
        for folder in &paths {
            let Some(rest) = below(entry.name, folder) else { continue };
            let end = rest.iter().position(|byte| *byte == b'/');
            let name = &rest[..end.unwrap_or(rest.len())];
            let path = &entry.name[..entry.name.len() - rest.len() + name.len()];
            let Some(found) = folders.get(folder) else { continue };
            if changes.inner.contains_key(path)
                || found.contains_key(name)
                || paths.iter().any(|one| one == path)
            {
                continue;
            }
            let new = match (end, trees.get(path)) {
                (None, _) => (entry.mode, hex(entry.id)),
                (Some(_), Some(id)) => (FOLDER, hex(id)),
                (Some(_), None) => {
                    is_whole = false;
                    continue;
                }
            };
            if let Some(found) = folders.get_mut(folder) {
                found.insert(name.to_vec(), new);
            }
        }
    });
    if !is_whole {
        return Err(unreadable());
    }
    for (path, entry) in &changes.inner {
        let (folder, name) = split(path);
        if let (Some(entry), Some(found)) = (entry, folders.get_mut(folder)) {
            found.insert(name.to_vec(), entry.clone());
        }
    }
    if !changes.private.is_empty() {
        folders.insert(PRIVATE.as_bytes().to_vec(), changes.private.clone());
    }
    Ok(folders)
}

/// What follows a folder's path in a path below it.
fn below<'n>(name: &'n [u8], folder: &[u8]) -> Option<&'n [u8]> {
    if folder.is_empty() { Some(name) } else { name.strip_prefix(folder)?.strip_prefix(b"/") }
}

fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&[], path),
    }
}

/// A path as one name.
fn encoded(path: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(path.len());
    for byte in path {
        match byte {
            b'/' => name.extend(b"%2F"),
            b'%' => name.extend(b"%25"),
            other => name.push(*other),
        }
    }
    name
}

/// The path that a name stands for.
pub(super) fn decoded(name: &str) -> String {
    name.replace("%2F", "/").replace("%25", "%")
}
