//! Whether what Waypost keeps is its owner's alone, and can be written.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use waypost_store::{files, look};

use super::{Finding, Patient};
use crate::tracks::catalogue;

/// More is not looked at: with this many, one look at the folder's own mode has to do.
const MAX_ENTRIES: usize = 20_000;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (host, store) = (patient.host, &patient.project.store);
    if let Err(error) = files::check_writable(store) {
        let fix = "make it writable, or make room: until then agents may only read";
        findings.push(Finding::bad("store", error.to_string(), fix));
    }
    // The key's own mode is the business of whoever reads it, which refuses a loose one. Workflows
    // are people's files, and lie there where there is no git.
    let workflows = patient.project.root.join(catalogue::FOLDER);
    let own_business = [store.join("trees"), store.join("hook"), host.key_file(), workflows];
    for folder in [store, &host.config_dir, &host.state_dir] {
        findings.extend(look_at(folder, &own_business));
    }
    if findings.is_empty() {
        findings.push(Finding::good("permissions", "its files are for their owner only"));
    }
    findings
}

/// What others could do to a folder and what is in it. Nothing if it is not there.
fn look_at(folder: &Path, but: &[PathBuf]) -> Vec<Finding> {
    let me = rustix::process::geteuid().as_raw();
    let (mut open, mut loose, mut foreign) = (vec![folder.to_owned()], Vec::new(), Vec::new());
    let mut seen = 0;
    while let Some(path) = open.pop() {
        let Ok(metadata) = look::link(&path) else { continue };
        if but.contains(&path) || metadata.is_symlink() || seen >= MAX_ENTRIES {
            continue;
        }
        seen += 1;
        if metadata.mode() & 0o077 != 0 {
            loose.push((path.clone(), metadata.mode() & 0o777));
        }
        if metadata.uid() != me {
            foreign.push((path.clone(), metadata.uid()));
        }
        if metadata.is_dir() {
            let entries = look::folder(&path).into_iter().flatten().flatten();
            open.extend(entries.map(|entry| entry.path()));
        }
    }
    let folder = folder.display();
    let mut findings = Vec::new();
    if let Some((path, mode)) = loose.first() {
        let (path, others) = (path.display(), more(loose.len()));
        let fix = format!("chmod -R go= {folder}");
        let detail = format!("{path} is open to other users (mode {mode:03o}){others}");
        let writable = loose.iter().any(|(_, mode)| mode & 0o022 != 0);
        let finding = if writable { Finding::bad } else { Finding::warning };
        findings.push(finding("permissions", detail, fix));
    }
    if let Some((path, owner)) = foreign.first() {
        let (path, others) = (path.display(), more(foreign.len()));
        let detail = format!("{path} belongs to another user ({owner}){others}");
        let fix = format!("sudo chown -R {me} {folder}");
        findings.push(Finding::warning("permissions", detail, fix));
    }
    findings
}

fn more(all: usize) -> String {
    if all > 1 { format!(", and {} more below it", all - 1) } else { String::new() }
}
