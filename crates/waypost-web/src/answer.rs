//! Every request that is for no other route: read, put to the site on a thread that may block, and sent with the headers
//! that every answer has.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method, Response, StatusCode};
use waypost_app::error::AppError;
use waypost_app::machine::caller::Caller;
use waypost_app::machine::peer;

use crate::asked::Asked;
use crate::guard::Known;
use crate::live::Live;
use crate::site::{Site, json, told};
use crate::token::same;
use crate::{assets, downloads};

/// The longest body of a form or of a program's request.
const MAX_BODY: usize = 256 * 1024;
/// Nothing runs, and nothing is fetched, but what is compiled in.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// What is open to those whom the guard lets in.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) site: Arc<Site>,
    pub(crate) live: Live,
}

/// The two ends of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) theirs: SocketAddr,
    pub(crate) ours: SocketAddr,
}

/// Answers everything that no other route does.
pub(crate) async fn answer(State(open): State<Arc<Open>>, request: Request) -> Response<Body> {
    let site = Arc::clone(&open.site);
    let path = request.uri().path().to_owned();
    let mut response = if path.starts_with("/assets/") {
        assets::answer(&path)
    } else if path == "/live" {
        open.live.follow(site, request).await
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
    headers.entry("content-security-policy").or_insert(HeaderValue::from_static(POLICY));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    // With none at all browsers would send forms of our own pages from nowhere.
    headers.insert("referrer-policy", HeaderValue::from_static("same-origin"));
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
                let error = AppError::configuration("this was asked by no form of these pages")
                    .hint("open the page again, and ask from there");
                return site.forbidden(&error, by_form, &form);
            }
            let reader = ends.and_then(|ends| peer::process(ends.theirs, ends.ours));
            site.act(name, &form, by_form, Caller::Page(reader))
        }
        (&Method::GET | &Method::HEAD, Some(path), None) => {
            site.value(if path.is_empty() { "/" } else { path }, query, headers)
        }
        (&Method::GET | &Method::HEAD, None, None) => match downloads::asked(path) {
            Some((project, session)) => site.download(&project, &session),
            None => Site::page(&site.render(path, query)),
        },
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
