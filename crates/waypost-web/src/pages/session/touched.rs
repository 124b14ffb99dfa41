//! The files that were changed in a session, and who changed them, as hooks saw it.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::index::Ask;
use waypost_core::tables::{Cell, LogRow};
use waypost_core::text::spoken::count;
use waypost_core::time::Timestamp;

use super::seen::Seen;
use super::timeline::happened;
use crate::parts::{Parts, code, nothing, text};

/// How many tool calls are looked through, the latest, and how many records of edits.
const MOST_CALLS: u32 = 1000;
const MOST_EDITS: usize = 500;
/// How many files are shown.
const MOST: usize = 300;

#[derive(Debug, Serialize)]
pub(super) struct Told {
    files: Vec<Touched>,
    /// How many files there are in all.
    total: usize,
}

#[derive(Debug, Serialize)]
struct Touched {
    path: String,
    by: BTreeSet<String>,
    times: u64,
    last: Timestamp,
}

pub(super) fn look(seen: &Seen<'_>) -> Result<Told, AppError> {
    let mut files: BTreeMap<String, Touched> = BTreeMap::new();
    let mut note = |path: &str, by: &str, time: Timestamp| {
        let path = path.trim();
        if path.is_empty() {
            return;
        }
        let file = files.entry(path.to_owned()).or_insert_with(|| Touched {
            path: path.to_owned(),
            by: BTreeSet::new(),
            times: 0,
            last: time,
        });
        file.by.insert(by.to_owned());
        file.times += 1;
        file.last = file.last.max(time);
    };
    for row in calls(seen)? {
        for path in row.files.as_deref().unwrap_or_default().lines() {
            note(path, &row.actor, row.time);
        }
    }
    let types = ["edit_observed", "edits_found"];
    let edits = happened(seen, false, Some(&types), None, MOST_EDITS)?;
    for event in edits {
        for path in event.what.as_deref().unwrap_or_default().lines() {
            note(path, &event.actor, event.time);
        }
    }
    let total = files.len();
    let mut files: Vec<Touched> = files.into_values().collect();
    files.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.path.cmp(&b.path)));
    files.truncate(MOST);
    Ok(Told { files, total })
}

fn calls(seen: &Seen<'_>) -> Result<Vec<LogRow>, AppError> {
    let Some(rows) = &seen.rows else { return Ok(Vec::new()) };
    rows.of(Ask {
        with: &[("session", Cell::Int(seen.key)), ("activity", Cell::Int(1))],
        by: Some(("number", true)),
        most: Some(MOST_CALLS),
        ..Ask::default()
    })
}

pub(super) fn show(told: &Told, parts: &Parts<'_>) -> Markup {
    if told.files.is_empty() {
        return nothing(
            "No file was seen to change.",
            html! { p { "Hooks see what agents edit, here and in their commands." } },
        );
    }
    html! {
        p.dim { (count(told.total, "file")) " changed, by the latest " (MOST_CALLS) " tool calls and what records say." }
        div.scroll {
            table id="touched" {
                thead { tr {
                    th scope="col" { "file" } th scope="col" { "by" } th.number scope="col" { "times" } th scope="col" { "last" }
                } }
                tbody {
                    @for file in &told.files {
                        tr data-row {
                            th scope="row" { (code(&file.path)) }
                            td { @for (place, by) in file.by.iter().enumerate() { @if place > 0 { ", " } (text(by)) } }
                            td.number { (file.times) }
                            td { (parts.ago(file.last)) }
                        }
                    }
                }
            }
        }
    }
}
