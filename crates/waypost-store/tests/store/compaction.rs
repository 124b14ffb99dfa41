//! Compaction of an invocations' history, interrupted at every single operation of the disk: what was acknowledged is in
//! the history, and the state is what the records come to.

use waypost_core::agents::Agents;
use waypost_core::command::{Command, OrchestrationCommand, decide};
use waypost_core::event::{AgentInvoked, Known, SessionStarted};
use waypost_core::record::{Draft, Record};
use waypost_core::session::{COMPACTED_ABOVE, SessionState};
use waypost_store::{StoreError, Streams};

use crate::crashes::log;
use crate::journal::all_leaves;
use crate::sim::{Fault, SimDisk};
use crate::support::{now, session};

fn drafts(events: Vec<Known>) -> Vec<Draft> {
    let actor = waypost_core::actor::Actor::Human;
    let draft = |event: Known| Draft { time: now(), actor: actor.clone(), event: event.into() };
    events.into_iter().map(draft).collect()
}

/// An agent is given work, in one write with the compaction that this makes necessary.
fn invoke(log: &Streams, prompt: &str) -> Result<(), StoreError> {
    let invoked = AgentInvoked {
        agent: "qa".into(),
        prompt: prompt.into(),
        context: serde_json::Map::new(),
        artifacts: Vec::new(),
        handoff_from: None,
    };
    let invoked = OrchestrationCommand::Invoke(invoked);
    let transacted = log.transact(&session("s"), |state: &SessionState| {
        let command = Command::Orchestrate(Box::new(invoked.clone()));
        Ok((drafts(decide(state, command).unwrap()), ()))
    });
    transacted.map(drop)
}

/// So many invocations as just need no compaction.
fn full(disk: &SimDisk) {
    let (log, stream) = (log(disk), session("s"));
    log.create(&stream).unwrap();
    let started = Known::SessionStarted(SessionStarted {
        objective: Some("Add login".into()),
        workflow: "none".into(),
        branch: None,
        commit: None,
        worktree: None,
    });
    let begin = |_: &SessionState| Ok::<_, StoreError>((drafts(vec![started.clone()]), ()));
    log.transact(&stream, begin).unwrap();
    for number in 0..COMPACTED_ABOVE {
        invoke(&log, &format!("{number}")).unwrap();
    }
    log.load_and_refresh::<SessionState>(&stream).unwrap();
}

fn prompts(records: &[Record]) -> Vec<String> {
    Agents::of(records).invocations.into_iter().map(|work| work.prompt).collect()
}

/// Looks at the disk after a crash: `known` were acknowledged, and of `unknown` nobody was told.
fn check(disk: &SimDisk, known: &[String], unknown: Option<&str>, what: &str) {
    let (log, stream) = (log(disk), session("s"));
    let records = log.records(&stream).unwrap_or_else(|error| panic!("{what}: {error}"));
    let found = prompts(&records);
    assert!(found.starts_with(known), "{what}: {found:?} lost of {known:?}");
    let more: Vec<&str> = found[known.len()..].iter().map(String::as_str).collect();
    let possible = unknown.map_or_else(Vec::new, |text| vec![text]);
    assert!(more.is_empty() || more == possible, "{what}: {more:?}");
    let state = log.load::<SessionState>(&stream).unwrap().state;
    assert_eq!(state, SessionState::fold(&records), "{what}");
    let all = state.orchestration.invoked;
    assert_eq!(all, found.len() as u64, "{what}");
    let held = state.orchestration.invocations.iter().filter(|known| !known.archived).count();
    assert_eq!(held as u64 + state.orchestration.archived, all, "{what}");
    // Whoever goes on finishes what was begun.
    invoke(&log, "after").unwrap_or_else(|error| panic!("{what}: {error}"));
    let records = log.records(&stream).unwrap();
    assert_eq!(prompts(&records).last().map(String::as_str), Some("after"), "{what}");
    let state = log.load::<SessionState>(&stream).unwrap().state;
    let held = state.orchestration.invocations.iter().filter(|known| !known.archived).count();
    assert!(held <= COMPACTED_ABOVE, "{what}: {held}");
    let report = log.verify::<SessionState>(&stream).unwrap();
    assert_eq!(report.faults, [] as [String; 0], "{what}");
}

#[test]
fn a_crash_at_any_operation_of_a_compaction_loses_no_invocation() {
    let whole = SimDisk::default();
    full(&whole);
    let before = whole.operations();
    let mut tried = 0;
    for fault in [Fault::Crash, Fault::CrashWithin] {
        for operation in before + 1.. {
            let disk = SimDisk::with_fault(operation, fault);
            full(&disk);
            let mut known: Vec<String> = (0..COMPACTED_ABOVE).map(|n| n.to_string()).collect();
            let mut unknown = None;
            // The first of these compacts.
            for prompt in ["ten", "eleven"] {
                if invoke(&log(&disk), prompt).is_err() {
                    unknown = Some(prompt);
                    break;
                }
                known.push(prompt.to_owned());
            }
            for leaves in all_leaves() {
                let what = format!("{fault:?} at {operation}, {leaves:?}");
                check(&disk.after_crash(leaves), &known, unknown, &what);
                tried += 1;
            }
            if !disk.was_reached() {
                break;
            }
        }
    }
    assert!(tried > 100, "only {tried} crashes were tried");
}
