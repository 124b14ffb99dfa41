//! What records tell: spans and log records, their ids, and nothing that was written freely.

use serde_json::{Value as Json, json};

use super::*;
use crate::actor::Actor;
use crate::event::Event;
use crate::id::SessionId;
use crate::record::Record;
use crate::time::Timestamp;

/// A session whose records come one after the other, a second apart.
#[derive(Default)]
struct World {
    tracing: Tracing,
    telling: Telling,
    /// The hash of its first record.
    root: String,
    seq: u64,
}

impl World {
    fn telling_content() -> Self {
        Self { telling: Telling { content: true }, ..Self::default() }
    }

    fn tell(&mut self, event: &Json) -> Vec<Signal> {
        self.seq += 1;
        let mut event = event.clone();
        event["v"] = 1.into();
        let event = Event::from_json(&event.to_string()).unwrap();
        assert!(matches!(event, Event::Known(_)), "{event:?}");
        let time = Timestamp::saturating_from_millis(i64::try_from(self.seq).unwrap() * 1000);
        let actor = Actor::Agent {
            harness: "some-harness".to_owned(),
            conversation: "c1".parse().unwrap(),
            subagent: None,
        };
        let record = Record { seq: self.seq, time, actor, event };
        let session: SessionId = "2026-11-15_add-login_abc123".parse().unwrap();
        self.tracing.apply(&session, &self.root, &record, self.telling)
    }

    fn begin(&mut self) {
        self.tell(&json!({"type": "session_started", "workflow": "none"}));
        self.tell(&attached("c1", None));
    }
}

fn attached(conversation: &str, traceparent: Option<&str>) -> Json {
    let mut event = json!({
        "type": "conversation_attached", "conversation": conversation, "harness": "some-harness",
        "source": "startup", "checked": true,
    });
    if let Some(traceparent) = traceparent {
        event["traceparent"] = traceparent.into();
    }
    event
}

fn ruling() -> Json {
    json!({
        "type": "ruling_made", "id": "r-0a1b2c3d", "outcome": "deny", "gave_way": false, "policy": "p1",
        "action": {
            "kinds": ["commit", "bash:git commit -m secret-plan"], "conversation": "c1",
            "call": "toolu_1", "paths": ["src/secret.rs"],
        },
        "state_version": 2, "facts": {"now": "2026-11-15T12:00:00.000Z"},
        "findings": [{
            "gate": "checks-pass", "level": "must", "status": "failed", "message": "Run the checks.",
            "why": "password=hunter2hunter2 was seen", "next": "run it",
            "source": {"file": "waypost.toml", "line": 3},
        }],
    })
}

fn logs(signals: Vec<Signal>) -> Vec<Log> {
    let log = |signal| match signal {
        Signal::Log(log) => Some(*log),
        Signal::Span(_) => None,
    };
    signals.into_iter().filter_map(log).collect()
}

fn spans(signals: Vec<Signal>) -> Vec<Span> {
    let span = |signal| match signal {
        Signal::Span(span) => Some(*span),
        Signal::Log(_) => None,
    };
    signals.into_iter().filter_map(span).collect()
}

