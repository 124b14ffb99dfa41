//! The same as plain lines, for whoever reads them without a screen.

use waypost_app::watch::{Board, CostToday, WatchRow};
use waypost_core::text::spoken;
use waypost_core::time::Timestamp;

use super::layout::{age, cost, needs_you, style_of};
use super::line::filled;
use crate::ui::{self, BOLD, DIM};

/// A line with all totals, a line for each row, and what else there is to say.
pub(super) fn tell(board: &Board, today: &CostToday, now: Timestamp) {
    let totals = board.totals;
    ui::line(format!(
        "{} {}, {} at work, {} held, {} done today, {} unenforced, {}",
        totals.needs_you,
        needs_you(totals.needs_you),
        totals.working,
        totals.held,
        totals.done,
        totals.unenforced,
        cost(Some(today))
    ));
    ui::together(|| board.rows.iter().for_each(|row| line(row, now)));
    if board.rows.is_empty() {
        ui::note(format!("nothing goes on in {}", spoken::count(board.projects, "project")));
    }
    if !board.more_in.is_empty() {
        let names = ui::on_one_line(&board.more_in.join(", "));
        ui::note(format!("there are more open sessions in {names}: waypost list --all"));
    }
    ui::warnings(&board.warnings);
}

fn line(row: &WatchRow, now: Timestamp) {
    let state = ui::paint(style_of(row.state), filled(row.state.word(), 10));
    let session = row.session_id.as_ref().map_or_else(String::new, |id| format!("  {id}"));
    let project = ui::paint(BOLD, ui::on_one_line(&row.project));
    let objective = row.objective.as_deref().map(ui::on_one_line);
    let objective = objective.map_or_else(String::new, |text| format!("  {text}"));
    let told: Vec<String> =
        std::iter::once(&row.text).chain(&row.also).map(|text| ui::on_one_line(text)).collect();
    let place = [("on", &row.branch), ("in", &row.phase)];
    let place = place.into_iter().filter_map(|(word, name)| Some((word, name.as_ref()?)));
    let place: Vec<String> =
        place.map(|(word, name)| format!("{word} {}", ui::on_one_line(name))).collect();
    let since = [place.join(" "), age(row, now)];
    let since: Vec<String> = since.into_iter().filter(|part| !part.is_empty()).collect();
    let since = ui::paint(DIM, format!("({})", since.join(", ")));
    ui::line(format!("{state} {project}{session}{objective}: {} {since}", told.join("; ")));
}
