//! The state of orchestrated sessions: every field of the shape is there as what it has to be, and no other, at every
//! depth. `sessionId` and `mode` are more than the shape has, and agents may be called anything.

#![expect(clippy::panic, reason = "a table that is wrong has failed")]

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, OLDER};

use crate::shapes::{Compared, Is};

/// Each object's fields: `name: what`, with `?` where a field may be left out. `a|b` is one of these words, `null`
/// included; `[x]` a list of x, `{}` any object, `{text}` an object of texts.
const SHAPE: &str = "
State
  sessionId: text
  mode: Mode
  currentMode: Mode
  modeHistory: [ModeHistoryEntry]
  protocolStartComplete: flag
  protocolEndComplete: flag
  protocolStartEvidence: {text}
  protocolEndEvidence: {text}
  orchestratorWorkflow: Workflow|null
  activeFeature?: text
  activeTask?: text
  version: whole
  createdAt: time
  updatedAt: time
ModeHistoryEntry
  mode: Mode
  timestamp: time
Workflow
  activeAgent: text|null
  workflowPhase: 'planning'|'implementation'|'validation'|'complete'
  agentHistory: [Invocation]
  decisions: [Decision]
  verdicts: [Verdict]
  pendingHandoffs: [Handoff]
  compactionHistory: [Compaction]
  startedAt: time
  lastAgentChange: time
Invocation
  agent: text
  startedAt: time
  completedAt: time|null
  status: 'in_progress'|'completed'|'failed'|'blocked'
  input: Input
  output: Output|null
  handoffFrom: text|null
  handoffTo: text|null
  handoffReason: text
Input
  prompt: text
  context: {}
  artifacts: [text]
Output
  artifacts: [text]
  summary: text
  recommendations: [text]
  blockers: [text]
Decision
  id: uuid
  type: 'architectural'|'technical'|'process'|'scope'
  description: text
  rationale: text
  decidedBy: text
  approvedBy: [text]
  rejectedBy: [text]
  timestamp: time
Verdict
  agent: text
  decision: 'approve'|'reject'|'conditional'|'needs_revision'
  confidence: share
  reasoning: text
  conditions?: [text]
  blockers?: [text]
  timestamp: time
Handoff
  fromAgent: text
  toAgent: text
  reason: text
  context: text
  artifacts: [text]
  preservedContext?: {}
  createdAt: time
Compaction
  notePath: text
  compactedAt: time
  count: many
";

/// The fields of an object of the shape: name, whether it has to be there, what it is.
fn fields(object: &str) -> Vec<(&'static str, bool, &'static str)> {
    let lines = SHAPE.lines().skip_while(|line| *line != object).skip(1);
    let own = lines.take_while(|line| line.starts_with(' '));
    let field = |line: &'static str| {
        let (name, what) = line.trim().split_once(": ").unwrap_or_else(|| panic!("{line}"));
        let optional = name.strip_suffix('?');
        (optional.unwrap_or(name), optional.is_none(), what)
    };
    own.map(field).collect()
}

/// What of `value` is not what it has to be.
fn wrong(value: &Value, what: &str, at: &str) -> Vec<String> {
    if what.contains('|') {
        let each: Vec<Vec<String>> = what.split('|').map(|one| wrong(value, one, at)).collect();
        let fits = each.iter().any(Vec::is_empty);
        return if fits { Vec::new() } else { each.into_iter().next().unwrap_or_default() };
    }
    if let Some(item) = what.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let Some(items) = value.as_array() else {
            return vec![format!("{at} is no list: {value}")];
        };
        let items = items.iter().enumerate();
        return items.flat_map(|(n, value)| wrong(value, item, &format!("{at}/{n}"))).collect();
    }
    let text = |is: fn(&str) -> bool| value.as_str().is_some_and(is);
    let fits = match what {
        "text" => value.is_string(),
        "flag" => value.is_boolean(),
        "whole" => value.is_u64(),
        "many" => value.as_u64().is_some_and(|count| count > 0),
        "share" => value.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)),
        "null" => value.is_null(),
        "time" => text(|text| text.len() == 24 && text.ends_with('Z') && &text[10..11] == "T"),
        "uuid" => text(|text| text.len() == 36 && text.matches('-').count() == 4),
        "Mode" => text(|text| ["analysis", "planning", "coding", "disabled"].contains(&text)),
        "{}" => value.is_object(),
        "{text}" => value.as_object().is_some_and(|told| told.values().all(Value::is_string)),
        word if word.starts_with('\'') => value == word.trim_matches('\''),
        object => return wrong_object(value, object, at),
    };
    if fits { Vec::new() } else { vec![format!("{at} is no {what}: {value}")] }
}

