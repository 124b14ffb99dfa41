//! Waypost over HTTP, for this machine alone: MCP at `/mcp`, and `/health`.
//!
//! The only crate that knows the web framework. It is given the MCP service and never looks into it;
//! whoever asks anything is looked at by one guard, before any route is.

mod connections;
mod guard;
mod server;
mod token;

pub use server::{Serving, serve};
pub use token::Token;
