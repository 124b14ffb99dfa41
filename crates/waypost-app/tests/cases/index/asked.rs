//! What pages ask the index for: sessions by what they are called, and what is to be said of a folder before it is added.

use std::fs;
use std::os::unix::fs::symlink;

use waypost_app::index::{self, Ask, Rows, SessionsThere};
use waypost_app::machine::host::Host;
use waypost_app::view::View;
use waypost_core::actor::Actor;
use waypost_core::command::Command;
use waypost_core::event::{GitChanged, SessionStarted};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::tables::{Cell, SessionRow};

use super::scan;
use crate::world::World;

fn begin(view: &View<'_>, id: &str, objective: &str, branch: &str) -> SessionId {
    let id: SessionId = id.parse().unwrap();
    assert!(view.log.create(&StreamId::Session(id.clone())).unwrap());
    let started = SessionStarted {
        objective: Some(objective.to_owned()),
        workflow: "none".to_owned(),
        branch: Some(branch.to_owned()),
        commit: None,
        worktree: None,
    };
    view.execute(&id, &Actor::Human, Command::Start(started)).unwrap();
    id
}

fn called(rows: &Rows, words: &str, project: Option<&str>) -> Vec<String> {
    let found = rows.called(words, project, 9).unwrap();
    let mut ids: Vec<String> = found.into_iter().map(|row| row.id).collect();
    ids.sort();
    ids
}

on_each_store!(sessions_are_found_by_what_they_are_called_now);
fn sessions_are_found_by_what_they_are_called_now(world: &World) {
    let host = Host { subscribers: Vec::new(), ..world.host() };
    let view = View::open(&host).unwrap();
    let (one, two) = ("2026-11-15_passkeys_aaaaaa", "2026-11-15_rotate_bbbbbb");
    let id = begin(&view, one, "Add passkeys to the login", "main");
    begin(&view, two, "Rotate the \"login\" keys", "feature/rotate");
    let project = scan(&host).projects.remove(0).id;
    let rows = Rows::open(&host).unwrap().unwrap();
    for (words, found) in [
        ("login", vec![one, two]),
        ("pass", vec![one]),
        ("LOGIN rotate", vec![two]),
        ("2026-11-15_rot", vec![two]),
        ("bbb", vec![two]),
        ("feature/ro", vec![two]),
        ("\"login\"", vec![one, two]),
        ("nobody", vec![]),
        (" ", vec![]),
        ("OR", vec![]),
    ] {
        assert_eq!(called(&rows, words, None), found, "{words}");
        assert_eq!(called(&rows, words, Some(&project)), found, "{words}");
        assert!(called(&rows, words, Some("0123456789ab")).is_empty(), "{words}");
    }
    // What it is called by may change: its branch does here.
    let branch = Some("fix/passkeys-2".to_owned());
    let moved = GitChanged { branch, worktree: None, base_branch: None };
    view.execute(&id, &Actor::Human, Command::ChangeGit(moved)).unwrap();
    let note = Command::Note { kind: "note".to_owned(), text: "nothing else".to_owned() };
    scan(&host);
    view.execute(&id, &Actor::Human, note).unwrap();
    scan(&host);
    assert_eq!(called(&rows, "fix/passkeys-2", None), [one]);
    assert!(called(&rows, "main", None).is_empty());
}

