//! Keeping a session's plan files right: the statuses in `plan.json`, and `plan.md`, which is made
//! from it.
//!
//! Nothing here fails: a plan that cannot be read or written takes nothing back of what was recorded.
//! Only statuses are ever changed in `plan.json`, and a `plan.md` that people wrote is theirs.

use std::path::Path;

use waypost_core::id::SessionId;
use waypost_core::session::Build;
use waypost_core::text::{one_line, shortened};

use super::markdown::FIRST_LINE;
use super::statuses::{Contradicted, Knowledge, put_right};
use super::{FILE, MAX_BYTES, Plan, READABLE, markdown, parse, read};
use crate::documents::document::Document;
use crate::error::AppError;
use crate::machine::plain_files::{self, Existing};

/// A larger `plan.md` is neither read nor written.
const MAX_READABLE: u64 = 16 * 1024 * 1024;
/// How often somebody may write the plan while it is put right.
/// How the last line begins of what another program made from a plan.
const LAST_LINE: &[u8] = b"*Auto-generated from plan.json";
const ATTEMPTS: usize = 3;
/// How many ids a warning names.
const NAMED: usize = 8;

/// Puts the plan files in a session's folder right after its build. `began_elsewhere`: another
/// program kept the session first. Returns what somebody should be told.
pub(crate) fn keep(
    folder: &Path,
    id: &SessionId,
    build: &Build,
    began_elsewhere: bool,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let knowledge = Knowledge::of(build, began_elsewhere);
    let kept = keep_statuses(folder, id, &knowledge, &mut warnings)
        .and_then(|plan| plan.map_or(Ok(()), |plan| keep_readable(folder, &plan, &mut warnings)));
    if let Err(error) = kept {
        warnings.push(format!("{error}; it was left as it is"));
    }
    warnings
}

/// Puts the statuses right. Returns the plan as it is then.
fn keep_statuses(
    folder: &Path,
    id: &SessionId,
    knowledge: &Knowledge<'_>,
    warnings: &mut Vec<String>,
) -> Result<Option<Plan>, AppError> {
    let path = folder.join(FILE);
    for _ in 0..ATTEMPTS {
        let Some(before) = plain_files::look_at(&path, MAX_BYTES)? else {
            return Ok(None);
        };
        let document = Document::parse(Path::new(FILE), &before.bytes)?;
        let value = document.value().ok_or_else(|| document.wrong_type("it", "an object"))?;
        let contradicted = put_right(&document, &read::plan(&value), knowledge);
        let bytes = document.to_bytes();
        if bytes != before.bytes {
            // Somebody may have gone on writing while this was worked out: that is not lost.
            if plain_files::look_at(&path, MAX_BYTES)?.as_ref() != Some(&before) {
                continue;
            }
            plain_files::write(&path, &bytes, Some(before.mode), 0o644)?;
        }
        warnings.extend(told(&contradicted));
        return parse(Path::new(FILE), &bytes, id).map(Some);
    }
    Err(AppError::refused(format!("{FILE} is being written by somebody else")))
}

/// Makes `plan.md` anew, unless people wrote it.
fn keep_readable(folder: &Path, plan: &Plan, warnings: &mut Vec<String>) -> Result<(), AppError> {
    if plan.checkpoints.is_empty() {
        return Ok(());
    }
    let path = folder.join(READABLE);
    let before = plain_files::look_at(&path, MAX_READABLE)?;
    if before.as_ref().is_some_and(is_theirs) {
        warnings.push(format!(
            "{READABLE} was written by hand, so it is kept; move it away to have it made from {FILE}"
        ));
        return Ok(());
    }
    let text = markdown(plan);
    if before.as_ref().is_some_and(|before| before.bytes == text.as_bytes()) {
        return Ok(());
    }
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > MAX_READABLE {
        return Err(AppError::refused(format!("{READABLE} would be larger than any that is read")));
    }
    plain_files::write(&path, text.as_bytes(), before.map(|before| before.mode), 0o644)
}

fn is_theirs(file: &Existing) -> bool {
    let is_ours = file.bytes.starts_with(FIRST_LINE.as_bytes());
    !is_ours && !file.bytes.trim_ascii().is_empty() && !is_generated(&file.bytes)
}

/// Whether another program made it from the plan, and says so in its last line.
fn is_generated(bytes: &[u8]) -> bool {
    let last = bytes.trim_ascii().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    last.starts_with(LAST_LINE)
}

fn told(contradicted: &Contradicted) -> Vec<String> {
    let tell = |what: &str, ids: &[String]| {
        let is = if ids.len() == 1 { "is" } else { "are" };
        let named = named(what, ids);
        format!("{FILE} said that {named} {is} completed; the session does not know of it")
    };
    let Contradicted { checkpoints, tasks } = contradicted;
    let mut told = Vec::new();
    if !checkpoints.is_empty() {
        told.push(tell("checkpoint", checkpoints));
    }
    if !tasks.is_empty() {
        told.push(tell("task", tasks));
    }
    told
}

/// Things of one sort by their ids, as far as there is room: `tasks 1.1, 1.2 and 3 more`.
pub(crate) fn named(what: &str, ids: &[String]) -> String {
    let shown: Vec<String> =
        ids.iter().take(NAMED).map(|id| shortened(&one_line(id), 60)).collect();
    let plural = if ids.len() == 1 { "" } else { "s" };
    let more = match ids.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{what}{plural} {}{more}", shown.join(", "))
}
