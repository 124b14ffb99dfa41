//! What every surface says of the same session at the same moment.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::Client;

/// What every surface says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answers {
    /// The gates that are open, by who says so.
    pub(crate) open: BTreeMap<&'static str, BTreeSet<String>>,
    /// The next step, by who says so.
    pub(crate) steps: BTreeMap<&'static str, String>,
    /// The next step.
    pub(crate) next: String,
    /// The session's last record.
    version: u64,
}

fn names(gates: &Value, name: &str, is_open: impl Fn(&Value) -> bool) -> BTreeSet<String> {
    let open = gates.as_array().unwrap().iter().filter(|gate| is_open(gate));
    open.map(|gate| gate[name].as_str().unwrap().to_owned()).collect()
}

/// The gates that the status line names; of very many, it only counts the rest.
fn on_status_line(line: &str, all: &BTreeSet<String>) -> BTreeSet<String> {
    let named = line.split(" · ").find_map(|part| part.strip_prefix("open: "));
    let (named, more) = match named.and_then(|named| named.rsplit_once(" +")) {
        Some((named, more)) => (Some(named), more.parse().unwrap()),
        None => (named, 0),
    };
    let named: BTreeSet<String> =
        named.into_iter().flat_map(|named| named.split(", ")).map(str::to_owned).collect();
    if more > 0 && named.is_subset(all) && named.len() + more == all.len() {
        return all.clone();
    }
    named
}

fn strings(list: &Value) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

impl Answers {
    pub(crate) fn of(env: &TestEnv, client: &mut Client) -> Self {
        let unmet = |gate: &Value| gate["status"] != "met";
        let status = env.json(&["status", "--json"]);
        let brief = env.json(&["brief", "--json", "--budget", "90000"]);
        let checked = env.waypost(&["gate", "check", "--json"]);
        let checked: Value = serde_json::from_slice(&checked.stdout).unwrap();
        let all = env.waypost(&["gate", "check", "--all", "--json"]);
        let all: Value = serde_json::from_slice(&all.stdout).unwrap();
        let line = env.ok(&["statusline"]);
        let required = client.works("requirement_status", json!({}));
        let validated = client.works("validate_gate", json!({"phase": "ALL"}));
        let blocked = client.works("get_blocked_reason", json!({}));
        let told = client.works("session_brief", json!({}));
        let state = client.works("session_get_state", json!({}));
        let dashboard = client.ask("resources/read", json!({"uri": "session://dashboard"}));
        let dashboard = dashboard["result"]["contents"][0]["text"].as_str().unwrap().to_owned();
        let shown = dashboard.lines().filter_map(|line| line.strip_prefix("- **"));
        let shown = shown.filter_map(|line| Some(line.split_once("**")?.0.to_owned())).collect();
        let failed = |gate: &Value| gate["status"] == "FAIL";
        let open_in_status = names(&status["gates"], "gate", unmet);
        let open = BTreeMap::from([
            ("statusline", on_status_line(&line, &open_in_status)),
            ("status", open_in_status),
            ("brief", names(&brief["open"], "gate", |_| true)),
            ("gate check", names(&checked["gates"], "gate", unmet)),
            ("gate check --all", names(&all["gates"], "phase", failed)),
            ("requirement_status", names(&required["gates"], "name", unmet)),
            ("validate_gate", names(&validated["gates"], "phase", failed)),
            ("session_brief", strings(&told["open_gates"])),
            ("session_get_state", names(&state["gates"], "name", unmet)),
            ("dashboard", shown),
        ]);
        let step = |value: &Value| value.as_str().unwrap().to_owned();
        let steps = BTreeMap::from([
            ("status", step(&status["next"])),
            ("brief", step(&brief["next"])),
            ("get_blocked_reason", step(&blocked["suggested_actions"][0])),
            ("session_brief", step(&told["next"])),
            ("session_get_state", step(&state["next"])),
        ]);
        let held = names(&blocked["blocked_phases"], "phase", |_| true);
        assert!(held.is_subset(&open["status"]), "{held:?} {open:#?}");
        let (next, version) = (step(&told["next"]), status["version"].as_u64().unwrap());
        Self { open, steps, next, version }
    }

    /// Everybody says the same.
    pub(crate) fn agree(&self, about: &str) {
        let open: BTreeSet<_> = self.open.values().collect();
        assert_eq!(open.len(), 1, "{about}\n{:#?}", self.open);
        let steps: BTreeSet<_> = self.steps.values().collect();
        assert_eq!(steps.len(), 1, "{about}\n{:#?}", self.steps);
    }
}
