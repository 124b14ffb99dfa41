//! What code of others clients load: plugins, and those among them that could keep hooks from being called.
//! Reads only, and runs none of it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use waypost_store::{files, look};

use super::settings::{All, Whose};
use super::{Finding, Patient};
use crate::harness::Code;

const CHECK: &str = "plugins";
/// Larger files name no modules.
const MAX_FILE: u64 = 1024 * 1024;
/// No more plugins, and files of one, than these are looked at.
const MAX_LOOKED: usize = 500;
const MAX_FILES: usize = 100;

/// A plugin.
struct Plugin {
    folder: PathBuf,
    /// The file that names modules, if one does.
    modules: Option<PathBuf>,
}

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    patient.settings.iter().flat_map(|all| of_client(patient, all)).collect()
}

fn of_client(patient: &Patient<'_>, all: &All<'_>) -> Vec<Finding> {
    let facts = all.local.facts();
    let code = &facts.protected.code;
    if code.marks.is_empty() {
        return Vec::new();
    }
    let mut managed = all.files.iter().filter(|file| file.whose == Whose::Managed);
    let forbids = managed.find(|file| file.said.own_code_only);
    let plugins = plugins(patient, all, code);
    let (with, without): (Vec<_>, Vec<_>) =
        plugins.into_iter().partition(|plugin| plugin.modules.is_some());
    let mut findings: Vec<Finding> = with
        .iter()
        .map(|plugin| {
            let folder = plugin.folder.display();
            let file = plugin.modules.as_deref().map(|file| file.display().to_string());
            let detail = format!(
                "{}: the plugin in {folder} loads code into the client ({}), which could swallow every hook",
                facts.title,
                file.unwrap_or_default()
            );
            let fix = format!("look at what it does, or remove {folder}");
            Finding::bad(CHECK, detail, fix)
        })
        .collect();
    if let Some(file) = forbids {
        let place = file.path.display();
        for finding in &mut findings {
            finding.health = crate::harness::Health::Warning;
            finding.detail.push_str(&format!("; {place} keeps it from being loaded"));
        }
        findings
            .push(Finding::good(CHECK, format!("{place} lets in no code but the organisation's")));
    }
    let names: Vec<String> = without.iter().map(|one| one.folder.display().to_string()).collect();
    findings.push(match names.as_slice() {
        [] if with.is_empty() => Finding::good(CHECK, format!("{}: none", facts.title)),
        [] => return findings,
        names => {
            let detail =
                format!("{}: without code in the client: {}", facts.title, names.join(", "));
            Finding::good(CHECK, detail)
        }
    });
    findings
}

/// The plugins that a client would load here.
fn plugins(patient: &Patient<'_>, all: &All<'_>, code: &Code) -> Vec<Plugin> {
    let (list, key) = code.installed;
    let installed = json(&all.local.folder.join(list)).map(|list| named(&list, key));
    let mut folders: Vec<PathBuf> = installed.unwrap_or_default();
    for place in code.loaded {
        let (_, below) = place.split_once('/').unwrap_or(("", place));
        for folder in [all.local.folder.join(below), patient.project.root.join(place)] {
            let entries = look::folder(folder).into_iter().flatten().flatten();
            let inside = entries.take(MAX_LOOKED).map(|entry| entry.path());
            folders.extend(inside.filter(|one| is_marked(one, code)));
        }
    }
    folders.sort();
    folders.dedup();
    let plugin = |folder: PathBuf| Plugin { modules: modules(&folder, code), folder };
    folders.into_iter().take(MAX_LOOKED).map(plugin).collect()
}

fn is_marked(folder: &Path, code: &Code) -> bool {
    code.marks.iter().any(|mark| look::is_there(folder.join(mark)))
}

/// Whatever stands below a key, at any depth.
fn named(value: &Value, key: &str) -> Vec<PathBuf> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, inner)| match inner.as_str() {
                Some(text) if name == key => vec![PathBuf::from(text)],
                _ => named(inner, key),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| named(item, key)).collect(),
        _ => Vec::new(),
    }
}

/// The file of a plugin that names modules. A manifest may say that it is another than the usual one.
fn modules(folder: &Path, code: &Code) -> Option<PathBuf> {
    let (usual, key) = code.modules_in;
    let below = |folder: &Path| {
        let entries = look::folder(folder).into_iter().flatten().flatten();
        entries.take(MAX_FILES).map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let mut files = vec![folder.join(usual)];
    for path in below(folder) {
        if look::is_folder(&path) { files.extend(below(&path)) } else { files.push(path) }
    }
    let is_json = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let names = |path: &PathBuf| json(path).is_some_and(|content| lists(&content, key));
    files.into_iter().filter(is_json).take(MAX_FILES).find(names)
}

fn lists(content: &Value, key: &str) -> bool {
    let is_list = |value: &Value| value.as_array().is_some_and(|list| !list.is_empty());
    let inner = content.as_object().into_iter().flat_map(|fields| fields.values());
    content.get(key).is_some_and(is_list) || inner.filter_map(|value| value.get(key)).any(is_list)
}

fn json(path: &Path) -> Option<Value> {
    let bytes = files::read(path, MAX_FILE).ok()??;
    serde_json::from_slice(&bytes).ok()
}
