//! A day's work: a conversation is held by gates, does what they ask for, follows a workflow, is published,
//! compacted and resumed, and another clone goes on from the copy.

use std::fs;

use waypost_app::enforce::hook::{attach, observe, stop, subagent, tool, turn};
use waypost_app::enforce::{gates, run};
use waypost_app::harness::{Answer, Does, Tool, ToolEnd};
use waypost_app::machine::caller::Caller;
use waypost_app::machine::host::Host;
use waypost_app::rulings::{explain, violations};
use waypost_app::sessions::begin::Begin;
use waypost_app::sessions::{end, note, pause, resume, start};
use waypost_app::setup::project_record;
use waypost_app::share::{export, publish, repair, verify};
use waypost_app::standing::{blocked, brief, show, status, statusline, validate};
use waypost_app::tracks::protocol::{advance, checklist};
use waypost_app::view::View;
use waypost_core::event::{Event, Known, SessionEnded, SessionOutcome};
use waypost_core::id::StreamId;
use waypost_core::session::Lifecycle;

use crate::world::World;

const GATES: &str = "[project]\n\n[[gate]]\nid = \"checks\"\nbefore = [\"commit\", \"stop\"]\n\
    proof = { ran = \"./check.sh*\", fresh = \"tree\" }\n\n[[gate]]\nid = \"notes\"\n\
    before = [\"end\"]\nproof = { file = \"NOTES.md\" }\n";

fn tool(number: u32, name: &str, does: Does) -> Tool {
    Tool {
        name: name.into(),
        call: Some(format!("t{number}")),
        does,
        others: Vec::new(),
        starts: None,
        subagent: None,
        given: None,
    }
}

fn shell(number: u32, command: &str) -> Tool {
    tool(number, "Bash", Does::Shell { command: command.into(), background: false })
}

fn is_denied(answer: &Answer, gate: &str) -> bool {
    matches!(answer, Answer::Deny(why) if why.contains(gate))
}

/// Nothing is wrong with any stream, and nothing has to be repaired.
fn is_sound(host: &Host) {
    let view = View::open(host).unwrap();
    for found in verify::verify(&view, None).unwrap() {
        assert!(found.faults.is_empty(), "{}: {:?}", found.stream, found.faults);
    }
    assert!(repair::repair(&view, None, true).unwrap().is_empty());
}

on_each_store!(a_conversation_is_held_until_it_has_done_what_gates_ask_for);
fn a_conversation_is_held_until_it_has_done_what_gates_ask_for(world: &World) {
    world.put("repo/waypost.toml", GATES);
    world.put("repo/a.txt", "one\n");
    world.put("repo/check.sh", "#!/bin/sh\n");
    let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(world.path("repo/check.sh"), everybody).unwrap();
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "first"]);
    let (host, call) = (world.host_of_conversation(), world.call());
    project_record::record(&View::open(&host).unwrap(), None).unwrap();
    attach::begin(&host, &call, "startup").unwrap();
    turn::begin(&host, &call, "add login").unwrap();
    let edit = tool(1, "Edit", Does::Edit(world.path("repo/a.txt")));
    assert!(!is_denied(&tool::before(&host, &call, &edit).unwrap(), ""));
    world.put("repo/a.txt", "two\n");
    observe::after(&host, &call, &edit, ToolEnd::Succeeded, &[]).unwrap();
    let commit = shell(2, "git commit -am x");
    assert!(is_denied(&tool::before(&host, &call, &commit).unwrap(), "checks"));
    assert!(is_denied(&stop::stop(&host, &call, stop::Ending::Turn, &[], None).unwrap(), "checks"));
    let ran = run::run(&View::open(&host).unwrap(), &["./check.sh".into()], None).unwrap();
    assert_eq!((ran.status, ran.recorded.is_ok()), (0, true));
    assert!(!is_denied(&tool::before(&host, &call, &commit).unwrap(), ""));
    assert!(!is_denied(&stop::stop(&host, &call, stop::Ending::Turn, &[], None).unwrap(), ""));
    subagent::begin(&host, &call, "reviewer").unwrap();
    subagent::end(&host, &call).unwrap();
    attach::compacting(&host, &call, "auto").unwrap();
    attach::begin(&host, &call, "compact").unwrap();

    let view = View::open(&host).unwrap();
    let line = statusline::of(&view, false).unwrap();
    assert!(line.contains("next: "), "{line}");
    let (_, missed) = violations::of(&view, None).unwrap();
    assert!(missed.iter().all(|missed| missed.violation.gate == "checks"), "{missed:?}");
    let id = view.session(None).unwrap().id;
    let ruling =
        view.log.records(&StreamId::Session(id)).unwrap().into_iter().find_map(
            |record| match record.event {
                Event::Known(Known::RulingMade(ruling)) => Some(ruling.id),
                _ => None,
            },
        );
    assert!(explain::explain(&view, ruling.unwrap().as_str()).unwrap().replay_agrees);
    assert!(!gates::list(&view).unwrap().policy.gates.is_empty());
    attach::end(&host, &call, "logout").unwrap();
    is_sound(&host);
}

