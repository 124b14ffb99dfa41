//! A call looks at each thing once: what the use cases read is counted beneath them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use waypost_app::enforce::gates;
use waypost_app::enforce::hook::tool;
use waypost_app::enforce::hook::{attach, turn};
use waypost_app::harness::Answer;
use waypost_app::harness::{Does, Tool};
use waypost_app::machine::host::Host;
use waypost_app::sessions::begin::Begin;
use waypost_app::sessions::start;
use waypost_app::setup::project_record;
use waypost_app::standing;
use waypost_app::standing::status;
use waypost_app::tracks::protocol::evidence::{self, EvidenceType, Given};
use waypost_app::view::View;
use waypost_store::{InFiles, seen};

use crate::world::World;

const CONFIG: &str = "[project]\nprotocol = \"builtin\"\n\n[[gate]]\nid = \"checks\"\n\
    before = [\"commit\", \"stop\"]\nproof = { ran = \"./check.sh*\", fresh = \"tree\" }\n\n\
    [[gate]]\nid = \"reviewed\"\nscope = \"branch\"\nbefore = [\"push\"]\nproof = { approval = true }\n";

/// A project with gates and the protocol, in files: those are what is counted.
struct Counted(World);

impl Counted {
    fn new() -> Self {
        let world = World::new(InFiles);
        world.put("repo/waypost.toml", CONFIG);
        world.put("repo/.agents/HANDOFF.md", "go on\n");
        world.git(&["add", "."]);
        world.git(&["commit", "-qm", "first"]);
        let host = world.host_of_conversation();
        project_record::record(&View::open(&host).unwrap(), None).unwrap();
        Self(world)
    }

    /// A conversation that follows the protocol, in a turn.
    fn begun(&self) -> String {
        let (host, call) = (self.0.host_of_conversation(), self.0.call());
        attach::begin(&host, &call, "startup").unwrap();
        let begin = Begin { objective: Some("Add login"), ..Begin::default() };
        let id = start::start(&View::open(&host).unwrap(), &begin).unwrap().session.to_string();
        turn::begin(&host, &call, "go").unwrap();
        id
    }

    /// Counts what `call` reads, and sees that none of it was read too often.
    fn counted<T>(&self, call: impl FnOnce(&Host) -> T) -> T {
        let host = self.0.host_of_conversation();
        let (value, seen) = seen::of(|| call(&host));
        check(&seen.read);
        value
    }
}

/// Nothing was read too often.
fn check(read: &BTreeMap<PathBuf, usize>) {
    let told = || format!("{read:#?}");
    let most = |path: &Path| {
        let name = path.file_name().unwrap().to_string_lossy();
        match name.as_ref() {
            // Once to look, once under the lock. The user's own rules of what is ignored: before git looks at the
            // work tree, and after.
            "events.jsonl" | "exclude" | "ignore" => 2,
            // An index: to compare it, and to look for other repositories in it.
            _ if name.ends_with("-cached") => 2,
            // Before it is written it is read again under its own lock.
            "main" if path.parent().unwrap().ends_with("index") => 3,
            _ if path.parent().unwrap().ends_with("heads") => usize::MAX,
            _ => 1,
        }
    };
    for (path, times) in read {
        assert!(*times <= most(path), "{} {times} times: {}", path.display(), told());
    }
    let some = |part: &str| read.keys().any(|path| path.to_string_lossy().contains(part));
    assert!(some("/key") && some("/snapshot") && some("/policies/"), "{}", told());
}

#[test]
fn status_and_gate_check_look_at_everything_once() {
    let world = Counted::new();
    let id = world.begun();
    let next = world.counted(|host| {
        let view = View::open(host).unwrap();
        status::of(&view, None).unwrap().next
    });
    let checked = world.counted(|host| {
        let view = View::open(host).unwrap();
        gates::check(&view, Some(&id), None).unwrap().1
    });
    assert!(checked.iter().any(|gate| gate.gate == "checks"));
    let stood =
        world.counted(|host| standing::of(&View::open(host).unwrap(), None).unwrap().next());
    assert_eq!(next, stood);
}

#[test]
fn a_denied_commit_looks_at_everything_once() {
    let world = Counted::new();
    world.begun();
    let commit = Tool {
        name: "Bash".into(),
        call: Some("t1".into()),
        does: Does::Shell { command: "git commit -am x".into(), background: false },
        others: Vec::new(),
        starts: None,
        subagent: None,
        given: None,
    };
    world.0.put("repo/new.txt", "new\n");
    let answer = world.counted(|host| tool::before(host, &world.0.call(), &commit).unwrap());
    assert!(matches!(answer, Answer::Deny(why) if why.contains("checks")));
}

#[test]
fn recording_evidence_looks_at_everything_once() {
    let world = Counted::new();
    world.begun();
    let hash = waypost_core::key::sha256_hex(&[b"go on\n"]);
    let given = Given {
        session: None,
        gate: "CONTEXT_RETRIEVAL",
        step: Some("read_handoff"),
        of: EvidenceType::ContentHash,
        evidence: &hash,
    };
    let recorded =
        world.counted(|host| evidence::record(&View::open(host).unwrap(), &given).unwrap());
    assert!(recorded.auto_validated, "{}", recorded.message);
}
