//! What an audit says of turns whose labels are known, in the formats of the clients: `turns.txt`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a table that cannot be read has failed")]

mod clients;
mod row;

use std::fs;
use std::path::Path;

use waypost_app::audit::{self, Audit};
use waypost_app::transcripts::{self, Scope};

use row::Row;

/// How many of a hundred have to agree.
const WANTED: usize = 98;

/// What an audit says of the last claim in a row's turns.
fn judged(row: &Row, client: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("project");
    fs::create_dir_all(project.join("sub")).unwrap();
    if let Some(command) = row.gate() {
        let gate = format!(
            "[project]\n\n[[gate]]\nid = \"tests\"\nlevel = \"must\"\nbefore = [\"stop\"]\nproof = {{ ran = \"{command}\" }}\n"
        );
        fs::write(project.join("waypost.toml"), gate).unwrap();
    }
    clients::write(home.path(), &project, row, client);
    label(&audit_of(home.path(), &project), row)
}

fn audit_of(home: &Path, project: &Path) -> Audit {
    let kept = transcripts::kept(waypost_hook::transcripts::ALL, home, |_| None);
    let scope = Scope { root: Some(project.to_owned()), since: None };
    audit::audit(&kept, &scope)
}

/// The class of the last claim; where a row has several, all but one are verified and do not say much.
fn label(audit: &Audit, row: &Row) -> String {
    assert_eq!(audit.conversations, 1, "{}", row.line);
    let counts = &audit.counts;
    let classes = [
        (counts.failed, "failed"),
        (counts.stale, "stale"),
        (counts.never_ran, "never_ran"),
        (counts.not_seen, "not_seen"),
        (counts.verified, "verified"),
    ];
    let sum: u64 = classes.iter().map(|(number, _)| number).sum();
    assert_eq!(counts.claims, sum, "{}", row.line);
    let found = classes.iter().find(|(number, _)| *number > 0);
    found.map_or("none", |(_, name)| name).to_owned()
}

#[test]
fn an_audit_agrees_with_the_labels_of_turns() {
    let (mut turns, mut misses) = (0, Vec::new());
    for row in row::all(include_str!("turns.txt")) {
        for client in row.clients() {
            turns += 1;
            let found = judged(&row, client);
            if found != row.label {
                misses.push(format!("{client}: {found} instead of {}", row.line));
            }
        }
    }
    println!("{turns} turns, {} misses:\n{}", misses.len(), misses.join("\n"));
    assert!(turns >= 200, "only {turns} turns");
    assert!(
        misses.len() * 100 <= (100 - WANTED) * turns,
        "{} of {turns} turns are judged otherwise:\n{}",
        misses.len(),
        misses.join("\n")
    );
}
