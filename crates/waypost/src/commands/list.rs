//! `waypost list`

use std::process::ExitCode;

use anstyle::Style;
use clap::{Args, ValueEnum};
use waypost_app::machine::host::Host;
use waypost_app::sessions::list::{self, Filter, ListedSession, Sessions};
use waypost_app::sessions::recent;
use waypost_app::standing::lapses::Lapses;
use waypost_app::view::View;
use waypost_app::view::copy::Kept;
use waypost_core::session::Lifecycle;
use waypost_core::text::shortened;

use super::CommandOutcome;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};

/// The objective gets at most this many columns where nothing says how wide the output is.
const OBJECTIVE: usize = 60;
/// And at least this many, however narrow the terminal is.
const NARROWEST: usize = 12;
/// The longest name of a phase, in characters.
const PHASE: usize = 24;
const GAP: usize = 2;

/// List the sessions, the newest last
///
/// An active session that nobody attended to for 24 hours is listed as abandoned; it can be
/// resumed like a paused one. Folders in the work tree that hold a session are listed too: `copy` is
/// one that came with a clone, `unverified` one whose key is not known here, `legacy` one that another
/// program wrote.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost list                          this work tree's, and what is open in others
  waypost list --status paused          those that rest
  waypost list --all --branch main      those of every work tree that belong to main
  waypost list --history                what the last ten were for, and what came of them
  waypost list --json | jq -r '.[].session_id'")]
