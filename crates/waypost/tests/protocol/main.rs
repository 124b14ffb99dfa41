//! The built-in protocol, through the MCP server.

mod hooks;
mod kept;
mod logs;
mod project;
mod seed_000;
mod without_hooks;
