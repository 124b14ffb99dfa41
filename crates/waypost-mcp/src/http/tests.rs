//! What clients may hold, on a clock that goes on when nothing else does.

use http_body::Frame;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use waypost_app::machine::host::Clock;

use super::*;

const OLDER: &str = "2025-11-25";

fn run(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().start_paused(true).build().unwrap().block_on(test);
}

fn service() -> HttpService {
    let nowhere = std::path::PathBuf::from("/nonexistent");
    http(Host::from_env(nowhere, "waypost".into(), Clock::System, |_| None), Offer::default())
}

/// A request of the older revision.
fn older<B>(method: Method, session: Option<&str>, body: B) -> Request<B> {
    let request = Request::builder()
        .method(method)
        .header("Host", "localhost")
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", OLDER);
    let named =
        session.into_iter().fold(request, |request, id| request.header("Mcp-Session-Id", id));
    named.body(body).unwrap()
}

fn post(session: Option<&str>, message: &Value) -> Request<Full<Bytes>> {
    older(Method::POST, session, Full::from(message.to_string()))
}

async fn ask<B>(service: &HttpService, request: Request<B>) -> Response<Answer>
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Display,
{
    service.clone().call(request).await.unwrap()
}

/// The status and the whole body.
async fn told(response: Response<Answer>) -> (u16, String) {
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8_lossy(&body).into_owned())
}

async fn ping(service: &HttpService, session: &str) -> u16 {
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    told(ask(service, post(Some(session), &ping)).await).await.0
}

async fn begin(service: &HttpService) -> Response<Answer> {
    let about = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": OLDER, "capabilities": {}, "clientInfo": about});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    ask(service, post(None, &hello)).await
}

async fn session(service: &HttpService) -> String {
    let begun = begin(service).await;
    sessions::named(begun.headers()).unwrap().to_owned()
}

async fn stream(service: &HttpService, session: &str) -> Response<Answer> {
    ask(service, older(Method::GET, Some(session), Full::new(Bytes::new()))).await
}

/// A body of which one part comes, and no end.
struct Endless(Option<Bytes>);

impl Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.take().map_or(Poll::Pending, |part| Poll::Ready(Some(Ok(Frame::data(part)))))
    }
}

#[test]
fn a_session_that_nobody_uses_ends_and_one_with_an_open_stream_does_not() {
    run(async {
        let service = service();
        let (left, watched) = (session(&service).await, session(&service).await);
        let stream = stream(&service, &watched).await;
        for _ in 0..10 {
            tokio::time::sleep(sessions::IDLE / 2).await;
            assert_eq!(ping(&service, &left).await, 200, "it is used now and then");
        }
        tokio::time::sleep(2 * sessions::IDLE).await;
        assert_eq!(ping(&service, &left).await, 404);
        assert_eq!(ping(&service, &watched).await, 200);
        drop(stream);
        tokio::time::sleep(2 * sessions::IDLE).await;
        assert_eq!(ping(&service, &watched).await, 404);
        // Those who come later are looked after too.
        let next = session(&service).await;
        tokio::time::sleep(2 * sessions::IDLE).await;
        assert_eq!(ping(&service, &next).await, 404);
    });
}

#[test]
fn only_so_many_streams_are_open_at_once() {
    run(async {
        let service = service();
        let session = session(&service).await;
        let mut open = Vec::new();
        for number in 0..MAX_STREAMS {
            let opened = stream(&service, &session).await;
            assert_eq!(opened.status(), 200, "{number}");
            open.push(opened);
        }
        let refused = stream(&service, &session).await;
        assert_eq!(refused.headers()["retry-after"], "1");
        let (status, text) = told(refused).await;
        assert!(status == 503 && text.contains("too many streams are open"), "{status} {text}");
        assert_eq!(ping(&service, &session).await, 200, "calls go on");
        open.pop();
        assert_eq!(stream(&service, &session).await.status(), 200);
    });
}

#[test]
fn a_message_that_does_not_come_is_not_waited_for_without_end() {
    run(async {
        let begun = Endless(Some(Bytes::from("{\"jsonrpc\":")));
        let refused = ask(&service(), older(Method::POST, None, begun)).await;
        let (status, text) = told(refused).await;
        assert!(status == 408 && text.contains("did not come in time"), "{status} {text}");
    });
}

#[test]
fn messages_hold_only_so_much_at_once() {
    run(async {
        let service = service();
        let session = session(&service).await;
        let sending: Vec<_> = (0..5)
            .map(|_| {
                let part = Endless(Some(Bytes::from(vec![b' '; message::MAX_BYTES])));
                let request = older(Method::POST, Some(&session), part);
                let service = service.clone();
                tokio::spawn(async move { told(ask(&service, request).await).await.0 })
            })
            .collect();
        tokio::task::yield_now().await;
        assert_eq!(ping(&service, &session).await, 503);
        for sent in sending {
            sent.await.unwrap();
        }
        assert_eq!(ping(&service, &session).await, 200, "it was let go");
    });
}

#[test]
fn what_was_answered_holds_nothing() {
    run(async {
        let service = service();
        let session = session(&service).await;
        let params = json!({"x": "x".repeat(message::MAX_BYTES / 2)});
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": params});
        for number in 0..20 {
            let answer = told(ask(&service, post(Some(&session), &ping)).await).await;
            assert_eq!(answer.0, 200, "{number}: {}", answer.1);
        }
    });
}

#[test]
fn a_request_for_a_stream_is_short() {
    run(async {
        let long = json!({"jsonrpc": "2.0", "id": 1, "x": "x".repeat(MAX_LISTEN)});
        let mut request = post(None, &long);
        request.headers_mut().insert(LISTEN.0, LISTEN.1.parse().unwrap());
        assert_eq!(ask(&service(), request).await.status(), 413);
    });
}
