//! What is taken away as a file: a session as one page, as `waypost export` writes it.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue};
use axum::http::{HeaderName, Response};
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_app::share::export::Written;

use crate::asked::unescaped;
use crate::frame;
use crate::pages::session;

/// Such a page runs nothing and fetches nothing, wherever it is opened; its style is its own.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

/// The session at an address of this form, if it is one: `/projects/{project}/sessions/{session}/export.html`.
pub(crate) fn asked(path: &str) -> Option<(String, String)> {
    let rest = path.strip_prefix("/projects/")?.strip_suffix("/export.html")?;
    let (project, session) = rest.split_once("/sessions/")?;
    let is_part = |part: &str| !part.is_empty() && !part.contains('/');
    (is_part(project) && is_part(session)).then(|| (unescaped(project), unescaped(session)))
}

/// The file.
pub(crate) fn export(desk: &Desk, project: &str, id: &str) -> Result<Response<Body>, AppError> {
    let Written { name, text, .. } = session::export(desk, project, id)?;
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(frame::HTML));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let policy = HeaderName::from_static("content-security-policy");
    headers.insert(policy, HeaderValue::from_static(POLICY));
    // A session's id has no letter that would end the name.
    let kept_as = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    headers.insert(CONTENT_DISPOSITION, kept_as.unwrap_or(HeaderValue::from_static("attachment")));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_address_of_a_session_is_one() {
        let found = asked("/projects/a%20b/sessions/2026-11-19_x_abcdef/export.html");
        assert_eq!(found, Some(("a b".to_owned(), "2026-11-19_x_abcdef".to_owned())));
        for path in [
            "/projects/a/sessions/export.html",
            "/projects/a/sessions//export.html",
            "/projects/a/sessions/b/c/export.html",
            "/projects//sessions/b/export.html",
            "/projects/a/sessions/b",
        ] {
            assert_eq!(asked(path), None, "{path}");
        }
    }
}
