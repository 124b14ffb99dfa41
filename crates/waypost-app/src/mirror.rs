//! Mirroring sessions to where agents keep memories and notes, through the outbox: a mirror that is down holds nobody up
//! and gets everything later. A mirror shows a session as it is by then, so what was missed comes at one go. What comes
//! back from a mirror is believed as far as it is signed, and no further.
//!
//! Which tools a mirror has, its module knows; how a server that has them is reached is a [`Servers`]' business. Nothing
//! is started or sent that a file of the project names before a human said yes to that very file.

mod asking;
mod background;
mod destination;
mod gathering;
mod notes;
mod picture;
mod restoring;
mod sending;
mod serena;
mod server;

use waypost_core::id::SessionId;
use waypost_core::mirror::Held;
use waypost_core::mirror::block::BlockError;

use crate::error::AppError;
use crate::view::View;

pub use crate::config::MirrorKind;
pub use asking::Asking;
pub use background::Mirroring;
pub use restoring::{Brought, Restored, restore};
pub use sending::{Part, State, Status, Synced, status, sync};
pub use server::{Fault, Server, Servers};

/// Where sessions are mirrored.
trait Mirror: Send {
    /// Which one.
    fn kind(&self) -> MirrorKind;

    /// Shows these sessions as they are now.
    fn push(&self, view: &View<'_>, sessions: &[SessionId]) -> Result<Pushed, PushError>;

    /// Everything that it holds.
    fn list(&self, view: &View<'_>) -> Result<Vec<Text>, Fault>;

    /// What it holds of a session.
    fn read(&self, view: &View<'_>, session: &SessionId) -> Result<Vec<Text>, Fault>;

    /// Whether it answers.
    fn health(&self) -> Result<(), Fault>;
}

/// What showing sessions came to.
#[derive(Debug, Default)]
struct Pushed {
    /// What was left as it is, because somebody else wrote it: a sentence each.
    conflicts: Vec<String>,
}

/// Why nothing was shown.
#[derive(Debug)]
enum PushError {
    /// The server did not do it.
    Server(Fault),
    /// What there is to show cannot be found out.
    Here(AppError),
}

impl From<Fault> for PushError {
    fn from(fault: Fault) -> Self {
        Self::Server(fault)
    }
}

impl From<AppError> for PushError {
    fn from(error: AppError) -> Self {
        Self::Here(error)
    }
}

/// A text that a mirror gave back.
#[derive(Debug)]
struct Text {
    /// What it is called there.
    name: String,
    /// What is in it, or why nothing can be taken from it.
    held: Result<Vec<Held>, BlockError>,
}
