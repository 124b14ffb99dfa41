//! Answers: those of the protocol's library, with what is held until they are read, and those to what it
//! never saw.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::model::{ErrorCode, ErrorData};
use tokio::sync::OwnedSemaphorePermit;

use super::sessions::InUse;
use crate::message::Refused;

/// What a server says that cannot do more at the moment; JSON-RPC leaves these codes to servers.
const BUSY: ErrorCode = ErrorCode(-32000);

/// What is held as long as an answer is not over.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) _session: Option<InUse>,
    pub(super) stream: Option<OwnedSemaphorePermit>,
}

/// The body of an answer.
#[derive(Debug)]
pub struct Answer {
    body: BoxBody<Bytes, Infallible>,
    _held: Held,
}

impl Answer {
    pub(super) fn of(response: Response<BoxBody<Bytes, Infallible>>, held: Held) -> Response<Self> {
        response.map(|body| Self { body, _held: held })
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Why a request is not answered as it was meant to be.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    refused: Refused,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, refused: Refused) -> Self {
        Self { status, refused }
    }

    /// The message is too long.
    pub(super) fn too_long(refused: Refused) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, refused)
    }

    /// Something else is wrong with it.
    pub(super) fn told(status: StatusCode, text: impl Into<String>) -> Self {
        let error = ErrorData::invalid_request(text.into(), None);
        Self::new(status, Refused { error, id: None })
    }

    /// Nothing is wrong with it, but it is too much now.
    pub(super) fn busy(text: &str) -> Self {
        let error = ErrorData::new(BUSY, format!("{text}, or ask again in a moment"), None);
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Refused { error, id: None })
    }

    pub(super) fn into_response(self) -> Response<Answer> {
        let text = serde_json::to_vec(&self.refused.into_answer()).unwrap_or_default();
        let mut response = Response::new(Full::from(text).boxed());
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        Answer::of(response, Held::default())
    }
}
