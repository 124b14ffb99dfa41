//! The harness' settings changed while a conversation goes on: are its hooks still called? What silences them does
//! not hold for this conversation if one of its own calls did it, and is told where somebody else did. A change that
//! takes nothing of Waypost away is nobody's business.

use std::path::Path;

use waypost_core::next_step::{Mend, Voice, amid, does};

use super::{Call, locate};
use crate::error::AppError;
use crate::harness::Answer;
use crate::machine::host::Host;
use crate::setup::init::{Silencing, silenced};
use crate::view::calls::Calls;

/// Settings changed, in this file where that is known.
pub fn changed(host: &Host, call: &Call, file: Option<&Path>) -> Result<Answer, AppError> {
    let Some((view, Some(_))) = locate(host, call)? else { return Ok(Answer::Silence) };
    let Some(local) = host.harness(call.harness) else { return Ok(Answer::Silence) };
    let Some(found) = silenced(host, local, &view.project)? else { return Ok(Answer::Silence) };
    let place = view.project.relative(&found.file);
    let seen = match &found.how {
        Silencing::Off => format!("{place} switches all hooks off"),
        Silencing::Missing(events) => {
            format!("{place} no longer registers Waypost for {}", events.join(", "))
        }
    };
    let calls = Calls::of(&view, &call.conversation);
    let changed_by_call = |path: &Path| calls.was_under_way_at(path);
    let is_own = file.is_some_and(changed_by_call) || changed_by_call(&found.file);
    let way = amid("a person who wants Waypost out runs ", Mend::TakeOut, "; ")
        .and(does(Mend::SetUp, "to put the hooks back"));
    let way = way.words(Voice::HOOKED);
    Ok(if is_own {
        Answer::Deny(format!(
            "Waypost: {seen}. It changed during a call of this conversation, so it does not hold \
             for it.\nNext: {way}"
        ))
    } else {
        Answer::Message(format!("Waypost: {seen}, so gates no longer hold here.\nNext: {way}"))
    })
}
