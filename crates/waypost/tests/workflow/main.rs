//! Workflows, through the command line and the MCP server.

mod back;
mod checked;
mod dynamic;
mod entered;
mod guarded;
mod killed;
mod mcp;
mod own;
mod praxis;
mod project;
mod seed_001;
mod seed_004;
mod together;
mod wrong;
