//! From the entries of transcripts to what happened in a conversation.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::judge::{Deed, Judge};
use super::turns::{Happened, Step};
use crate::harness::Does;
use crate::transcripts::{Conversation, Entry, What};

/// What was read of a conversation.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// What happened, in the order of time.
    pub(super) steps: Vec<Step>,
    /// How many lines there were.
    pub(super) lines: u64,
    /// How many of them could not be read.
    pub(super) unreadable: u64,
}

/// What is still awaited while a conversation is read.
#[derive(Debug, Default)]
struct Awaited {
    /// The subagents whose own words are there.
    seen: BTreeSet<String>,
    /// Those that came back with work that they had done.
    returned: Vec<(Step, String)>,
    /// The calls that are not over.
    calls: BTreeMap<String, Step>,
}

impl Awaited {
    /// What nobody saw.
    fn unseen(self) -> impl Iterator<Item = Step> {
        let Self { seen, returned, calls } = self;
        let gone = returned.into_iter().filter(move |(_, agent)| !seen.contains(agent));
        gone.map(|(step, _)| step).chain(calls.into_values())
    }
}

/// Reads a conversation with everything that belongs to it.
pub(super) fn of(conversation: &Conversation, judge: &Judge) -> Told {
    let mut told = Told::default();
    let mut awaited = Awaited::default();
    for (file, found) in conversation.files.iter().enumerate() {
        let mut folder = conversation.folder.clone().unwrap_or_else(|| judge.root.clone());
        // What only stands in a part happened in it, whoever it says it was.
        let part = found.belongs.part;
        let mut last = None;
        let read = found.read(&mut |entry, at| {
            let Some(entry) = entry else {
                let why = "a line of the transcript cannot be read".to_owned();
                let what = Happened::Did(Deed::Unseen(why));
                told.steps.push(Step { time: last, file, at, what });
                return;
            };
            last = entry.time.or(last);
            let step = |what| Step { time: last, file, at, what };
            of_entry(entry, part, &mut folder, judge, &mut awaited, &step, &mut told.steps);
        });
        match read {
            Ok(progress) => {
                told.lines += progress.lines;
                told.unreadable += progress.unreadable;
            }
            Err(error) => {
                let what = Happened::Did(Deed::Unseen(format!("a file cannot be read: {error}")));
                told.steps.push(Step { time: last, file, at: 0, what });
            }
        }
    }
    told.steps.extend(awaited.unseen());
    // Those without a time stay where they are in their file: they have that of what comes before.
    told.steps.sort_by_key(|step| step.time);
    told
}

fn of_entry(
    entry: Entry,
    part: bool,
    folder: &mut PathBuf,
    judge: &Judge,
    awaited: &mut Awaited,
    step: &dyn Fn(Happened) -> Step,
    steps: &mut Vec<Step>,
) {
    let is_own = !part && entry.subagent.is_none();
    awaited.seen.extend(entry.subagent);
    match entry.what {
        What::In(path) => *folder = path,
        What::Prompt { .. } if is_own => steps.push(step(Happened::Prompt)),
        What::Said(text) if is_own => steps.push(step(Happened::Said(text))),
        What::Called { call, tool } => {
            if is_own {
                steps.push(step(Happened::Called));
            }
            if !matches!(
                tool.does,
                Does::Read(_) | Does::Look(_) | Does::Skill(_) | Does::Ask | Does::Other
            ) {
                let why = format!("how {} ended is not in the transcript", tool.name);
                awaited.calls.insert(call, step(Happened::Did(Deed::Unseen(why))));
            }
        }
        What::Returned(returned) => {
            awaited.calls.remove(&returned.call);
            let done = judge.deeds(folder, &returned);
            steps.extend(done.into_iter().map(|deed| step(Happened::Did(deed))));
            let called = returned.tool.and_then(|tool| tool.subagent);
            if let Some(called) = called.filter(|called| called.usage.tool_calls != Some(0)) {
                let why = "what a subagent did is not in the transcripts".to_owned();
                let unseen = step(Happened::Did(Deed::Unseen(why)));
                awaited.returned.push((unseen, called.subagent));
            }
        }
        What::Compacted if is_own => steps.push(step(Happened::Compacted)),
        What::Interrupted if is_own => steps.push(step(Happened::Interrupted)),
        What::Missing(why) => steps.push(step(Happened::Did(Deed::Unseen(why)))),
        What::Prompt { .. }
        | What::Said(_)
        | What::Compacted
        | What::Interrupted
        | What::Used(_)
        | What::Total(_)
        | What::Ended => {}
    }
}
