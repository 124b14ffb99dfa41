//! What the pages cost with a lot of everything, each beside an empty page of the same web framework, and beside the bare
//! queries; how soon a page hears of what happens; how much is sent; how much memory many who watch take.
//!
//! Which pages there are is asked of the server itself: a new one has its row.

mod client;
mod home;

use std::cell::RefCell;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use waypost_app::sessions::begin::Begin;
use waypost_app::sessions::{end, start};
use waypost_app::view::View;
use waypost_core::event::{SessionEnded, SessionOutcome};
use waypost_core::id::SessionId;

use crate::arguments::Arguments;
use crate::failure::{During, Failure};
use crate::mcp::client::memory;
use crate::store::figure::{Figure, Target};
use crate::store::pair::{by_turns, time};
use crate::store::table;
use client::{Connection, Server};
use home::Filled;

/// How long a page may take, and how soon it has to hear of what happened.
const PAGE: Duration = Duration::from_millis(10);
const HEARD: Duration = Duration::from_millis(100);
/// How often a page is asked for before it counts: what is found in the background is found by then.
const WARM: usize = 20;
/// For how long it is waited until that is so.
const PATIENCE: Duration = Duration::from_secs(300);
/// How often something happens that a page hears of.
const HAPPENS: usize = 40;
/// How many watch at once, and the most memory that the server may have then.
const WATCHING: usize = 200;
const MOST_MEMORY: u64 = 60 * 1024 * 1024;
/// How many bytes the first page may have, with all that belongs to it.
const MOST_BYTES: usize = 100 * 1024;
/// What is asked of pages besides what they show at first.
const QUERIES: &[(&str, &str)] = &[
    ("/cost", "?by=model&since=all"),
    ("/cost", "?by=session&since=all"),
    ("/search", "?q=number"),
    ("/projects/{project}", "?page=20"),
];
/// What an answer says that is not whole yet.
const UNFINISHED: [&str; 4] =
    ["\"counting\":true", "\"reading\":true", "\"looking\":true", "\"scans\":0"];

/// Takes all figures.
pub(crate) fn measure(folder: &Path, arguments: &Arguments) -> Result<String, Failure> {
    let empty = arguments.empty_server.as_deref();
    let empty = empty.ok_or_else(|| Failure::new("--web needs --empty-server PATH"))?;
    let filled = Filled::make(folder)?;
    let server =
        Server::start(filled.command(&arguments.waypost, &["serve", "--bind", "127.0.0.1:0"]))?;
    let floor = Server::start(Command::new(empty))?;
    let mut figures = Vec::new();
    let (own, floor) = (RefCell::new(server.connect()?), RefCell::new(floor.connect()?));
    let ask_floor = || time(|| floor.borrow_mut().page("/"));
    let all = pages(&mut own.borrow_mut(), &filled)?;
    for path in all {
        if arguments.only.as_deref().is_some_and(|only| !path.contains(only)) {
            continue;
        }
        eprintln!("{path} ...");
        settle(&mut own.borrow_mut(), &path)?;
        let ask = || time(|| own.borrow_mut().page(&path));
        let pair = by_turns(arguments.rounds, 1, ask, ask_floor)?;
        let name = path.replace(&filled.project, "P").replace(filled.long.as_str(), "S");
        figures.push(Figure::new(&name, "an empty page", pair, Target::MostlyBelow(PAGE)));
    }
    let rounds = (arguments.rounds / crate::index::ROUNDS_OF_A_LONG_ONE).max(3);
    figures.extend(crate::index::questions(&*filled.home.open()?, rounds)?);
    figures.push(heard(&filled, &mut server.connect()?, ask_floor)?);
    let said = if arguments.json {
        table::json(&figures, arguments.rounds)
    } else {
        let rest = [first_page(&mut server.connect()?)?, watched(&filled, &server)?].concat();
        table::text(&figures, arguments.rounds) + &rest
    };
    Ok(said)
}

/// The addresses of all pages that the server describes, with what there is in the place of names.
fn pages(connection: &mut Connection, filled: &Filled) -> Result<Vec<String>, Failure> {
    let document = connection.page("/api/openapi.json")?;
    let document: Value = serde_json::from_slice(&document).during(|| "openapi".to_owned())?;
    let paths = document["paths"].as_object().ok_or_else(|| Failure::new("no paths"))?;
    let mut found = Vec::new();
    for (path, methods) in paths {
        let path = path.strip_prefix("/api").filter(|_| methods["get"].is_object());
        let Some(path) = path.map(|path| if path.is_empty() { "/" } else { path }) else {
            continue;
        };
        let queries = QUERIES.iter().filter(|(of, _)| *of == path).map(|(_, query)| *query);
        let meant = path
            .replace("{project}", &filled.project)
            .replace("{session}", filled.long.as_str())
            .replace("{client}", "claude-code")
            .replace("{conversation}", &filled.conversation)
            .replace("{phase}", "build");
        if meant.contains('{') {
            eprintln!("{path}: nobody says here what stands for its names; it is left out");
            continue;
        }
        found.extend([""].into_iter().chain(queries).map(|query| format!("{meant}{query}")));
    }
    Ok(found)
}

