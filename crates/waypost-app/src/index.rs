//! The index of everything that agents on this machine ever did: which projects there are, and what their records,
//! copies and activity come to as rows that can be asked for.
//!
//! It is derived, and nothing is decided by it. What is appended is found by the next scan, which compares where each
//! stream and file stands: nobody who appends waits for a database, and a hook never opens one. What cannot be found
//! again, which projects there are and what people call them, is a small file of its own (`known`).

mod activity;
mod ahead;
mod asking;
mod counting;
mod find;
mod folder;
mod known;
mod making;
mod onboard;
mod place;
mod project;
mod quarters;
mod reading;
mod report;
mod rows;
mod said;
mod sources;
mod status;
mod stream;
mod transcripts;

pub(crate) use asking::{Wanted, used};
pub use known::{ListedProject, project};
pub(crate) use known::{projects, roots};
pub use making::{rebuild, scan};
pub use onboard::{archive, list, onboard, rename};
pub use place::{FoundProject, Inside, MAX_INSIDE, Place, SessionsThere, place};
pub use report::{Failed, Progress, Report, ScannedProject};
pub use rows::{Ask, FoundMessage, Rows, Sums};
pub use said::texts;
pub use status::{IndexState, Status, status};
