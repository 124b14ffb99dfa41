//! Who may ask at all. One guard before every route: a page in the user's browser can send requests
//! to this machine, under another host's name (DNS rebinding) or from another origin.

use std::net::{IpAddr, SocketAddr};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, HeaderName, HeaderValue, LOCATION, ORIGIN,
    SET_COOKIE, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;

use crate::frame;
use crate::token::{Token, same};

/// What this machine is called by those who sit at it.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// What anybody on this machine may ask without the token.
const OPEN: &str = "/health";
/// What belongs to pages and tells nothing.
const ASSETS: &str = "/assets/";
/// What only programs ask, which have the token itself.
const MCP: &str = "/mcp";

/// What requests are compared with.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    port: u16,
    /// Whether only this machine is served; else whoever names it by an address, which no other name can be made to mean.
    local: bool,
    token: Option<Token>,
}

/// By what somebody who may ask is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// Nothing is needed.
    Open,
    /// By the token itself: a program.
    Token,
    /// By what a browser keeps in its place. What it wants done has to come from one of our forms.
    Cookie,
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
        Self { port: address.port(), local: address.ip().is_loopback(), token }
    }

    fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<Known, Refused> {
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
        let Some(token) = &self.token else { return Ok(Known::Open) };
        if uri.path() == OPEN || uri.path().starts_with(ASSETS) {
            return Ok(Known::Open);
        }
        if headers.contains_key(AUTHORIZATION) {
            let shown = only(headers, &AUTHORIZATION).and_then(bearer);
            let is_right = shown.is_some_and(|shown| token.is(shown.as_bytes()));
            return is_right.then_some(Known::Token).ok_or(Refused::Token);
        }
        let kept = cookie(headers, &self.cookie_name()).filter(|_| uri.path() != MCP);
        let is_right = kept.is_some_and(|kept| same(token.cookie().as_bytes(), kept.as_bytes()));
        is_right.then_some(Known::Cookie).ok_or(Refused::Token)
    }

    fn is_here(&self, authority: &str) -> bool {
        // Without one it is the protocol's own.
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port.parse().ok()),
            _ => (authority, Some(80)),
        };
        let is_named = LOOPBACK.iter().any(|known| known.eq_ignore_ascii_case(host));
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let is_address = !self.local && bare.parse::<IpAddr>().is_ok();
        port == Some(self.port) && (is_named || is_address)
    }

    /// Browsers send a cookie to every port of a machine: each server's has a name of its own.
    fn cookie_name(&self) -> String {
        format!("waypost-{}", self.port)
    }

    /// The answer to somebody who opened the link that carries the token: the same address without it, from now on by
    /// cookie.
    fn welcome(&self, uri: &Uri, method: &Method) -> Option<Response> {
        let token = self.token.as_ref().filter(|_| *method == Method::GET)?;
        let pairs = form_urlencoded::parse(uri.query()?.as_bytes());
        let mut shown = None;
        let mut rest = form_urlencoded::Serializer::new(String::new());
        for (name, value) in pairs {
            if name == "token" {
                shown = Some(value.into_owned());
            } else {
                rest.append_pair(&name, &value);
            }
        }
        if !token.is(shown?.as_bytes()) {
            return None;
        }
        let rest = rest.finish();
        // Two slashes at the beginning would be another host.
        let path = format!("/{}", uri.path().trim_start_matches('/'));
        let to = if rest.is_empty() { path } else { format!("{path}?{rest}") };
        let name = self.cookie_name();
        let kept = format!("{name}={}; Path=/; HttpOnly; SameSite=Strict", token.cookie());
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SEE_OTHER;
        response.headers_mut().insert(LOCATION, HeaderValue::from_str(&to).ok()?);
        response.headers_mut().insert(SET_COOKIE, HeaderValue::from_str(&kept).ok()?);
        Some(response)
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

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(known, _)| known.trim() == name).map(|(_, value)| value.trim())
}

