//! Which sessions of a project somebody wants to see, and what there is to choose from.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::index::{Ask, Rows};
use waypost_core::session::ABANDONED_AFTER;
use waypost_core::tables::{AsCell, Cell, SessionRow};
use waypost_core::time::Timestamp;

use super::QUERY;
use crate::asked::Asked;
use crate::parts::text;

/// How many sessions a page shows.
const EACH: u32 = 25;
/// How many sessions are found by words at most.
const MOST_CALLED: u32 = 100;
/// The statuses that can be asked for; nothing stands in records of who was abandoned.
const STATUSES: [&str; 6] = ["active", "paused", "completed", "failed", "abandoned", "archived"];

/// Which sessions are wanted.
#[derive(Debug, Default)]
pub(super) struct Choice {
    words: Option<String>,
    status: Option<String>,
    branch: Option<String>,
    workflow: Option<String>,
    kind: Option<String>,
    pub(super) page: u32,
}

/// The sessions that fit.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) sessions: Vec<SessionRow>,
    pub(super) fit: u64,
    pub(super) pages: u32,
}

/// What there is to choose from.
#[derive(Debug, Default, Serialize)]
pub(super) struct Choices {
    status: Vec<Chosen>,
    branch: Vec<Chosen>,
    workflow: Vec<Chosen>,
    kind: Vec<Chosen>,
}

/// Something that can be chosen, and how many sessions there are of it.
#[derive(Debug, Serialize)]
struct Chosen {
    name: String,
    sessions: u64,
}

impl Choice {
    pub(super) fn of(asked: &Asked) -> Result<Self, AppError> {
        let get = |name: &str| asked.get(name).map(str::to_owned);
        let status = get("status");
        if let Some(status) = status.as_deref().filter(|status| !STATUSES.contains(status)) {
            let told = format!("no session is ever `{status}`");
            return Err(AppError::configuration(told)
                .hint(format!("ask for one of {}", STATUSES.join(", "))));
        }
        Ok(Self {
            words: get("q"),
            status,
            branch: get("branch"),
            workflow: get("workflow"),
            kind: get("kind"),
            page: asked.page()?,
        })
    }

    /// The sessions that fit, a page of them.
    pub(super) fn found(
        &self,
        rows: &Rows,
        project: &str,
        now: Timestamp,
    ) -> Result<Found, AppError> {
        let skip = self.page.saturating_sub(1).saturating_mul(EACH);
        if let Some(words) = &self.words {
            let mut called = rows.called(words, Some(project), MOST_CALLED)?;
            called.retain(|row| self.fits(row, now));
            let fit = called.len() as u64;
            let page = called.into_iter().skip(skip as usize).take(EACH as usize);
            return Ok(Found { sessions: page.collect(), fit, pages: pages(fit) });
        }
        let text = |name, value: &Option<String>| {
            value.as_ref().map(|value| (name, Cell::Text(value.clone())))
        };
        let mut with = vec![("project", Cell::Text(project.to_owned()))];
        with.extend(text("branch", &self.branch));
        with.extend(text("workflow", &self.workflow));
        with.extend(text("kept", &self.kind));
        let archived = [("lifecycle", Cell::Text("archived".to_owned()))];
        let (never, silent, ever) = (Cell::Int(i64::MIN), silent(now), Cell::Int(i64::MAX));
        let mut ask =
            Ask { by: Some(("updated_at", true)), most: Some(EACH), skip, ..Ask::default() };
        match self.status.as_deref() {
            None => ask.without = &archived,
            Some("abandoned") => {
                with.push(("lifecycle", Cell::Text("active".to_owned())));
                ask.within = Some(("updated_at", &never, &silent));
            }
            Some(status) => {
                with.push(("lifecycle", Cell::Text(status.to_owned())));
                if status == "active" {
                    ask.within = Some(("updated_at", &silent, &ever));
                }
            }
        }
        ask.with = &with;
        let fit = rows.number::<SessionRow>(ask)?;
        Ok(Found { sessions: rows.of(ask)?, fit, pages: pages(fit) })
    }

    fn fits(&self, row: &SessionRow, now: Timestamp) -> bool {
        let is = |wanted: &Option<String>, is: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| Some(wanted) == is)
        };
        is(&self.branch, row.branch.as_deref())
            && is(&self.workflow, Some(&row.workflow))
            && is(&self.kind, Some(&row.kept))
            && is(&self.status, Some(status(row, now)))
    }
}

/// Where a session is in its life, as far as its row tells: nothing is written when one is abandoned.
pub(in crate::pages) fn status(row: &SessionRow, now: Timestamp) -> &str {
    let is_silent = row.updated_at.is_some_and(|at| at.to_cell() < silent(now));
    if row.lifecycle == "active" && is_silent { "abandoned" } else { &row.lifecycle }
}

/// Where nothing happened since then, a session counts as abandoned.
fn silent(now: Timestamp) -> Cell {
    Cell::Int(now.as_millis() - ABANDONED_AFTER + 1)
}

fn pages(fit: u64) -> u32 {
    u32::try_from(fit.div_ceil(u64::from(EACH))).unwrap_or(u32::MAX)
}

