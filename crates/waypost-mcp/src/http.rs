//! The server as an HTTP service, for a surface that listens. Who may reach it is that surface's
//! business; this only refuses hosts and origins that it is not told about.

use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use waypost_app::caller::Caller;
use waypost_app::host::Host;

use crate::Offer;
use crate::server::Server;

/// A service that answers MCP over streamable HTTP.
pub type HttpService = StreamableHttpService<Server, LocalSessionManager>;

/// The service for agents that come over the network. Each client gets a server of its own.
pub fn http(host: Host, offer: Offer) -> HttpService {
    let host =
        Arc::new(Host { caller: Caller::Remote, tools: Some(offer.toolsets.known()), ..host });
    let offer = Arc::new(offer);
    let server = move || Ok(Server::new(Arc::clone(&host), Arc::clone(&offer)));
    StreamableHttpService::new(server, Arc::default(), StreamableHttpServerConfig::default())
}
