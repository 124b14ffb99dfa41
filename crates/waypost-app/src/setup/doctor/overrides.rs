//! Whether settings keep hooks from being called, from being waited for, or from being heard.

use std::collections::BTreeSet;
use std::path::Path;

use waypost_core::next_step::{Mend, NextStep, amid};

use super::settings::{All, File, Whose};
use super::{Finding, Patient};
use crate::harness::{Fault, Fix, Hook};
use crate::machine::project::Project;

const CHECK: &str = "overrides";

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let project = &patient.project;
    let mut findings = Vec::new();
    for all in &patient.settings {
        findings.extend(switched_off(all, project));
        findings.extend(silenced(all, project));
        findings.extend(faults(all, project));
        findings.extend(called_twice(all, project));
    }
    let mut hooks = patient.settings.iter().flat_map(hooks_of);
    if findings.is_empty() && hooks.next().is_some() {
        findings.push(Finding::good(CHECK, "no setting disables or narrows the hooks"));
    }
    findings
}

/// All of Waypost's hooks, with the files that they stand in.
fn hooks_of<'a>(all: &'a All<'_>) -> impl Iterator<Item = (&'a File, &'a Hook)> {
    all.files.iter().flat_map(|file| file.said.hooks.iter().map(move |hook| (file, hook)))
}

/// What keeps all of Waypost's hooks from being called.
fn switched_off(all: &All<'_>, project: &Project) -> Option<Finding> {
    let shown = |path: &Path| project.relative(path);
    let asking = |path: &Path| format!("ask whoever manages {} to change that", path.display());
    let managed = || all.files.iter().filter(|file| file.whose == Whose::Managed);
    let only = managed().find(|file| file.said.own_hooks_only);
    if let Some(file) = only.filter(|_| managed().all(|file| file.said.hooks.is_empty())) {
        let detail = format!("{} lets only hooks run that it sets itself", shown(&file.path));
        return Some(Finding::bad(CHECK, detail, asking(&file.path)));
    }
    // The first that says anything wins over the others.
    let file = all.files.iter().find(|file| file.said.hooks_off.is_some())?;
    if file.said.hooks_off != Some(true) {
        return None;
    }
    let detail = format!("{} switches all hooks off", shown(&file.path));
    let fix = if file.whose == Whose::Managed {
        asking(&file.path)
    } else {
        let word = all.local.facts().words.hooks_off;
        format!("take {word:?} out of {}", file.path.display())
    };
    Some(Finding::bad(CHECK, detail, fix))
}

/// What else can keep hooks from being called.
fn silenced(all: &All<'_>, project: &Project) -> Vec<Finding> {
    let each =
        all.files.iter().flat_map(|file| file.said.silencing.iter().map(move |one| (file, one)));
    let told = each.map(|(file, one)| {
        let shown = project.relative(&file.path);
        let detail =
            format!("{shown} sets {one}, with which no hook is called, or others' code is loaded");
        Finding::bad(CHECK, detail, format!("take {one:?} out of {}", file.path.display()))
    });
    told.collect()
}

/// What is wrong with hooks: one finding for each fault in each file.
fn faults(all: &All<'_>, project: &Project) -> Vec<Finding> {
    let mut known: Vec<&Fault> = Vec::new();
    for fault in hooks_of(all).flat_map(|(_, hook)| &hook.faults) {
        if !known.contains(fault) {
            known.push(fault);
        }
    }
    let told = |fault| all.files.iter().filter_map(move |file| told(fault, file, project));
    known.into_iter().flat_map(told).collect()
}

fn told(fault: &Fault, file: &File, project: &Project) -> Option<Finding> {
    let hooks = file.said.hooks.iter().filter(|hook| hook.faults.contains(&fault));
    let events: Vec<&str> = hooks.map(|hook| hook.event.as_str()).collect();
    if events.is_empty() {
        return None;
    }
    let (shown, place) = (project.relative(&file.path), file.path.display());
    let detail = format!("{shown}: {}: {}", events.join(", "), fault.says);
    let fix = match fault.fix {
        Fix::Init if file.whose == Whose::Project => Mend::SetUp.into(),
        Fix::Init => amid(format!("set it in {place} as "), Mend::SetUp, " does in a project"),
        Fix::Edit(what) => format!("{what} in {place}").into(),
    };
    Some(Finding { health: fault.health, ..Finding::bad(CHECK, detail, fix) })
}

/// Registrations that are called for the same event.
fn called_twice(all: &All<'_>, project: &Project) -> Option<Finding> {
    // Where only an administrator's hooks run, the others are not called at all.
    let is_managed = |file: &File| file.whose == Whose::Managed;
    let only = all.files.iter().any(|file| is_managed(file) && file.said.own_hooks_only);
    let own =
        || hooks_of(all).filter(move |(file, hook)| !hook.is_shared && (!only || is_managed(file)));
    let pairs =
        own().enumerate().flat_map(|(at, one)| own().skip(at + 1).map(move |two| (one, two)));
    let same = pairs.filter(|(one, two)| one.1.event == two.1.event && !is_linked(*one, *two));
    let same: Vec<_> = same.collect();
    let (one, two) = same.first()?;
    let events: BTreeSet<&str> = same.iter().map(|((_, hook), _)| hook.event.as_str()).collect();
    let events = events.into_iter().collect::<Vec<_>>().join(", ");
    let named = |(file, hook): &(&File, &Hook)| {
        format!("{} in {}", hook.command, project.relative(&file.path))
    };
    let (first, second) = (named(one), named(two));
    let detail = format!("{events}: both {first} and {second} are called");
    let fix: NextStep = if one.0.path == two.0.path && one.1.command == two.1.command {
        Mend::SetUp.into()
    } else {
        format!("take Waypost's hooks out of {}", two.0.path.display()).into()
    };
    Some(Finding::warning(CHECK, detail, fix))
}

/// The main work tree's settings hold in linked ones, too, which may have the same of their own.
fn is_linked(one: (&File, &Hook), two: (&File, &Hook)) -> bool {
    one.0.path != two.0.path
        && one.0.whose == Whose::Project
        && two.0.whose == Whose::Project
        && one.1.command == two.1.command
}
