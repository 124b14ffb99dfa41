//! What every index does: one suite, run over each of them.

use waypost_core::tables::{
    Cell, CommitRow, ConversationRow, LogRow, MessageRow, Row, TABLES, VerdictRow,
};
use waypost_core::time::Timestamp;
use waypost_store::index::{
    Asked, COMPARED, Change, Index, IndexPlace, Summed, Sums, Texts, rows_of,
};

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
        index.rows(&asked).unwrap().into_iter().filter_map(LogRow::from_cells).collect();
    assert_eq!(found, [log(2, 5), log(2, 4)]);
    let without = [("session", Cell::Int(2)), ("number", Cell::Int(4))];
    let asked = Asked { with: &[], without: &without, ..asked };
    let found: Vec<LogRow> =
        index.rows(&asked).unwrap().into_iter().filter_map(LogRow::from_cells).collect();
    assert_eq!(found, [log(1, 5), log(1, 3)]);
    let with = [("session", Cell::Int(2))];
    let among = [Cell::Int(4), Cell::Int(9), Cell::Int(99)];
    for (among, numbers) in [(&among[..], vec![4]), (&[], vec![])] {
        let asked = Asked {
            with: &with,
            without: &[],
            among: Some(("number", among)),
            by: None,
            most: None,
            ..asked
        };
        let found: Vec<u64> = index
            .rows(&asked)
            .unwrap()
            .into_iter()
            .filter_map(|row| Some(LogRow::from_cells(row)?.number))
            .collect();
        assert_eq!(found, numbers);
    }
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
    let of = Texts::Messages;
    let text = |id, text: &str| Change::Text { of, id, text: Some(text.to_owned()) };
    index.write(&[text(1, "All tests pass now"), text(2, "Fixed the Login; tests?")]).unwrap();
    assert_eq!(index.search(of, "login tests", 9).unwrap(), [2]);
    assert_eq!(index.search(of, "tests", 9).unwrap().len(), 2);
    assert_eq!(index.search(of, "tests", 1).unwrap().len(), 1);
    for odd in ["", " ", "\"", "tests OR login", "NEAR(", "a:b", "*"] {
        assert_eq!(index.search(of, odd, 9).unwrap(), [0_i64; 0], "{odd}");
    }
    index.write(&[text(2, "Nothing"), Change::Text { of, id: 1, text: None }]).unwrap();
    assert_eq!(index.search(of, "tests", 9).unwrap(), [0_i64; 0]);
    assert_eq!(index.search(of, "nothing", 9).unwrap(), [2]);
}

fn of_several_texts_of_one_number_the_last_is_found(index: &mut dyn Index) {
    let of = Texts::Messages;
    let text = |id, text: &str| Change::Text { of, id, text: Some(text.to_owned()) };
    let gone = |id| Change::Text { of, id, text: None };
    let all = [text(9, "first"), text(-3, "first"), text(9, "second"), gone(4), text(4, "first")];
    index.write(&all).unwrap();
    index.write(&[gone(-3), text(2, "third"), text(1, "third")]).unwrap();
    for (words, found) in [("first", vec![4]), ("second", vec![9]), ("third", vec![1, 2])] {
        let mut numbers = index.search(of, words, 9).unwrap();
        numbers.sort_unstable();
        assert_eq!(numbers, found, "{words}");
    }
    index.check().unwrap();
}

fn of_words_that_stand_everywhere_only_some_are_compared(index: &mut dyn Index) {
    let of = Texts::Messages;
    let put =
        |id: u32, text: &str| Change::Text { of, id: i64::from(id), text: Some(text.to_owned()) };
    let all: Vec<Change> = (1..=COMPARED).map(|id| put(id, "tests pass")).collect();
    index.write(&all).unwrap();
    assert!(!index.is_common(of, "tests").unwrap());
    index.write(&[put(COMPARED + 1, "tests fail")]).unwrap();
    assert!(index.is_common(of, "tests").unwrap());
    assert!(!index.is_common(of, "fail tests").unwrap() && !index.is_common(of, " ").unwrap());
    assert_eq!(index.search(of, "tests", COMPARED * 2).unwrap().len(), COMPARED as usize);
    assert_eq!(index.search(of, "tests fail", 9).unwrap(), [i64::from(COMPARED) + 1]);
}

