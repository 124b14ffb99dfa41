//! Rows as the transcripts of clients.

mod claude;
mod codex;
mod gemini;
mod opencode;

use std::fs;
use std::path::Path;

use crate::row::Row;

/// Writes what a client would keep of a row.
pub(crate) fn write(home: &Path, project: &Path, row: &Row, client: &str) {
    match client {
        "claude" => claude::write(home, project, row),
        "codex" => codex::write(home, project, row),
        "gemini" => gemini::write(home, project, row, true),
        "chats" => gemini::write(home, project, row, false),
        "storage" => opencode::write_files(home, project, row),
        _ => opencode::write_rows(home, project, row),
    }
}

fn put(file: &Path, content: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, content).unwrap();
}

/// The time of a step.
fn time(at: usize) -> String {
    format!("2026-11-18T10:{:02}:{:02}.000Z", at / 60, at % 60)
}

/// A file as it is named: in the project, unless it is somewhere else.
fn path(project: &Path, file: &str) -> String {
    project.join(file).display().to_string()
}
