//! What harnesses sent (`recorded/NAME.jsonl`; the first line says where it comes from), and what is made of it
//! (`recorded/NAME.txt`; `WAYPOST_UPDATE=1` writes that anew).

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use waypost_app::harness::{Event, Harness, Input};
use waypost_hook::harnesses;

use crate::is_update;

/// Lines of JSON; those that begin with `#` say where they come from.
const RECORDED: [(&str, &str); 5] = [
    ("copilot", include_str!("recorded/copilot.jsonl")),
    ("cursor", include_str!("recorded/cursor.jsonl")),
    ("gemini", include_str!("recorded/gemini.jsonl")),
    ("opencode", include_str!("recorded/opencode.jsonl")),
    ("qwen", include_str!("recorded/qwen.jsonl")),
];

fn harness(name: &str) -> &'static dyn Harness {
    *harnesses::ALL.iter().find(|one| one.facts().name == name).unwrap()
}

fn read(text: &str, harness: &dyn Harness) -> String {
    let mut told = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (input, problem) = harness.read(line.as_bytes());
        assert_eq!(problem, None, "{line}");
        let Input { event, named, conversation, subagent, cwd, held_before, .. } = &input;
        let (event, texts) = (event.unwrap(), [conversation, subagent, cwd]);
        let texts = texts.map(|text| text.as_deref().unwrap_or("-"));
        let held = if *held_before { " held before" } else { "" };
        writeln!(told, "{} = {event:?} {}{held}", named.as_deref().unwrap(), texts.join(" "))
            .unwrap();
        let is_tool = matches!(event, Event::BeforeTool | Event::AfterTool | Event::AfterFailure);
        if is_tool {
            let tool = harness.tool(&input).unwrap();
            writeln!(told, "  {} {:?} {:?}", tool.name, tool.does, tool.others).unwrap();
        }
        if matches!(event, Event::AfterTool | Event::AfterFailure) {
            let (ended, printed) = (harness.ended(&input), harness.printed(&input));
            writeln!(told, "  {ended:?} {printed:?}").unwrap();
        }
    }
    told
}

#[test]
fn what_was_recorded_is_understood() {
    for (name, text) in RECORDED {
        let told = read(text, harness(name));
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/harnesses/recorded");
        let file = format!("{folder}/{name}.txt");
        if is_update() {
            fs::write(&file, &told).unwrap();
        }
        assert_eq!(fs::read_to_string(&file).unwrap_or_default(), told, "{file}");
    }
}

/// Whoever has no name for a call is told apart by what it calls and with what: before and after are the same then.
#[test]
fn the_end_of_a_call_belongs_to_its_beginning() {
    for (name, text) in RECORDED {
        let harness = harness(name);
        let (mut begun, mut paired) = (BTreeSet::new(), 0);
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (input, _) = harness.read(line.as_bytes());
            let call = || harness.tool(&input).unwrap().call.unwrap();
            match input.event {
                Some(Event::BeforeTool) => drop(begun.insert(call())),
                Some(Event::AfterTool) => paired += usize::from(begun.contains(&call())),
                _ => {}
            }
        }
        assert!(paired >= 3, "{name}: {paired}");
    }
}

/// An event that another's hook got is known by its sender alone, and quickly: by names of fields.
#[test]
fn what_belongs_to_another_is_known() {
    let claude = harnesses::ALL[0];
    for (name, text) in RECORDED {
        let sends_to_others = ["copilot", "cursor"].contains(&name);
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (input, _) = claude.read(line.as_bytes());
            let senders = harnesses::ALL.iter().filter(|one| one.sent(&input));
            let senders: Vec<_> = senders.map(|one| one.facts().name).collect();
            assert!(!sends_to_others || senders == [name], "{name}: {senders:?} {line}");
        }
    }
}
