//! Whether a project's Waypost works: what the doctor says, which hooks called and when, what waits to be sent, and how much
//! room it takes.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use waypost_core::time::Timestamp;
use waypost_store::look;

use crate::index::ListedProject;
use crate::machine::host::Host;
use crate::setup::doctor::{self, Finding};
use crate::telemetry;
use crate::view::{View, activity};

/// How deep folders are added up.
const MAX_DEPTH: usize = 6;

/// How a project is doing.
#[derive(Debug, Default, Serialize)]
pub struct ProjectHealth {
    /// What the doctor says.
    pub findings: Vec<Finding>,
    /// Who called its hooks.
    pub hooks: Vec<HookSeen>,
    /// What is sent to collectors; none where that cannot be told.
    pub telemetry: Option<telemetry::Status>,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub telemetry_error: Option<String>,
    /// How large its records are.
    pub record_bytes: u64,
    /// How large its activity on this machine is.
    pub activity_bytes: u64,
}

/// What was seen of the hooks of a harness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HookSeen {
    /// The harness.
    pub harness: String,
    /// How many conversations its hooks announced.
    pub conversations: u64,
    /// How many of them run now.
    pub running: u64,
    /// When a hook of one of them was last seen to call.
    pub last: Option<Timestamp>,
}

/// Looks at a project. It starts programs, and takes seconds.
pub(super) fn look(host: &Host, listed: &ListedProject) -> ProjectHealth {
    let host = Host { cwd: listed.project.root.clone(), ..host.clone() };
    let mut health = ProjectHealth {
        findings: doctor::examine(&host, false),
        record_bytes: size(&listed.project.store, MAX_DEPTH),
        ..ProjectHealth::default()
    };
    // Where there is no key, the doctor says so.
    let Ok(ring) = host.keyring() else { return health };
    let view = View::with(&host, listed.project.clone(), ring);
    match telemetry::status(&view) {
        Ok(status) => health.telemetry = Some(status),
        Err(error) => health.telemetry_error = Some(error.message),
    }
    health.hooks = hooks(&view);
    health.activity_bytes = size(&activity::folder(&view), MAX_DEPTH);
    health
}

fn hooks(view: &View<'_>) -> Vec<HookSeen> {
    let registry = view.registry();
    let running = registry.running();
    let trees = view.project.work_trees();
    let is_here = |root: &Path| {
        root == view.project.root || trees.iter().any(|tree| tree.root.as_path() == root)
    };
    let mut seen: BTreeMap<String, HookSeen> = BTreeMap::new();
    for entry in registry.all().into_iter().filter(|entry| entry.hooked && is_here(&entry.root)) {
        let runs = running.iter().any(|one| one.conversation == entry.conversation);
        let of = seen.entry(entry.harness.clone()).or_insert_with(|| HookSeen {
            harness: entry.harness.clone(),
            conversations: 0,
            running: 0,
            last: None,
        });
        of.conversations += 1;
        of.running += u64::from(runs);
        // Every call is noted in the session's activity, and an entry is written anew at prompts.
        let noted = modified(&activity::path(view, &entry.session));
        of.last = of.last.max(noted).max(modified(&registry.place(&entry)));
    }
    seen.into_values().collect()
}

fn modified(path: &Path) -> Option<Timestamp> {
    let modified: SystemTime = look::at(path).ok()?.modified().ok()?;
    let since = modified.duration_since(UNIX_EPOCH).ok()?;
    Some(Timestamp::saturating_from_millis(i64::try_from(since.as_millis()).ok()?))
}

/// How large all files in a folder are.
pub(super) fn size(folder: &Path, depth: usize) -> u64 {
    let entries = look::folder(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match look::link(entry.path()) {
        Ok(found) if found.is_dir() && depth > 0 => size(&entry.path(), depth - 1),
        Ok(found) if found.is_file() => found.len(),
        _ => 0,
    });
    sizes.sum()
}
