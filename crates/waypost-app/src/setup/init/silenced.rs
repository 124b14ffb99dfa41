//! Whether the hooks that `init` registered are still called, by what a harness' settings say now. Only looks.

use std::path::PathBuf;

use waypost_store::files;

use super::items::{Client, Item, Site};
use super::manifest::Manifest;
use super::registrations::{MAX_FILE, all_settings_files};
use crate::error::AppError;
use crate::harness::{Content, Local, Role, Said};
use crate::machine::host::Host;
use crate::machine::project::Project;

/// What keeps hooks from being called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silenced {
    /// The file of settings that does, or no longer says what `init` wrote.
    pub file: PathBuf,
    /// What it does.
    pub how: Silencing,
}

/// How hooks are kept from being called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Silencing {
    /// All hooks are switched off.
    Off,
    /// Those for these events are gone.
    Missing(Vec<&'static str>),
}

/// What keeps the hooks from being called that `init` registered for a harness. Where it registered none, they came
/// from elsewhere, and nobody knows what was there.
pub fn silenced(
    host: &Host,
    local: &Local,
    project: &Project,
) -> Result<Option<Silenced>, AppError> {
    let said = all_settings_files(host, local, project).into_iter().map(|file| {
        let said = said(local, &file);
        (file, said)
    });
    let said: Vec<(PathBuf, Said)> = said.collect();
    // The first that says anything wins over the others.
    if let Some((file, said)) = said.iter().find(|(_, said)| said.hooks_off.is_some())
        && said.hooks_off == Some(true)
    {
        return Ok(Some(Silenced { file: file.clone(), how: Silencing::Off }));
    }
    let (site, manifest) = (Site { host, project }, Manifest::load(project)?);
    let holds_hooks = |client: &Client<'_>| client.file.role != Role::Servers;
    let written = |client: &Client<'_>| manifest.entry(project, Item::Client(*client)).is_some();
    let Some(client) = Client::of(local).filter(holds_hooks).find(written) else { return Ok(None) };
    let is_called =
        |event: &str| said.iter().flat_map(|(_, said)| &said.hooks).any(|hook| hook.event == event);
    let events = local.facts().events.iter().copied();
    let missing: Vec<&'static str> = events.filter(|event| !is_called(event)).collect();
    let how = Silencing::Missing(missing.clone());
    Ok((!missing.is_empty()).then(|| Silenced { file: client.path(site), how }))
}

/// What a file says; nothing where it is not there or no settings: the harness takes nothing from it either.
pub(super) fn said(local: &Local, path: &std::path::Path) -> Said {
    let bytes = files::read(path, MAX_FILE).ok().flatten().unwrap_or_default();
    let content = Content { role: Role::Local, path, bytes: &bytes, exe: None };
    local.harness.registering().said(content).unwrap_or_default()
}
