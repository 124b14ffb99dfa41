//! What every index does: one suite, run over each of them.

use waypost_core::tables::{
    Cell, CommitRow, ConversationRow, LogRow, MessageRow, Row, TABLES, VerdictRow,
};
use waypost_core::time::Timestamp;
use waypost_store::index::{Asked, Change, Index, IndexPlace, rows_of};

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap()
}

fn log(session: i64, number: u64) -> LogRow {
    LogRow {
        session,
        activity: false,
        number,
        time: at(1_000 * i64::try_from(number).unwrap()),
        actor: "human".to_owned(),
        kind: "note_added".to_owned(),
        what: Some(format!("ünï \"{number}\" '); DROP TABLE agent_logs; --\n\0")),
        status: None,
        files: None,
    }
}

fn rows_come_back_as_they_were(index: &mut dyn Index) {
    let rows: Vec<LogRow> = (1..=50).map(|number| log(1, number)).collect();
    index.write(&[Change::put(&rows)]).unwrap();
    assert_eq!(rows_of::<LogRow>(index, &[]).unwrap(), rows);
    assert_eq!(index.count(LogRow::TABLE).unwrap(), 50);
    let verdict = VerdictRow {
        session: i64::MIN,
        seq: i64::MAX as u64,
        time: at(-1),
        agent: String::new(),
        verdict: "approve".to_owned(),
        confidence: 1.0,
        reasoning: "x".repeat(100_000),
        provenance: "claimed".to_owned(),
        counts: false,
        wants: 0,
        resolved: None,
    };
    index.write(&[Change::put([&verdict])]).unwrap();
    assert_eq!(rows_of::<VerdictRow>(index, &[]).unwrap(), [verdict]);
}

fn a_row_takes_the_place_of_one_with_the_same_key(index: &mut dyn Index) {
    let mut row = ConversationRow {
        session: 1,
        id: "c".to_owned(),
        harness: "toy".to_owned(),
        attached_at: at(1),
        detached_at: Some(at(2)),
        reason: Some("exit".to_owned()),
        turns: 1,
    };
    let other = ConversationRow { session: 2, ..row.clone() };
    index.write(&[Change::put([&row, &other])]).unwrap();
    (row.detached_at, row.turns) = (None, 2);
    index.write(&[Change::put([&row])]).unwrap();
    assert_eq!(rows_of::<ConversationRow>(index, &[]).unwrap(), [row, other]);
}

fn rows_are_asked_for_by_what_stands_in_them(index: &mut dyn Index) {
    let rows: Vec<LogRow> =
        [1, 2].into_iter().flat_map(|session| (1..=9).map(move |n| log(session, n))).collect();
    index.write(&[Change::put(&rows)]).unwrap();
    let with = [("session", Cell::Int(2)), ("status", Cell::Null)];
    assert_eq!(rows_of::<LogRow>(index, &with).unwrap(), rows[9..]);
    let (from, to) = (Cell::Int(3_000), Cell::Int(6_000));
    let asked = Asked {
        within: Some(("time", &from, &to)),
        by: Some(("time", true)),
        most: Some(2),
        ..Asked::with(LogRow::TABLE, &with)
    };
    let found: Vec<LogRow> =
        index.rows(&asked).unwrap().iter().filter_map(|row| LogRow::from_cells(row)).collect();
    assert_eq!(found, [log(2, 5), log(2, 4)]);
}

fn rows_go_by_what_stands_in_them(index: &mut dyn Index) {
    index.write(&[Change::put([&log(1, 1), &log(1, 2), &log(2, 1)])]).unwrap();
    index.write(&[Change::forget(LogRow::TABLE, 1), Change::put([&log(1, 7)])]).unwrap();
    assert_eq!(rows_of::<LogRow>(index, &[]).unwrap(), [log(1, 7), log(2, 1)]);
}

