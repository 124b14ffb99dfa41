//! A call looks at each thing once: what the use cases read is counted beneath them.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::disallowed_methods, reason = "tests look at what they made")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use waypost_app::enforce::gates;
use waypost_app::enforce::hook::tool;
use waypost_app::enforce::hook::{Call, attach, turn};
use waypost_app::harness::Answer;
use waypost_app::harness::{Does, Tool};
use waypost_app::machine::host::{Clock, Host};
use waypost_app::sessions::begin::Begin;
use waypost_app::sessions::start;
use waypost_app::setup::project_record;
use waypost_app::standing;
use waypost_app::standing::status;
use waypost_app::tracks::protocol::evidence::{self, EvidenceType, Given};
use waypost_app::view::View;
use waypost_core::time::Timestamp;
use waypost_store::seen;

const CONFIG: &str = "[project]\nprotocol = \"builtin\"\n\n[[gate]]\nid = \"checks\"\n\
    before = [\"commit\", \"stop\"]\nproof = { ran = \"./check.sh*\", fresh = \"tree\" }\n\n\
    [[gate]]\nid = \"reviewed\"\nscope = \"branch\"\nbefore = [\"push\"]\nproof = { approval = true }\n";

/// A real repository and a home with a key, for one test.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.path("repo")).unwrap();
        fs::create_dir_all(world.path("home/.config/waypost")).unwrap();
        fs::write(world.path("repo/waypost.toml"), CONFIG).unwrap();
        fs::create_dir_all(world.path("repo/.agents")).unwrap();
        fs::write(world.path("repo/.agents/HANDOFF.md"), "go on\n").unwrap();
        for args in [&["init", "-q", "-b", "main"][..], &["add", "."], &["commit", "-qm", "first"]]
        {
            let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
            let mut git = Command::new("git");
            git.current_dir(world.path("repo"))
                .env("HOME", world.path("home"))
                .args(who)
                .args(args);
            assert!(git.status().unwrap().success());
        }
        waypost_store::keys::create(&world.host().key_file()).unwrap();
        let host = world.host();
        project_record::record(&View::open(&host).unwrap()).unwrap();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn host(&self) -> Host {
        let home = self.path("home");
        let time = Timestamp::from_millis(1_800_000_000_000).unwrap();
        let var = |name: &str| match name {
            "HOME" => Some(home.clone().into_os_string()),
            "PATH" => std::env::var_os("PATH"),
            _ => None,
        };
        let host = Host::from_env(self.path("repo"), "waypost".into(), Clock::Fixed(time), var);
        Host { conversation: Some(("toy".to_owned(), "s1".parse().unwrap())), ..host }
    }

    fn call(&self) -> Call {
        Call {
            harness: "toy",
            conversation: "s1".parse().unwrap(),
            subagent: None,
            cwd: self.path("repo"),
            project_dir: None,
            caller: || None,
        }
    }

    /// A conversation that follows the protocol, in a turn.
    fn begun(&self) -> String {
        let host = self.host();
        attach::begin(&host, &self.call(), "startup").unwrap();
        let begin = Begin { objective: Some("Add login"), ..Begin::default() };
        let id = start::start(&View::open(&host).unwrap(), &begin).unwrap().session.to_string();
        turn::begin(&host, &self.call(), "go").unwrap();
        id
    }

    /// Counts what `call` reads, and sees that none of it was read too often.
    fn counted<T>(&self, call: impl FnOnce(&Host) -> T) -> T {
        let host = self.host();
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
            // Once to look, once under the lock.
            "events.jsonl" => 2,
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
    let world = World::new();
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
    let world = World::new();
    world.begun();
    let commit = Tool {
        name: "Bash".into(),
        call: Some("t1".into()),
        does: Does::Shell { command: "git commit -am x".into(), background: false },
        others: Vec::new(),
    };
    fs::write(world.path("repo/new.txt"), "new\n").unwrap();
    let answer = world.counted(|host| tool::before(host, &world.call(), &commit).unwrap());
    assert!(matches!(answer, Answer::Deny(why) if why.contains("checks")));
}

#[test]
fn recording_evidence_looks_at_everything_once() {
    let world = World::new();
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
