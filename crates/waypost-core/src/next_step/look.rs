//! What somebody can look at to find out more. Looking changes nothing.

use crate::id::SessionId;

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// The gates, and what is wrong with their file.
    Gates,
    /// The sessions where something happened last.
    Sessions,
    /// Every session.
    AllSessions,
    /// All that is known of a session.
    Session(SessionId),
    /// Where a session stands; none is the caller's own.
    Status(Option<SessionId>),
    /// What happened in a session; none is the caller's own.
    History(Option<SessionId>),
    /// The phases of the workflow that the session follows.
    Phases,
    /// What is to be done in the phase that a session is in; none is the caller's own.
    Phase(Option<SessionId>),
    /// The workflows that there are.
    Workflows,
    /// A workflow.
    Workflow(String),
    /// What is wrong with a workflow; none is every one.
    WorkflowProblems(Option<String>),
    /// What is wrong with the protocol.
    ProtocolProblems,
    /// The tasks of the plan.
    Tasks,
    /// What is wrong with the plan.
    PlanProblems,
    /// Whether the records of a session are whole; none is every one.
    Records(Option<SessionId>),
    /// Whether Waypost works here.
    Installation,
}
