//! Waypost over HTTP: pages for people, their values as JSON, MCP at `/mcp`, and `/health`.
//!
//! The only crate that knows the web framework. It is given the MCP service and never looks into it;
//! whoever asks anything is looked at by one guard, before any route is.

mod actions;
mod answer;
mod asked;
mod assets;
mod chart;
mod connections;
mod downloads;
mod frame;
mod guard;
mod live;
mod markdown;
mod marked;
mod offers;
mod openapi;
mod pages;
mod parts;
mod period;
mod server;
mod site;
mod token;

pub use server::{Serving, serve};
pub use token::Token;
