//! Listening, and ending well.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tower_service::Service;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;

use crate::answer::{Open, answer};
use crate::connections;
use crate::guard::{Guard, guard};
use crate::live::Live;
use crate::site::Site;
use crate::token::Token;

/// How many threads may block at once.
const BLOCKING_THREADS: usize = 8;

/// What is served, and where.
#[derive(Debug)]
pub struct Serving<S> {
    /// The address of this machine.
    pub bind: SocketAddr,
    /// The token that callers show.
    pub token: Option<Token>,
    /// What pages are made of.
    pub desk: Arc<Desk>,
    /// What answers at `/mcp`.
    pub mcp: S,
    /// The version that `/health` tells.
    pub version: &'static str,
    /// How many files this process may have open at once.
    pub files: u64,
}

/// Serves until the process is told to end. `ready` is called with the address once it listens.
pub fn serve<S>(serving: Serving<S>, ready: impl FnOnce(SocketAddr)) -> Result<(), AppError>
where
    S: Service<Request, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Response: IntoResponse,
    S::Future: Send,
{
    let (bind, files, desk) = (serving.bind, serving.files, Arc::clone(&serving.desk));
    if !bind.ip().is_loopback() && serving.token.is_none() {
        return Err(AppError::configuration(format!(
            "{bind} is not an address of this machine alone, and no token is asked for"
        ))
        .hint("bind a loopback address: --bind 127.0.0.1:4646"));
    }
    let failed = |error: std::io::Error| {
        AppError::refused(format!("cannot serve at {bind}: {error}"))
            .because(error)
            .hint("another port: --bind 127.0.0.1:0 takes any that is free")
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
        .map_err(failed)?;
    let served = runtime.block_on(async {
        let end = end_asked_for()?;
        let listener = TcpListener::bind(bind).await?;
        let address = listener.local_addr()?;
        let routes = routes(serving, address);
        ready(address);
        connections::serve(listener, routes, files, end).await;
        Ok(())
    });
    runtime.shutdown_background();
    desk.end();
    served.map_err(failed)
}

fn routes<S>(serving: Serving<S>, address: SocketAddr) -> Router
where
    S: Service<Request, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Response: IntoResponse,
    S::Future: Send,
{
    let health = format!("{{\"status\":\"ok\",\"version\":\"{}\"}}", serving.version);
    let site = Arc::new(Site::new(serving.desk, serving.token.as_ref(), serving.version));
    let open = Arc::new(Open { site, live: Live::new() });
    let guarded = Guard::new(address, serving.token);
    Router::new()
        .route(
            "/health",
            get(move || async move { ([(CONTENT_TYPE, "application/json")], health) }),
        )
        .route_service("/mcp", serving.mcp)
        .fallback(answer)
        .with_state(open)
        .layer(middleware::from_fn(left))
        .layer(middleware::from_fn_with_state(guarded, guard))
}

/// A client that leaves is let go at once. Clients take the service's 202 (accepted) for a failure.
async fn left(request: Request, next: Next) -> Response {
    let leaves = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if leaves && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Ends when the process is told to: by the user (SIGINT) or the system (SIGTERM).
fn end_asked_for() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
