//! The server over the process' own pipes, for the client that started it.

mod lines;
mod pipes;

use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use waypost_app::error::AppError;
use waypost_app::machine::caller::Caller;
use waypost_app::machine::host::Host;

use crate::Offer;
use crate::server::Server;
use crate::watch::Watch;
use pipes::Pipes;

/// How many threads may block at once: a few calls, and the pipes where they are none.
const BLOCKING_THREADS: usize = 6;

/// Serves the client at standard input and output until it is gone.
pub fn stdio(host: Host, offer: Offer) -> Result<(), AppError> {
    let host = Host { caller: Caller::Agent, tools: Some(offer.toolsets.known()), ..host };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
        .map_err(|error| {
            AppError::refused(format!("cannot begin to serve: {error}")).because(error)
        })?;
    let served = runtime.block_on(async {
        let (watch, host) = Watch::of(host);
        let server = Server::new(host, Arc::new(offer), watch);
        let (questions, answers) = stdio_pipes();
        match server.serve(Pipes::new(questions, answers)).await {
            Ok(running) => running.waiting().await.map(drop).map_err(|error| error.to_string()),
            // A client that leaves without a word has not been failed.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    });
    // A read of standard input that never returns must not keep the process.
    runtime.shutdown_background();
    served.map_err(|error| AppError::refused(format!("the client's connection failed: {error}")))
}
