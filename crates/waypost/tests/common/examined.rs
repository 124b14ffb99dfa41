//! What `waypost doctor` finds, taken apart.

use serde_json::Value;
use waypost_testkit::{TestEnv, everything};

/// What `doctor` says and how it ends.
pub(crate) struct Examined {
    pub(crate) status: i32,
    pub(crate) findings: Vec<Value>,
}

pub(crate) fn examine(env: &TestEnv) -> Examined {
    let output = env.waypost(&["doctor", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", everything(&output)));
    let findings = told["findings"].as_array().unwrap().clone();
    let status = output.status.code().unwrap();
    assert_eq!(told["healthy"], status == 0, "{told}");
    Examined { status, findings }
}

impl Examined {
    /// What is not good: the check, how bad it is, what was seen and how to mend it.
    pub(crate) fn faults(&self) -> Vec<(&str, &str, &str, &str)> {
        let faults = self.findings.iter().filter(|finding| finding["health"] != "good");
        faults
            .map(|finding| {
                let text = |name: &str| finding[name].as_str().unwrap_or_default();
                (text("check"), text("health"), text("detail"), text("fix"))
            })
            .collect()
    }

    /// There is exactly one fault, and it is this one.
    pub(crate) fn is(&self, check: &str, health: &str, detail: &str, fix: &str) {
        let faults = self.faults();
        let [(found, how, seen, mend)] = faults.as_slice() else { panic!("{faults:#?}") };
        assert_eq!((*found, *how), (check, health), "{faults:#?}");
        assert!(seen.contains(detail), "expected `{detail}`: {faults:#?}");
        assert!(mend.contains(fix), "expected `{fix}`: {faults:#?}");
        let status = if health == "bad" { 2 } else { 0 };
        assert_eq!(self.status, status, "{faults:#?}");
    }
}