fn texts_of_one_sort_are_not_found_among_others(index: &mut dyn Index) {
    let text = |of, id, text: &str| Change::Text { of, id, text: Some(text.to_owned()) };
    let (messages, sessions) = (Texts::Messages, Texts::Sessions);
    let id = "2026-02-14_passkeys_a1b2c3";
    index.write(&[text(messages, 1, "Passkeys work"), text(sessions, 1, id)]).unwrap();
    index.write(&[text(sessions, 2, "Passkeys for feature/login")]).unwrap();
    assert_eq!(index.search(messages, "passkeys", 9).unwrap(), [1]);
    assert_eq!(index.search(messages, "passk", 9).unwrap(), [0_i64; 0]);
    for (words, found) in [
        ("passk", vec![1, 2]),
        ("2026-02-14_pass", vec![1]),
        ("a1b", vec![1]),
        ("feature/lo", vec![2]),
        ("login passkeys", vec![2]),
        ("work", vec![]),
        ("\"*", vec![]),
    ] {
        let mut numbers = index.search(sessions, words, 9).unwrap();
        numbers.sort_unstable();
        assert_eq!(numbers, found, "{words}");
    }
    index.write(&[Change::Text { of: sessions, id: 1, text: None }]).unwrap();
    assert_eq!(index.search(sessions, "passk", 9).unwrap(), [2]);
    assert_eq!(index.search(messages, "passkeys", 9).unwrap(), [1]);
}

fn rows_are_summed_up(index: &mut dyn Index) {
    let rows = (1..=9).map(|number| LogRow {
        status: (number > 6).then_some(i64::MAX),
        ..log(i64::try_from(number).unwrap() % 2, number)
    });
    let rows: Vec<LogRow> = rows.collect();
    index.write(&[Change::put(&rows)]).unwrap();
    let all = Asked::all(LogRow::TABLE);
    let sums = |of, rows, sums: &[i64]| Sums { of, rows, sums: sums.to_vec() };
    let each = Summed { each: Some("session"), columns: &["number"] };
    assert_eq!(
        index.sums(&all, &each).unwrap(),
        [sums(Cell::Int(0), 4, &[20]), sums(Cell::Int(1), 5, &[25])]
    );
    let with = [("session", Cell::Int(1))];
    let (from, to) = (Cell::Int(3_000), Cell::Int(8_000));
    let asked = Asked { within: Some(("time", &from, &to)), ..Asked::with(LogRow::TABLE, &with) };
    assert_eq!(index.sums(&asked, &Summed::default()).unwrap(), [sums(Cell::Null, 3, &[])]);
    // A sum that no number holds is the largest one.
    let columns = Summed { each: None, columns: &["status"] };
    assert_eq!(index.sums(&all, &columns).unwrap(), [sums(Cell::Null, 9, &[i64::MAX])]);
    let none = [("session", Cell::Int(7))];
    let none = Asked::with(LogRow::TABLE, &none);
    assert_eq!(index.sums(&none, &columns).unwrap(), [sums(Cell::Null, 0, &[0])]);
    assert_eq!(index.sums(&none, &each).unwrap(), []);
}

fn rows_are_given_page_by_page(index: &mut dyn Index) {
    let rows: Vec<LogRow> = (1..=7).map(|number| log(1, number)).collect();
    index.write(&[Change::put(&rows)]).unwrap();
    let page = |skip, most| {
        let asked = Asked { by: Some(("time", true)), skip, most, ..Asked::all(LogRow::TABLE) };
        let rows = index.rows(&asked).unwrap();
        rows.into_iter()
            .filter_map(|row| Some(LogRow::from_cells(row)?.number))
            .collect::<Vec<u64>>()
    };
    assert_eq!(page(0, Some(3)), [7, 6, 5]);
    assert_eq!(page(3, Some(3)), [4, 3, 2]);
    assert_eq!(page(6, Some(3)), [1]);
    assert_eq!(page(5, None), [2, 1]);
    assert_eq!(page(9, Some(3)), [0_u64; 0]);
}

fn words_are_found_in_one_file(index: &mut dyn Index) {
    let said =
        |id, file, offset| MessageRow { id, file, offset, time: None, role: "human".to_owned() };
    let of = Texts::Messages;
    let text = |id| Change::Text { of, id, text: Some("All tests pass".to_owned()) };
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
    let all = [Texts::Messages, Texts::Sessions];
    let texts = all.map(|of| Change::Text { of, id: 7, text: Some("hello".to_owned()) });
    index.write(&[Change::put([&log(1, 1)]), Change::put([&message])]).unwrap();
    index.write(&texts).unwrap();
    index.check().unwrap();
    index.reset().unwrap();
    for table in TABLES {
        assert_eq!(index.count(table).unwrap(), 0, "{}", table.name);
    }
    for of in all {
        assert_eq!(index.search(of, "hello", 9).unwrap(), [0_i64; 0]);
    }
    index.check().unwrap();
}

type Case = fn(&mut dyn Index);

/// The whole suite, each case on an index that `empty` gives.
fn conforms(mut empty: impl FnMut() -> Box<dyn Index>) {
    let cases: [Case; 13] = [
        rows_come_back_as_they_were,
        a_row_takes_the_place_of_one_with_the_same_key,
        rows_are_asked_for_by_what_stands_in_them,
        rows_go_by_what_stands_in_them,
        all_changes_are_made_or_none,
        texts_are_found_by_their_words,
        of_several_texts_of_one_number_the_last_is_found,
        of_words_that_stand_everywhere_only_some_are_compared,
        texts_of_one_sort_are_not_found_among_others,
        rows_are_summed_up,
        rows_are_given_page_by_page,
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