fn wrong_object(value: &Value, object: &str, at: &str) -> Vec<String> {
    let fields = fields(object);
    assert!(!fields.is_empty(), "no {object} in the shape");
    let Some(found) = value.as_object() else { return vec![format!("{at} is no object: {value}")] };
    let mut wrong_here = Vec::new();
    for (name, needed, what) in &fields {
        match found.get(*name) {
            Some(value) => wrong_here.extend(wrong(value, what, &format!("{at}/{name}"))),
            None if *needed => wrong_here.push(format!("{at}/{name} is missing")),
            None => {}
        }
    }
    let is_known = |name: &&String| fields.iter().any(|(known, ..)| known == name);
    let unknown = found.keys().filter(|name| !is_known(name));
    wrong_here.extend(unknown.map(|name| format!("{at}/{name} is not in the shape")));
    wrong_here
}

pub(crate) fn compare(compared: &mut Compared) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[project]\n");
    env.start("Plan it");
    let state = || env.json(&["session", "get-state"]);
    let nothing = Vec::<String>::new();
    assert_eq!(wrong(&state(), "State", ""), nothing);
    assert_eq!(state()["orchestratorWorkflow"], Value::Null, "nobody used it");
    env.ok(&["mode", "planning"]);
    env.ok(&["focus", "--feature", "login", "--task", "1.2", "--phase", "validation"]);
    let mut client = Client::start(&env, OLDER, &["--toolsets", "orchestration"]);
    for turn in 0..12 {
        let agent = if turn % 2 == 0 { "implementer" } else { "an agent of our own" };
        let given = json!({"agent": agent, "prompt": format!("step {turn}"), "artifacts": ["a.txt"],
            "context": {"depth": {"of": turn}}});
        client.works("agent_invoke", given);
        if turn > 0 {
            let done =
                json!({"agent": agent, "summary": "done", "blockers": ["b"], "handoff_to": "qa"});
            client.works("agent_complete", done);
        }
    }
    for decision_type in ["architectural", "technical", "process", "scope"] {
        let given = json!({"type": decision_type, "description": "d", "rationale": "r",
            "decided_by": "architect", "approved_by": ["critic"]});
        client.works("decision_record", given);
    }
    for decision in ["approve", "reject", "conditional", "needs_revision"] {
        let given = json!({"agent": "security", "decision": decision, "confidence": 0.8,
            "reasoning": "r", "conditions": ["c"], "blockers": ["b"]});
        client.works("verdict_record", given);
    }
    let given = json!({"from_agent": "implementer", "to_agent": "qa", "reason": "r", "context": "c",
        "preserved_context": {"any": [1]}});
    client.works("handoff_create", given);
    let told = state();
    assert_eq!(wrong(&told, "State", ""), nothing, "{told:#}");
    let workflow = &told["orchestratorWorkflow"];
    let lengths = ["agentHistory", "decisions", "verdicts", "pendingHandoffs", "compactionHistory"]
        .map(|list| workflow[list].as_array().map_or(0, Vec::len));
    // The eleventh made eight leave the state; one came after it.
    assert_eq!(lengths, [4, 4, 4, 1, 1], "{workflow:#}");
    let signed = [("_signature", Is::Text)];
    compared.shape("orchestration/state", &told, &signed);
    let mut more = told.clone();
    more["orchestratorWorkflow"]["verdicts"][0]["seen"] = json!(1);
    more["orchestratorWorkflow"]["decisions"][0]["id"] = json!("1");
    let found = wrong(&more, "State", "");
    assert_eq!(found.len(), 2, "it is strict: {found:?}");
}

/// A state as another program keeps it, with an entry in each list.
fn of_another_program() -> Value {
    const TIME: &str = "2026-01-18T10:06:00.000Z";
    json!({
        "sessionId": "0b6c1f2e-7d2a-4a8e-9a77-3f1d5c9e2b10", "currentMode": "coding",
        "modeHistory": [{"mode": "coding", "timestamp": TIME}], "protocolStartComplete": true,
        "protocolEndComplete": false, "protocolStartEvidence": {"brain": "x"}, "protocolEndEvidence": {},
        "orchestratorWorkflow": {
            "activeAgent": "qa", "workflowPhase": "validation",
            "agentHistory": [{"agent": "qa", "startedAt": TIME, "completedAt": null, "status": "in_progress",
                "input": {"prompt": "p", "context": {}, "artifacts": []}, "output": null, "handoffFrom": null,
                "handoffTo": null, "handoffReason": ""}],
            "decisions": [{"id": "6f1e0c11-0f3a-4c55-9a51-2d7ab7e1c9d2", "type": "technical", "description": "d",
                "rationale": "r", "decidedBy": "architect", "approvedBy": [], "rejectedBy": [], "timestamp": TIME}],
            "verdicts": [{"agent": "security", "decision": "reject", "confidence": 0.8, "reasoning": "r",
                "timestamp": TIME}],
            "pendingHandoffs": [{"fromAgent": "a", "toAgent": "b", "reason": "r", "context": "c",
                "artifacts": [], "createdAt": TIME}],
            "compactionHistory": [{"notePath": "sessions/x", "compactedAt": TIME, "count": 3}],
            "startedAt": TIME, "lastAgentChange": TIME,
        },
        "version": 4, "createdAt": TIME, "updatedAt": TIME,
    })
}

