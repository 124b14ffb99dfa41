//! Each harness, each event, each answer: exactly what is written, as a file a harness. What cannot be decided is an
//! answer too.

use std::fmt::Write;

use waypost_app::error::AppError;
use waypost_app::harness::{Answer, Event, Harness, Input, Output};

use crate::{failed, harnesses};

const EVENTS: [Event; 15] = [
    Event::Start,
    Event::Prompt,
    Event::Expansion,
    Event::BeforeTool,
    Event::AfterTool,
    Event::AfterFailure,
    Event::Stop,
    Event::SubagentStart,
    Event::SubagentStop,
    Event::TaskDone,
    Event::TeammateIdle,
    Event::ConfigChanged,
    Event::Compaction,
    Event::End,
    Event::Other,
];

fn answers() -> [(&'static str, Answer); 5] {
    let (agent, user) = ("for the agent".to_owned(), "for the user".to_owned());
    [
        ("allow", Answer::Silence),
        ("deny", Answer::Deny("the reason\nNext: run it".to_owned())),
        ("context", Answer::Context(agent.clone())),
        ("message", Answer::Message(user.clone())),
        ("both", Answer::Both { agent, user }),
    ]
}

fn line(told: &mut String, name: &str, output: &Output) {
    let Output { stdout, stderr, status } = output;
    writeln!(told, "  {name:8}{status} {}", stdout.trim_end()).unwrap();
    if !stderr.is_empty() {
        writeln!(told, "           stderr: {}", stderr.trim_end().replace('\n', " / ")).unwrap();
    }
}

fn told(harness: &dyn Harness) -> String {
    let fault = AppError::refused("the key is gone").hint("run `waypost init`");
    let mut told = String::new();
    for event in EVENTS {
        writeln!(told, "{event:?}").unwrap();
        let input = Input { event: Some(event), tool: Some("strange".into()), ..Input::default() };
        for (name, answer) in answers() {
            line(&mut told, name, &harness.render(event, &input, &answer));
        }
        line(&mut told, "fault", &failed::failed(harness, event, &input, &fault));
    }
    told
}

#[test]
fn every_harness_is_told_exactly_this() {
    for harness in harnesses::ALL {
        insta::assert_snapshot!(harness.facts().name, told(*harness));
    }
}

/// An answer that is no JSON, or holds what a harness has no word for, lets tools run in some of them.
#[test]
fn every_answer_is_one_object_or_nothing() {
    for harness in harnesses::ALL {
        for event in EVENTS {
            for (name, answer) in answers() {
                let output = harness.render(event, &Input::default(), &answer);
                let parsed = serde_json::from_str::<serde_json::Value>(&output.stdout);
                let is_one = output.stdout.is_empty() || parsed.is_ok_and(|it| it.is_object());
                assert!(is_one, "{} {event:?} {name}", harness.facts().name);
            }
        }
    }
}
