//! Pages that change while somebody looks at them: one stream of events for each browser, and one look for each address,
//! however many watch it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use axum::http::{Response, StatusCode};
use futures_util::stream::unfold;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::asked::Asked;
use crate::site::{Rendered, Site, json};

/// How often it is looked whether anything changed.
const EVERY: Duration = Duration::from_millis(20);
/// How long a page stays as it is at least: nobody reads faster, and a busy project changes all the time.
const REST: Duration = Duration::from_millis(60);
/// How often a browser that hears nothing is sent a line that says nothing, so that it is known whether it is still there.
const ALIVE: Duration = Duration::from_secs(10);
/// How many addresses are watched at once.
const MAX_WATCHED: usize = 256;

/// Who watches what.
#[derive(Debug)]
pub(crate) struct Live {
    watched: Mutex<HashMap<String, Weak<Watched>>>,
}

/// An address that somebody watches.
#[derive(Debug)]
struct Watched {
    page: watch::Receiver<Shown>,
}

/// How a page looks: its mark, and the event that tells it, which all who watch share.
#[derive(Debug, Clone)]
struct Shown {
    mark: Arc<str>,
    event: Bytes,
}

impl Live {
    pub(crate) fn new() -> Self {
        Self { watched: Mutex::default() }
    }

    /// Tells a browser how the page looks that it shows, whenever that changes.
    pub(crate) async fn follow(&self, site: Arc<Site>, request: Request) -> Response<Body> {
        let asked = Asked::parse(request.uri().query().unwrap_or_default());
        let address = asked.get("at").unwrap_or("/").to_owned();
        let Some(watched) = self.watched(&site, &address).await else {
            let told = serde_json::json!({"error": "too many pages are watched at once"});
            return json(StatusCode::SERVICE_UNAVAILABLE, &told);
        };
        let seen = asked.get("mark").unwrap_or_default().to_owned();
        let follower = Follower { page: watched.page.clone(), _watched: watched, seen };
        let mut response = Response::new(Body::from_stream(unfold(follower, Follower::next)));
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        response
    }

    async fn watched(&self, site: &Arc<Site>, address: &str) -> Option<Arc<Watched>> {
        let known = || {
            let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
            watched.get(address).and_then(Weak::upgrade)
        };
        if let Some(watched) = known() {
            return Some(watched);
        }
        let moved = site.desk.moved();
        let first = render(site, address).await?;
        let mut all = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watched) = all.get(address).and_then(Weak::upgrade) {
            return Some(watched);
        }
        all.retain(|_, watched| watched.strong_count() > 0);
        if all.len() >= MAX_WATCHED {
            return None;
        }
        let (tell, page) = watch::channel(first);
        let watched = Arc::new(Watched { page });
        all.insert(address.to_owned(), Arc::downgrade(&watched));
        tokio::spawn(go_on(
            Arc::clone(site),
            address.to_owned(),
            moved,
            tell,
            Arc::downgrade(&watched),
        ));
        Some(watched)
    }
}

/// A browser that follows a page.
struct Follower {
    page: watch::Receiver<Shown>,
    /// As long as this is there, so is what looks.
    _watched: Arc<Watched>,
    /// The mark of what it shows.
    seen: String,
}

impl Follower {
    /// Waits for what is to be told next.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        loop {
            let now = self.page.borrow_and_update().clone();
            if *now.mark != *self.seen {
                self.seen = now.mark.to_string();
                return Some((Ok(now.event), self));
            }
            match timeout(ALIVE, self.page.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return None,
                Err(_) => return Some((Ok(Bytes::from_static(b":\n\n")), self)),
            }
        }
    }
}

/// Looks again whenever something moved, as long as somebody watches.
async fn go_on(
    site: Arc<Site>,
    address: String,
    mut seen: u64,
    tell: watch::Sender<Shown>,
    watched: Weak<Watched>,
) {
    loop {
        sleep(EVERY).await;
        if watched.strong_count() == 0 {
            return;
        }
        let moved = site.desk.moved();
        if moved == seen {
            continue;
        }
        seen = moved;
        let Some(now) = render(&site, &address).await else { return };
        tell.send_if_modified(|last| {
            let differs = last.mark != now.mark;
            if differs {
                *last = now;
            }
            differs
        });
        sleep(REST).await;
    }
}

async fn render(site: &Arc<Site>, address: &str) -> Option<Shown> {
    let (site, address) = (Arc::clone(site), address.to_owned());
    let rendered = tokio::task::spawn_blocking(move || {
        let (path, query) = address.split_once('?').unwrap_or((&address, ""));
        let page = site.render(path, query);
        Shown { event: told(&page).into(), mark: page.mark.into() }
    });
    rendered.await.ok()
}

/// The event that tells how a page looks, in the lines of the protocol.
fn told(page: &Rendered) -> String {
    let mut event = format!("event: page\nid: {}\n", page.mark);
    for line in page.title.lines().take(1).chain(page.inside.split(['\n', '\r'])) {
        event.push_str("data: ");
        event.push_str(line);
        event.push('\n');
    }
    event.push('\n');
    event
}
