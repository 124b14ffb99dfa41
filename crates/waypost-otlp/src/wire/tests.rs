//! What records come to on the wire.

use serde_json::{Value as Json, json};
use waypost_core::actor::Actor;
use waypost_core::event::Event;
use waypost_core::record::Record;
use waypost_core::telemetry::{Telling, Tracing};

use super::*;

/// What events that follow each other tell, half a second apart.
fn told(events: &[Json]) -> Vec<Signal> {
    let session = "2026-11-15_add-login_abc123".parse().unwrap();
    let conversation = "c1".parse().unwrap();
    let actor = Actor::Agent { harness: "some-harness".into(), conversation, subagent: None };
    let mut tracing = Tracing::default();
    let mut all = Vec::new();
    for (seq, event) in (1..).zip(events) {
        let mut event = event.clone();
        event["v"] = 1.into();
        let event = Event::from_json(&event.to_string()).unwrap();
        let time = Timestamp::saturating_from_millis(1_000 + i64::try_from(seq).unwrap() * 500);
        let record = Record { seq, time, actor: actor.clone(), event };
        all.extend(tracing.apply(&session, "hash", &record, Telling::default()));
    }
    all
}

fn events() -> Vec<Json> {
    vec![
        json!({"type": "session_started", "workflow": "none"}),
        json!({
            "type": "conversation_attached", "conversation": "c1", "harness": "some-harness",
            "source": "startup", "checked": true,
            "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        }),
        json!({
            "type": "ruling_made", "id": "r-0a1b2c3d", "outcome": "deny", "gave_way": false, "policy": "p1",
            "action": {"kinds": ["commit"], "conversation": "c1", "call": "toolu_1"},
            "state_version": 2, "facts": {"now": "2026-11-15T12:00:00.000Z"}, "findings": [],
            "stop_block": 2,
        }),
        json!({
            "type": "usage_counted", "conversation": "c1",
            "used": [{"model": "m", "input": 3, "output": 2, "nano_usd": 1_500_000_000}],
        }),
        json!({"type": "conversation_detached", "conversation": "c1", "reason": "exit"}),
    ]
}

#[test]
fn log_records_are_written_as_collectors_read_them() {
    let logs = serde_json::to_value(Logs::of(Some("4fe1c20a9b77"), &told(&events()))).unwrap();
    let of = &logs["resourceLogs"][0];
    let text = |key: &str, text: &str| json!({"key": key, "value": {"stringValue": text}});
    let resource = json!([
        text("service.name", "waypost"),
        text("service.version", VERSION),
        text("waypost.project", "4fe1c20a9b77"),
    ]);
    assert_eq!(of["resource"]["attributes"], resource);
    assert_eq!(of["scopeLogs"][0]["scope"]["name"], "waypost");
    let records = of["scopeLogs"][0]["logRecords"].as_array().unwrap();
    let names: Vec<&str> = records.iter().map(|one| one["eventName"].as_str().unwrap()).collect();
    assert_eq!(names, ["waypost.session", "waypost.ruling", "waypost.usage"]);
    let span = records[1]["spanId"].as_str().unwrap();
    assert_eq!(span.len(), 16);
    let expected = json!({
        "timeUnixNano": "2500000000",
        "observedTimeUnixNano": "2500000000",
        "severityNumber": 13,
        "severityText": "WARN",
        "eventName": "waypost.ruling",
        "body": {"stringValue": "deny commit: "},
        "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
        "spanId": span,
        "attributes": [
            text("event.name", "waypost.ruling"),
            text("waypost.record.id", "session/2026-11-15_add-login_abc123/3"),
            text("session.id", "2026-11-15_add-login_abc123"),
            text("waypost.harness", "some-harness"),
            text("gen_ai.conversation.id", "c1"),
            text("waypost.ruling.id", "r-0a1b2c3d"),
            text("waypost.ruling.outcome", "deny"),
            {"key": "waypost.ruling.action",
             "value": {"arrayValue": {"values": [{"stringValue": "commit"}]}}},
            {"key": "waypost.ruling.gates", "value": {"arrayValue": {"values": []}}},
            text("waypost.policy", "p1"),
            text("tool_use_id", "toolu_1"),
            text("gen_ai.tool.call.id", "toolu_1"),
            {"key": "waypost.ruling.times_held", "value": {"intValue": "2"}},
        ],
    });
    assert_eq!(records[1], expected);
    let used = &records[2]["attributes"];
    let used = |key: &str| {
        let all = used.as_array().unwrap().iter();
        all.clone().find(|one| one["key"] == key).map(|one| one["value"].clone()).unwrap()
    };
    assert_eq!(used("gen_ai.usage.input_tokens"), json!({"intValue": "3"}));
    assert_eq!(used("waypost.usage.cost_usd"), json!({"doubleValue": 1.5}));
}

#[test]
fn spans_are_written_as_collectors_read_them() {
    let spans = serde_json::to_value(Spans::of(None, &told(&events()))).unwrap();
    let spans = spans["resourceSpans"][0]["scopeSpans"][0]["spans"].clone();
    let [span] = spans.as_array().unwrap().as_slice() else { panic!("{spans}") };
    assert_eq!(span["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(span["parentSpanId"], "00f067aa0ba902b7");
    assert_eq!((&span["kind"], &span["status"]), (&json!(1), &json!({"code": 0})));
    assert_eq!(span["name"], "conversation some-harness");
    assert_eq!(span["startTimeUnixNano"], "2000000000");
    assert_eq!(span["endTimeUnixNano"], "3500000000");
    let link = span["links"][0]["traceId"].as_str().unwrap();
    assert!(link.len() == 32 && span["links"][0]["traceId"] != span["traceId"], "{span}");
}
