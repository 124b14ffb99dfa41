//! What stands where, for sizes and rows of all sorts.

use waypost_app::watch::Totals;
use waypost_core::session::Lifecycle;

use super::*;

const NOW: i64 = 1_794_700_000_000;

fn row(state: WatchState, project: &str, objective: &str, text: &str, minutes: i64) -> WatchRow {
    WatchRow {
        state,
        group: state.group(),
        text: text.to_owned(),
        also: Vec::new(),
        gates: Vec::new(),
        session_id: Some(format!("2026-11-15_{project}_aaaaaa").parse().unwrap()),
        objective: Some(objective.to_owned()),
        lifecycle: Some(Lifecycle::Active),
        project: project.to_owned(),
        root: format!("/src/{project}").into(),
        worktree: None,
        branch: Some("main".to_owned()),
        phase: None,
        since: Timestamp::from_millis(NOW - minutes * 60_000).ok(),
        project_id: None,
        version: 1,
        working: usize::from(state == WatchState::Working),
    }
}

fn board() -> Board {
    let rows = vec![
        row(WatchState::Question, "shop", "Add login by passkey", "claude asks you a question", 3),
        row(WatchState::Held, "api", "Bound the queue", "its stop is held by tests", 0),
        row(WatchState::Working, "docs", "Write the guide", "claude is at work", 12),
        row(WatchState::Done, "shop2", "Fix the total", "completed", 120),
    ];
    let totals = Totals { needs_you: 2, working: 1, held: 1, done: 1, unenforced: 0, open: 0 };
    Board { totals, rows, projects: 4, ..Board::default() }
}

fn cost_of(usd: f64, unpriced_tokens: u64) -> CostToday {
    let since = Timestamp::from_millis(NOW).unwrap();
    CostToday { since, usd, tokens: 1, unpriced_tokens }
}

fn drawn(board: &Board, chosen: usize, columns: usize, lines: usize) -> Vec<String> {
    let today = cost_of(4.2, 0);
    let shown = Shown {
        board,
        cost: Some(&today),
        chosen,
        page: None,
        message: None,
        now: Timestamp::from_millis(NOW).unwrap(),
    };
    let size = Size { columns, lines };
    super::lines(&shown, size).iter().map(|line| line.text().trim_end().to_owned()).collect()
}

#[test]
fn the_screen_reads_well() {
    insta::assert_snapshot!(drawn(&board(), 1, 96, 18).join("\n"), @r"
    waypost  2 need you · 1 at work · 1 held · 1 done today · 0 unenforced · 4.20 USD today
    NEEDS YOU
      question   shop           Add login by passkey          claude asks you a question       3 min
    ▸ held       api            Bound the queue               its stop is held by tests          now

    AT WORK
      at work    docs           Write the guide               claude is at work               12 min

    DONE TODAY
      done       shop2          Fix the total                 completed                         2 hr




    ────────────────────────────────────────────────────────────────────────────────────────────────
    2026-11-15_api_aaaaaa  on main  /src/api
    its stop is held by tests
    ↑↓ move  o open  a approve  b brief  ? keys  q quit
    ");
}

#[test]
fn a_small_screen_shows_the_rows_and_what_they_are_for() {
    insta::assert_snapshot!(drawn(&board(), 0, 50, 8).join("\n"), @r"
    waypost  2 need you · 1 at work · 1 held · 1 done…
    NEEDS YOU
    ▸ question   shop           Add login by…    3 min
      held       api            Bound the qu…      now

    AT WORK
      at work    docs           Write the gu…   12 min
    ↑↓ move  o open  a approve  b brief  ? keys  q qu…
    ");
}

#[test]
fn it_has_exactly_as_many_lines_as_the_screen_and_none_is_too_long() {
    for columns in [1, 5, 20, 39, 72, 200] {
        for lines in [1, 2, 3, 9, 10, 11, 50] {
            for chosen in [0, 3, 9] {
                let drawn = drawn(&board(), chosen, columns, lines);
                assert_eq!(drawn.len(), lines, "{columns}x{lines}");
                let longest = drawn.iter().map(|line| line.chars().count()).max();
                assert!(longest <= Some(columns), "{columns}x{lines}: {drawn:?}");
            }
        }
    }
}

#[test]
fn the_row_that_is_chosen_is_always_seen() {
    let rows = (0..300).map(|number| {
        let state = if number < 100 { WatchState::Held } else { WatchState::Resting };
        row(state, "shop", &format!("Objective-{number}."), "", number)
    });
    let board = Board { rows: rows.collect(), ..Board::default() };
    for chosen in 0..300 {
        let drawn = drawn(&board, chosen, 80, 12);
        let seen = drawn
            .iter()
            .any(|line| line.starts_with('▸') && line.contains(&format!("Objective-{chosen}.")));
        assert!(seen, "{chosen}: {drawn:#?}");
    }
    assert!(drawn(&board, 0, 80, 12).contains(&"NEEDS YOU".to_owned()));
}

#[test]
fn what_others_wrote_cannot_steer_the_terminal() {
    let mut evil = row(WatchState::Question, "shop", "a\u{1b}[2Jb\u{202e}\nc", "\u{9b}31m\rx", 1);
    evil.branch = Some("\u{1b}]0;title\u{7}".to_owned());
    evil.also = vec!["\u{1b}c".to_owned()];
    let board =
        Board { rows: vec![evil], warnings: vec!["\u{1b}[H".to_owned()], ..Board::default() };
    for line in drawn(&board, 0, 120, 20) {
        assert!(!line.chars().any(waypost_core::text::is_hidden), "{line:?}");
    }
}

#[test]
fn an_empty_board_says_so() {
    let board = Board { projects: 1, ..Board::default() };
    assert!(drawn(&board, 0, 80, 24).contains(&"nothing goes on in 1 project".to_owned()));
}

#[test]
fn a_price_that_nobody_knows_is_never_nothing() {
    assert_eq!(cost(None), "counting what today cost");
    assert_eq!(cost(Some(&cost_of(0.0, 0))), "0.00 USD today");
    assert_eq!(cost(Some(&cost_of(0.0, 5))), "price of today unknown");
    assert_eq!(cost(Some(&cost_of(1.5, 5))), "1.50+ USD today");
}
