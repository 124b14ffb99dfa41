//! What the index costs, each figure beside what it cannot do without: reading the same files, parsing the same lines,
//! looking at the same names.

mod paint;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use waypost_app::index;
use waypost_app::machine::host::{Clock, Host, InFiles};
use waypost_app::sessions::begin::Begin;
use waypost_app::sessions::start;
use waypost_app::view::View;
use waypost_app::view::activity::{self, Deed};
use waypost_core::actor::Actor;
use waypost_core::tables::{Cell, LogRow, ProjectRow, Row, SessionRow};
use waypost_store::index::{Asked, Index, IndexPlace, rows_of};

use crate::arguments::Arguments;
use crate::failure::{During, Failure};
use crate::places::write;
use crate::spending;
use crate::store::figure::{Figure, Target};
use crate::store::pair::{both_by_turns, by_turns, processor_time, time};
use crate::store::table;

/// How many sessions with activity there are, and how many lines each has.
const SESSIONS: usize = 1_000;
const LINES: usize = 1_000;
/// How many lines become rows in a second, at least.
const RATE: u32 = 150_000;
/// How long a query may take.
const QUERY: Duration = Duration::from_millis(5);
/// What takes seconds is done once where a hook is called this often.
pub(crate) const ROUNDS_OF_A_LONG_ONE: usize = 200;
/// And what takes some milliseconds, this many times less often than a hook.
const ROUNDS_OF_A_PAINTING: usize = 10;

/// A home with one project.
pub(crate) struct Home {
    pub(crate) host: Host,
}

/// Takes all figures.
pub(crate) fn measure(folder: &Path, arguments: &Arguments) -> Result<String, Failure> {
    let rounds = (arguments.rounds / ROUNDS_OF_A_LONG_ONE).max(3);
    let wants = |name: &str| arguments.only.as_deref().is_none_or(|only| name.contains(only));
    let mut figures = Vec::new();
    if wants("folders") {
        eprintln!("{} session folders ...", arguments.folders);
        figures.extend(folders(&Home::make(&folder.join("folders"))?, arguments.folders, rounds)?);
    }
    if wants("activity") {
        eprintln!("{} lines of activity ...", SESSIONS * LINES);
        figures.extend(lines(&Home::make(&folder.join("activity"))?, rounds)?);
    }
    if wants("watch") {
        eprintln!("many projects ...");
        let often = (arguments.rounds / ROUNDS_OF_A_PAINTING).max(5);
        figures.extend(paint::measure(&folder.join("watch"), &arguments.waypost, often)?);
    }
    if wants("cost") {
        let home = Home::make(&folder.join("transcripts"))?;
        let often = arguments.rounds.min(100);
        figures.extend(spending::measure(&home.host, &arguments.waypost, often)?);
    }
    if figures.is_empty() {
        return Err(Failure::new("--only knows folders, activity, watch, cost"));
    }
    Ok(if arguments.json { table::json(&figures, rounds) } else { table::text(&figures, rounds) })
}

impl Home {
    pub(crate) fn make(folder: &Path) -> Result<Self, Failure> {
        let project = folder.join("project");
        write(&project.join("waypost.toml"), "[project]\n")?;
        // A repository of its own: the folder lies in another one.
        write(&project.join(".git/HEAD"), "ref: refs/heads/main\n")?;
        let home = folder.join("home");
        let var = |name: &str| (name == "HOME").then(|| home.clone().into_os_string());
        let host = Host::from_env(project, PathBuf::from("waypost"), Clock::System, var);
        let host = host.keeping(InFiles);
        waypost_store::keys::create(&host.key_file()).during(|| "making a key".to_owned())?;
        Ok(Self { host })
    }

    fn rebuild(&self) -> Result<(), Failure> {
        let report = index::rebuild(&self.host, &[], &mut |_, _, _| {});
        whole(&report.during(|| "rebuilding".to_owned())?)
    }

    fn scan(&self) -> Result<(), Failure> {
        let report = index::scan(&self.host, &[], &mut |_, _, _| {});
        whole(&report.during(|| "scanning".to_owned())?)
    }

    pub(crate) fn open(&self) -> Result<Box<dyn Index>, Failure> {
        let opened = IndexPlace::new(self.host.state_dir.join("index")).open();
        let opened = opened.during(|| "opening the index".to_owned())?;
        opened.ok_or_else(|| Failure::new("there is no index"))
    }
}

fn whole(report: &index::Report) -> Result<(), Failure> {
    if report.failed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("{:?}", report.failed)))
}

