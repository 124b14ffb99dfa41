//! `waypost serve`

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use waypost_app::desk::Desk;
use waypost_app::machine::host::Host;
use waypost_app::machine::serve_token;
use waypost_web::{Serving, Token};

use super::CommandOutcome;
use super::mcp::OfferedArgs;
use crate::{ui, wiring};

/// Serve Waypost over HTTP on this machine: the dashboard, a JSON API, and MCP at /mcp
///
/// Prints one link that carries the token; open it in a browser. The first page is the inbox: what waits for you in all
/// projects of this machine. Listens on a loopback address, unless you name another one. Whoever asks shows the token,
/// which is made once and kept in a file for its owner only. Ends on SIGINT and SIGTERM.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost serve                        at http://127.0.0.1:4646
  waypost serve --bind 127.0.0.1:0     at any port that is free; the first line says which")]
pub(super) struct ServeArgs {
    /// The address and port; whatever is not a loopback address can be reached from other machines
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
        let secret = serve_token::load_or_create(host)?;
        let token = Some(Token::new(secret.clone()));
        #[cfg(feature = "conformance")]
        let token = token.filter(|_| !self.no_token);
        let serving = Serving {
            bind: self.bind,
            token,
            desk: Desk::begin(host, Arc::new(wiring::transcripts)),
            mcp: waypost_mcp::http(host.clone(), self.offered.into()),
            version: env!("CARGO_PKG_VERSION"),
            files: take_all_files(),
        };
        let path = host.serve_token_file();
        if !self.bind.ip().is_loopback() {
            ui::warning(format!(
                "{} can be reached from other machines: whoever has the link can read all sessions and act as you, such as \
                 approve gates; what is sent is not encrypted",
                self.bind
            ));
        }
        let _sender = wiring::sender(host);
        waypost_web::serve(serving, |address| {
            ui::line(format!("http://{}/?token={secret}", reached_at(address)));
            ui::note(format!(
                "open it in a browser; MCP is at /mcp, and its token in {}",
                path.display()
            ));
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The address to open: whoever serves all of a machine's addresses is reached here by its own.
fn reached_at(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, address.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, address.port()).into(),
        _ => address,
    }
}

/// Every client holds a connection, and every call opens files: the usual limit is meant for programs
/// that serve nobody. Gives how many there may be now; where they stay few, so do the connections.
fn take_all_files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}