impl Choices {
    pub(super) fn of(rows: &Rows, project: &str, now: Timestamp) -> Result<Self, AppError> {
        let with = [("project", Cell::Text(project.to_owned()))];
        let ask = Ask { with: &with, ..Ask::default() };
        let each = |column| -> Result<Vec<Chosen>, AppError> {
            let sums = rows.sums::<SessionRow>(ask, Some(column), &[])?;
            let chosen = sums.into_iter().filter_map(|sums| match sums.of {
                Cell::Text(name) => Some(Chosen { name, sessions: sums.rows }),
                _ => None,
            });
            Ok(chosen.collect())
        };
        let active = [with[0].clone(), ("lifecycle", Cell::Text("active".to_owned()))];
        let (never, silent) = (Cell::Int(i64::MIN), silent(now));
        let within = Some(("updated_at", &never, &silent));
        let abandoned =
            rows.number::<SessionRow>(Ask { with: &active, within, ..Ask::default() })?;
        let mut status = each("lifecycle")?;
        for chosen in status.iter_mut().filter(|chosen| chosen.name == "active") {
            chosen.sessions = chosen.sessions.saturating_sub(abandoned);
        }
        status.push(Chosen { name: "abandoned".to_owned(), sessions: abandoned });
        status.retain(|chosen| chosen.sessions > 0 && STATUSES.contains(&chosen.name.as_str()));
        status.sort_by_key(|chosen| STATUSES.iter().position(|status| *status == chosen.name));
        Ok(Self {
            status,
            branch: each("branch")?,
            workflow: each("workflow")?,
            kind: each("kept")?,
        })
    }
}

/// Ways to see fewer sessions.
pub(super) fn filters(choices: &Choices, asked: &Asked) -> Markup {
    let status = asked.get("status");
    let to = |status: Option<&str>| {
        let names = QUERY.iter().copied().filter(|name| !matches!(*name, "page" | "act"));
        let query = asked.query_with(&names.collect::<Vec<_>>(), "status", status);
        if query.is_empty() { "?".to_owned() } else { query }
    };
    html! {
        h2 id="sessions" { "Sessions" }
        nav.tabs aria-label="Sessions by status" {
            a href=(to(None)) aria-current=[status.is_none().then_some("true")] { "All" }
            @for chosen in &choices.status {
                a href=(to(Some(&chosen.name))) aria-current=[(status == Some(&chosen.name)).then_some("true")] {
                    (chosen.name) " " span.dim { (chosen.sessions) }
                }
            }
        }
        form.filters role="search" method="get" aria-label="Sessions of this project" {
            @if let Some(status) = status { input type="hidden" name="status" value=(status); }
            label { span { "Words" } input id="filter-q" type="search" name="q" value=(asked.get("q").unwrap_or_default()) placeholder="id, objective, branch"; }
            (select("branch", "Branch", &choices.branch, asked))
            (select("workflow", "Workflow", &choices.workflow, asked))
            (select("kind", "Kept as", &choices.kind, asked))
            button type="submit" { "Show" }
            @if ["q", "branch", "workflow", "kind", "status"].iter().any(|name| asked.get(name).is_some()) {
                a href="?" { "Show all" }
            }
        }
    }
}

/// A choice, where there is one.
fn select(name: &'static str, label: &str, choices: &[Chosen], asked: &Asked) -> Markup {
    let chosen = asked.get(name);
    html! {
        @if choices.len() > 1 || chosen.is_some() {
            label {
                span { (label) }
                select id={ "filter-" (name) } name=(name) {
                    option value="" { "any" }
                    @for choice in choices {
                        option value=(choice.name) selected[chosen == Some(&choice.name)] { (text(&choice.name)) " (" (choice.sessions) ")" }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost_core::session::{Lifecycle, SessionState};

    fn row(lifecycle: &str, updated_at: i64) -> SessionRow {
        let id = "2026-11-15_a_aaaaaa".parse().unwrap();
        let row = SessionRow::of("p", &id, &SessionState::default(), "live");
        let updated_at = Some(Timestamp::from_millis(updated_at).unwrap());
        SessionRow { lifecycle: lifecycle.to_owned(), updated_at, ..row }
    }

    #[test]
    fn what_is_shown_as_abandoned_is_found_as_abandoned() {
        let now = Timestamp::from_millis(10 * ABANDONED_AFTER).unwrap();
        for (lifecycle, age, told) in [
            ("active", 0, "active"),
            ("active", ABANDONED_AFTER - 1, "active"),
            ("active", ABANDONED_AFTER, "abandoned"),
            ("paused", 2 * ABANDONED_AFTER, "paused"),
        ] {
            let row = row(lifecycle, now.as_millis() - age);
            assert_eq!(status(&row, now), told, "{lifecycle} {age}");
            let state = SessionState {
                lifecycle: if lifecycle == "active" {
                    Lifecycle::Active
                } else {
                    Lifecycle::Paused
                },
                updated_at: row.updated_at,
                ..SessionState::default()
            };
            assert_eq!(state.lifecycle_at(now, false).to_string(), told, "as everywhere else");
            let choice = Choice { status: Some(told.to_owned()), ..Choice::default() };
            assert!(choice.fits(&row, now));
        }
    }

    #[test]
    fn only_what_there_is_can_be_asked_for() {
        assert!(Choice::of(&Asked::parse("status=gone")).is_err());
        let choice = Choice::of(&Asked::parse("status=paused&branch=a%2Fb&page=3")).unwrap();
        assert_eq!((choice.branch.as_deref(), choice.page), (Some("a/b"), 3));
        assert_eq!([pages(0), pages(25), pages(26)], [0, 1, 2]);
    }
}