fn said<'a>(attributes: &'a [(&'static str, Value)], name: &str) -> Option<&'a Value> {
    attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

#[test]
fn a_ruling_is_one_log_record_that_says_who_was_held_by_what() {
    let mut world = World::default();
    world.begin();
    let told = logs(world.tell(&ruling()));
    let [log] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((log.event, log.severity), ("waypost.ruling", Severity::Warning));
    assert_eq!(log.body, "deny commit: checks-pass");
    let text = |text: &str| Some(Value::from(text));
    let expected = [
        ("waypost.record.id", text("session/2026-11-15_add-login_abc123/3")),
        ("session.id", text("2026-11-15_add-login_abc123")),
        ("waypost.harness", text("some-harness")),
        ("gen_ai.conversation.id", text("c1")),
        ("waypost.ruling.id", text("r-0a1b2c3d")),
        ("waypost.ruling.outcome", text("deny")),
        ("waypost.ruling.gates", Some(vec!["checks-pass".to_owned()].into())),
        ("waypost.ruling.action", Some(vec!["commit".to_owned(), "bash".to_owned()].into())),
        ("tool_use_id", text("toolu_1")),
        ("gen_ai.tool.call.id", text("toolu_1")),
    ];
    for (name, value) in expected {
        assert_eq!(said(&log.attributes, name).cloned(), value, "{name}");
    }
    let all = format!("{log:?}");
    for free in ["secret", "hunter2", "Run the checks"] {
        assert!(!all.contains(free), "{all}");
    }
}

#[test]
fn content_is_told_only_where_it_is_asked_for_and_never_with_a_credential() {
    let mut world = World::telling_content();
    world.begin();
    let told = logs(world.tell(&ruling()));
    let all = format!("{told:?}");
    for free in ["src/secret.rs", "Run the checks.", "bash:git commit -m secret-plan"] {
        assert!(all.contains(free), "{all}");
    }
    assert!(!all.contains("hunter2") && all.contains("[redacted:"), "{all}");
}

#[test]
fn the_same_records_give_the_same_ids_and_other_sessions_others() {
    let told = |hash: &str| {
        let mut world = World { root: hash.to_owned(), ..World::default() };
        world.begin();
        logs(world.tell(&ruling())).remove(0).place
    };
    assert_eq!(told("one"), told("one"));
    assert_ne!(told("one").trace, told("two").trace);
    assert_eq!(told("one").trace.as_str().len(), 32);
    assert_eq!(told("one").span.as_str().len(), 16);
}

#[test]
fn a_conversation_joins_the_trace_of_its_client() {
    let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
    let mut world = World::default();
    world.tell(&json!({"type": "session_started", "workflow": "none"}));
    world.tell(&attached("c1", Some(&format!("00-{trace}-{span}-01"))));
    let log = logs(world.tell(&ruling())).remove(0);
    assert_eq!(log.place.trace.as_str(), trace);
    let over = json!({"type": "conversation_detached", "conversation": "c1", "reason": "exit"});
    let told = spans(world.tell(&over)).remove(0);
    assert_eq!((told.place.clone(), told.parent.unwrap().as_str()), (log.place, span));
    assert_ne!(told.link.unwrap().trace.as_str(), trace);
    assert_eq!(told.end.as_millis() - told.start.as_millis(), 2000);
}

#[test]
fn only_a_whole_traceparent_is_one() {
    let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    assert!(good.parse::<TraceParent>().is_ok());
    assert!(format!("cc{}-more", &good[2..]).parse::<TraceParent>().is_ok());
    let zeros = "0".repeat(32);
    for bad in [
        String::new(),
        format!("ff{}", &good[2..]),
        format!("{good}-more"),
        good.to_uppercase(),
        good.replace("4bf92f3577b34da6a3ce929d0e0e4736", &zeros),
        good.replace("00f067aa0ba902b7", &zeros[..16]),
        good.replace("-01", ""),
        good.replace('-', "_"),
    ] {
        assert!(bad.parse::<TraceParent>().is_err(), "{bad}");
    }
}

#[test]
fn a_phase_is_a_span_once_it_is_left_and_so_is_the_session() {
    let mut world = World::default();
    world.begin();
    let track = json!({
        "type": "track_started",
        "definition": {"name": "mine", "phases": [{"name": "plan"}, {"name": "build"}]},
    });
    assert_eq!(world.tell(&track), []);
    let told = spans(world.tell(&json!({"type": "phase_entered", "from": "plan", "to": "build"})));
    assert_eq!((told[0].name.as_str(), told[0].status), ("phase plan", Status::Good));
    let told = spans(world.tell(&json!({"type": "session_ended", "outcome": "failed"})));
    let names: Vec<_> = told.iter().map(|span| (span.name.as_str(), span.status)).collect();
    assert_eq!(names, [("phase build", Status::Unset), ("session", Status::Failed)]);
    assert_eq!(told[0].parent.as_ref(), Some(&told[1].place.span));
    let took = told[1].end.as_millis() - told[1].start.as_millis();
    assert_eq!(took, 4000);
}

#[test]
fn a_subagent_is_an_invoke_agent_span() {
    let mut world = World::default();
    world.begin();
    let begins = json!({
        "type": "subagent_started", "conversation": "c1", "subagent": "a1", "agent_type": "reviewer",
    });
    world.tell(&begins);
    let ends = json!({"type": "subagent_ended", "conversation": "c1", "subagent": "a1"});
    let told = spans(world.tell(&ends)).remove(0);
    assert_eq!(told.name, "invoke_agent reviewer");
    for (name, value) in [
        ("gen_ai.operation.name", "invoke_agent"),
        ("gen_ai.agent.name", "reviewer"),
        ("gen_ai.agent.id", "a1"),
        ("gen_ai.conversation.id", "c1"),
    ] {
        assert_eq!(said(&told.attributes, name), Some(&value.into()), "{name}");
    }
    // Told twice, it has ended once.
    assert_eq!(world.tell(&ends), []);
}

#[test]
fn usage_is_told_by_model_in_the_words_of_opentelemetry() {
    let mut world = World::default();
    world.begin();
    let used = |model: &str| json!({"model": model, "input": 10, "output": 5, "cache_read": 100, "nano_usd": 2_500_000_000_u64});
    let counted = json!({
        "type": "usage_counted", "conversation": "c1", "used": [used("one"), used("two")],
    });
    let told = logs(world.tell(&counted));
    let ids: Vec<_> = told.iter().map(|log| said(&log.attributes, "waypost.record.id")).collect();
    assert_ne!(ids[0], ids[1]);
    let of = |name: &str| said(&told[1].attributes, name).cloned();
    assert_eq!(of("gen_ai.response.model"), Some("two".into()));
    assert_eq!(of("gen_ai.usage.input_tokens"), Some(110.into()));
    assert_eq!(of("gen_ai.usage.output_tokens"), Some(5.into()));
    assert_eq!(of("gen_ai.usage.cache_read.input_tokens"), Some(100.into()));
    assert_eq!(of("waypost.usage.cost_usd"), Some(Value::Fraction(2.5)));
    let over = json!({"type": "conversation_detached", "conversation": "c1", "reason": "exit"});
    let span = spans(world.tell(&over)).remove(0);
    assert_eq!(said(&span.attributes, "gen_ai.usage.input_tokens"), Some(&220.into()));
}

#[test]
fn a_run_is_a_span_as_long_as_it_took() {
    let run = json!({
        "type": "command_ran", "command": "/home/me/bin/cargo", "sha256": "x", "patterns": ["cargo test*"],
        "status": 101, "tree_before": {"id": "t"}, "tree_after": {"id": "t"}, "provenance": "verified",
        "tests": {"passed": 3, "failed": 1, "skipped": 0}, "duration_ms": 1500,
        "failed": ["logs_in_with_secret"],
    });
    let mut world = World::default();
    world.begin();
    let told = spans(world.tell(&run)).remove(0);
    assert_eq!((told.name.as_str(), told.status), ("run cargo", Status::Failed));
    assert_eq!(told.end.as_millis() - told.start.as_millis(), 1500);
    assert_eq!(said(&told.attributes, "process.exit.code"), Some(&Value::Signed(101)));
    assert_eq!(said(&told.attributes, "waypost.tests.failed"), Some(&1.into()));
    let all = format!("{told:?}");
    assert!(
        !all.contains("/home/me") && !all.contains("logs_in") && !all.contains("test*"),
        "{all}"
    );
}

#[test]
fn what_is_carried_stays_small_and_reads_back() {
    let mut world = World::default();
    world.begin();
    for number in 0..300 {
        world.tell(&attached(&format!("c{number}"), None));
        let begins = json!({
            "type": "subagent_started", "conversation": "c1", "subagent": format!("a{number}"),
            "agent_type": "reviewer",
        });
        world.tell(&begins);
    }
    let text = serde_json::to_string(&world.tracing).unwrap();
    assert!(text.len() < 40_000, "{}", text.len());
    assert_eq!(serde_json::from_str::<Tracing>(&text).unwrap(), world.tracing);
}
