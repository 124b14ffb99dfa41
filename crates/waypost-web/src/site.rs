//! What is asked becomes an answer: pages, their values as JSON, actions, what is live.
//!
//! Looking at anything reads files, so it is done on threads that may block.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, LOCATION,
};
use axum::http::{HeaderMap, Method, Response, StatusCode};
use maud::html;
use waypost_app::desk::Desk;
use waypost_app::error::{AppError, Kind};
use waypost_app::machine::caller::Caller;
use waypost_app::machine::host::Host;
use waypost_app::machine::peer;
use waypost_core::key::sha256_hex;
use waypost_core::next_step::Voice;

use crate::actions::{self, Done};
use crate::asked::Asked;
use crate::guard::Known;
use crate::live::Live;
use crate::pages::{self, Sheet};
use crate::parts::{Parts, text};
use crate::token::{Token, same};
use crate::{assets, frame, openapi};

/// The longest body of a form or of a program's request.
const MAX_BODY: usize = 256 * 1024;
/// Nothing runs, and nothing is fetched, but what is compiled in.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// What answers.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) desk: Arc<Desk>,
    /// What forms carry along.
    pub(crate) form: String,
    pub(crate) live: Live,
    pub(crate) version: &'static str,
}

/// The two ends of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) theirs: SocketAddr,
    pub(crate) ours: SocketAddr,
}

/// A page as it is sent, and as it is kept for those who watch it.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) status: StatusCode,
    pub(crate) title: String,
    pub(crate) inside: String,
    pub(crate) mark: String,
}

impl Site {
    pub(crate) fn new(desk: Arc<Desk>, token: Option<&Token>, version: &'static str) -> Self {
        let form = token.map(Token::form).unwrap_or_default();
        Self { live: Live::new(), desk, form, version }
    }

    /// The page at an address.
    pub(crate) fn render(&self, path: &str, query: &str) -> Rendered {
        let parts = Parts::new(self.desk.host.moment(), &self.form);
        let (status, sheet) = match pages::find(path, query) {
            Some((page, asked)) => match page.sheet(&self.desk, &asked, &parts) {
                Ok(sheet) => (StatusCode::OK, sheet),
                Err(error) => (status_of(&error), frame::failed(&error)),
            },
            None => (StatusCode::NOT_FOUND, frame::failed(&no_page(path))),
        };
        self.framed(status, &sheet, path)
    }

    fn framed(&self, status: StatusCode, sheet: &Sheet, path: &str) -> Rendered {
        let inside = frame::inside(sheet, path, &self.desk).into_string();
        let mark = sha256_hex(&[inside.as_bytes()])[..16].to_owned();
        Rendered { status, title: sheet.title.clone(), inside, mark }
    }

