//! What is asked becomes an answer: pages, their values as JSON, what is done. It reads files, so it is called on threads
//! that may block.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH, LOCATION};
use axum::http::{HeaderMap, Response, StatusCode};
use maud::html;
use waypost_app::desk::Desk;
use waypost_app::error::{AppError, Kind};
use waypost_app::machine::caller::Caller;
use waypost_app::machine::host::Host;
use waypost_core::key::sha256_hex;
use waypost_core::next_step::Voice;

use crate::actions::{self, Done};
use crate::asked::Asked;
use crate::pages::{self, Sheet};
use crate::parts::{Parts, text};
use crate::token::Token;
use crate::{downloads, frame, openapi};

/// What answers.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) desk: Arc<Desk>,
    /// What forms carry along.
    pub(crate) form: String,
    pub(crate) version: &'static str,
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
        Self { desk, form, version }
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

    pub(crate) fn page(rendered: &Rendered) -> Response<Body> {
        let Rendered { status, title, inside, mark } = rendered;
        let document = frame::document(title, inside, mark);
        let mut response = Response::new(Body::from(document));
        *response.status_mut() = *status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(frame::HTML));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    pub(crate) fn download(&self, project: &str, session: &str) -> Response<Body> {
        let found = downloads::export(&self.desk, project, session);
        found.unwrap_or_else(|error| {
            Self::page(&self.framed(status_of(&error), &frame::failed(&error), ""))
        })
    }

    pub(crate) fn value(&self, path: &str, query: &str, headers: &HeaderMap) -> Response<Body> {
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
    pub(crate) fn act(
        &self,
        name: &str,
        asked: &Asked,
        by_form: bool,
        caller: Caller,
    ) -> Response<Body> {
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
        Self::page(&Rendered { mark: String::new(), ..rendered })
    }

    /// Refuses what no form of ours asked for, or one of before the token was another.
    pub(crate) fn forbidden(
        &self,
        error: &AppError,
        by_form: bool,
        asked: &Asked,
    ) -> Response<Body> {
        if by_form {
            return self.said(StatusCode::FORBIDDEN, frame::failed(error), asked);
        }
        json(StatusCode::FORBIDDEN, &told(error))
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
pub(crate) fn status_of(error: &AppError) -> StatusCode {
    match error.kind {
        Kind::Refused => StatusCode::NOT_FOUND,
        Kind::Configuration => StatusCode::BAD_REQUEST,
        Kind::Integrity => StatusCode::UNPROCESSABLE_ENTITY,
        Kind::Conflict { .. } => StatusCode::CONFLICT,
    }
}

pub(crate) fn told(error: &AppError) -> serde_json::Value {
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
