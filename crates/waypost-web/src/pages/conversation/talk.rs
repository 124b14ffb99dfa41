//! A part of a transcript with what the records tell of the same time: each call with its result and with the rulings
//! that were made on it.

use serde::Serialize;
use waypost_app::transcripts::window::{Part, Said};
use waypost_core::time::Timestamp;

use super::records::Record;

/// Clocks of clients and of hooks are the same one, but a client may note a call a moment after the hook was asked.
const SLACK: i64 = 1_500;

/// Something in the conversation.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub(super) enum Item {
    /// Words, a result without its call, something that happened to the conversation.
    Part(Part),
    /// A tool call.
    Call {
        /// The call itself.
        #[serde(flatten)]
        part: Part,
        /// How it ended.
        result: Option<Part>,
        /// What gates said to it.
        rulings: Vec<Record>,
    },
    /// Something that the records tell.
    Record(Record),
}

/// Puts them together.
pub(super) fn joined(parts: Vec<Part>, records: Vec<Record>) -> Vec<Item> {
    let mut items: Vec<(Option<Timestamp>, Item)> = Vec::new();
    let mut last = None;
    for part in parts {
        last = part.time.or(last);
        if let Said::Result { call, .. } = &part.told {
            let asked = items.iter_mut().rev().find_map(|(_, item)| asked(item, call));
            if let Some(result) = asked {
                *result = Some(part);
                continue;
            }
        }
        let item = match part.told {
            Said::Call { .. } => Item::Call { part, result: None, rulings: Vec::new() },
            _ => Item::Part(part),
        };
        items.push((last, item));
    }
    let mut others = Vec::new();
    for record in records {
        let near = items.iter_mut().filter_map(|(_, item)| judged(item, &record));
        match near.min_by_key(|(distance, _)| *distance) {
            Some((_, rulings)) => rulings.push(record),
            None => others.push(record),
        }
    }
    others.sort_by_key(|record| (record.time, record.seq));
    let mut others = others.into_iter().peekable();
    let mut all = Vec::new();
    for (time, item) in items {
        while let Some(other) = others.next_if(|other| time.is_some_and(|time| other.time < time)) {
            all.push(Item::Record(other));
        }
        all.push(item);
    }
    all.extend(others.map(Item::Record));
    all
}

/// Where the result of a call goes, if it is that one.
fn asked<'i>(item: &'i mut Item, wanted: &str) -> Option<&'i mut Option<Part>> {
    let Item::Call { part, result, .. } = item else { return None };
    let is_it = matches!(&part.told, Said::Call { call, .. } if call == wanted);
    (is_it && result.is_none()).then_some(result)
}

/// Where a ruling goes, if it may be on this call, and how far in time: it names the tool, or none, and was made between
/// the call and its result.
fn judged<'i>(item: &'i mut Item, record: &Record) -> Option<(u64, &'i mut Vec<Record>)> {
    let Item::Call { part, result, rulings } = item else { return None };
    let Said::Call { tool, .. } = &part.told else { return None };
    let (begun, at) = (part.time?.as_millis(), record.time.as_millis());
    let ended = result.as_ref().and_then(|result| result.time);
    let is_between =
        begun <= at + SLACK && ended.is_none_or(|ended| at <= ended.as_millis() + SLACK);
    (record.is_ruling() && is_between && may_be_on(record, tool))
        .then(|| (at.abs_diff(begun), rulings))
}

/// Whether a ruling may be on a call of this tool. On the end of a turn or of the session no tool is called.
fn may_be_on(record: &Record, tool: &str) -> bool {
    let what = record.what.as_deref().and_then(|what| what.lines().next()).unwrap_or_default();
    let kinds = what.split_once(' ').map_or("", |(_, rest)| rest);
    let kinds = kinds.rsplit_once(": ").map_or(kinds, |(kinds, _)| kinds);
    let mut all = kinds.split(", ");
    let mut tools = all.clone().filter_map(|kind| kind.strip_prefix("tool:")).peekable();
    match tools.peek() {
        Some(_) => tools.any(|named| named == tool),
        None => !all.any(|kind| matches!(kind, "stop" | "end")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).unwrap()
    }

    fn part(place: u64, time: i64, told: Said) -> Part {
        Part { at: place, nth: 0, time: Some(at(time)), subagent: None, told }
    }

    fn call(place: u64, time: i64, call: &str) -> Part {
        let (tool, about) = ("Edit".to_owned(), "a.rs".to_owned());
        part(place, time, Said::Call { call: call.to_owned(), tool, about })
    }

    fn result(place: u64, time: i64, call: &str) -> Part {
        let (end, remark) = ("ran", String::new());
        let call = call.to_owned();
        part(place, time, Said::Result { call, tool: None, end, remark, printed: None })
    }

    fn ruling(seq: u64, time: i64, what: &str) -> Record {
        Record {
            project: "p".to_owned(),
            session: "s".to_owned(),
            seq,
            time: at(time),
            actor: "agent".to_owned(),
            kind: "ruling_made".to_owned(),
            what: Some(what.to_owned()),
            is_call: false,
            status: None,
        }
    }

    fn told(items: &[Item]) -> Vec<String> {
        let told = items.iter().map(|item| match item {
            Item::Part(part) => format!("part {}", part.at),
            Item::Record(record) => format!("record {}", record.seq),
            Item::Call { part, result, rulings } => {
                let result = result.as_ref().map(|result| result.at);
                let rulings: Vec<u64> = rulings.iter().map(|ruling| ruling.seq).collect();
                format!("call {} {result:?} {rulings:?}", part.at)
            }
        });
        told.collect()
    }

    #[test]
    fn a_call_has_its_result_and_the_rulings_on_it() {
        let words = Said::Words { by: "agent", text: "hello".to_owned() };
        let parts = vec![
            part(0, 1_000, words),
            call(10, 10_000, "a"),
            result(20, 20_000, "a"),
            call(30, 30_000, "b"),
            result(40, 40_000, "b"),
        ];
        let records = vec![
            ruling(1, 5_000, "deny stop: tests"),
            ruling(2, 10_100, "deny edit: tests"),
            ruling(3, 30_100, "warn edit: tests"),
            ruling(4, 41_600, "deny stop: tests"),
        ];
        let expected =
            ["part 0", "record 1", "call 10 Some(20) [2]", "call 30 Some(40) [3]", "record 4"];
        assert_eq!(told(&joined(parts, records)), expected);
    }

    #[test]
    fn of_calls_close_together_the_nearest_of_the_tool_is_it() {
        let parts = vec![call(0, 1_000, "a"), call(10, 1_200, "b"), call(20, 1_400, "c")];
        let records = vec![
            ruling(1, 1_210, "deny edit, tool:Edit: tests"),
            ruling(2, 1_450, "deny tool:Bash, bash:./a: tests"),
        ];
        let expected = ["call 0 None []", "call 10 None [1]", "call 20 None []", "record 2"];
        assert_eq!(told(&joined(parts, records)), expected);
    }

    #[test]
    fn what_belongs_to_no_call_here_stands_by_itself_in_time() {
        let parts = vec![result(5, 1_000, "gone"), call(10, 50_000, "a")];
        let records =
            vec![ruling(1, 20_000, "deny edit: tests"), ruling(2, 90_000, "deny edit: t")];
        assert_eq!(told(&joined(parts, records)), ["part 5", "record 1", "call 10 None [2]"]);
        assert!(joined(Vec::new(), Vec::new()).is_empty());
    }
}