    fn page(&self, rendered: &Rendered) -> Response<Body> {
        let Rendered { status, title, inside, mark } = rendered;
        let document = frame::document(title, inside, mark);
        let mut response = Response::new(Body::from(document));
        *response.status_mut() = *status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(frame::HTML));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    fn value(&self, path: &str, query: &str, headers: &HeaderMap) -> Response<Body> {
        let found = match (path, pages::find(path, query)) {
            ("/openapi.json", _) => Ok(openapi::document(self.version)),
            (_, Some((page, asked))) => page.value(&self.desk, &asked),
            (_, None) => Err(no_page(path)),
        };
        let value = match found {
            Ok(value) => value,
            Err(error) => return json(status_of(&error), &told(&error)),
        };
        let body = value.to_string();
        let tag = format!("\"{}\"", &sha256_hex(&[body.as_bytes()])[..32]);
        let known = headers.get(IF_NONE_MATCH).and_then(|known| known.to_str().ok());
        let mut response = json(StatusCode::OK, &value);
        if known.is_some_and(|known| known.split(',').any(|one| one.trim() == tag)) {
            *response.body_mut() = Body::empty();
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }

    /// Does what somebody asks to have done. From a form the answer is where to go; else it is what was done.
    fn act(&self, name: &str, asked: &Asked, by_form: bool, caller: Caller) -> Response<Body> {
        let host = Host { caller, ..self.desk.host.clone() };
        let done = actions::act(name, &self.desk, &host, asked);
        self.desk.stir();
        match (done, by_form) {
            (Ok(done), true) => self.gone_on(&done, asked),
            (Ok(done), false) => json(StatusCode::OK, &done.value),
            (Err(error), true) => self.refused(&error, asked),
            (Err(error), false) => json(status_of(&error), &told(&error)),
        }
    }

    /// What somebody sees whose form was refused.
    fn refused(&self, error: &AppError, asked: &Asked) -> Response<Body> {
        let sheet = Sheet { title: "This was refused".to_owned(), ..frame::failed(error) };
        self.said(status_of(error), sheet, asked)
    }

    /// The answer to a form that is no page of its own. No address shows it, so it has no mark to be followed by.
    fn said(&self, status: StatusCode, sheet: Sheet, asked: &Asked) -> Response<Body> {
        let back = back(asked);
        let body = html! { (sheet.body) p { a href=(back) { "Back to where you were" } } };
        let rendered = self.framed(status, &Sheet { body, ..sheet }, "");
        self.page(&Rendered { mark: String::new(), ..rendered })
    }

    fn gone_on(&self, done: &Done, asked: &Asked) -> Response<Body> {
        let warnings = done.warnings();
        if !warnings.is_empty() && done.go.is_none() {
            let body = html! { @for warning in &warnings { p.warning { (text(warning)) } } };
            let sheet = Sheet { title: "Done, but".to_owned(), crumbs: Vec::new(), body };
            return self.said(StatusCode::OK, sheet, asked);
        }
        let to = done.go.as_deref().unwrap_or_else(|| back(asked));
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SEE_OTHER;
        if let Ok(to) = HeaderValue::from_str(to) {
            response.headers_mut().insert(LOCATION, to);
        }
        response
    }
}

/// Where a form says that a browser goes from it.
fn back(asked: &Asked) -> &str {
    asked.get("back").filter(|back| is_own(back)).unwrap_or("/")
}

/// Whether an address is one of ours: a browser takes two slashes at the beginning, or backslashes, for another host.
fn is_own(address: &str) -> bool {
    let is_plain = address.bytes().all(|byte| (0x21..0x7f).contains(&byte) && byte != b'\\');
    address.starts_with('/') && !address.starts_with("//") && is_plain
}

fn no_page(path: &str) -> AppError {
    AppError::refused(format!("there is no page at {path}"))
}

/// What is not there and what is refused is not told apart below, and for people it does not matter.
fn status_of(error: &AppError) -> StatusCode {
    match error.kind {
        Kind::Refused => StatusCode::NOT_FOUND,
        Kind::Configuration => StatusCode::BAD_REQUEST,
        Kind::Integrity => StatusCode::UNPROCESSABLE_ENTITY,
        Kind::Conflict { .. } => StatusCode::CONFLICT,
    }
}

fn told(error: &AppError) -> serde_json::Value {
    serde_json::json!({"error": error.message, "next": error.next(Voice::Person)})
}

pub(crate) fn json(status: StatusCode, value: &serde_json::Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// Answers everything that no other route does.
pub(crate) async fn answer(State(site): State<Arc<Site>>, request: Request) -> Response<Body> {
    let path = request.uri().path().to_owned();
    let mut response = if path.starts_with("/assets/") {
        assets::answer(&path)
    } else if path == "/live" {
        Live::follow(site, request).await
    } else {
        let (parts, body) = request.into_parts();
        let known = parts.extensions.get::<Known>().copied().unwrap_or(Known::Open);
        let ends = parts.extensions.get::<Ends>().copied();
        match to_bytes(body, MAX_BODY).await {
            Ok(body) => {
                let (method, headers, uri) = (parts.method, parts.headers, parts.uri);
                let asked = Question { method, path, query: uri.query().unwrap_or("").to_owned() };
                let reply = move || reply(&site, &asked, &headers, &body, known, ends);
                tokio::task::spawn_blocking(reply).await.unwrap_or_else(|_| broken())
            }
            Err(_) => json(
                StatusCode::PAYLOAD_TOO_LARGE,
                &serde_json::json!({"error": "that is more than a form or a request holds"}),
            ),
        }
    };
    let headers = response.headers_mut();
    headers.insert("content-security-policy", HeaderValue::from_static(POLICY));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    headers.insert("referrer-policy", HeaderValue::from_static("no-referrer"));
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
    response
}

struct Question {
    method: Method,
    path: String,
    query: String,
}

fn reply(
    site: &Site,
    asked: &Question,
    headers: &HeaderMap,
    body: &[u8],
    known: Known,
    ends: Option<Ends>,
) -> Response<Body> {
    let Question { method, path, query } = asked;
    let api = path.strip_prefix("/api");
    let done = path.strip_prefix("/do/").map(|name| (name, true));
    let done = done.or_else(|| path.strip_prefix("/api/do/").map(|name| (name, false)));
    match (method, api, done) {
        (&Method::POST, _, Some((name, by_form))) => {
            let form = match words(headers, body) {
                Ok(form) => form,
                Err(error) => return json(StatusCode::BAD_REQUEST, &told(&error)),
            };
            let carried = form.get("form").unwrap_or_default().as_bytes();
            if known == Known::Cookie && !same(site.form.as_bytes(), carried) {
                let error = AppError::configuration("this was asked by no form of these pages");
                return json(StatusCode::FORBIDDEN, &told(&error));
            }
            let reader = ends.and_then(|ends| peer::process(ends.theirs, ends.ours));
            site.act(name, &form, by_form, Caller::Page(reader))
        }
        (&Method::GET | &Method::HEAD, Some(path), None) => {
            site.value(if path.is_empty() { "/" } else { path }, query, headers)
        }
        (&Method::GET | &Method::HEAD, None, None) => site.page(&site.render(path, query)),
        _ => json(
            StatusCode::METHOD_NOT_ALLOWED,
            &serde_json::json!({"error": format!("{method} is not for {path}")}),
        ),
    }
}

/// The words of a form, or of a JSON object.
fn words(headers: &HeaderMap, body: &[u8]) -> Result<Asked, AppError> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let text = std::str::from_utf8(body)
        .map_err(|_| AppError::configuration("the request is not written in UTF-8"))?;
    if !kind.starts_with("application/json") {
        return Ok(Asked::parse(text));
    }
    let wrong =
        |why: String| AppError::configuration(format!("the request is no JSON object: {why}"));
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let object = value.as_object().ok_or_else(|| wrong("it is something else".to_owned()))?;
    let mut asked = Asked::default();
    for (name, value) in object {
        match value {
            serde_json::Value::String(text) => asked.with(name, text.clone()),
            serde_json::Value::Number(_) | serde_json::Value::Bool(_) => {
                asked.with(name, value.to_string());
            }
            serde_json::Value::Null => {}
            _ => return Err(wrong(format!("`{name}` is no text"))),
        }
    }
    Ok(asked)
}

fn broken() -> Response<Body> {
    json(
        StatusCode::INTERNAL_SERVER_ERROR,
        &serde_json::json!({"error": "something broke while this was looked at"}),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_to_another_host() {
        for (address, own) in [
            ("/", true),
            ("/projects/a?page=2", true),
            ("//evil.example", false),
            ("/\\evil.example", false),
            ("https://evil.example", false),
            ("/a b", false),
            ("", false),
        ] {
            assert_eq!(is_own(address), own, "{address}");
        }
    }
}
