//! Ways around Waypost, each played against the real binary: what comes of them is the table in
//! docs/ways-around.md, which these tests make (`WAYPOST_UPDATE=1`, one test at a time) and compare.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod client;
mod commits;
mod evidence;
mod hidden;
mod own;
mod people;
mod play;
mod scenarios;
mod stops;
mod table;
mod tools;
mod trees;

use std::collections::BTreeSet;

use play::Way;

/// The groups of the table: the test that plays each, its heading, and its ways.
const GROUPS: [(&str, &str, &[Way]); 9] = [
    ("evidence", "Content and evidence", evidence::WAYS),
    ("commits", "Commits", commits::WAYS),
    ("work_trees", "Work trees", trees::WAYS),
    ("hidden_edits", "Hidden edits", hidden::WAYS),
    ("tools_and_events", "Tools and events", tools::WAYS),
    ("client_switches", "The client's own switches", client::WAYS),
    ("peoples_words", "People's words", people::WAYS),
    ("stops", "Background and stops", stops::WAYS),
    ("own_files", "Waypost's own files", own::WAYS),
];

/// Plays the ways of a group, and compares what came of them with its part of the table.
fn play_all(test: &str) {
    let (_, heading, ways) = GROUPS.iter().find(|group| group.0 == test).unwrap();
    let mut lines = Vec::new();
    let mut wrong = Vec::new();
    for way in *ways {
        match way.play.outcome() {
            Ok(came) => lines.push(table::line(way, &came, test)),
            Err(problem) => wrong.push(format!("{}: {problem}", way.title)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    table::compare(heading, &lines);
}

macro_rules! groups {
    ($($test:ident,)+) => {
        $(#[test]
        fn $test() {
            play_all(stringify!($test));
        })+

        #[test]
        fn every_group_is_played() {
            let played = [$(stringify!($test)),+];
            assert_eq!(played, GROUPS.map(|group| group.0));
        }
    };
}

groups! {
    evidence,
    commits,
    work_trees,
    hidden_edits,
    tools_and_events,
    client_switches,
    peoples_words,
    stops,
    own_files,
}

#[test]
fn the_table_has_these_ways_and_no_others() {
    let ways: Vec<&str> = GROUPS.iter().flat_map(|group| group.2).map(|way| way.title).collect();
    assert!(table::is_written() || table::titles() == ways, "docs/ways-around.md has other ways");
    let different: BTreeSet<&str> = ways.iter().copied().collect();
    assert_eq!(different.len(), ways.len(), "a way stands there twice");
    assert!(ways.len() >= 60, "{}", ways.len());
}

#[test]
fn scenarios_of_the_real_client_that_play_a_way_are_those_that_the_table_names() {
    let all = GROUPS.iter().flat_map(|group| group.2);
    let named: Vec<&str> = all.map(|way| way.real).filter(|name| !name.is_empty()).collect();
    assert!(named.len() >= 20, "{}", named.len());
    let named: BTreeSet<String> = named.into_iter().map(str::to_owned).collect();
    assert_eq!(named, scenarios::marked());
}
