//! `waypost serve`

use std::net::SocketAddr;
use std::process::ExitCode;

use clap::Args;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use waypost_app::machine::host::Host;
use waypost_app::machine::serve_token;
use waypost_web::{Serving, Token};

use super::CommandOutcome;
use super::mcp::OfferedArgs;
use crate::{ui, wiring};

/// Serve Waypost over HTTP on this machine: MCP at /mcp, and /health
///
/// Listens on a loopback address only. Whoever asks at /mcp shows the token, which is made once and
/// kept in a file for its owner only; where that is, is said at the start. Ends on SIGINT and SIGTERM.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost serve                        at http://127.0.0.1:4646
  waypost serve --bind 127.0.0.1:0     at any port that is free; the first line says which")]
pub(super) struct ServeArgs {
    /// The loopback address and port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4646")]
    bind: SocketAddr,
    #[command(flatten)]
    offered: OfferedArgs,
    /// Ask nobody for the token
    #[cfg(feature = "conformance")]
    #[arg(long, hide = true)]
    no_token: bool,
}

impl ServeArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        // Without a key nothing can be verified or recorded. The project may come later.
        host.keyring()?;
        let servers = wiring::servers();
        let host = &wiring::asking(host, &servers);
        let token = Some(Token::new(serve_token::load_or_create(host)?));
        #[cfg(feature = "conformance")]
        let token = token.filter(|_| !self.no_token);
        let serving = Serving {
            bind: self.bind,
            token,
            mcp: waypost_mcp::http(host.clone(), self.offered.into()),
            version: env!("CARGO_PKG_VERSION"),
            files: take_all_files(),
        };
        let path = host.serve_token_file();
        let _senders = wiring::senders(host, &servers);
        waypost_web::serve(serving, |address| {
            ui::line(format!("http://{address}"));
            ui::note(format!("MCP is at /mcp; the token is in {}", path.display()));
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Every client holds a connection, and every call opens files: the usual limit is meant for programs
/// that serve nobody. Gives how many there may be now; where they stay few, so do the connections.
fn take_all_files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}