on_each_store!(sessions_are_counted_and_given_page_by_page);
fn sessions_are_counted_and_given_page_by_page(world: &World) {
    let host = Host { subscribers: Vec::new(), ..world.host() };
    let view = View::open(&host).unwrap();
    for number in 0..7 {
        let branch = if number < 2 { "main" } else { "other" };
        begin(&view, &format!("2026-11-15_n-{number}_aaaaaa"), &format!("Number {number}"), branch);
    }
    let project = scan(&host).projects.remove(0).id;
    let rows = Rows::open(&host).unwrap().unwrap();
    let with = [("project", Cell::Text(project))];
    let all = Ask { with: &with, ..Ask::default() };
    let of_main = [with[0].clone(), ("branch", Cell::Text("main".to_owned()))];
    assert_eq!(rows.number::<SessionRow>(all).unwrap(), 7);
    assert_eq!(rows.number::<SessionRow>(Ask { with: &of_main, ..all }).unwrap(), 2);
    let without = [("branch", Cell::Text("main".to_owned()))];
    assert_eq!(rows.number::<SessionRow>(Ask { without: &without, ..all }).unwrap(), 5);
    let each = rows.sums::<SessionRow>(all, Some("branch"), &[]).unwrap();
    let each: Vec<(Cell, u64)> = each.into_iter().map(|sums| (sums.of, sums.rows)).collect();
    let text = |text: &str| Cell::Text(text.to_owned());
    assert_eq!(each, [(text("main"), 2), (text("other"), 5)]);
    let mut seen = Vec::new();
    for skip in [0, 3, 6, 9] {
        let page =
            rows.of::<SessionRow>(Ask { most: Some(3), skip, by: Some(("id", true)), ..all });
        seen.extend(page.unwrap().into_iter().map(|row| row.id));
    }
    assert_eq!(seen.len(), 7);
    assert!(seen.is_sorted_by(|one, other| one > other), "{seen:?}");
}

#[test]
fn a_folder_is_looked_at_before_it_is_added() {
    let world = World::new(waypost_store::InFiles);
    let host = Host { subscribers: Vec::new(), ..world.host() };
    let home = index::place(&host, None).unwrap();
    assert_eq!(
        (home.path, home.unreadable, home.project.is_none()),
        (world.path("home"), None, true)
    );
    assert!(home.inside.is_empty(), "hidden folders are not listed");

    let gone = index::place(&host, Some("~/nowhere")).unwrap();
    assert!(gone.unreadable.is_some() && gone.inside.is_empty());
    world.put("home/a file", "");
    assert!(index::place(&host, Some("a file")).unwrap().unreadable.is_some());

    let view = View::open(&host).unwrap();
    begin(&view, "2026-11-15_live_aaaaaa", "It lives", "main");
    world.put("repo/agents/sessions/2026-02-14_old/state.json", "{}");
    world.put("repo/agents/sessions/2026-02-15_copy/events.jsonl", "");
    fs::create_dir_all(world.path("repo/agents/sessions/empty")).unwrap();
    symlink(world.path("repo"), world.path("home/linked")).unwrap();
    let place = index::place(&host, Some("linked")).unwrap();
    assert_eq!(place.path, world.path("repo"), "links are resolved");
    let found = place.project.unwrap();
    assert!(found.repository && found.configured && found.initialised && found.is_kept());
    assert_eq!(found.sessions, SessionsThere { live: 1, copies: 1, legacy: 1, more: false });
    assert_eq!((found.branch.as_deref(), found.listed), (Some("main"), None));
    let listed = scan(&host).projects.remove(0).id;
    let again = index::place(&host, Some(world.path("repo").to_str().unwrap())).unwrap();
    assert_eq!(again.project.unwrap().listed, Some(listed));
}

#[test]
fn only_so_many_folders_are_listed() {
    let world = World::new(waypost_store::InFiles);
    let host = Host { subscribers: Vec::new(), ..world.host() };
    for number in 0..=index::MAX_INSIDE {
        fs::create_dir_all(world.path(&format!("home/many/{number:03}"))).unwrap();
    }
    fs::create_dir_all(world.path("home/many/000/.git")).unwrap();
    let place = index::place(&host, Some("~/many")).unwrap();
    assert!(place.more && place.inside.len() == index::MAX_INSIDE);
    assert_eq!((place.inside[0].name.as_str(), place.inside[0].repository), ("000", true));
    assert!(!place.inside[1].repository);
}