/// Lets a request through to its route, or not.
pub(crate) async fn guard(
    State(guard): State<Guard>,
    mut request: Request,
    next: Next,
) -> Response {
    match guard.check(request.uri(), request.headers()) {
        Ok(known) => {
            if let Some(welcome) = guard.welcome(request.uri(), request.method()) {
                return welcome;
            }
            request.extensions_mut().insert(known);
            next.run(request).await
        }
        Err(Refused::Token) if request.uri().path() != MCP => {
            let welcome = guard.welcome(request.uri(), request.method());
            welcome.unwrap_or_else(|| refusal(Refused::Token, wants_page(request.headers())))
        }
        Err(why) => refusal(why, false),
    }
}

fn wants_page(headers: &HeaderMap) -> bool {
    only(headers, &ACCEPT).is_some_and(|kinds| kinds.contains("text/html"))
}

fn refusal(why: Refused, as_page: bool) -> Response {
    let (status, text) = match why {
        Refused::Host => (StatusCode::FORBIDDEN, "this host name is not served here"),
        Refused::Origin => (StatusCode::FORBIDDEN, "pages of this origin may not ask"),
        Refused::Token => (
            StatusCode::UNAUTHORIZED,
            "show the token: Authorization: Bearer TOKEN (`waypost serve` says where it is)",
        ),
    };
    let (kind, body) = if as_page {
        (frame::HTML, frame::stranger().into_string())
    } else {
        ("application/json", format!("{{\"error\":\"{text}\"}}"))
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if why == Refused::Token {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"waypost\""));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        let token = Token::new("secret".to_owned());
        Guard::new(([127, 0, 0, 1], 4646).into(), Some(token))
    }

    fn check(uri: &str, headers: &[(HeaderName, &str)]) -> Result<(), Refused> {
        check_by(&guard(), uri, headers).map(drop)
    }

    fn check_by(
        guard: &Guard,
        uri: &str,
        headers: &[(HeaderName, &str)],
    ) -> Result<Known, Refused> {
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

    #[test]
    fn a_browser_shows_the_token_once_and_then_what_it_keeps() {
        let (guard, host) = (guard(), (HOST, "localhost:4646"));
        let welcome = |uri: &str| guard.welcome(&uri.parse().unwrap(), &Method::GET);
        let response = welcome("//evil.example/x?a=1&token=secret&b=2").unwrap();
        assert_eq!(response.headers()[LOCATION], "/evil.example/x?a=1&b=2");
        let set = response.headers()[SET_COOKIE].to_str().unwrap();
        assert!(set.contains("HttpOnly; SameSite=Strict") && !set.contains("secret"), "{set}");
        assert!(welcome("/?token=wrong").is_none() && welcome("/?tokens=secret").is_none());
        let kept = set.split(';').next().unwrap();
        let check = |uri: &str, kept: &str| check_by(&guard, uri, &[host.clone(), (COOKIE, kept)]);
        assert_eq!(check("/", kept), Ok(Known::Cookie));
        assert_eq!(check("/", &format!("other=1; {kept}")), Ok(Known::Cookie));
        assert_eq!(check("/mcp", kept), Err(Refused::Token));
        assert_eq!(check("/", &kept.replace("4646", "4647")), Err(Refused::Token));
        assert_eq!(check("/", &format!("{kept}0")), Err(Refused::Token));
        assert_eq!(check("/", "waypost-4646=secret"), Err(Refused::Token));
    }

    #[test]
    fn beyond_this_machine_only_addresses_are_names() {
        let guard = Guard::new(([0, 0, 0, 0], 4646).into(), Some(Token::new("secret".to_owned())));
        for (host, is_here) in [
            ("192.0.2.7:4646", true),
            ("[2001:db8::1]:4646", true),
            ("localhost:4646", true),
            ("192.0.2.7:80", false),
            ("rebound.example:4646", false),
        ] {
            let found = check_by(&guard, "/health", &[(HOST, host)]);
            assert_eq!(found.is_ok(), is_here, "{host}");
        }
    }
}
