//! Work that is handed over, and taken.

use waypost_core::agents::{Agents, Handoff};
use waypost_core::command::{OrchestrationCommand, OrchestrationRefusal};
use waypost_core::event::{HandoffAccepted, HandoffCreated};
use waypost_core::runner::Awaited;
use waypost_core::session::{PendingHandoff, handoff_id};
use waypost_core::shell;
use waypost_core::text::spoken::count;
use waypost_core::text::{one_line, shortened};
use waypost_store::look;

use super::checklist::{self, Point};
use super::document;
use super::recorded::{Recorded, all, record};
use crate::error::AppError;
use crate::view::{Session, View};

/// Hands work over, and gives it as a document. Where no checklist is given, whoever goes on has to read the files that
/// it is about.
pub fn create(
    view: &View<'_>,
    session: Option<&str>,
    handoff: HandoffCreated,
) -> Result<(Recorded, String), AppError> {
    let session = view.session(session)?.id;
    let recorded = record(view, &session, created(view, handoff)?)?;
    let (session, agents) = all(view, Some(session.as_str()))?;
    let made = named(&agents, Some(&handoff_id(recorded.seq)))?;
    let page = document::markdown(&session.id, &session.state, &agents, made, view.voice());
    Ok((recorded, page))
}

/// What records a handoff.
pub(super) fn created(
    view: &View<'_>,
    mut handoff: HandoffCreated,
) -> Result<OrchestrationCommand, AppError> {
    if handoff.checklist.is_empty() {
        let points = handoff.artifacts.iter().map(|file| format!("read: {file}"));
        let read = points.filter(|line| is_file_here(view, line));
        handoff.checklist = read.take(waypost_core::session::MAX_POINTS).collect();
    }
    if let Some(outside) = handoff.checklist.iter().find(|line| leaves_project(line)) {
        return Err(AppError::refused(format!(
            "`{}` lies outside of the project",
            shortened(&one_line(outside), 80)
        ))
        .hint("name a file by its path in the project"));
    }
    let is_missing =
        |line: &&String| matches!(Point::of(line), Point::Read(_)) && !is_file_here(view, line);
    if let Some(missing) = handoff.checklist.iter().find(is_missing) {
        return Err(AppError::refused(format!(
            "`{}` cannot be done: there is no such file in the project",
            shortened(&one_line(missing), 80)
        ))
        .hint("name a file that is there"));
    }
    if let Some(command) = unseen(view, &handoff.checklist)? {
        return Err(AppError::refused(format!(
            "nobody could ever be seen to run `{}` with success: it is more than one plain command",
            shortened(&one_line(&command), 80)
        ))
        .hint("give each command a point of its own, without pipes, redirections and `cd`"));
    }
    Ok(OrchestrationCommand::HandOver(handoff))
}

/// A command that nobody can be seen to run: not even the line that it is would count.
fn unseen(view: &View<'_>, checklist: &[String]) -> Result<Option<String>, AppError> {
    let commands = checklist.iter().filter_map(|line| match Point::of(line) {
        Point::Run(command) => Some(command),
        Point::Read(_) | Point::Said(_) => None,
    });
    for command in commands {
        // What stands for anything may stand for nothing.
        let plain = command.replace(['*', '?'], "");
        let policy = view.policy()?;
        let awaited = Awaited::by(&plain, &policy.policy.runners);
        let found = shell::ran(&shell::analyse(&plain), &awaited);
        if found.is_none_or(|found| found.counts.is_err()) {
            return Ok(Some(command.to_owned()));
        }
    }
    Ok(None)
}

/// The handoff of that id, accepted or not; without one, the latest.
pub fn named<'a>(agents: &'a Agents, id: Option<&str>) -> Result<&'a Handoff, AppError> {
    let seq = id.map(|id| seq_of(id).unwrap_or_default());
    let found = agents.handoffs.iter().rev().find(|known| seq.is_none_or(|seq| known.seq == seq));
    found.ok_or_else(|| match id {
        Some(id) => AppError::refused(format!("no handoff {}", shortened(&one_line(id), 60)))
            .hint("the list of handoffs shows their ids"),
        None => AppError::refused("nothing was handed over in this session"),
    })
}

/// Whether what a point says is to be read is a file of the project.
fn is_file_here(view: &View<'_>, line: &str) -> bool {
    match Point::of(line) {
        Point::Read(file) => !leaves_project(line) && look::is_file(view.project.root.join(file)),
        Point::Run(_) | Point::Said(_) => false,
    }
}

fn leaves_project(line: &str) -> bool {
    match Point::of(line) {
        Point::Read(file) => file.starts_with('/') || file.split('/').any(|part| part == ".."),
        Point::Run(_) | Point::Said(_) => false,
    }
}

/// Takes a handoff over, once its checklist was gone through. `checked` answers, in their order, the points that nobody
/// can look up.
pub fn accept(
    view: &View<'_>,
    session: Option<&str>,
    handoff: &str,
    checked: Vec<String>,
) -> Result<(Recorded, PendingHandoff), AppError> {
    let session = view.session(session)?;
    let pending = find(&session, handoff)?.clone();
    let by = view.calling_agent().map(|(_, conversation)| conversation);
    let missing = checklist::missing(&session.state, &pending, by.as_ref());
    if !missing.is_empty() {
        let error = AppError::refused(format!(
            "{} cannot be accepted yet: its checklist was not gone through",
            pending.id()
        ));
        let steps = missing.iter().map(Point::next);
        return Err(steps.fold(error, AppError::hint));
    }
    let asked = checklist::to_be_said(&pending);
    let answered = checked.iter().filter(|text| !text.trim().is_empty()).count();
    if by.is_some() && answered < asked.len() {
        let error = AppError::refused(format!(
            "{} asks for {}, and {answered} were given",
            pending.id(),
            count(asked.len(), "answer")
        ));
        let hints = asked.iter().map(|text| Point::Said(text).next());
        return Err(hints.fold(error, AppError::hint));
    }
    let accepted = HandoffAccepted { handoff: pending.seq, checked };
    let recorded = record(view, &session.id, OrchestrationCommand::Accept(accepted))?;
    Ok((recorded, pending))
}

/// The handoff that is meant: its id, its number, or nothing where only one waits.
fn find<'s>(session: &'s Session, named: &str) -> Result<&'s PendingHandoff, AppError> {
    let pending = &session.state.orchestration.handoffs;
    if let ("", [only]) = (named.trim(), pending.as_slice()) {
        return Ok(only);
    }
    let number = seq_of(named);
    let found = pending.iter().find(|known| Some(known.seq) == number);
    found.ok_or_else(|| {
        let waiting: Vec<String> = pending.iter().map(|known| handoff_id(known.seq)).collect();
        match number {
            Some(handoff) => {
                let refusal = OrchestrationRefusal::NoHandoff { handoff, waiting };
                AppError::refused(refusal.to_string())
            }
            None => AppError::refused(format!(
                "`{}` is no handoff{}",
                shortened(&one_line(named), 60),
                if waiting.is_empty() {
                    "; none waits".to_owned()
                } else {
                    format!("; waiting: {}", waiting.join(", "))
                }
            )),
        }
    })
}

/// The record that an id of a handoff or a verdict names.
pub fn seq_of(id: &str) -> Option<u64> {
    let id = id.trim();
    let number = id.strip_prefix("handoff-").or_else(|| id.strip_prefix("verdict-")).unwrap_or(id);
    number.parse().ok()
}