/// Reading session folders, and looking at them again.
fn folders(home: &Home, count: usize, rounds: usize) -> Result<Vec<Figure>, Failure> {
    let all = home.host.cwd.join("agents/sessions");
    for number in 0..count {
        let id = format!("2026-02-14_number-{number}");
        let manifest = serde_json::json!({
            "session_id": id, "topic": format!("Number {number}"), "session_type": "full", "status": "active",
            "description": "What it is for, at more length than the topic says it.",
            "created_at": "2026-02-14T10:00:00Z", "updated_at": "2026-02-14T14:30:00Z", "current_phase": "build",
            "phase_history": {"spec_started_at": "2026-02-14T10:00:00Z", "spec_completed_at": null},
            "build_progress": {"checkpoints_total": 5, "checkpoints_completed": [1, 2], "current_checkpoint": 3},
            "git": {"branch": "main", "worktree": null, "base_branch": "main"},
            "commits": [{"sha": "abc1234", "message": "feat: add it", "checkpoint": 1}],
        });
        write(&all.join(&id).join("state.json"), &manifest.to_string())?;
    }
    let read = || each(&all, |folder| fs::read(folder.join("state.json")).map(drop));
    let stat = || {
        each(&all, |folder| {
            let _ = fs::symlink_metadata(folder.join("events.jsonl"));
            fs::symlink_metadata(folder.join("state.json")).map(drop)
        })
    };
    let [onboard, onboard_worked] = both_by_turns(rounds, || home.rebuild(), read)?;
    let [scan, scan_worked] = both_by_turns(rounds * 3, || home.scan(), stat)?;
    let onboards = |pair, how: &str| {
        let name = format!("onboard {count} session folders{how}");
        Figure::new(&name, "read the same files", pair, Target::AtMost(1.5))
    };
    let scans = |pair, how: &str| {
        let name = format!("scan {count} that did not change{how}");
        Figure::new(&name, "stat the same files", pair, Target::AtMost(2.0))
    };
    let processor = " (processor)";
    Ok(vec![
        onboards(onboard, ""),
        onboards(onboard_worked, processor),
        scans(scan, ""),
        scans(scan_worked, processor),
    ])
}

fn each(all: &Path, look: impl Fn(&Path) -> std::io::Result<()>) -> Result<(), Failure> {
    for entry in fs::read_dir(all).during(|| all.display().to_string())? {
        let path = entry.during(|| all.display().to_string())?.path();
        look(&path).during(|| path.display().to_string())?;
    }
    Ok(())
}

/// Reading lines of activity, and asking for what came of them.
fn lines(home: &Home, rounds: usize) -> Result<Vec<Figure>, Failure> {
    let view = View::open(&home.host).during(|| "opening the project".to_owned())?;
    for number in 0..SESSIONS {
        let objective = format!("Number {number}");
        let begin = Begin { objective: Some(&objective), ..Begin::default() };
        let session = start::start(&view, &begin).during(|| objective.clone())?.session;
        for line in 0..LINES {
            let what = format!("cargo test --package waypost-core --test number_{line}");
            let deed = Deed {
                actor: &Actor::Human,
                tool: "Bash",
                what: &what,
                status: Some(0),
                files: &[],
            };
            activity::note(&view, &session, &deed);
        }
    }
    let folder = fs::read_dir(home.host.state_dir.join("activity"));
    let mut folder = folder.during(|| "activity".to_owned())?.flatten();
    let folder = folder.next().ok_or_else(|| Failure::new("no activity"))?.path();
    let parse = || {
        each(&folder, |file| {
            let text = fs::read_to_string(file)?;
            for line in text.lines() {
                std::hint::black_box(serde_json::from_str::<serde_json::Value>(line)?);
            }
            Ok(())
        })
    };
    let rebuild =
        by_turns(rounds, 1, || processor_time(|| home.rebuild()), || processor_time(parse))?;
    let rows = u32::try_from(SESSIONS * LINES).unwrap_or(u32::MAX);
    let limit = Duration::from_secs(1) * rows / RATE;
    let mut figures = vec![Figure::new(
        &format!("rebuild {rows} lines of activity (processor)"),
        "parse the same lines",
        rebuild,
        Target::MedianBelow(limit),
    )];
    figures.extend(questions(&*home.open()?, rounds)?);
    Ok(figures)
}

/// What pages and reports ask for.
pub(crate) fn questions(index: &dyn Index, rounds: usize) -> Result<Vec<Figure>, Failure> {
    let failed = || "asking".to_owned();
    let project = rows_of::<ProjectRow>(index, &[]).during(failed)?.remove(0);
    let of_project = [("project", Cell::Text(project.id))];
    let newest = Asked {
        by: Some(("updated_at", true)),
        most: Some(50),
        ..Asked::with(SessionRow::TABLE, &of_project)
    };
    let session = index.rows(&newest).during(failed)?.remove(0).remove(0);
    let of_session = [("session", session)];
    let log = Asked { most: Some(200), ..Asked::with(LogRow::TABLE, &of_session) };
    let latest = Asked { by: Some(("time", true)), most: Some(100), ..Asked::all(LogRow::TABLE) };
    let questions =
        [("the newest sessions", newest), ("a session's log", log), ("what happened last", latest)];
    let times = rounds * ROUNDS_OF_A_LONG_ONE;
    let ask = |(name, asked): (&str, Asked<'_>)| {
        let pair = by_turns(
            times,
            1,
            || time(|| index.rows(&asked).during(|| name.to_owned())),
            || time(|| index.count(ProjectRow::TABLE).during(|| name.to_owned())),
        )?;
        let name = format!("ask for {name}");
        Ok(Figure::new(&name, "count the projects", pair, Target::WorstBelow(QUERY)))
    };
    questions.into_iter().map(ask).collect()
}
