//! Every file broken in every way, one at a time: seen, named, and left behind by following the printed
//! advice alone. What has to come of each is the table in docs/storage.md.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod damages;
mod table;
mod way_out;
mod world;

use std::fs;
use std::path::PathBuf;

use damages::Damage;
use world::World;

/// Where a file is.
type Place = fn(&World) -> PathBuf;

const FILES: [(&str, Place); 14] = [
    ("session log", |world| world.stream().join("events.jsonl")),
    ("snapshot", |world| world.stream().join("snapshot")),
    ("story", |world| world.stream().join("story")),
    ("session index", |world| world.env.store().join("index/main")),
    ("head", |world| world.env.store().join("heads").join(format!("session-{}", world.session))),
    ("project log", |world| world.env.store().join("project/events.jsonl")),
    ("project head", |world| world.env.store().join("heads/project")),
    ("compiled policy", |world| only(world.env.store().join("policies"))),
    ("registry entry", |world| {
        world.env.home().join(".local/state/waypost/conversations/claude-code-s1")
    }),
    ("key", |world| world.env.key_file()),
    ("published events", |world| world.copy().join("events.jsonl")),
    ("published manifest", |world| world.copy().join("state.json")),
    ("waypost.toml", |world| world.env.project().join("waypost.toml")),
    ("settings", |world| world.env.project().join(".claude/settings.local.json")),
];

/// The only file of a folder.
fn only(folder: PathBuf) -> PathBuf {
    let names: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    names.into_iter().next().unwrap()
}

/// Breaks a file in every way, and compares what comes of it with the table.
fn walk(file: &str) {
    let (_, place) = FILES.iter().find(|(name, _)| *name == file).unwrap();
    let expected = table::row(file);
    let mut wrong = Vec::new();
    for (name, damage) in damages::ALL {
        let world = World::new();
        let path = place(&world);
        let good = fs::read(&path).unwrap();
        damage.apply(&path);
        let found = way_out::of(&world, file, || damages::undo(&path, &good));
        let wanted = &expected[name];
        if found.word != *wanted || !found.problems.is_empty() {
            wrong.push(format!(
                "{file}, {name}: {} instead of {wanted}: {:#?}\n{}",
                found.word, found.problems, found.log
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

macro_rules! rows {
    ($($test:ident: $file:literal,)+) => {
        $(#[test]
        fn $test() {
            walk($file);
        })+
    };
}

rows! {
    session_log: "session log",
    snapshot: "snapshot",
    story: "story",
    session_index: "session index",
    head: "head",
    project_log: "project log",
    project_head: "project head",
    compiled_policy: "compiled policy",
    registry_entry: "registry entry",
    key: "key",
    published_events: "published events",
    published_manifest: "published manifest",
    waypost_toml: "waypost.toml",
    settings: "settings",
}

#[test]
fn the_table_has_every_file_and_every_damage_and_nothing_else() {
    let files: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    assert_eq!(table::files(), files);
    for file in files {
        let names: Vec<String> = table::row(file).into_keys().collect();
        let mut wanted: Vec<&str> = damages::ALL.iter().map(|(name, _)| *name).collect();
        wanted.sort_unstable();
        assert_eq!(names, wanted, "{file}");
    }
    assert!(damages::ALL.iter().any(|(_, damage)| *damage == Damage::Zeroed));
}
