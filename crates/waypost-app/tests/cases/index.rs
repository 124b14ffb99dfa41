//! An index that was kept up with what happened is the same, row for row, as one that is made anew.

mod asked;
mod folders;
mod random;

use std::collections::BTreeMap;
use std::fs;

use waypost_app::index::{self, Report};
use waypost_app::machine::host::Host;
use waypost_app::view::View;
use waypost_core::agents::{AgentWork, Agents};
use waypost_core::id::StreamId;
use waypost_core::tables::{
    AgentRow, Cell, DecisionRow, ProjectRow, Row, SessionRow, TABLES, UsageCountedRow, VerdictRow,
    session_key,
};
use waypost_store::index::{Asked, Index, IndexPlace, Summed, Texts, rows_of};

use crate::world::World;
use random::Random;

/// How many sessions there are.
const SESSIONS: usize = 1_000;
/// How often the index is kept up while things happen.
const SCANS: usize = 10;
/// How many things happen in between.
const STEPS: usize = 1_500;

type Rows = BTreeMap<&'static str, Vec<Vec<Cell>>>;

fn scan(host: &Host) -> Report {
    index::scan(host, &[], &mut |_, _, _| {}).unwrap()
}

/// Everything that is in the index.
fn rows(host: &Host) -> Rows {
    let index = IndexPlace::new(host.state_dir.join("index")).open().unwrap().unwrap();
    let all = TABLES.iter().map(|table| (table.name, index.rows(&Asked::all(table)).unwrap()));
    all.chain([("found by words", found_by_words(&*index))]).collect()
}

/// Which sessions are found by some words.
fn found_by_words(index: &dyn Index) -> Vec<Vec<Cell>> {
    let found = ["number", "number 7", "main", "folder", "tests", "2026-02-14", "aaaaaa", "nobody"]
        .map(|words| {
            let mut found = index.search(Texts::Sessions, words, 100_000).unwrap();
            found.sort_unstable();
            let found = found.into_iter().map(Cell::Int);
            std::iter::once(Cell::Text(words.to_owned())).chain(found).collect()
        });
    found.to_vec()
}

/// That the rows of sessions tell what their conversations used.
fn agree_about_cost(rows: &Rows, host: &Host) {
    let index = IndexPlace::new(host.state_dir.join("index")).open().unwrap().unwrap();
    let counted = rows_of::<UsageCountedRow>(&*index, &[]).unwrap();
    let cost: u64 = counted.iter().filter_map(|row| row.nano_usd).sum();
    let summed = Summed { each: None, columns: &["nano_usd", "priced", "unpriced"] };
    let sums = index.sums(&Asked::all(SessionRow::TABLE), &summed).unwrap().remove(0);
    assert!(cost > 0);
    assert_eq!(sums.sums[0].unsigned_abs(), cost);
    assert_eq!(sums.sums[1], sums.sums[0], "of what has a price a token costs one");
    let tokens: u64 = counted.iter().map(|row| row.input).sum();
    assert_eq!((sums.sums[1] + sums.sums[2]).unsigned_abs(), tokens);
    assert_eq!(sums.rows, rows["sessions"].len() as u64);
}

fn is_the_same_made_anew(host: &Host) -> Rows {
    let kept_up = rows(host);
    let report = index::rebuild(host, &[], &mut |_, _, _| {}).unwrap();
    assert!(report.rebuilt);
    let made = rows(host);
    for (table, rows) in &kept_up {
        for (one, other) in rows.iter().zip(&made[table]) {
            assert_eq!(one, other, "{table}");
        }
        assert_eq!(rows.len(), made[table].len(), "{table}");
    }
    let again = scan(host);
    assert_eq!((again.synced, again.removed, again.rebuilt), (0, 0, false), "{again:?}");
    assert_eq!(rows(host), made, "a scan of what has not changed changes nothing");
    made
}

