//! A second harness shows that everything goes through the trait: the hook, the conversation that the
//! environment names, `init`, `doctor`, what agents may not change, and what MCP servers there are.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod toy;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;
use waypost_app::harness::{Harness, Health, Role};
use waypost_app::machine::host::{Clock, Host, InFiles};
use waypost_app::machine::project::{self, Project};
use waypost_app::setup::doctor::{self, Finding};
use waypost_app::setup::init::{self, Options, Preset};
use waypost_app::setup::project_record;
use waypost_app::view::View;
use waypost_app::view::human;
use waypost_hook::{Registered, Setting, answer, harnesses};

use toy::Toy;

const TOY: &[&dyn Harness] = &[&Toy];

/// A repository and a home, for one test.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.path("repo/.git/info")).unwrap();
        fs::write(world.path("repo/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        world
    }

    /// The same with a program whose hook answers this, and which is no MCP server.
    fn with_program(answer: &str) -> Self {
        let world = Self::new();
        let program = world.path("waypost");
        let script =
            format!("#!/bin/sh\n[ \"$1\" = hook ] || exit 1\ncat >/dev/null\necho '{answer}'\n");
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn host_with(&self, known: &[&'static dyn Harness], variables: &[(&str, &str)]) -> Host {
        let home = self.path("");
        let var = |name: &str| {
            let given = variables.iter().find(|(known, _)| *known == name);
            let given = given.map(|(_, value)| OsString::from(value));
            given.or_else(|| (name == "HOME").then(|| home.clone().into()))
        };
        let (cwd, exe) = (self.path("repo"), self.path("waypost"));
        Host::from_env(cwd, exe, Clock::System, var).keeping(InFiles).knowing(known, var)
    }

    fn host(&self) -> Host {
        self.host_with(TOY, &[])
    }

    fn project(&self) -> Project {
        project::find_or_here(&self.path("repo")).unwrap()
    }

    fn init(&self, shared: bool) {
        let preset = Some(Preset::Minimal);
        let options = Options { preset, shared, ..Options::default() };
        init::run(&self.host(), &self.project(), &options).unwrap();
    }

    /// What the hook says to an event.
    fn ask(&self, event: &serde_json::Value) -> String {
        let setting = Setting {
            host: self.host(),
            harness: &Toy,
            project_dir: None,
            caller: || None,
            by: Registered::Own,
            guard: |_, _| {},
        };
        let output = answer(&setting, event.to_string().as_bytes(), true);
        format!("{}{}", output.stdout, output.stderr)
    }

    fn before(&self, tool: &str, on: &str) -> String {
        let place = self.path("repo");
        self.ask(&json!({"what": "soon", "talk": "t1", "place": place, "with": tool, "on": on}))
    }

    fn findings(&self, check: &str) -> Vec<Finding> {
        let found = doctor::examine(&self.host(), false).into_iter();
        found.filter(|finding| finding.check == check).collect()
    }
}

#[test]
fn its_hook_is_answered_in_its_own_words() {
    let world = World::new();
    world.init(false);
    let host = world.host();
    project_record::record(&View::open(&host).unwrap(), None).unwrap();
    let said = world.ask(&json!({"what": "hello", "talk": "t1", "place": world.path("repo")}));
    assert!(said.starts_with("SAY "), "{said}");
    assert_eq!(world.before("Scribble", "notes.txt"), "");
    let said = world.before("Scribble", ".toy/own");
    assert!(said.starts_with("NO BeforeTool Waypost: "), "{said}");
    assert!(said.contains("where Waypost's hooks are registered"), "{said}");
    let said = world.before("Shout", "python3 edit.py .toy/own");
    assert!(said.contains("could change .toy/") && said.contains("use Peek, or cat"), "{said}");
    let said = world.before("Shout", "git clean -fdx");
    assert!(said.contains("remove .toy/own") && said.contains("add `-e .toy`"), "{said}");
}

#[test]
fn what_cannot_be_decided_fails_in_the_right_direction_for_it_too() {
    let world = World::new();
    fs::write(world.path("repo/waypost.toml"), "").unwrap();
    assert!(world.before("Scribble", "x").starts_with("NO BeforeTool Waypost cannot decide"));
    assert!(world.before("Shout", "ls").starts_with("NO "));
    assert_eq!(world.before("Shout", "waypost doctor"), "");
    assert_eq!(world.before("Peek", "x"), "");
    assert!(world.ask(&json!([])).contains("`waypost hook toy` is called by The Toy"));
}

#[test]
fn the_environment_names_its_conversation_and_gives_its_agents_away() {
    let world = World::new();
    let host = world.host_with(TOY, &[("TOY_TALK", "t1"), ("TOY_HOME", "/elsewhere")]);
    assert_eq!(host.conversation, Some(("toy".to_owned(), "t1".parse().unwrap())));
    assert_eq!(host.harnesses[0].folder, PathBuf::from("/elsewhere"));
    let refused = human::only(&host, "this").unwrap_err();
    assert!(refused.message.contains("conversation t1 of toy"), "{}", refused.message);
    let host = world.host_with(TOY, &[("TOY_RUNS", "1"), ("TOY_TALK", "")]);
    assert_eq!(host.conversation, None);
    assert!(human::only(&host, "this").unwrap_err().message.contains("TOY_RUNS"));
    assert!(human::only(&world.host(), "this").is_ok());
}

#[test]
fn init_registers_with_it_and_takes_that_out_again() {
    let world = World::new();
    fs::create_dir(world.path("repo/.toy")).unwrap();
    fs::write(world.path("repo/.toy/own"), "# mine\n").unwrap();
    world.init(true);
    let exe = world.path("waypost").display().to_string();
    let own = format!("# mine\nhook soon {exe} hook toy\nhook done {exe} hook toy\n");
    assert_eq!(world.read("repo/.toy/own"), own);
    assert_eq!(world.read("repo/.toy/all"), "hook soon ./.waypost/hook toy\n");
    assert_eq!(world.read("repo/.toy/servers"), "server waypost waypost mcp\n");
    assert!(world.read("repo/.waypost/hook").contains("toy)\n    echo 'SAY Waypost is missing'\n"));
    let excluded = world.read("repo/.git/info/exclude");
    assert!(excluded.contains("/.toy/own") && !excluded.contains("/.toy/servers"), "{excluded}");
    assert!(!world.path("repo/.claude").exists() && !world.path("repo/.mcp.json").exists());
    init::remove(&world.host(), &world.project()).unwrap();
    assert_eq!(world.read("repo/.toy/own"), "# mine\n");
    let left = ["repo/.toy/all", "repo/.toy/servers", "repo/.waypost", "repo/waypost.toml"];
    assert_eq!(left.map(|name| world.path(name).exists()), [false; 4]);
    assert!(!world.read("repo/.git/info/exclude").contains(".toy"));
}

#[test]
fn all_harnesses_live_side_by_side() {
    let world = World::new();
    let both = [harnesses::ALL, TOY].concat();
    let host = world.host_with(&both, &[]);
    let named = both.iter().map(|harness| harness.facts().name.to_owned()).collect();
    let options = Options { harnesses: named, preset: Some(Preset::Minimal), ..Options::default() };
    init::run(&host, &world.project(), &options).unwrap();
    let mut ignored: BTreeSet<&str> = BTreeSet::new();
    for harness in &both {
        let files = harness.registering().files();
        let calls = files.iter().any(|file| file.role != Role::Servers);
        let found = init::registrations(&host, *harness, &world.project()).unwrap();
        assert_eq!(found.len(), usize::from(calls), "{}", harness.facts().name);
        ignored.extend(files.iter().filter_map(|file| file.ignored_by.first().copied()));
    }
    let excluded = world.read("repo/.git/info/exclude");
    assert_eq!(excluded.matches("# Waypost").count(), 1, "{excluded}");
    assert_eq!(excluded.lines().count(), ignored.len() + 1, "{excluded}");
    init::remove(&host, &world.project()).unwrap();
    assert!(!world.path("repo/.toy").exists() && !world.path("repo/.claude").exists());
    assert!(!world.path("repo/.git/info/exclude").exists());
}

#[test]
fn doctor_calls_its_hook_with_its_own_events_and_hears_its_own_answers() {
    let denying = World::with_program("NO BeforeTool because");
    assert_eq!(denying.findings("project")[0].health, Health::Bad, "it is not set up");
    denying.init(false);
    let [hooks] = &denying.findings("hooks")[..] else { unreachable!() };
    assert_eq!(
        (hooks.health, &*hooks.detail),
        (Health::Good, ".toy/own: a forbidden write was denied")
    );
    let [overrides] = &denying.findings("overrides")[..] else { unreachable!() };
    assert_eq!(overrides.health, Health::Good);
    let allowing = World::with_program("{\"permissionDecision\":\"deny\"}");
    allowing.init(false);
    assert_eq!(allowing.findings("hooks")[0].health, Health::Bad, "that is another's word for it");
}

#[test]
fn doctor_knows_what_is_wrong_with_its_settings() {
    let world = World::with_program("NO");
    world.init(false);
    let own = world.read("repo/.toy/own").replace("hook soon", "lazily hook soon");
    fs::write(world.path("repo/.toy/own"), own + "deaf\n").unwrap();
    let told: Vec<String> = world.findings("overrides").into_iter().map(|one| one.detail).collect();
    assert_eq!(told, [".toy/own switches all hooks off", ".toy/own: soon: nobody waits for it"]);
    let own = world.read("repo/.toy/own");
    fs::write(world.path("repo/.toy/own"), own.replace("hook done", "hook other")).unwrap();
    assert_eq!(world.findings("hooks")[0].detail, ".toy/own: not registered for done");
    fs::remove_file(world.path("repo/.toy/servers")).unwrap();
    let told = world.findings("mcp")[0].detail.clone();
    assert!(told.starts_with(".toy/servers does not register Waypost's server"), "{told}");
}

#[test]
fn what_it_knows_of_servers_and_skills_counts_in_the_protocol() {
    let world = World::new();
    world.init(false);
    fs::write(world.path("repo/waypost.toml"), "[project]\nprotocol = \"builtin\"\n").unwrap();
    let host = world.host();
    let asked = |step: &str| {
        let view = View::open(&host).unwrap();
        let policy = view.sources().policy.clone().unwrap();
        policy.gates.iter().any(|gate| gate.id == step)
    };
    assert!(!asked("SERENA_INIT/activate_project") && !asked("SKILL_VALIDATION/list_skills"));
    fs::create_dir_all(world.path(".toy")).unwrap();
    fs::write(world.path(".toy/servers"), "server my-serena x\n").unwrap();
    fs::create_dir_all(world.path("repo/.toy/tricks")).unwrap();
    fs::write(world.path("repo/.toy/tricks/roll-over"), "").unwrap();
    assert!(asked("SERENA_INIT/activate_project") && asked("SKILL_VALIDATION/list_skills"));
}
