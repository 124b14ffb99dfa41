//! Every harness, and all of them at once, with files that are odd: what is taken out gives every byte back.

use waypost_app::harness::Harness;
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

/// Those that have files.
fn all() -> impl Iterator<Item = &'static dyn Harness> {
    let all = harnesses::ALL.iter().copied();
    all.filter(|one| !one.registering().files().is_empty())
}

fn names() -> Vec<&'static str> {
    all().map(|one| one.facts().name).collect()
}

/// The JSON files of a harness, from the project's folder. Those that are Waypost's alone hold nothing of others.
fn files(world: &World, harness: &dyn Harness) -> Vec<String> {
    let host = world.host();
    let root = world.path("");
    let local = host.harness(harness.facts().name).unwrap();
    let all = harness.registering().files().iter();
    let places = all.map(|file| (file.place)(host.ground(local, &root)));
    let named = places.map(|place| place.strip_prefix(&root).unwrap().display().to_string());
    let is_json = |name: &str| Path::new(name).extension().is_some_and(|end| end == "json");
    named.filter(|name| is_json(name) && !name.contains("/waypost.")).collect()
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