/// That the rows of agents tell what the sessions themselves tell of them.
fn agree_with_the_sessions(view: &View<'_>, host: &Host) {
    let index = IndexPlace::new(host.state_dir.join("index")).open().unwrap().unwrap();
    let project = rows_of::<ProjectRow>(&*index, &[]).unwrap().remove(0).id;
    let mut seen = 0;
    for id in view.log.sessions().unwrap() {
        let with = [("session", Cell::Int(session_key(&project, &id)))];
        let told = Agents::of(&view.log.records(&StreamId::Session(id)).unwrap());
        let agents = rows_of::<AgentRow>(&*index, &with).unwrap();
        let row = |row: &AgentRow| (row.seq, row.status.clone(), row.ended_at, row.tokens);
        let work = |one: &AgentWork| {
            (one.seq, one.status.name().to_owned(), one.completed_at, one.usage.tokens)
        };
        assert_eq!(
            agents.iter().map(row).collect::<Vec<_>>(),
            told.invocations.iter().map(work).collect::<Vec<_>>()
        );
        let decisions = rows_of::<DecisionRow>(&*index, &with).unwrap();
        assert_eq!(decisions.len(), told.decisions.len());
        for decision in &told.decisions {
            let row = decisions.iter().find(|row| row.id == decision.decision.id).unwrap();
            let [agree, disagree] =
                [&decision.decision.approved_by, &decision.decision.rejected_by];
            assert_eq!(
                (&row.approved_by, &row.rejected_by),
                (&agree.join("\n"), &disagree.join("\n"))
            );
        }
        let verdicts = rows_of::<VerdictRow>(&*index, &with).unwrap();
        let resolved = verdicts.iter().map(|row| (row.seq, row.resolved.clone()));
        let verdicts = told.verdicts.iter().map(|verdict| (verdict.seq, verdict.resolved.clone()));
        assert_eq!(resolved.collect::<Vec<_>>(), verdicts.collect::<Vec<_>>());
        seen += agents.len() + told.verdicts.len();
    }
    assert!(seen > SCANS);
}

#[test]
fn a_thousand_random_sessions_come_to_the_same_rows_however_they_are_read() {
    let world = World::new(waypost_store::InMemory::default());
    let host = Host { subscribers: Vec::new(), ..world.host() };
    let view = View::open(&host).unwrap();
    let mut random = Random::new(22);
    for round in 0..SCANS {
        for number in 0..SESSIONS / SCANS {
            random.begin(&view, round * SESSIONS / SCANS + number);
        }
        for _ in 0..STEPS {
            random.step(&view);
        }
        random.folders(&world);
        let report = scan(&host);
        assert!(report.synced > 0 && report.synced <= report.sessions, "{report:?}");
    }
    let made = is_the_same_made_anew(&host);
    agree_with_the_sessions(&view, &host);
    agree_about_cost(&made, &host);
    for found in &made["found by words"][..7] {
        assert!(found.len() > 2, "{found:?}");
    }
    assert_eq!(made["found by words"][7].len(), 1);
    let live = made["sessions"].iter().filter(|row| row[3] == Cell::Text("live".to_owned()));
    assert_eq!(live.count(), SESSIONS);
    for table in [
        "conversations",
        "agents",
        "agent_logs",
        "gates",
        "evidence",
        "decisions",
        "verdicts",
        "violations",
        "commits",
    ] {
        assert!(made[table].len() > SCANS, "{table} has {} rows", made[table].len());
    }
}

#[test]
fn the_same_is_true_of_streams_in_files() {
    let world = World::new(waypost_store::InFiles);
    let host = Host { subscribers: Vec::new(), ..world.host() };
    let view = View::open(&host).unwrap();
    let mut random = Random::new(7);
    for round in 0..4 {
        random.begin(&view, round);
        for _ in 0..25 {
            random.step(&view);
        }
        scan(&host);
    }
    is_the_same_made_anew(&host);
}

on_each_store!(what_is_gone_leaves_no_rows);
fn what_is_gone_leaves_no_rows(world: &World) {
    let host = Host { subscribers: Vec::new(), ..world.host() };
    let view = View::open(&host).unwrap();
    let mut random = Random::new(3);
    random.begin(&view, 0);
    random.folders(world);
    scan(&host);
    fs::remove_dir_all(world.path("repo/agents")).unwrap();
    assert!(scan(&host).removed > 0);
    let made = is_the_same_made_anew(&host);
    assert_eq!(made["sessions"].len(), 1);
    assert_eq!(made["commits"].len(), 0);
}
