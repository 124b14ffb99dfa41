//! Style and scripts, compiled in. Each is named by its hash, so that browsers may keep it for ever.

use std::sync::LazyLock;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use axum::http::{Response, StatusCode};
use waypost_core::key::sha256_hex;

/// A file that pages need.
#[derive(Debug)]
pub(crate) struct Asset {
    pub(crate) address: String,
    kind: &'static str,
    content: &'static str,
}

static ALL: LazyLock<[Asset; 4]> = LazyLock::new(|| {
    [
        Asset::new("style.css", "text/css; charset=utf-8", STYLE),
        Asset::new("idiomorph.js", SCRIPT, include_str!("../assets/idiomorph.min.js")),
        Asset::new("waypost.js", SCRIPT, include_str!("../assets/waypost.js")),
        Asset::new("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
    ]
});

/// What all pages look like, and then what belongs to some.
const STYLE: &str = concat!(
    include_str!("../assets/style/base.css"),
    include_str!("../assets/style/session.css"),
    include_str!("../assets/style/projects.css"),
    include_str!("../assets/style/talk.css"),
    include_str!("../assets/style/money.css"),
);

const SCRIPT: &str = "text/javascript; charset=utf-8";

impl Asset {
    fn new(name: &str, kind: &'static str, content: &'static str) -> Self {
        let hash = &sha256_hex(&[content.as_bytes()])[..12];
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        Self { address: format!("/assets/{stem}-{hash}.{ending}"), kind, content }
    }
}

/// The style.
pub(crate) fn style() -> &'static Asset {
    &ALL[0]
}

/// The scripts, in the order in which they run.
pub(crate) fn scripts() -> [&'static Asset; 2] {
    [&ALL[1], &ALL[2]]
}

/// The icon.
pub(crate) fn icon() -> &'static Asset {
    &ALL[3]
}

/// The file at an address.
pub(crate) fn answer(path: &str) -> Response<Body> {
    let Some(asset) = ALL.iter().find(|asset| asset.address == path) else {
        let mut response = Response::new(Body::from("there is no such file"));
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    };
    let mut response = Response::new(Body::from(asset.content));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    let for_ever = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(CACHE_CONTROL, for_ever);
    response
}
