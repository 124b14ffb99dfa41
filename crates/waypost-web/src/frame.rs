//! What stands around every page: its head, the ways to other pages, and what there is to say when a page cannot be shown.

use maud::{DOCTYPE, Markup, html};
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_core::next_step::Voice;
use waypost_core::text::spoken::count;

use crate::assets;
use crate::pages::Sheet;
use crate::parts::{code, text};

/// The type of pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// The pages that can be reached from everywhere: name, address, the key after `g`.
const PLACES: &[(&str, &str, &str)] = &[
    ("Inbox", "/", "i"),
    ("Projects", "/projects", "p"),
    ("Live", "/live-agents", "l"),
    ("Gates", "/gates", "t"),
    ("Violations", "/violations", "v"),
    ("Cost", "/cost", "c"),
    ("Audit", "/audit", "u"),
    ("Health", "/health-report", "h"),
];

/// All that changes while a page is open: the ways to other pages, with what waits there, and the page itself.
pub(crate) fn inside(sheet: &Sheet, path: &str, desk: &Desk) -> Markup {
    html! {
        header.top {
            a.brand href="/" { "Waypost" }
            nav aria-label="Pages" {
                @for (name, address, key) in PLACES {
                    a href=(address) data-key=(key) aria-current=[is_at(path, address).then_some("page")] {
                        (name)
                        @if *address == "/" { (waiting(desk)) }
                    }
                }
            }
            form.find role="search" action="/search" {
                input type="search" name="q" placeholder="Search  /" aria-label="Search sessions and transcripts";
            }
        }
        main id="main" tabindex="-1" {
            @if !sheet.crumbs.is_empty() {
                nav.crumbs aria-label="Breadcrumb" {
                    ol { @for (name, address) in &sheet.crumbs { li { a href=(address) { (text(name)) } } } }
                }
            }
            @for problem in problems(desk) { p.warning role="status" { (text(&problem)) } }
            h1 { (text(&sheet.title)) }
            (sheet.body)
        }
    }
}

fn waiting(desk: &Desk) -> Markup {
    let waiting = desk.board().map_or(0, |board| board.totals.needs_you);
    html! { @if waiting > 0 { " " span.badge title={ (count(waiting, "thing")) " for you" } { (waiting) } } }
}

fn is_at(path: &str, address: &str) -> bool {
    path == address || (address != "/" && path.starts_with(&format!("{address}/")))
}

/// What everybody should be told, wherever they are.
fn problems(desk: &Desk) -> Vec<String> {
    let board = desk.board();
    let warnings = board.iter().flat_map(|board| board.warnings.iter().cloned());
    desk.failed().into_iter().chain(warnings).chain(desk.scanned().error).collect()
}

/// A whole document. `mark` is the hash of what is inside, by which a browser says what it shows; empty where nothing is to
/// be followed.
pub(crate) fn document(title: &str, inside: &str, mark: &str) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (text(title)) " · Waypost" }
                link rel="icon" type="image/svg+xml" href=(assets::icon().address);
                link rel="stylesheet" href=(assets::style().address);
                @for script in assets::scripts() { script defer src=(script.address) {} }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                div id="page" data-mark=[Some(mark).filter(|mark| !mark.is_empty())] { (maud::PreEscaped(inside)) }
                p id="live" role="status" aria-live="polite" {}
            }
        }
    };
    page.into_string()
}

/// What stands in a page's place when it cannot be shown.
pub(crate) fn failed(error: &AppError) -> Sheet {
    let hints = error.next(Voice::Person);
    Sheet {
        title: "This cannot be shown".to_owned(),
        crumbs: vec![("Inbox".to_owned(), "/".to_owned())],
        body: html! {
            div.nothing {
                p { (text(&error.message)) }
                @if !hints.is_empty() { ul { @for hint in &hints { li { (text(hint)) } } } }
            }
        },
    }
}

/// What somebody sees who has not opened the link with the token.
pub(crate) fn stranger() -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Waypost" }
                link rel="stylesheet" href=(assets::style().address);
            }
            body {
                main {
                    h1 { "Open the link with the token" }
                    div.nothing {
                        p { "Waypost shows its pages to whoever opened the link that it printed when it started." }
                        p { "Look for it where " (code("waypost serve")) " runs, or start it again: the link stays the same." }
                    }
                }
            }
        }
    }
}