/// Asks for a page until it is as it stays.
fn settle(connection: &mut Connection, path: &str) -> Result<(), Failure> {
    let (begun, api) = (Instant::now(), format!("/api{}", path.trim_end_matches('/')));
    loop {
        let body = connection.page(&api)?;
        let body = String::from_utf8_lossy(&body);
        if !UNFINISHED.iter().any(|word| body.contains(word)) {
            break;
        }
        if begun.elapsed() > PATIENCE {
            return Err(Failure::new(format!("{path}: it was not whole in time")));
        }
        thread::sleep(Duration::from_millis(100));
    }
    (0..WARM).try_for_each(|_| connection.page(path).map(drop))
}

/// Begins a session; its end is something that happens, too.
fn begin(view: &View<'_>) -> Result<SessionId, Failure> {
    let begin = Begin { objective: Some("Make the greeting friendlier"), ..Begin::default() };
    Ok(start::start(view, &begin).during(|| "beginning a session".to_owned())?.session)
}

fn finish(view: &View<'_>, session: &SessionId) -> Result<(), Failure> {
    let outcome = SessionOutcome::Completed;
    let ended = SessionEnded { outcome, summary: None, next_notes: None };
    let ended = end::end(view, Some(session.as_str()), ended);
    ended.during(|| "ending a session".to_owned()).map(drop)
}

/// How long it takes from an append until the page's event has arrived.
fn heard(
    filled: &Filled,
    live: &mut Connection,
    floor: impl FnMut() -> Result<Duration, Failure>,
) -> Result<Figure, Failure> {
    eprintln!("what is live ...");
    live.follow("/")?;
    live.event()?;
    let mut last: Option<SessionId> = None;
    let hear = || {
        // Whoever looks after several agents does not see two things happen within a moment.
        thread::sleep(Duration::from_millis(250));
        let view = View::open(&filled.home.host).during(|| "opening the project".to_owned())?;
        match last.take() {
            Some(session) => finish(&view, &session)?,
            None => last = Some(begin(&view)?),
        }
        time(|| live.event())
    };
    let pair = by_turns(HAPPENS, 1, hear, floor)?;
    let name = "from an append until the page's event is there";
    Ok(Figure::new(name, "an empty page", pair, Target::MostlyBelow(HEARD)))
}

/// How many bytes the first page has, with its style and scripts.
fn first_page(connection: &mut Connection) -> Result<String, Failure> {
    let page = connection.page("/")?;
    let text = String::from_utf8_lossy(&page).into_owned();
    let mut bytes = page.len();
    for address in text.split('"').filter(|part| part.starts_with("/assets/")) {
        bytes += connection.page(address)?.len();
    }
    let met = if bytes < MOST_BYTES { "ok" } else { "MISSED" };
    Ok(format!(
        "first page with style and scripts, not compressed: {} KB, < 100 KB: {met}\n",
        bytes / 1024
    ))
}

/// How much memory the server has while many watch, and all of them have heard of something.
fn watched(filled: &Filled, server: &Server) -> Result<String, Failure> {
    eprintln!("{WATCHING} who watch ...");
    let before = memory(server.process(), "VmRSS:")?;
    let connect = |_| {
        let mut connection = server.connect()?;
        connection.follow("/")?;
        connection.event()?;
        Ok(connection)
    };
    let mut all = (0..WATCHING).map(connect).collect::<Result<Vec<Connection>, Failure>>()?;
    let view = View::open(&filled.home.host).during(|| "opening the project".to_owned())?;
    let session = begin(&view)?;
    all.iter_mut().try_for_each(Connection::event)?;
    finish(&view, &session)?;
    all.iter_mut().try_for_each(Connection::event)?;
    let (now, peak) = (memory(server.process(), "VmRSS:")?, memory(server.process(), "VmHWM:")?);
    let met = if now < MOST_MEMORY { "ok" } else { "MISSED" };
    Ok(format!(
        "resident memory with {WATCHING} who watch: {} MB, < 60 MB: {met}; {} MB before, {} MB at most\n",
        now >> 20,
        before >> 20,
        peak >> 20
    ))
}
