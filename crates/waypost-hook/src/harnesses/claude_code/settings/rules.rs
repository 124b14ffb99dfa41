//! What a registration has to be like: called, waited for and heard.

use serde_json::Value;
use waypost_app::harness::{Fault, Fix, Health, Hook};
use waypost_app::machine::deadline;

use super::hook::OurHook;

/// A hook with everything that is set for it.
struct Set<'a> {
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
        is_broken: |set| must_block(set) && !matches!(on_failure(set), None | Some("block")),
        fault: Fault {
            health: Health::Bad,
            says: "if it fails, the tool runs",
            fix: Fix::Edit("set \"onFailure\": \"block\""),
        },
    },
    Rule {
        is_broken: |set| must_block(set) && on_failure(set).is_none(),
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
    pub(in super::super) fn told(&self) -> Hook {
        Hook {
            event: self.event.clone(),
            command: self.command.clone(),
            args: self.args.clone(),
            is_shared: self.is_shared(),
            faults: broken_by(self),
        }
    }
}

/// What is wrong with a hook.
fn broken_by(hook: &OurHook) -> Vec<&'static Fault> {
    let set = Set { hook, fields: hook.entry.to_serde_value().unwrap_or_default() };
    RULES.iter().filter(|rule| (rule.is_broken)(&set)).map(|rule| &rule.fault).collect()
}

/// The registration that a team shares never blocks: its wrapper may be missing in a checkout.
fn must_block(set: &Set<'_>) -> bool {
    set.hook.event == "PreToolUse" && !set.hook.is_shared()
}

fn on_failure<'a>(set: &'a Set<'_>) -> Option<&'a str> {
    match &set.fields["onFailure"] {
        Value::Null => None,
        value => Some(value.as_str().unwrap_or_default()),
    }
}

fn timeout(set: &Set<'_>) -> Option<f64> {
    set.fields["timeout"].as_f64()
}

fn needed(set: &Set<'_>) -> f64 {
    let limit = if set.hook.event == "SessionEnd" { deadline::GOODBYE } else { deadline::COLD };
    limit.as_secs_f64()
}
