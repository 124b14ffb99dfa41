//! What the MCP server costs over pipes, each figure beside what it cannot do without.

pub(crate) mod client;
mod project;

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::arguments::Arguments;
use crate::failure::{During, Failure};
use crate::store::append::append;
use crate::store::figure::{Figure, Target};
use crate::store::pair::{Pair, by_turns, time};
use crate::store::table;
use client::Client;
use project::Project;

/// How many calls come before the memory is looked at.
const CALLS: usize = 10_000;
/// The most memory that the server may have then.
const MOST_MEMORY: u64 = 15 * 1024 * 1024;
/// As long as a record of evidence.
const LINE: [u8; 500] = [b'x'; 500];

/// Takes all figures.
pub(crate) fn measure(folder: &Path, arguments: &Arguments) -> Result<String, Failure> {
    let empty = arguments.empty_server.as_deref();
    let empty = empty.ok_or_else(|| Failure::new("--mcp needs --empty-server PATH"))?;
    let project = Project::set_up(folder, &arguments.waypost)?;
    let rounds = arguments.rounds;
    eprintln!("start ...");
    let start = by_turns(
        rounds,
        1,
        || time(|| project.serve().map(drop)),
        || time(|| Client::start(project.command(empty)).map(drop)),
    )?;
    eprintln!("calls ...");
    let mut server = project.serve()?;
    server.call("session_start", &json!({"objective": "measure"}))?;
    let blocked = server.by_turns_with_ping(rounds, "get_blocked_reason", &json!({}))?;
    let evidence = json!({
        "phase": "SERENA_INIT",
        "step": "activate_project",
        "evidence_type": "tool_output",
        "evidence": "activate_project: the project is active",
    });
    let recorded = recorded(&mut server, rounds, folder, &evidence)?;
    eprintln!("{CALLS} calls ...");
    for _ in 0..CALLS {
        server.call("get_blocked_reason", &json!({}))?;
    }
    let memory = server.resident()?;
    let figures = [
        Figure::new("start to first answer", "an empty rmcp server", start, Target::AtMost(3.0)),
        Figure::new("get_blocked_reason", "ping", blocked, Target::AtMost(5.0)),
        Figure::new("record_evidence", "ping, 2 durable appends", recorded, Target::AtMost(1.0)),
    ];
    if arguments.json {
        return Ok(table::json(&figures, rounds));
    }
    let met = if memory < MOST_MEMORY { "ok" } else { "MISSED" };
    let text = table::text(&figures, rounds);
    Ok(format!("{text}resident memory after {CALLS} calls: {} KB, < 15 MB: {met}\n", memory / 1024))
}

/// Evidence by turns with a ping and two durable appends.
fn recorded(
    server: &mut Client,
    rounds: usize,
    folder: &Path,
    evidence: &serde_json::Value,
) -> Result<Pair, Failure> {
    let bare = folder.join("bare");
    std::fs::write(&bare, LINE).during(|| bare.display().to_string())?;
    let server = std::cell::RefCell::new(server);
    by_turns(
        rounds,
        20,
        || time(|| server.borrow_mut().call("record_evidence", evidence)),
        || {
            let ping = time(|| server.borrow_mut().ping())?;
            let twice = time(|| {
                append(&bare, &LINE)
                    .and_then(|()| append(&bare, &LINE))
                    .during(|| bare.display().to_string())
            })?;
            Ok::<Duration, Failure>(ping + twice)
        },
    )
}
