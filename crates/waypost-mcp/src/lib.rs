//! Waypost as an MCP server: tools, resources and prompts, thin over the use cases.
//!
//! The only crate that knows the protocol's library. It never names the store, another surface or a
//! terminal: it is given a machine, and speaks over the pipes or the HTTP service that it hands out.
//! Files are the truth: every call opens the project anew, so that what hooks, commands and other
//! servers wrote in between counts. An answer is given again only while nothing that was looked at for
//! it has changed.

mod arguments;
mod call;
mod completion;
#[cfg(feature = "conformance")]
mod fixtures;
mod http;
mod instructions;
mod kept;
mod load;
mod message;
mod outcome;
mod prompts;
mod resources;
mod schema;
mod server;
mod stdio;
mod tool;
mod tools;
mod toolset;
mod watch;
mod wire;
mod words;

pub use http::{HttpService, http};
pub use stdio::stdio;
pub use toolset::{Toolset, Toolsets};

/// What a server offers.
#[derive(Debug, Clone, Default)]
pub struct Offer {
    /// The groups of tools.
    pub toolsets: Toolsets,
    /// Nothing at all: another server does the work, or there is none to do.
    pub nothing: bool,
    /// Also what the protocol's conformance suite asks for.
    #[cfg(feature = "conformance")]
    pub fixtures: bool,
}
