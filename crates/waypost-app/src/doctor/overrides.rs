//! Whether settings keep hooks from being called, from being waited for, or from being heard.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::settings::{File, Hook, Whose};
use super::{Finding, Health, Patient};
use crate::deadline;

const CHECK: &str = "overrides";

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let all = &patient.settings;
    let mut findings: Vec<Finding> = switched_off(patient).into_iter().collect();
    findings.extend(RULES.iter().flat_map(|rule| rule.broken_in(patient)));
    findings.extend(called_twice(patient));
    if findings.is_empty() && !all.hooks.is_empty() {
        findings.push(Finding::good(CHECK, "no setting disables or narrows the hooks"));
    }
    findings
}

/// What keeps all of Waypost's hooks from being called.
fn switched_off(patient: &Patient<'_>) -> Option<Finding> {
    let (all, shown) = (&patient.settings, |path: &Path| patient.project.relative(path));
    let asking = |path: &Path| format!("ask whoever manages {} to change that", path.display());
    let only = all.files.iter().find(|file| file.managed_hooks_only);
    if let Some(file) = only.filter(|_| !all.hooks.iter().any(|hook| hook.whose == Whose::Managed))
    {
        let detail = format!("{} lets only hooks run that it sets itself", shown(&file.path));
        return Some(Finding::bad(CHECK, detail, asking(&file.path)));
    }
    // The first that says anything wins over the others.
    let file = all.files.iter().find(|file| file.disables_hooks.is_some())?;
    if file.disables_hooks != Some(true) {
        return None;
    }
    let detail = format!("{} switches all hooks off", shown(&file.path));
    let fix = if file.whose == Whose::Managed {
        asking(&file.path)
    } else {
        format!("take \"disableAllHooks\" out of {}", file.path.display())
    };
    Some(Finding::bad(CHECK, detail, fix))
}

/// What a registration has to be like.
struct Rule {
    is_broken: fn(&Hook) -> bool,
    health: Health,
    /// What follows from it.
    says: &'static str,
    fix: Fix,
}

#[derive(Clone, Copy)]
enum Fix {
    /// `waypost init` puts it right, in the settings that it writes.
    Init,
    /// Somebody has to set it otherwise: what they set stays.
    Edit(&'static str),
}

const RULES: &[Rule] = &[
    Rule {
        is_broken: |hook| hook.is_narrow,
        health: Health::Bad,
        says: "its matcher leaves something out, which passes unseen",
        fix: Fix::Init,
    },
    Rule {
        is_broken: |hook| !hook.fields["if"].is_null(),
        health: Health::Bad,
        says: "its \"if\" leaves something out, which passes unseen",
        fix: Fix::Edit("take \"if\" out of it"),
    },
    Rule {
        is_broken: |hook| hook.fields["async"] == true,
        health: Health::Bad,
        says: "it runs beside the tool, which does not wait for the answer",
        fix: Fix::Edit("take \"async\" out of it"),
    },
    Rule {
        is_broken: |hook| must_block(hook) && !matches!(on_failure(hook), None | Some("block")),
        health: Health::Bad,
        says: "if it fails, the tool runs",
        fix: Fix::Edit("set \"onFailure\": \"block\""),
    },
    Rule {
        is_broken: |hook| must_block(hook) && on_failure(hook).is_none(),
        health: Health::Bad,
        says: "if it fails, the tool runs: \"onFailure\" is not set",
        fix: Fix::Init,
    },
    Rule {
        is_broken: |hook| timeout(hook).is_some_and(|given| given <= needed(hook)),
        health: Health::Bad,
        says: "its timeout is shorter than Waypost may take to answer",
        fix: Fix::Edit("set \"timeout\": 30 (5 for SessionEnd)"),
    },
    Rule {
        is_broken: |hook| timeout(hook).is_none(),
        health: Health::Warning,
        says: "it has no timeout of its own",
        fix: Fix::Init,
    },
];

/// The registration that a team shares never blocks: its wrapper may be missing in a checkout.
fn must_block(hook: &Hook) -> bool {
    hook.event == "PreToolUse" && !hook.is_shared
}

fn on_failure(hook: &Hook) -> Option<&str> {
    match &hook.fields["onFailure"] {
        Value::Null => None,
        value => Some(value.as_str().unwrap_or_default()),
    }
}

fn timeout(hook: &Hook) -> Option<f64> {
    hook.fields["timeout"].as_f64()
}

fn needed(hook: &Hook) -> f64 {
    let limit = if hook.event == "SessionEnd" { deadline::GOODBYE } else { deadline::COLD };
    limit.as_secs_f64()
}

impl Rule {
    /// One finding for each file in which it is broken.
    fn broken_in(&self, patient: &Patient<'_>) -> Vec<Finding> {
        let all = &patient.settings;
        let broken = |file: &File| {
            let hooks = all.hooks.iter().filter(|hook| hook.file == file.path);
            let hooks: Vec<&Hook> = hooks.filter(|hook| (self.is_broken)(hook)).collect();
            let first = hooks.first()?;
            let events: Vec<&str> = hooks.iter().map(|hook| hook.event.as_str()).collect();
            let (shown, place) = (patient.project.relative(&file.path), file.path.display());
            let detail = format!("{shown}: {}: {}", events.join(", "), self.says);
            let fix = match self.fix {
                Fix::Init if first.whose == Whose::Project => "waypost init".to_owned(),
                Fix::Init => format!("set it in {place} as `waypost init` does in a project"),
                Fix::Edit(what) => format!("{what} in {place}"),
            };
            let health = self.health;
            Some(Finding { health, ..Finding::bad(CHECK, detail, fix) })
        };
        all.files.iter().filter_map(broken).collect()
    }
}

/// Registrations that are called for the same event.
fn called_twice(patient: &Patient<'_>) -> Option<Finding> {
    let own = || patient.settings.hooks.iter().filter(|hook| !hook.is_shared);
    let pairs =
        own().enumerate().flat_map(|(at, one)| own().skip(at + 1).map(move |two| (one, two)));
    let same = pairs.filter(|(one, two)| one.event == two.event && !is_linked(one, two));
    let same: Vec<_> = same.collect();
    let (one, two) = same.first()?;
    let events: BTreeSet<&str> = same.iter().map(|(one, _)| one.event.as_str()).collect();
    let events = events.into_iter().collect::<Vec<_>>().join(", ");
    let named =
        |hook: &Hook| format!("{} in {}", hook.command, patient.project.relative(&hook.file));
    let (first, second) = (named(one), named(two));
    let detail = format!("{events}: both {first} and {second} are called");
    let fix = if one.file == two.file && one.command == two.command {
        "waypost init".to_owned()
    } else {
        format!("take Waypost's hooks out of {}", two.file.display())
    };
    Some(Finding::warning(CHECK, detail, fix))
}

/// The main work tree's settings hold in linked ones, too, which may have the same of their own.
fn is_linked(one: &Hook, two: &Hook) -> bool {
    one.file != two.file
        && one.whose == Whose::Project
        && two.whose == Whose::Project
        && one.command == two.command
}
