//! Every harness alike: registered, found again, brought up to date, and taken out without a trace.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use waypost_app::harness::{Facts, Harness, Role};
use waypost_app::machine::host::Host;
use waypost_app::setup::init::{self, Options};
use waypost_hook::harnesses;

use crate::{World, notes, registrations};

/// The harnesses that have files in which Waypost registers.
fn all() -> impl Iterator<Item = (&'static dyn Harness, &'static Facts)> {
    let all = harnesses::ALL.iter().copied();
    let with_files = all.filter(|harness| !harness.registering().files().is_empty());
    with_files.map(|harness| (harness, harness.facts()))
}

fn only(name: &str, shared: bool) -> Options {
    Options { harnesses: vec![name.to_owned()], shared, ..Options::default() }
}

/// Every file of a harness, and which of them hold hooks.
fn files(world: &World, harness: &'static dyn Harness) -> Vec<(PathBuf, bool)> {
    let (host, root) = (world.host(), world.project().root);
    let local = host.harness(harness.facts().name).unwrap();
    let files = harness.registering().files().iter();
    files
        .map(|file| ((file.place)(host.ground(local, &root)), file.role != Role::Servers))
        .collect()
}

#[test]
fn each_is_registered_found_and_taken_out_without_a_trace() {
    for (harness, facts) in all() {
        for shared in [false, true] {
            let world = World::new();
            let before = world.snapshot();
            let options = only(facts.name, shared);
            world.try_init(&options).unwrap();
            let found = world.registrations();
            assert!(!found.is_empty(), "{}", facts.name);
            for one in &found {
                let missing: Vec<_> = facts
                    .events
                    .iter()
                    .filter(|event| !one.events.iter().any(|known| known == **event))
                    .collect();
                assert!(missing.is_empty(), "{}: {missing:?}", facts.name);
            }
            let is_local = |one: &init::HarnessRegistration| one.command == "/opt/bin/waypost";
            let either = harness.registering().files().iter().any(|file| file.role == Role::Either);
            assert_eq!(found.iter().any(is_local), !(shared && either), "{} {shared}", facts.name);
            let once = world.snapshot();
            world.try_init(&options).unwrap();
            assert_eq!(world.snapshot(), once, "init twice: {} {shared}", facts.name);
            world.remove();
            assert_eq!(world.snapshot(), before, "{} {shared}", facts.name);
        }
    }
}

#[test]
fn what_a_client_kept_itself_comes_back_byte_for_byte() {
    for (harness, facts) in all() {
        let world = World::new();
        let mut kept = 0;
        for (path, _) in files(&world, harness) {
            let content = match path.extension().and_then(|extension| extension.to_str()) {
                Some("json" | "jsonc") => "{\n  // mine\n  \"other\": {\"a\": [1]}\n}\n",
                Some("toml") => {
                    "# mine\nmodel = \"x\" # this one\n\n[mcp_servers.other]\ncommand = 'y'\n"
                }
                _ => continue,
            };
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
            kept += 1;
        }
        assert!(kept > 0, "{}", facts.name);
        let before = world.snapshot();
        world.try_init(&only(facts.name, false)).unwrap();
        let paths = files(&world, harness).into_iter().map(|(path, _)| path);
        for path in paths.filter(|path| path.exists()) {
            let now = fs::read_to_string(&path).unwrap();
            let kept = ["// mine", "# mine", "waypost"].iter().any(|word| now.contains(word));
            assert!(kept, "{}: {}", facts.name, path.display());
        }
        assert!(!world.registrations().is_empty(), "{}", facts.name);
        world.remove();
        assert_eq!(world.snapshot(), before, "{}", facts.name);
    }
}

