//! Who may ask at all. One guard before every route: a page in the user's browser can send requests
//! to this machine, under another host's name (DNS rebinding) or from another origin.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;

use crate::token::Token;

/// What this machine is called by those who sit at it.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// What anybody on this machine may ask without the token.
const OPEN: &str = "/health";

/// What requests are compared with.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    port: u16,
    token: Option<Token>,
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refused {
    Host,
    Origin,
    Token,
}

impl Guard {
    /// A guard of what is served at `address`. Without a token, whoever reaches it may ask.
    pub(crate) fn new(address: SocketAddr, token: Option<Token>) -> Self {
        Self { port: address.port(), token }
    }

    fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refused> {
        let named = only(headers, &HOST).filter(|host| self.is_here(host));
        let also_named = uri.authority().is_none_or(|named| self.is_here(named.as_str()));
        if named.is_none() || !also_named {
            return Err(Refused::Host);
        }
        if headers.contains_key(ORIGIN) {
            let origin = only(headers, &ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
            if !origin.is_some_and(|origin| self.is_here(origin)) {
                return Err(Refused::Origin);
            }
        }
        match &self.token {
            Some(token) if uri.path() != OPEN => {
                let shown = only(headers, &AUTHORIZATION).and_then(bearer);
                let is_right = shown.is_some_and(|shown| token.is(shown.as_bytes()));
                is_right.then_some(()).ok_or(Refused::Token)
            }
            _ => Ok(()),
        }
    }

    fn is_here(&self, authority: &str) -> bool {
        // Without one it is the protocol's own.
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port.parse().ok()),
            _ => (authority, Some(80)),
        };
        port == Some(self.port) && LOOPBACK.iter().any(|known| known.eq_ignore_ascii_case(host))
    }
}

/// The header's value, where it is there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Lets a request through to its route, or not.
pub(crate) async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    match guard.check(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(why) => refusal(why),
    }
}

fn refusal(why: Refused) -> Response {
    let (status, text) = match why {
        Refused::Host => (StatusCode::FORBIDDEN, "this host name is not served here"),
        Refused::Origin => (StatusCode::FORBIDDEN, "pages of this origin may not ask"),
        Refused::Token => (
            StatusCode::UNAUTHORIZED,
            "show the token: Authorization: Bearer TOKEN (`waypost serve` says where it is)",
        ),
    };
    let mut response = Response::new(Body::from(format!("{{\"error\":\"{text}\"}}")));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, axum::http::HeaderValue::from_static("application/json"));
    if why == Refused::Token {
        let challenge = axum::http::HeaderValue::from_static("Bearer realm=\"waypost\"");
        headers.insert(WWW_AUTHENTICATE, challenge);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(uri: &str, headers: &[(HeaderName, &str)]) -> Result<(), Refused> {
        let token = Token::new("secret".to_owned());
        let guard = Guard::new(([127, 0, 0, 1], 4646).into(), Some(token));
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value.parse().unwrap());
        }
        guard.check(&uri.parse().unwrap(), &map)
    }

    #[test]
    fn this_machine_is_known_by_its_names_and_port() {
        for (host, is_here) in [
            ("localhost:4646", true),
            ("LOCALHOST:4646", true),
            ("127.0.0.1:4646", true),
            ("[::1]:4646", true),
            ("localhost", false),
            ("localhost:80", false),
            ("[::1]", false),
            ("evil.example:4646", false),
            ("127.0.0.1.evil.example:4646", false),
            ("localhost:4646@evil.example", false),
            ("", false),
        ] {
            let expected = if is_here { Ok(()) } else { Err(Refused::Host) };
            assert_eq!(check("/health", &[(HOST, host)]), expected, "{host}");
        }
        assert_eq!(check("/health", &[]), Err(Refused::Host));
        let twice = [(HOST, "localhost:4646"), (HOST, "evil.example")];
        assert_eq!(check("/health", &twice), Err(Refused::Host));
        let elsewhere = check("http://evil.example/health", &[(HOST, "localhost:4646")]);
        assert_eq!(elsewhere, Err(Refused::Host));
    }

    #[test]
    fn only_pages_of_this_origin_may_ask() {
        for (origin, may) in [
            ("http://localhost:4646", true),
            ("http://127.0.0.1:4646", true),
            ("http://[::1]:4646", true),
            ("https://localhost:4646", false),
            ("http://localhost:3000", false),
            ("http://evil.example", false),
            ("null", false),
            ("", false),
        ] {
            let asked = [(HOST, "localhost:4646"), (ORIGIN, origin)];
            let expected = if may { Ok(()) } else { Err(Refused::Origin) };
            assert_eq!(check("/health", &asked), expected, "{origin}");
        }
    }

    #[test]
    fn everything_but_health_wants_the_token() {
        let host = (HOST, "localhost:4646");
        for path in ["/mcp", "/", "/health/", "/mcp/health", "/other"] {
            assert_eq!(check(path, std::slice::from_ref(&host)), Err(Refused::Token), "{path}");
        }
        for (shown, may) in [
            ("Bearer secret", true),
            ("bearer secret", true),
            ("Bearer secret2", false),
            ("Bearer ", false),
            ("Basic secret", false),
            ("secret", false),
        ] {
            let expected = if may { Ok(()) } else { Err(Refused::Token) };
            let asked = [host.clone(), (AUTHORIZATION, shown)];
            assert_eq!(check("/mcp", &asked), expected, "{shown}");
        }
    }
}
