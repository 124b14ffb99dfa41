//! Connections: how many there may be at once, and how long a client may take.
//!
//! Whoever is on this machine can open a connection, with the token or without. So nobody keeps one who
//! does not ask, does not say it all, or does not read the answer; and who comes when all are taken is told.

mod patient;

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use axum::http::{Response, StatusCode};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use waypost_app::machine::deadline::in_force;

use crate::answer::Ends;
use patient::Patient;

/// How many connections there may be at once: a thousand requests at the same moment are all answered.
const MAX_CONNECTIONS: usize = 1024;
/// How many of those who come too late are told so at once. The rest is let go without a word.
const MAX_TURNED_AWAY: usize = 64;
/// Files that the server's own work needs: the calls at work, with git and its pipes, and the listener.
const OWN_FILES: u64 = 256;
/// A request's header has to be there within this time, since the connection was made or the last answer
/// was given: clients are on this machine, and ask when they connect.
const HEADER_LIMIT: Duration = Duration::from_secs(10);
/// For how long a client may read nothing of an answer that waits for it.
const READ_LIMIT: Duration = Duration::from_secs(30);
/// For how long requests that are being answered may go on after the end was asked for.
const GRACE: Duration = Duration::from_secs(3);
/// The longest header. Ours have some hundred bytes; this is what most servers take.
const MAX_HEADER: usize = 16 * 1024;
/// How much of a connection is buffered.
const BUFFER: usize = 64 * 1024;

/// Serves until `end`, and what was asked by then. So many files may be open.
pub(crate) async fn serve(
    listener: TcpListener,
    routes: Router,
    files: u64,
    end: impl Future<Output = ()>,
) {
    let free = usize::try_from(files.saturating_sub(OWN_FILES)).unwrap_or(usize::MAX);
    let places = Arc::new(Semaphore::new(free.clamp(1, MAX_CONNECTIONS)));
    let turned_away = Arc::new(Semaphore::new(MAX_TURNED_AWAY));
    let ending = GracefulShutdown::new();
    let mut end = pin!(end);
    loop {
        let (stream, theirs) = tokio::select! {
            accepted = accept(&listener) => accepted,
            () = &mut end => break,
        };
        let (routes, place) = if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            (routes.clone(), place)
        } else if let Ok(place) = Arc::clone(&turned_away).try_acquire_owned() {
            (Router::new().fallback(full), place)
        } else {
            continue;
        };
        let ends = stream.local_addr().map(|ours| Ends { theirs, ours });
        let routes = match ends {
            Ok(ends) => routes.layer(Extension(ends)),
            Err(_) => routes,
        };
        let stream = TokioIo::new(Patient::new(stream, in_force(READ_LIMIT)));
        let connection = http().serve_connection(stream, TowerToHyperService::new(routes));
        let connection = ending.watch(connection);
        tokio::spawn(async move {
            // A client that breaks off, or is broken off, has nobody to tell.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    // A client that holds a stream of events open would hold up the end for as long as it likes.
    let _ = tokio::time::timeout(GRACE, ending.shutdown()).await;
}

fn http() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(in_force(HEADER_LIMIT))
        .max_header_size(MAX_HEADER)
        .max_buf_size(BUFFER);
    builder
}

/// The next connection. One that fails before it is there is no reason to stop.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_of_client(&error) => {}
            // The machine has no files or memory left: others may give some back.
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}

fn is_of_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// What those are told who come when every place is taken.
async fn full() -> Response<Body> {
    let text = "{\"error\":\"too many connections are open: close one, or ask again in a moment\"}";
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
