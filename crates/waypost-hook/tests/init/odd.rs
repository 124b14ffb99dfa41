//! Every harness that Waypost registers with: what it writes, and that taking it out gives every byte back.

use waypost_app::harness::{Harness, Role};
use waypost_app::setup::init::Preset;

use super::*;

/// What may stand in a file before: odd, with comments, and with the lists that Waypost adds to.
const ODD: &[&str] = &[
    "",
    "{}\n",
    "{\r\n  \"a\": 1,\r\n  \"b\": [\r\n    2\r\n  ]\r\n}\r\n",
    "{\n    \"a\": 1, // why\n    /* block */ \"b\": 2,\n}\n\n\n",
    "// only a comment",
    r#"{"hooks":{},"mcpServers":{},"mcp":{},"version":1}"#,
    "{\"mcpServers\":{\"other\":{\"command\":\"x\"}},\"mcp\":{\"other\":{\"type\":\"local\",\"command\":[\"x\"]}}}",
    "{ \"hooks\": { \"Stop\": [], \"stop\": [], \"BeforeTool\": [ { \"hooks\": [] } ] } }",
];

fn options(names: &[&str], shared: bool) -> Options {
    let harnesses = names.iter().map(|name| (*name).to_owned()).collect();
    Options { harnesses, preset: Some(Preset::Minimal), shared, ..Options::default() }
}

/// Those that have files in which Waypost registers.
fn all() -> impl Iterator<Item = &'static dyn Harness> {
    let all = harnesses::ALL.iter().copied();
    all.filter(|harness| !harness.registering().files().is_empty())
}

fn names() -> Vec<&'static str> {
    all().map(|one| one.facts().name).collect()
}

/// The JSON files of a harness, from the project's folder. Those of its own hold nothing of others.
fn files(world: &World, harness: &dyn Harness) -> Vec<String> {
    let host = world.host();
    let root = world.path("");
    let local = host.harness(harness.facts().name).unwrap();
    let all = harness.registering().files().iter();
    let places = all.map(|file| (file.place)(host.ground(local, &root)));
    let named = places.map(|place| place.strip_prefix(&root).unwrap().display().to_string());
    named.filter(|name| !name.contains("/waypost.") && !name.ends_with(".toml")).collect()
}

fn there_and_back(world: &World, harnesses: &[&str], shared: bool, what: &str) {
    let before = world.snapshot();
    world.try_init(&options(harnesses, shared)).unwrap();
    for name in harnesses {
        let found = init::registrations(
            &world.host(),
            world.host().harness(name).unwrap().harness,
            &world.project(),
        );
        assert!(!found.unwrap().is_empty(), "{name} {what}");
    }
    let once = world.snapshot();
    world.try_init(&options(harnesses, shared)).unwrap();
    assert_eq!(world.snapshot(), once, "init twice: {harnesses:?} {what}");
    world.remove();
    assert_eq!(world.snapshot(), before, "{harnesses:?} {what}");
}

#[test]
fn every_file_comes_back_byte_for_byte() {
    for harness in all() {
        let name = harness.facts().name;
        for shared in [false, true] {
            there_and_back(&World::new(), &[name], shared, "nothing there");
            for content in ODD {
                let world = World::new();
                for file in files(&world, harness) {
                    world.write(&file, content);
                }
                there_and_back(&world, &[name], shared, content);
            }
        }
    }
}

#[test]
fn all_of_them_at_once_come_back_byte_for_byte() {
    for shared in [false, true] {
        there_and_back(&World::new(), &names(), shared, "nothing there");
        let world = World::new();
        for harness in all() {
            for file in files(&world, harness) {
                world.write(&file, "{\n  // mine\n  \"a\": 1\n}\n");
            }
        }
        there_and_back(&world, &names(), shared, "something there");
    }
}

#[test]
fn each_is_registered_for_all_that_it_has_to_be_called_for() {
    let world = World::new();
    world.try_init(&options(&names(), false)).unwrap();
    for harness in all() {
        let (host, facts) = (world.host(), harness.facts());
        let found = init::registrations(&host, harness, &world.project()).unwrap();
        let [only] = &found[..] else { panic!("{}: {found:?}", facts.name) };
        let missing: Vec<_> = facts
            .events
            .iter()
            .filter(|event| !only.events.iter().any(|it| it == *event))
            .collect();
        assert!(missing.is_empty(), "{}: {missing:?}", facts.name);
        let files = harness.registering().files().iter();
        for file in files.filter(|file| file.role != Role::Servers) {
            let local = host.harness(facts.name).unwrap();
            let path = (file.place)(host.ground(local, &world.path("")));
            let Ok(bytes) = fs::read(&path) else { continue };
            let content = waypost_app::harness::Content {
                role: file.role,
                path: &path,
                bytes: &bytes,
                exe: Some("/opt/bin/waypost"),
            };
            for hook in harness.registering().said(content).unwrap().hooks {
                assert_eq!(
                    hook.faults,
                    Vec::<&waypost_app::harness::Fault>::new(),
                    "{}",
                    facts.name
                );
            }
        }
    }
}
