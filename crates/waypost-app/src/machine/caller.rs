//! On whose behalf a process acts.
//!
//! A command acts for whoever started it. A server acts for agents, also where a human started it in
//! a terminal of their own: what its tools are told is never taken for a human's word. Its pages are for people, and whoever
//! asks for one is looked at like the starter of a command.

/// On whose behalf this process acts, and what of its surroundings tells of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// Whoever started the process: its environment and the processes above it tell who that is.
    Starter,
    /// The agent whose client started the process and speaks through it: never a human.
    Agent,
    /// An agent that came over the network. What started the process says nothing of it.
    Remote,
    /// Whoever looks at a page of the server, by the process at the other end of the connection where that can be told.
    Page(Option<u32>),
}
