//! What puts Waypost itself in order: its files, its keys, its records and their copies. Most of it is for people.

use crate::id::SessionId;

/// Something that puts Waypost in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mend {
    /// Set Waypost up in the project, also where it was set up before.
    SetUp,
    /// Set it up with git's own hooks.
    SetUpGitHooks,
    /// Set it up for these harnesses alone.
    SetUpFor(String),
    /// Take Waypost out of the project.
    TakeOut,
    /// Put damaged records together again, of one stream if it is named.
    Repair(Option<String>),
    /// Make another key in place of one that is gone.
    RepairKey,
    /// Use the newer Waypost that wrote it: nothing is broken.
    UseNewer,
    /// Let commands be run that the configuration names, as it is.
    TrustConfig,
    /// Accept what another key signs.
    TrustKey,
    /// Accept a published copy as it is.
    TrustCopy(SessionId),
    /// Accept everything that a key signed which is gone.
    TrustAllCopies,
    /// Accept that records of a stream are lost.
    TrustLoss(String),
    /// Sign with another key from now on.
    RotateKey,
    /// Print the key for another machine.
    ExportKey,
    /// Make a key that approvals are signed with.
    MakeApprovalKey,
    /// Write the published copy of a session; none is the caller's own.
    Publish(Option<SessionId>),
    /// Put a session away, out of sight.
    Archive(SessionId),
}
