//! What several harnesses have alike: the names of fields and events in what they send, how their files register hooks
//! and MCP servers, and the form of their answers. Each part is code once and data for each harness that has it.

pub(super) mod given;
pub(super) mod hook;
pub(super) mod hooks;
pub(super) mod input;
pub(super) mod mcp;
pub(super) mod render;
pub(super) mod rules;
pub(super) mod servers;
