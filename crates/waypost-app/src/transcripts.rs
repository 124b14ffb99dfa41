//! What clients keep of their conversations, in words that are no client's own. Transcripts are read where they lie:
//! never copied, never changed, and whatever is shown of them is redacted.
//!
//! Each client has a [`TranscriptReader`] of its own outside of the app, which alone knows its files; the binary hands
//! them in. They are tolerant: a line that cannot be read is counted and passed by.

mod entry;
mod files;
mod find;
mod found;
mod reader;
pub mod search;
pub mod show;
mod stream;
mod tail;
pub mod window;

pub use entry::{By, CallEnd, Entry, MAX_TOKENS, Returned, Total, Usage, What};
pub(crate) use find::spellings;
pub(crate) use show::said_by;

pub use files::Stamp;
pub use find::{Conversation, Scope, conversations, files};
pub use found::Found;
pub use reader::{Belongs, Files, Folder, Form, Kept, Reading, TranscriptReader, Within, kept};
pub use stream::{MAX_LINE, OnDisk, Progress, read, read_whole};
pub use tail::tail;
