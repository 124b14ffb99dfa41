//! Many folders of other programs' sessions are read by several threads: all of them are there, those that cannot be read
//! are named in the order of their names, and it is the same however often it is done.

use std::fs;

use waypost_app::index::Report;
use waypost_app::machine::host::Host;

use super::{is_the_same_made_anew, scan};
use crate::world::World;

/// Several times as many as a thread takes at once.
const FOLDERS: usize = 700;

fn manifest(number: usize) -> String {
    let time =
        if number.is_multiple_of(3) { "" } else { r#""created_at": "2026-02-14T10:00:00Z","# };
    format!(
        r#"{{"session_id": "x", "topic": "Folder {number}", {time} "status": "active", "current_phase": "build",
        "commits": [{{"sha": "abc{number}", "message": "feat: add it"}}], "number": 18446744073709551616}}"#
    )
}

fn put(world: &World, name: &str, text: &str) {
    world.put(&format!("repo/agents/sessions/{name}/state.json"), text);
}

fn name(number: usize) -> String {
    format!("2026-02-14_folder-{number:03}")
}

fn told(report: &Report) -> Vec<(&str, &str)> {
    report.failed.iter().map(|failed| (failed.what.as_str(), failed.why.as_str())).collect()
}

#[test]
fn many_folders_are_all_read_and_what_cannot_be_is_named_in_order() {
    let world = World::new(waypost_store::InFiles);
    let host = Host { subscribers: Vec::new(), ..world.host() };
    (0..FOLDERS).for_each(|number| put(&world, &name(number), &manifest(number)));
    for number in [650, 3, 300] {
        put(&world, &name(number), "no manifest");
    }
    put(&world, "a name with spaces", "{}");
    world.put("repo/agents/sessions/2026-02-14_nothing/notes.md", "nothing");
    let first = scan(&host);
    assert_eq!((first.sessions, first.synced), (FOLDERS as u64, FOLDERS as u64));
    let unnamed = world.path("repo/agents/sessions/a name with spaces").display().to_string();
    let damaged = [3, 300, 650].map(|number| format!("agents/sessions/{}", name(number)));
    let mut expected: Vec<(&str, &str)> =
        damaged.iter().map(|folder| (folder.as_str(), "state.json is not JSON")).collect();
    expected.push((&unnamed, "its name cannot be the id of a session"));
    assert_eq!(told(&first), expected);
    let made = is_the_same_made_anew(&host);
    assert_eq!(made["sessions"].len(), FOLDERS);
    assert_eq!(made["commits"].len(), FOLDERS - 3);

    put(&world, &name(3), &manifest(3));
    put(&world, &name(4), &manifest(1004));
    for number in [0, 128, FOLDERS - 1] {
        fs::remove_dir_all(world.path(&format!("repo/agents/sessions/{}", name(number)))).unwrap();
    }
    let second = scan(&host);
    let counts = (second.sessions, second.synced, second.unchanged, second.removed);
    let left = FOLDERS as u64 - 3;
    assert_eq!(counts, (left, 2, left - 2, 3));
    let made = is_the_same_made_anew(&host);
    assert_eq!((made["sessions"].len(), made["commits"].len()), (FOLDERS - 3, FOLDERS - 5));
}
