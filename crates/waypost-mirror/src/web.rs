//! A server that is reached over HTTP. Each message is a request of its own, and its answer is read to the end: whatever a
//! tool answers is there by then. No stream of events is kept open, no redirect followed, no proxy asked.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_core::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse};
use ureq::Agent;
use waypost_app::machine::deadline::in_force;

/// How long connecting may take, and all of a request.
const CONNECT: Duration = Duration::from_secs(5);
const WHOLE: Duration = Duration::from_secs(300);
/// How much of an answer is read.
const MAX_ANSWER: u64 = 32 * 1024 * 1024;
const SESSION: &str = "mcp-session-id";

type Failed = StreamableHttpError<std::io::Error>;

/// What speaks to the server at an address.
pub(crate) fn transport(url: &str) -> StreamableHttpClientTransport<Web> {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .timeout_connect(Some(in_force(CONNECT)))
        .timeout_global(Some(in_force(WHOLE)))
        .user_agent(concat!("waypost/", env!("CARGO_PKG_VERSION")))
        .build();
    let web = Web { agent: config.into() };
    StreamableHttpClientTransport::with_client(
        web,
        StreamableHttpClientTransportConfig::with_uri(url.to_owned()),
    )
}

/// An HTTP client that blocks, on a thread that may.
#[derive(Clone)]
pub(crate) struct Web {
    agent: Agent,
}

/// An answer that was read to its end.
struct Answer {
    status: u16,
    kind: String,
    session: Option<String>,
    body: String,
}

impl Web {
    fn send(
        &self,
        uri: &str,
        body: &[u8],
        headers: &[(String, String)],
    ) -> Result<Answer, std::io::Error> {
        let mut request = self.agent.post(uri).content_type("application/json");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let mut answer = request.send(body).map_err(std::io::Error::other)?;
        let text = |name: &str| {
            let value = answer.headers().get(name).and_then(|value| value.to_str().ok());
            value.map(str::to_owned)
        };
        let (kind, session) = (text("content-type").unwrap_or_default(), text(SESSION));
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(MAX_ANSWER).lossy_utf8(true);
        let body = body.read_to_string().map_err(std::io::Error::other)?;
        Ok(Answer { status, kind, session, body })
    }
}

impl StreamableHttpClient for Web {
    type Error = std::io::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let body = serde_json::to_vec(&message)?;
        let mut headers =
            vec![("accept".to_owned(), "application/json, text/event-stream".to_owned())];
        let custom = custom_headers.iter();
        headers.extend(
            custom.filter_map(|(name, value)| {
                Some((name.to_string(), value.to_str().ok()?.to_owned()))
            }),
        );
        headers.extend(session_id.as_ref().map(|id| (SESSION.to_owned(), id.to_string())));
        let web = self.clone();
        let answer = tokio::task::spawn_blocking(move || web.send(&uri, &body, &headers)).await?;
        let answer = answer.map_err(StreamableHttpError::Client)?;
        match answer.status {
            202 | 204 => Ok(StreamableHttpPostResponse::Accepted),
            404 if session_id.is_some() => Err(StreamableHttpError::SessionExpired),
            _ if answer.kind.starts_with("text/event-stream") => {
                let events: Vec<Result<Sse, SseError>> = events(&answer.body);
                let events = Box::pin(tokio_stream::iter(events));
                Ok(StreamableHttpPostResponse::Sse(events, answer.session))
            }
            _ if answer.kind.starts_with("application/json") => {
                let message = serde_json::from_str(&answer.body)?;
                Ok(StreamableHttpPostResponse::Json(message, answer.session))
            }
            200..300 if answer.body.is_empty() => Ok(StreamableHttpPostResponse::Accepted),
            status => {
                let told = format!("it answers {status}");
                Err(StreamableHttpError::UnexpectedServerResponse(told.into()))
            }
        }
    }

    async fn delete_session(
        &self,
        _uri: Arc<str>,
        _session_id: Arc<str>,
        _auth_header: Option<String>,
        _custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        Err(StreamableHttpError::ServerDoesNotSupportDeleteSession)
    }

    async fn get_stream(
        &self,
        _uri: Arc<str>,
        _session_id: Option<Arc<str>>,
        _last_event_id: Option<String>,
        _auth_header: Option<String>,
        _custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }
}

/// The events of a stream that was read to its end.
fn events(body: &str) -> Vec<Result<Sse, SseError>> {
    let body = body.replace("\r\n", "\n");
    let each = body.split("\n\n").filter_map(|block| {
        let of = |key: &str, line: &str| {
            let rest = line.strip_prefix(key)?.strip_prefix(':')?;
            Some(rest.strip_prefix(' ').unwrap_or(rest).to_owned())
        };
        let data: Vec<String> = block.lines().filter_map(|line| of("data", line)).collect();
        let event = block.lines().find_map(|line| of("event", line));
        let id = block.lines().find_map(|line| of("id", line));
        (!data.is_empty()).then(|| Ok(Sse { event, data: Some(data.join("\n")), id, retry: None }))
    });
    each.collect()
}
