//! What the generic adapter makes of events that are not as they should be.

use waypost_app::harness::{Does, Event};

use super::*;

fn read(text: &str) -> (Input<'_>, Option<String>) {
    Generic.read(text.as_bytes())
}

#[test]
fn how_a_call_ended_is_what_it_says_and_no_more() {
    for (result, ended) in [
        (r#"{"status": 0}"#, ToolEnd::Succeeded),
        (r#"{"status": 2}"#, ToolEnd::Failed(2)),
        (r#"{"status": 0, "failed": true}"#, ToolEnd::Failed(1)),
        (r#"{"failed": false}"#, ToolEnd::Succeeded),
        (r#"{"failed": true}"#, ToolEnd::Failed(1)),
        (r#"{"status": 0, "interrupted": true}"#, ToolEnd::Unclear),
        (r#"{"output": "all is well"}"#, ToolEnd::Unclear),
        ("3", ToolEnd::Unclear),
    ] {
        let text = format!(r#"{{"event": "after-tool", "result": {result}}}"#);
        assert_eq!(Generic.ended(&read(&text).0), ended, "{result}");
    }
    assert_eq!(Generic.ended(&read(r#"{"event": "after-tool"}"#).0), ToolEnd::Unclear);
}

#[test]
fn a_tool_without_a_kind_is_judged_by_its_name_and_arguments() {
    let does = |tool: &str| {
        let text = format!(r#"{{"event": "before-tool", "tool": {tool}}}"#);
        Generic.tool(&read(&text).0).map(|tool| tool.does)
    };
    let edit = r#"{"name": "write_file", "arguments": {"path": "a.txt"}}"#;
    assert_eq!(does(edit).unwrap(), Does::Edit("a.txt".into()));
    let shell = Does::Shell { command: "make".to_owned(), background: true };
    assert_eq!(does(r#"{"name": "run", "arguments": {"command": "make"}}"#).unwrap(), shell);
    assert_eq!(does(r#"{"name": "x", "kind": "edit"}"#).unwrap(), Does::EditUnnamed);
    for wrong in [
        r#"{"kind": "edit"}"#,
        r#"{"name": "x", "kind": "shell"}"#,
        r#"{"name": "x", "kind": "read"}"#,
        r#"{"name": "x", "kind": "skill"}"#,
        r#"{"name": "x", "kind": "edit", "files": "a.txt"}"#,
        "3",
    ] {
        assert!(does(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn what_is_no_event_is_told() {
    for text in ["", "[]", "{", r#"{"event": 3}"#, r#"{"event": "stop", "background": "x"}"#] {
        assert!(read(text).1.is_some(), "{text}");
    }
    let (input, problem) = read(r#"{"event": "lunch", "new": [1]}"#);
    assert_eq!((input.event, problem), (Some(Event::Other), None));
}

#[test]
fn an_answer_is_one_object_with_nothing_that_is_not_described() {
    let both = Answer::Both { agent: "a".into(), user: "u".into() };
    for (answer, said) in [
        (Answer::Silence, r#"{"decision":"pass"}"#),
        (Answer::Deny("no".into()), r#"{"decision":"deny","reason":"no"}"#),
        (Answer::Context("a".into()), r#"{"context":"a","decision":"pass"}"#),
        (Answer::Message("u".into()), r#"{"decision":"pass","message":"u"}"#),
        (both, r#"{"context":"a","decision":"pass","message":"u"}"#),
    ] {
        let output = Generic.render(Event::Stop, &Input::default(), &answer);
        assert_eq!((output.stdout.trim_end(), output.status), (said, 0));
    }
}