pub(super) struct ListArgs {
    /// Only those with this status
    #[arg(long, value_name = "STATUS")]
    status: Option<LifecycleFilter>,
    /// Only those of this branch
    #[arg(long)]
    branch: Option<String>,
    /// Every session of the project, also those of other work trees that are over or archived
    #[arg(long)]
    all: bool,
    /// What the last ten were for, what was decided and what is left; with --all, every one
    #[arg(long)]
    history: bool,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LifecycleFilter {
    Active,
    Paused,
    Completed,
    Failed,
    Abandoned,
    Archived,
}

impl From<LifecycleFilter> for Lifecycle {
    fn from(status: LifecycleFilter) -> Self {
        match status {
            LifecycleFilter::Active => Self::Active,
            LifecycleFilter::Paused => Self::Paused,
            LifecycleFilter::Completed => Self::Completed,
            LifecycleFilter::Failed => Self::Failed,
            LifecycleFilter::Abandoned => Self::Abandoned,
            LifecycleFilter::Archived => Self::Archived,
        }
    }
}

impl ListArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let filtered = self.status.is_some() || self.branch.is_some();
        let filter = Filter {
            lifecycle: self.status.map(Lifecycle::from),
            branch: self.branch,
            all: self.all,
        };
        if self.history {
            return history(&view, &filter, self.json);
        }
        let Sessions { sessions, more } = list::list(&view, &filter)?;
        if self.json {
            ui::json(&sessions)?;
        } else if !sessions.is_empty() {
            table(&sessions);
            conversations(&sessions);
            remarks(&sessions);
        } else if filtered {
            ui::note("no session fits; without options all of this work tree are listed");
        } else {
            ui::note("there is no session yet: waypost start --objective \"…\"");
        }
        if let Some(told) = Lapses::of(&view, None).told_unenforced() {
            ui::warning(told);
        }
        if more {
            ui::note("there are more, where nothing happened lately: waypost list --all");
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The last sessions, a paragraph each.
fn history(view: &View<'_>, filter: &Filter, json: bool) -> CommandOutcome {
    let most = if filter.all { usize::MAX } else { recent::LAST };
    let sessions = recent::of(view, filter, most)?;
    if json {
        ui::json(&sessions)?;
        return Ok(ExitCode::SUCCESS);
    }
    if sessions.is_empty() {
        ui::note("there is no session yet: waypost start --objective \"…\"");
    }
    for session in &sessions {
        let id = ui::paint(BOLD, &session.session_id);
        let objective = session.objective.as_deref().unwrap_or("(no name)");
        ui::line(format!("{id}  {}  {}", session.outcome, ui::on_one_line(objective)));
        let decisions = session.key_decisions.iter().map(|text| ("decided", text.as_str()));
        let details = [
            ("summary", session.summary.as_deref()),
            ("commit", session.commit_sha.as_deref()),
            ("next", session.next_session_notes.as_deref()),
        ];
        let details = details.into_iter().filter_map(|(name, text)| Some((name, text?)));
        for (name, text) in details.chain(decisions) {
            ui::line(format!("  {} {}", ui::paint(DIM, name), ui::on_one_line(text)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn table(sessions: &[ListedSession]) {
    let rows: Vec<[String; 5]> = sessions.iter().map(cells).collect();
    let titles = ["ID", "STATUS", "OBJECTIVE", "BRANCH", "UPDATED"].map(str::to_owned);
    let mut widths = [0; 5];
    for row in std::iter::once(&titles).chain(&rows) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let others: usize = widths.iter().sum::<usize>() - widths[2] + GAP * 4;
    let room = ui::width().map_or(OBJECTIVE, |width| width.saturating_sub(others).max(NARROWEST));
    widths[2] = widths[2].min(room);
    line(&titles, &widths, [DIM; 5]);
    for (row, session) in rows.iter().zip(sessions) {
        let objective = if session.objective.is_some() { Style::new() } else { DIM };
        let status = match session.kept {
            Kept::Damaged => BAD,
            Kept::Unverified | Kept::Newer => WARN,
            _ => style_of(session.lifecycle),
        };
        line(row, &widths, [BOLD, status, objective, Style::new(), DIM]);
    }
}

fn cells(session: &ListedSession) -> [String; 5] {
    let objective = session.objective.as_deref().unwrap_or("(no name)");
    [
        session.session_id.to_string(),
        status(session),
        ui::on_one_line(objective),
        ui::on_one_line(session.branch.as_deref().unwrap_or("-")),
        session.updated_at.map(ui::moment).unwrap_or_default(),
    ]
}

/// Where it is in its life and in its workflow, and how it is kept unless it is one of this repository's own.
fn status(session: &ListedSession) -> String {
    let lifecycle = session.lifecycle;
    let place = match session.worktree.as_deref() {
        _ if session.here => String::new(),
        Some(name) => format!(", in {}", shortened(&ui::on_one_line(name), PHASE)),
        None => ", in the main tree".to_owned(),
    };
    let current = if session.current { ", current" } else { "" };
    match session.kept {
        Kept::Live => match session.phase.as_deref() {
            Some(phase) if !lifecycle.is_over() => {
                let phase = shortened(&ui::on_one_line(phase), PHASE);
                format!("{lifecycle}{current}, {phase}{place}")
            }
            _ => format!("{lifecycle}{current}{place}"),
        },
        Kept::Copy => format!("{lifecycle}, copy"),
        Kept::Unverified => format!("{lifecycle}, unverified"),
        Kept::Legacy => format!("{lifecycle}, legacy"),
        Kept::Damaged => "damaged".to_owned(),
        Kept::Newer => format!("{lifecycle}, newer"),
    }
}

/// How to go back to the conversations that were last in sessions that are open.
fn conversations(sessions: &[ListedSession]) {
    let open = sessions.iter().filter(|session| !session.lifecycle.is_over());
    let reopened: Vec<_> = open.filter_map(|one| Some((one, one.reopen.as_ref()?))).collect();
    if reopened.is_empty() {
        return;
    }
    ui::line(ui::paint(DIM, "to go back to the conversation that was last in one:"));
    for (session, reopen) in reopened {
        ui::line(format!("  {}  {reopen}", session.session_id));
    }
}

fn remarks(sessions: &[ListedSession]) {
    for session in sessions {
        if let Some(remark) = &session.remark {
            ui::note(format!("{}: {}", session.session_id, ui::on_one_line(remark)));
        }
    }
    let only_folders =
        sessions.iter().any(|session| matches!(session.kept, Kept::Copy | Kept::Legacy));
    if only_folders {
        ui::note("what is only a copy or legacy is taken over by `waypost resume ID`");
    }
}

fn line(cells: &[String; 5], widths: &[usize; 5], styles: [Style; 5]) {
    let mut text = String::new();
    for ((cell, width), style) in cells.iter().zip(widths).zip(styles) {
        let cell = shortened(cell, *width);
        let padding = width - cell.chars().count() + GAP;
        text.push_str(&ui::paint(style, &cell));
        text.push_str(&" ".repeat(padding));
    }
    ui::line(text.trim_end());
}

/// The colour that a session's status has everywhere.
pub(super) fn style_of(lifecycle: Lifecycle) -> Style {
    match lifecycle {
        Lifecycle::Active => GOOD,
        Lifecycle::Paused | Lifecycle::Abandoned => WARN,
        Lifecycle::Failed => BAD,
        Lifecycle::Completed | Lifecycle::Unstarted | Lifecycle::Archived => DIM,
    }
}
