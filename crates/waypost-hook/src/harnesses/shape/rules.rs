//! What a registration has to be like: called, waited for and heard.

use serde_json::Value;
use waypost_app::harness::{Fault, Fix, Health, Hook};
use waypost_app::machine::deadline;

use super::hook::{HookForm, OurHook};

/// A hook with everything that is set for it.
struct Set<'a> {
    form: &'a HookForm,
    hook: &'a OurHook,
    fields: Value,
}

struct Rule {
    is_broken: fn(&Set<'_>) -> bool,
    fault: Fault,
}

static RULES: [Rule; 7] = [
    Rule {
        is_broken: |set| set.hook.is_narrow(),
        fault: Fault {
            health: Health::Bad,
            says: "its matcher leaves something out, which passes unseen",
            fix: Fix::Init,
        },
    },
    Rule {
        is_broken: |set| !set.fields["if"].is_null(),
        fault: Fault {
            health: Health::Bad,
            says: "its \"if\" leaves something out, which passes unseen",
            fix: Fix::Edit("take \"if\" out of it"),
        },
    },
    Rule {
        is_broken: |set| set.fields["async"] == true,
        fault: Fault {
            health: Health::Bad,
            says: "it runs beside the tool, which does not wait for the answer",
            fix: Fix::Edit("take \"async\" out of it"),
        },
    },
    Rule {
        is_broken: |set| {
            let wanted = blocks(set).map(|(_, says)| says);
            wanted.is_some() && on_failure(set).is_some_and(|says| Some(says) != wanted)
        },
        fault: Fault {
            health: Health::Bad,
            says: "if it fails, the tool runs",
            fix: Fix::Edit("set \"onFailure\": \"block\""),
        },
    },
    Rule {
        is_broken: |set| blocks(set).is_some() && on_failure(set).is_none(),
        fault: Fault {
            health: Health::Bad,
            says: "if it fails, the tool runs: \"onFailure\" is not set",
            fix: Fix::Init,
        },
    },
    Rule {
        is_broken: |set| timeout(set).is_some_and(|given| given <= needed(set)),
        fault: Fault {
            health: Health::Bad,
            says: "its timeout is shorter than Waypost may take to answer",
            fix: Fix::Edit("set \"timeout\": 30 (5 for SessionEnd)"),
        },
    },
    Rule {
        is_broken: |set| timeout(set).is_none(),
        fault: Fault {
            health: Health::Warning,
            says: "it has no timeout of its own",
            fix: Fix::Init,
        },
    },
];

impl OurHook {
    /// What it is and what is wrong with it, in words that are no harness' own.
    pub(in crate::harnesses) fn told(&self, form: &HookForm) -> Hook {
        Hook {
            event: self.event.clone(),
            command: self.command.clone(),
            args: self.args.clone(),
            is_shared: self.is_shared(),
            faults: broken_by(form, self),
        }
    }
}

/// What is wrong with a hook.
fn broken_by(form: &HookForm, hook: &OurHook) -> Vec<&'static Fault> {
    let set = Set { form, hook, fields: hook.entry.to_serde_value().unwrap_or_default() };
    RULES.iter().filter(|rule| (rule.is_broken)(&set)).map(|rule| &rule.fault).collect()
}

/// What has to be said so that a hook that fails stops the tool. The registration that a team shares never does: its
/// wrapper may be missing in a checkout.
fn blocks(set: &Set<'_>) -> Option<(&'static str, &'static str)> {
    let mut events = set.form.events.iter();
    let blocks = events.find(|event| event.name == set.hook.event)?.blocks;
    blocks.filter(|_| !set.hook.is_shared())
}

fn on_failure<'a>(set: &'a Set<'_>) -> Option<&'a str> {
    let (name, _) = blocks(set)?;
    match &set.fields[name] {
        Value::Null => None,
        value => Some(value.as_str().unwrap_or_default()),
    }
}

/// How long the hook may take, in seconds.
fn timeout(set: &Set<'_>) -> Option<f64> {
    let (name, units) = set.form.time;
    Some(set.fields[name].as_f64()? / f64::from(units))
}

fn needed(set: &Set<'_>) -> f64 {
    let is_last = set.hook.event.eq_ignore_ascii_case("SessionEnd");
    let limit = if is_last { deadline::GOODBYE } else { deadline::COLD };
    limit.as_secs_f64()
}
