//! The tables of the index: what an index keeps of sessions, as rows of plain cells, and the fold that makes rows of
//! records. Which database keeps them is no concern of it.
//!
//! Nothing decides by a row: an index is derived, and may be gone at any time.

mod cell;
mod fold;
mod rows;
mod session;
mod told;
mod usage;

pub use cell::{AsCell, Cell, Column, ColumnType, Row, Table};
pub use fold::{SessionRows, session_key};
pub use rows::{
    AgentRow, CommitRow, ConversationRow, DecisionRow, EvidenceRow, GateRow, LogRow, ProjectRow,
    SessionRow, SourceRow, VerdictRow, ViolationRow,
};
pub use session::{PhaseCell, PhaseStatus};
pub use usage::{
    MessageRow, QUARTER, TranscriptRow, UsageCountedRow, UsageQuarterRow, UsageRow, file_key,
    message_key,
};

/// The version of the tables. It grows whenever a column is added, or the same records give other rows: an index of
/// another version is made anew.
pub const SCHEMA: u32 = 3;

/// All tables.
pub const TABLES: &[&Table] = &[
    ProjectRow::TABLE,
    SessionRow::TABLE,
    ConversationRow::TABLE,
    AgentRow::TABLE,
    LogRow::TABLE,
    GateRow::TABLE,
    EvidenceRow::TABLE,
    DecisionRow::TABLE,
    VerdictRow::TABLE,
    ViolationRow::TABLE,
    CommitRow::TABLE,
    UsageCountedRow::TABLE,
    TranscriptRow::TABLE,
    UsageRow::TABLE,
    UsageQuarterRow::TABLE,
    MessageRow::TABLE,
    SourceRow::TABLE,
];

/// The tables that the records of a session make rows of, and its activity.
pub const OF_SESSION: &[&Table] = &[
    ConversationRow::TABLE,
    AgentRow::TABLE,
    LogRow::TABLE,
    GateRow::TABLE,
    EvidenceRow::TABLE,
    DecisionRow::TABLE,
    VerdictRow::TABLE,
    ViolationRow::TABLE,
    CommitRow::TABLE,
    UsageCountedRow::TABLE,
];