#[test]
fn what_somebody_wrote_since_stays_when_waypost_is_taken_out() {
    let world = World::new();
    world.try_init(&only("codex", false)).unwrap();
    let config = world.read(".codex/config.toml");
    let entry =
        "[mcp_servers.waypost]\ncommand = \"/opt/bin/waypost\"\nargs = [\"mcp\"]\nenv_vars = [";
    assert!(config.starts_with(entry) && config.contains("\"XDG_CONFIG_HOME\""), "{config}");
    world.write(".codex/config.toml", format!("# new\nmodel = \"z\"\n\n{config}"));
    world.remove();
    assert_eq!(world.read(".codex/config.toml"), "# new\nmodel = \"z\"\n");
    assert!(!world.path(".codex/hooks.json").exists());
}

#[test]
fn a_server_of_that_name_that_is_another_stays_and_a_file_that_cannot_be_read_stops_nothing_else() {
    let world = World::new();
    let own = "[mcp_servers.waypost]\ncommand = \"other\"\n";
    world.write(".codex/config.toml", own);
    let outcome = world.try_init(&only("codex", false)).unwrap();
    assert_eq!(world.read(".codex/config.toml"), own);
    assert!(notes(&outcome).iter().any(|note| note.contains("it stays as it is")), "{outcome:?}");
    for broken in ["[mcp_servers", "mcp_servers = 3\n", "mcp_servers.waypost = true\n"] {
        let world = World::new();
        world.write(".codex/config.toml", broken);
        let error = world.try_init(&only("codex", false)).unwrap_err();
        assert!(error.message.contains(".codex/config.toml"), "{}", error.message);
        assert!(!world.path(".codex/hooks.json").exists(), "nothing is written");
    }
}

#[test]
fn a_person_is_told_how_hooks_come_to_be_trusted() {
    let outcome = World::new().try_init(&only("codex", false)).unwrap();
    let notes = notes(&outcome);
    assert!(
        notes.iter().any(|note| note.contains("/hooks") && note.contains("trust")),
        "{notes:?}"
    );
}

#[test]
fn what_is_on_the_machine_is_registered_with_and_else_the_first() {
    let world = World::new();
    let bin = world.path("../bin");
    fs::create_dir_all(&bin).unwrap();
    let host = || Host { path: Some(bin.clone().into()), ..world.host() };
    let auto = Options { harnesses: vec!["auto".to_owned()], ..Options::default() };
    let chosen = |options: &Options| {
        init::run(&host(), &world.project(), options).unwrap();
        let found = registrations(&host(), &world.project());
        init::remove(&host(), &world.project()).unwrap();
        found.into_iter().map(|one| one.args.last().unwrap().clone()).collect::<Vec<_>>()
    };
    assert_eq!(chosen(&auto), ["claude-code"], "nothing is there");
    let program = bin.join("codex");
    fs::write(&program, "#!/bin/sh\n").unwrap();
    assert_eq!(chosen(&auto), ["claude-code"], "it cannot be executed");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(chosen(&auto), ["codex"]);
    assert_eq!(chosen(&Options::default()), ["codex"], "that is what is done without a choice");
    let both = Options { harnesses: vec!["auto".into(), "claude-code".into()], ..auto };
    assert_eq!(chosen(&both).len(), 2);
}

#[test]
fn the_only_settings_of_a_project_are_written_for_everyone_where_they_are_committed() {
    let world = World::new();
    fs::remove_dir_all(world.path(".git")).unwrap();
    world.write(".codex/hooks.json", "{}\n");
    for args in [&["init", "-q"][..], &["add", "."]] {
        let git = Command::new("git").args(args).current_dir(world.path("")).status();
        assert!(git.unwrap().success());
    }
    let before = world.snapshot();
    world.try_init(&only("codex", false)).unwrap();
    let hooks = world.read(".codex/hooks.json");
    assert!(!hooks.contains("/opt/bin") && hooks.contains(".waypost/hook"), "{hooks}");
    assert!(world.path(".waypost/hook").exists());
    assert!(!world.read(".git/info/exclude").contains(".codex/hooks.json"));
    world.remove();
    assert_eq!(
        world.snapshot().get(&world.path(".codex/hooks.json")),
        before.get(&world.path(".codex/hooks.json"))
    );
    assert!(!world.path(".waypost").exists());
}