on_each_store!(a_session_is_named_left_found_again_and_ended);
fn a_session_is_named_left_found_again_and_ended(world: &World) {
    world.put("repo/waypost.toml", GATES);
    let host = world.host();
    let view = View::open(&host).unwrap();
    let begin = Begin { objective: Some("Add login"), ..Begin::default() };
    let id = start::start(&view, &begin).unwrap().session;
    note::add(&view, None, "decision", "use tokens").unwrap();
    pause::pause(&view, None, "lunch", None).unwrap();
    let view = View::open(&host).unwrap();
    assert_eq!(show::of(&view, id.as_str()).unwrap().status.session_id, id);
    resume::resume(&view, Some(id.as_str())).unwrap();
    let view = View::open(&host).unwrap();
    let told = brief::of(&view, None).unwrap().text(4_000);
    assert!(told.contains("use tokens") && told.contains("Add login"), "{}", told);
    let ended =
        SessionEnded { outcome: SessionOutcome::Completed, summary: None, next_notes: None };
    assert!(end::end(&view, None, ended.clone()).is_err(), "a gate stands before the end");
    assert!(status::of(&view, None).unwrap().gates.iter().any(|gate| gate.gate == "notes"));
    world.put("repo/NOTES.md", "x");
    let view = View::open(&host).unwrap();
    end::end(&view, None, ended).unwrap();
    assert_eq!(view.lifecycle(&view.load(&id).unwrap()), Lifecycle::Completed);
    assert!(export::export(&view, Some(id.as_str())).is_ok());
    is_sound(&host);
}

on_each_store!(the_protocol_is_followed);
fn the_protocol_is_followed(world: &World) {
    world.put("repo/waypost.toml", "[project]\nprotocol = \"builtin\"\n");
    world.put("repo/.agents/HANDOFF.md", "go on\n");
    let host = Host { caller: Caller::Agent, ..world.host() };
    let view = View::open(&host).unwrap();
    let begin = Begin { objective: Some("Add login"), ..Begin::default() };
    start::start(&view, &begin).unwrap();
    let why = blocked::reason(&view, None).unwrap();
    assert!(why.is_blocked, "{why:?}");
    assert!(!checklist::of(&view, None).unwrap().start.is_empty());
    assert!(validate::validate(&view, None, "ALL").is_ok());
    assert!(!advance::advance(&view, None, Some("WORKING"), false).unwrap().success);
    is_sound(&host);
}

on_each_store!(another_clone_goes_on_from_the_published_copy);
fn another_clone_goes_on_from_the_published_copy(world: &World) {
    let host = world.host();
    let view = View::open(&host).unwrap();
    let begin = Begin { objective: Some("Add login"), ..Begin::default() };
    let id = start::start(&view, &begin).unwrap().session;
    note::add(&view, None, "decision", "use tokens").unwrap();
    publish::publish(&view, &id).unwrap();
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "publish"]);
    world.git(&["clone", "-q", ".", "../clone"]);
    let there = Host { cwd: world.path("clone"), ..world.host() };
    let view = View::open(&there).unwrap();
    resume::resume(&view, Some(id.as_str())).unwrap();
    note::add(&view, Some(id.as_str()), "decision", "and cookies").unwrap();
    publish::publish(&view, &id).unwrap();
    is_sound(&there);
    // The other one gets it back, and goes on too.
    for name in ["events.jsonl", "state.json"] {
        let below = format!("agents/sessions/{id}/{name}");
        let (from, to) = (world.path("clone").join(&below), world.path("repo").join(&below));
        fs::copy(from, to).unwrap();
    }
    let view = View::open(&host).unwrap();
    assert!(publish::take_over(&view, &id).unwrap().is_some());
    let told = brief::of(&view, Some(id.as_str())).unwrap().text(4_000);
    assert!(told.contains("and cookies"), "{told}");
    is_sound(&host);
}
