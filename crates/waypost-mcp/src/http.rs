//! The server as an HTTP service, for a surface that listens. Who may reach it is that surface's
//! business; this only refuses hosts and origins that it is not told about.
//!
//! What a client may hold here is bounded before the protocol's library sees anything of it: the message
//! that it sends, the streams that it keeps open, the sessions that it leaves behind.

mod answer;
mod sessions;

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt::Display;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tower_service::Service;
use waypost_app::machine::caller::Caller;
use waypost_app::machine::deadline::in_force;
use waypost_app::machine::host::Host;

use crate::Offer;
use crate::load::{Charge, Load};
use crate::message::{self, Intake};
use crate::server::Server;
use crate::watch::Watch;
use answer::{Answer, Held, Refusal};
use sessions::Sessions;

/// A message has to be there within this time: clients are on this machine.
const MESSAGE_LIMIT: Duration = Duration::from_secs(30);
/// Of a message that is too long so much is read and dropped, so that its connection can go on.
const MAX_DROPPED: usize = 8 * message::MAX_BYTES;
/// How many streams of events may be open at once. Each keeps a connection for as long as it likes, so
/// that this is half of them.
const MAX_STREAMS: usize = 512;
/// What clients of the newer revision say with a request for a stream.
const LISTEN: (&str, &str) = ("mcp-method", "subscriptions/listen");
/// What asks for a stream is a list of names, and is kept as long as the stream.
const MAX_LISTEN: usize = 64 * 1024;

type Inner = StreamableHttpService<Server, LocalSessionManager>;

/// A service that answers MCP over streamable HTTP.
#[derive(Clone)]
pub struct HttpService {
    inner: Inner,
    sessions: Arc<Sessions>,
    load: Arc<Load>,
    streams: Arc<Semaphore>,
}

/// The service for agents that come over the network. Each client gets a server of its own.
pub fn http(host: Host, offer: Offer) -> HttpService {
    let host = Host { caller: Caller::Remote, tools: Some(offer.toolsets.known()), ..host };
    let offer = Arc::new(offer);
    let (watch, host) = Watch::of(host);
    let server = move || Ok(Server::new(Arc::clone(&host), Arc::clone(&offer), Arc::clone(&watch)));
    let sessions = Arc::new(Sessions::new(in_force(sessions::IDLE)));
    let config =
        StreamableHttpServerConfig::default().with_max_request_body_bytes(message::MAX_BYTES);
    HttpService {
        inner: StreamableHttpService::new(server, sessions.manager(), config),
        sessions,
        load: Arc::default(),
        streams: Arc::new(Semaphore::new(MAX_STREAMS)),
    }
}

impl<B> Service<Request<B>> for HttpService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Display,
{
    type Response = Response<Answer>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            let answered = service.answer(request).await;
            Ok(answered.unwrap_or_else(Refusal::into_response))
        })
    }
}

impl HttpService {
    async fn answer<B>(&self, request: Request<B>) -> Result<Response<Answer>, Refusal>
    where
        B: Body,
        B::Error: Display,
    {
        let (parts, body) = request.into_parts();
        let stream = asks_for_stream(&parts).then(|| self.stream()).transpose()?;
        let held = Held { _session: self.sessions.used(&parts.headers), stream };
        if parts.method != Method::POST || !is_json(&parts) {
            // There is nothing in it that would be read.
            let request = Request::from_parts(parts, Full::new(Bytes::new()));
            return Ok(Answer::of(self.inner.handle(request).await, held));
        }
        let (message, charge) = self.message(body, held.stream.is_some()).await?;
        self.room_for_session(&parts, &message).await?;
        let mut request = Request::from_parts(parts, Full::new(message.clone()));
        // The library keeps it with the request for as long as that is worked on. What keeps a stream
        // is counted by the stream.
        if held.stream.is_none() {
            request.extensions_mut().insert(Arc::new(charge));
        }
        let response = self.inner.handle(request).await;
        // That is what the library says of a message that it cannot take apart.
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return Err(match message::read(&message) {
                Err(refused) => Refusal::new(StatusCode::BAD_REQUEST, refused),
                Ok(_) => Refusal::told(StatusCode::BAD_REQUEST, "there is no such notification"),
            });
        }
        if let Some(id) = sessions::named(response.headers()) {
            self.sessions.began(id).await;
        }
        Ok(Answer::of(response, held))
    }

    /// The whole message, once it is there.
    async fn message<B>(&self, body: B, is_listen: bool) -> Result<(Bytes, Charge), Refusal>
    where
        B: Body,
        B::Error: Display,
    {
        let read = timeout(in_force(MESSAGE_LIMIT), self.read(body, is_listen)).await;
        let (message, charge) = read.unwrap_or_else(|_| {
            let text = "the message did not come in time: send it at once";
            Err(Refusal::told(StatusCode::REQUEST_TIMEOUT, text))
        })?;
        let message = Bytes::from(message);
        let text = message::readable(&message)
            .map_err(|refused| Refusal::new(StatusCode::BAD_REQUEST, refused))?;
        let message = match text {
            Cow::Borrowed(text) => message.slice_ref(text.as_bytes()),
            Cow::Owned(text) => Bytes::from(text),
        };
        Ok((message, charge))
    }

    async fn read<B>(&self, body: B, is_listen: bool) -> Result<(Vec<u8>, Charge), Refusal>
    where
        B: Body,
        B::Error: Display,
    {
        let mut body = std::pin::pin!(body);
        let (mut intake, mut charge, mut seen) = (Intake::default(), self.load.add(0), 0);
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| {
                let text = format!("the message broke off: {error}");
                Refusal::told(StatusCode::BAD_REQUEST, text)
            })?;
            let Ok(mut part) = frame.into_data() else { continue };
            let part = part.copy_to_bytes(part.remaining());
            seen += part.len();
            intake.add(&part);
            if intake.is_too_long() {
                charge = self.load.add(0);
            } else if self.load.is_full() {
                return Err(Refusal::busy("too much is being asked at once"));
            } else {
                charge.grow(part.len());
            }
            if seen > MAX_DROPPED {
                break;
            }
        }
        let message = intake.finish().map_err(Refusal::too_long)?;
        if is_listen && message.len() > MAX_LISTEN {
            let text = format!("a request for a stream has {MAX_LISTEN} bytes at most");
            return Err(Refusal::told(StatusCode::PAYLOAD_TOO_LARGE, text));
        }
        Ok((message, charge))
    }

    /// A place among the streams that are open.
    fn stream(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        Arc::clone(&self.streams)
            .try_acquire_owned()
            .map_err(|_| Refusal::busy("too many streams are open: close one"))
    }

    /// Refuses a client that wants a session while there are too many.
    async fn room_for_session(&self, parts: &Parts, message: &[u8]) -> Result<(), Refusal> {
        if sessions::named(&parts.headers).is_some() || !self.sessions.are_full().await {
            return Ok(());
        }
        match message::read(message) {
            Ok(Some(ClientJsonRpcMessage::Request(request)))
                if matches!(request.request, ClientRequest::InitializeRequest(_)) =>
            {
                Err(Refusal::busy("too many sessions are open: end one (DELETE)"))
            }
            _ => Ok(()),
        }
    }
}

fn asks_for_stream(parts: &Parts) -> bool {
    let (name, value) = LISTEN;
    parts.method == Method::GET || parts.headers.get(name).is_some_and(|asked| asked == value)
}

fn is_json(parts: &Parts) -> bool {
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

#[cfg(test)]
mod tests;
