//! Tools of other programs' MCP servers, called as if they were functions: started here and spoken to over their standard
//! input and output, or reached over HTTP. What they answer is text of theirs: nothing here judges it, and none of it is
//! ever told as Waypost's own.

mod child;
mod client;
mod web;

pub use client::Client;
