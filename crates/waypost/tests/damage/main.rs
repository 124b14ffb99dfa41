//! Every file broken in every way, one at a time: seen, named, and left behind by following the
//! printed advice alone.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod damages;
mod world;

use std::path::PathBuf;

use damages::ALL;
use waypost_testkit::everything;
use world::World;

type Place = fn(&World) -> PathBuf;

fn newest(folder: PathBuf) -> PathBuf {
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    names.pop().unwrap()
}

const FILES: [(&str, Place); 12] = [
    ("session log", |w| w.stream().join("events.jsonl")),
    ("snapshot", |w| w.stream().join("snapshot")),
    ("head", |w| w.env.store().join("heads").join(format!("session-{}", w.session))),
    ("project log", |w| w.env.store().join("project/events.jsonl")),
    ("project head", |w| w.env.store().join("heads/project")),
    ("compiled policy", |w| newest(w.env.store().join("policies"))),
    ("registry entry", |w| w.in_home(".local/state/waypost/conversations/claude-code-s1")),
    ("key", |w| w.env.key_file()),
    ("published events", |w| w.copy().join("events.jsonl")),
    ("published manifest", |w| w.copy().join("state.json")),
    ("waypost.toml", |w| w.env.project().join("waypost.toml")),
    ("settings", |w| w.env.project().join(".claude/settings.local.json")),
];

#[test]
fn explore() {
    let only = std::env::var("DAMAGE").unwrap_or_default();
    for (file, place) in FILES {
        for (name, damage) in ALL {
            let label = format!("{file}: {name}");
            if !label.contains(&only) {
                continue;
            }
            let world = World::new();
            let path = place(&world);
            damage.apply(&path);
            println!("=== {label}");
            for args in [&["list"][..], &["status"], &["brief"], &["verify", "--all"], &["doctor"]]
            {
                let out = world.run(args);
                println!("--- {args:?} -> {:?}\n{}", out.status.code(), everything(&out));
            }
            println!("--- new conversation: {:?}", world.a_new_conversation_works());
            world.leave();
            let mut done: Vec<String> = Vec::new();
            for _ in 0..8 {
                let out = everything(&world.run(&["doctor"]));
                let Some(next) = advice(&out).into_iter().find(|one| !done.contains(one)) else {
                    break;
                };
                let args: Vec<&str> = next.split_whitespace().skip(1).collect();
                let out = world.run(&args);
                println!("--- FOLLOW {args:?} -> {:?}\n{}", out.status.code(), everything(&out));
                done.push(next);
            }
            for args in [
                &["doctor"][..],
                &["verify", "--all"],
                &["list"],
                &["note", "add", "fifth", "--session", &world.session],
            ] {
                let out = world.run(args);
                println!("--- {args:?} -> {:?}\n{}", out.status.code(), everything(&out));
            }
            println!("--- again new conversation: {:?}", world.a_new_conversation_works());
        }
    }
}

/// The commands that a text advises.
fn advice(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().filter(|line| line.contains('→') || line.contains("next:")) {
        if let Some(at) = line.find("waypost ") {
            let rest = &line[at..];
            let end = rest.find(['`', ';', ',', '(']).unwrap_or(rest.len());
            found.push(rest[..end].trim().trim_end_matches('.').to_owned());
        }
    }
    found
}
