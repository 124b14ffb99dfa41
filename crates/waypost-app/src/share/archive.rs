//! Putting a session away: out of sight, with every file of it kept. Only people do that.

use waypost_core::command::Command;
use waypost_core::id::SessionId;
use waypost_core::next_step::{Mend, to};

use crate::error::AppError;
use crate::view::View;
use crate::view::human::{self, Human};

/// Archives a session: it is listed no more unless somebody asks for it, and takes nothing until
/// it is resumed. Returns it, and what somebody should be told about its stream. An agent is told
/// what a human would have to do, and nothing is recorded.
pub fn archive(
    view: &View<'_>,
    session: Option<&str>,
    reason: &str,
) -> Result<(SessionId, Vec<String>), AppError> {
    let session = view.session(session)?.id;
    let by_hand = |how: &'static str| to(how, Mend::Archive(session.clone()));
    match human::standing(view.host, &view.registry()) {
        Human::Human => {}
        Human::Agent(why) => {
            return Err(AppError::refused(format!("archiving a session is for people, and {why}"))
                .hint(by_hand("ask the user to run it in a terminal of their own")));
        }
        Human::NoTerminal => {
            return Err(AppError::refused("archiving a session needs a terminal")
                .hint(by_hand("run it by hand in a terminal")));
        }
    }
    let command = Command::Archive { reason: reason.to_owned() };
    let executed = view.execute(&session, &view.actor(), command)?;
    Ok((session, executed.warnings))
}