/// What may be wrong in such a state, by where; and how many entries the list that it is in has then, where it is in one.
const MALFORMED: &[(&str, &str, Option<usize>)] = &[
    ("/surprise", "1", None),
    ("/currentMode", "\"sparkle\"", None),
    ("/modeHistory/0/mode", "\"sparkle\"", None),
    ("/modeHistory", "7", None),
    ("/createdAt", "\"yesterday\"", None),
    ("/createdAt", "\"2026-01-18 10:00:00Z\"", None),
    ("/protocolStartComplete", "\"yes\"", None),
    ("/protocolStartEvidence/brain", "7", None),
    ("/activeFeature", "7", None),
    ("/orchestratorWorkflow", "\"none\"", None),
    ("/orchestratorWorkflow/surprise", "1", None),
    ("/orchestratorWorkflow/activeAgent", "7", None),
    ("/orchestratorWorkflow/workflowPhase", "\"cooking\"", None),
    ("/orchestratorWorkflow/startedAt", "\"yesterday\"", None),
    ("/orchestratorWorkflow/agentHistory", "{}", Some(0)),
    ("/orchestratorWorkflow/agentHistory/0", "\"qa\"", Some(0)),
    ("/orchestratorWorkflow/agentHistory/0/surprise", "1", Some(1)),
    ("/orchestratorWorkflow/agentHistory/0/input", "\"p\"", Some(1)),
    ("/orchestratorWorkflow/agentHistory/0/input/artifacts", "[1, \"a\"]", Some(1)),
    ("/orchestratorWorkflow/agentHistory/0/output", "{\"summary\": 1, \"more\": 2}", Some(1)),
    ("/orchestratorWorkflow/agentHistory/0/status", "\"asleep\"", Some(0)),
    ("/orchestratorWorkflow/decisions/0/id", "\"D-1\"", Some(1)),
    ("/orchestratorWorkflow/decisions/0/type", "\"other\"", Some(0)),
    ("/orchestratorWorkflow/verdicts/0/confidence", "7", Some(0)),
    ("/orchestratorWorkflow/verdicts/0/conditions", "\"c\"", Some(1)),
    ("/orchestratorWorkflow/pendingHandoffs/0/preservedContext", "[]", Some(1)),
    ("/orchestratorWorkflow/compactionHistory/0/count", "0", Some(0)),
];

#[test]
fn whatever_another_program_wrote_what_is_told_of_it_has_the_shape() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[project]\n");
    let file = env.home().join("state.json");
    for (number, (place, value, entries)) in MALFORMED.iter().enumerate() {
        let mut given = of_another_program();
        let id = format!("0b6c1f2e-7d2a-4a8e-9a77-3f1d5c9e{number:04}");
        given["sessionId"] = json!(id);
        let (parent, last) = place.rsplit_once('/').unwrap_or_else(|| panic!("{place}"));
        let value = serde_json::from_str(value).unwrap_or_else(|_| panic!("{value}"));
        match given.pointer_mut(parent) {
            Some(Value::Array(items)) => items[0] = value,
            Some(fields) => fields[last] = value,
            None => panic!("{place}"),
        }
        std::fs::write(&file, given.to_string()).unwrap_or_else(|error| panic!("{error}"));
        env.ok(&["import", &file.display().to_string()]);
        let told = env.json(&["session", "get-state", &id]);
        assert_eq!(wrong(&told, "State", ""), Vec::<String>::new(), "{place}: {told:#}");
        let text = told.to_string();
        assert_eq!(env.json(&["session", "set-state", &id, &text]), told, "{place}: it goes round");
        if let Some(entries) = entries {
            let whole = place.split('/').nth(2).unwrap_or_default();
            let found = told["orchestratorWorkflow"][whole].as_array().map(Vec::len);
            assert_eq!(found, Some(*entries), "{place}: {told:#}");
        }
    }
}