fn all_changes_are_made_or_none(index: &mut dyn Index) {
    let broken = Change::Put { table: CommitRow::TABLE, rows: vec![vec![Cell::Null]] };
    assert!(index.write(&[Change::put([&log(1, 1)]), broken]).is_err());
    assert_eq!(index.count(LogRow::TABLE).unwrap(), 0);
    index.write(&[Change::put([&log(1, 1)])]).unwrap();
    assert_eq!(index.count(LogRow::TABLE).unwrap(), 1);
}

fn texts_are_found_by_their_words(index: &mut dyn Index) {
    let text = |id, text: &str| Change::Text { id, text: Some(text.to_owned()) };
    index.write(&[text(1, "All tests pass now"), text(2, "Fixed the Login; tests?")]).unwrap();
    assert_eq!(index.search("login tests", 9).unwrap(), [2]);
    assert_eq!(index.search("tests", 9).unwrap().len(), 2);
    assert_eq!(index.search("tests", 1).unwrap().len(), 1);
    for odd in ["", " ", "\"", "tests OR login", "NEAR(", "a:b", "*"] {
        assert_eq!(index.search(odd, 9).unwrap(), [0_i64; 0], "{odd}");
    }
    index.write(&[text(2, "Nothing"), Change::Text { id: 1, text: None }]).unwrap();
    assert_eq!(index.search("tests", 9).unwrap(), [0_i64; 0]);
    assert_eq!(index.search("nothing", 9).unwrap(), [2]);
}

fn words_are_found_in_one_file(index: &mut dyn Index) {
    let said =
        |id, file, offset| MessageRow { id, file, offset, time: None, role: "human".to_owned() };
    let text = |id| Change::Text { id, text: Some("All tests pass".to_owned()) };
    let rows = [said(1, 1, 90), said(2, 2, 0), said(3, 1, 200)];
    index.write(&[Change::put(&rows), text(1), text(2), text(3)]).unwrap();
    assert_eq!(index.search_in(1, "pass tests", 9).unwrap(), [3, 1]);
    assert_eq!(index.search_in(1, "tests", 1).unwrap(), [3]);
    assert_eq!(index.search_in(2, "tests", 9).unwrap(), [2]);
    for (file, words) in [(3, "tests"), (1, "login"), (1, " "), (1, "\"")] {
        assert_eq!(index.search_in(file, words, 9).unwrap(), [0_i64; 0], "{file} {words}");
    }
}

fn what_is_forgotten_is_gone(index: &mut dyn Index) {
    let message = MessageRow { id: 7, file: 1, offset: 0, time: None, role: "human".to_owned() };
    let text = Change::Text { id: 7, text: Some("hello".to_owned()) };
    index.write(&[Change::put([&log(1, 1)]), Change::put([&message]), text]).unwrap();
    index.check().unwrap();
    index.reset().unwrap();
    for table in TABLES {
        assert_eq!(index.count(table).unwrap(), 0, "{}", table.name);
    }
    assert_eq!(index.search("hello", 9).unwrap(), [0_i64; 0]);
    index.check().unwrap();
}

type Case = fn(&mut dyn Index);

/// The whole suite, each case on an index that `empty` gives.
fn conforms(mut empty: impl FnMut() -> Box<dyn Index>) {
    let cases: [Case; 8] = [
        rows_come_back_as_they_were,
        a_row_takes_the_place_of_one_with_the_same_key,
        rows_are_asked_for_by_what_stands_in_them,
        rows_go_by_what_stands_in_them,
        all_changes_are_made_or_none,
        texts_are_found_by_their_words,
        words_are_found_in_one_file,
        what_is_forgotten_is_gone,
    ];
    for case in cases {
        case(&mut *empty());
    }
}

#[test]
fn the_index_in_sqlite_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let place = IndexPlace::new(folder.path().join("a folder with späces"));
    conforms(|| {
        let hold = place.hold(waypost_store::Patience::default()).unwrap();
        place.finish(place.begin(&hold).unwrap()).unwrap();
        place.open().unwrap().unwrap()
    });
}
