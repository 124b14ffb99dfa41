//! Whether a harness calls Waypost in this project, and the command that it calls really denies.

use waypost_core::next_step::{Mend, amid};
use waypost_core::text::one_line;

use waypost_store::files;

use super::settings::All;
use super::{Finding, Patient, brought, probe};
use crate::harness::Content;
use crate::setup::init::{HarnessRegistration, MAX_FILE};

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for settings in &patient.settings {
        findings.extend(settings.errors.iter().map(|error| Finding::error("hooks", error)));
        let harness = settings.local.harness;
        findings.extend(untrusted(patient, settings));
        let limits = settings.local.facts().limits().filter(|_| !settings.registrations.is_empty());
        findings.extend(limits.map(|limits| Finding::good("limits", limits)));
        let asked = settings.registrations.iter();
        findings.extend(asked.map(|one| {
            if brought::is_foreign_hook(patient, one) {
                return came_along(patient, one);
            }
            probe::probe(harness, &patient.project, one)
        }));
        let plugin = settings.plugin.iter().flat_map(|plugin| &plugin.hooks);
        findings.extend(plugin.map(|one| probe::probe(harness, &patient.project, one)));
    }
    if findings.is_empty() {
        let missing = "no harness calls Waypost in this project";
        findings.push(Finding::bad("hooks", missing, Mend::SetUp));
    }
    findings
}

/// Hooks that the harness leaves out without a word, because nobody has told it to trust them.
fn untrusted(patient: &Patient<'_>, settings: &All<'_>) -> Vec<Finding> {
    let (local, root) = (settings.local, patient.project.root.as_path());
    let registering = local.harness.registering();
    let file = registering.trust_file(patient.host.ground(local, root));
    let (Some(file), Some(how)) = (file, local.facts().reach.trust) else { return Vec::new() };
    let trust = files::read(&file, MAX_FILE).ok().flatten().unwrap_or_default();
    let mut places: Vec<_> =
        settings.registrations.iter().map(|one| (one.role, one.file.as_path())).collect();
    places.dedup();
    let found = places.into_iter().filter_map(|(role, path)| {
        let bytes = files::read(path, MAX_FILE).ok().flatten()?;
        let content = Content { role, path, bytes: &bytes, exe: None };
        let events = registering.untrusted(content, root, &trust);
        let (place, title) = (patient.project.relative(path), local.facts().title);
        let detail = format!(
            "{place}: {title} does not call Waypost for {}, as nobody trusts its hooks",
            events.join(", ")
        );
        (!events.is_empty()).then(|| Finding::bad("hooks", detail, how))
    });
    found.collect()
}

fn came_along(patient: &Patient<'_>, found: &HarnessRegistration) -> Finding {
    let place = patient.project.relative(&found.file);
    let detail = format!(
        "{place}: `{}` came with the repository, so it was not run",
        one_line(&found.command)
    );
    let fix =
        amid("see what it does before a client calls it; ", Mend::SetUp, " registers this Waypost");
    Finding::warning("hooks", detail, fix)
}
