//! Adding a project: what a folder holds before anything is done with it, the folders in it, and what came of adding it.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::desk::{Desk, Onboarded};
use waypost_app::error::AppError;
use waypost_app::index::{self, FoundProject, MAX_INSIDE, Place, SessionsThere};
use waypost_core::text::spoken::count;

use super::failures;
use crate::asked::{Asked, query, segment};
use crate::pages::{Page, Param, Sheet};
use crate::parts::{Parts, Tone, code, mark, text};

/// How much of what could not be read is told.
const MOST_FAILED: usize = 50;

pub(in crate::pages) struct Add;

/// What a folder holds.
#[derive(Debug, Serialize)]
pub(in crate::pages) struct Told {
    #[serde(flatten)]
    place: Place,
    /// What came of adding it, if that was done last.
    onboarded: Option<Onboarded>,
}

impl Page for Add {
    type Told = Told;
    const NAME: &'static str = "add_project";
    const PATH: &'static str = "/projects/add";
    const ABOUT: &'static str =
        "What a folder holds, and the folders in it, before its projects are added";
    const QUERY: &'static [Param] =
        &[Param { name: "path", about: "The folder; without it the home folder" }];

    fn look(&self, desk: &Desk, asked: &Asked) -> Result<Told, AppError> {
        let place = index::place(&desk.host, asked.get("path"))?;
        let onboarded = desk.onboarded().filter(|last| last.folder == place.path);
        Ok(Told { place, onboarded })
    }

    fn show(&self, told: &Told, _: &Asked, parts: &Parts<'_>) -> Sheet {
        let place = &told.place;
        let path = place.path.to_string_lossy();
        let body = html! {
            div.pj {
            form.path method="get" action="/projects/add" role="search" {
                label for="path" { "Folder" }
                input id="path" name="path" value=(path) autocomplete="off" spellcheck="false";
                button type="submit" { "Look" }
            }
            @if let Some(onboarded) = &told.onboarded { (done(onboarded)) }
            (check(place, told.onboarded.is_some(), parts))
            (browser(place))
            }
        };
        let crumbs = [("Inbox", "/"), ("Projects", "/projects")];
        let crumbs = crumbs.map(|(name, address)| (name.to_owned(), address.to_owned())).to_vec();
        Sheet { title: "Add a project".to_owned(), crumbs, body }
    }
}

/// What came of adding it.
fn done(onboarded: &Onboarded) -> Markup {
    let report = &onboarded.report;
    let new = report.projects.iter().filter(|project| project.new);
    let failed = &report.failed[..report.failed.len().min(MOST_FAILED)];
    html! {
        section.done aria-label="What was added" {
            p {
                (mark(if report.failed.is_empty() { Tone::Good } else { Tone::Warn }, "added"))
                " " (count(report.synced, "session")) " read, "
                (report.unchanged) " as before; "
                @if report.failed.is_empty() { "nothing failed." } @else { (count(report.failed.len(), "thing")) " could not be read:" }
            }
            ul {
                @for project in new {
                    li { a href={ "/projects/" (segment(&project.id)) } { (text(&project.name)) } ", new, with " (count(project.sessions, "session")) }
                }
            }
            (failures(failed))
            @for warning in &report.warnings { p.warning { (text(warning)) } }
        }
    }
}

/// What was found at the place, and whether it can be added.
fn check(place: &Place, is_done: bool, parts: &Parts<'_>) -> Markup {
    let path = place.path.to_string_lossy();
    if let Some(why) = &place.unreadable {
        return html! {
            p.warning { (code(&path)) " cannot be read: " (text(why)) ". Name another folder, or go up." }
        };
    }
    let is_known = is_done || place.project.as_ref().is_some_and(|found| found.listed.is_some());
    html! {
        h2 { "What is there" }
        @match &place.project {
            Some(project) => (found(project, &place.path)),
            None => p { "No project is here: it is no git repository and holds nothing that Waypost keeps. Projects further down are found when you add this folder." },
        }
        form.deed method="post" action="/do/onboard" {
            (parts.carried())
            input type="hidden" name="path" value=(path);
            button type="submit" { @if is_known { "Read it again" } @else { "Add " (text(&name_of(place))) } }
            span.dim { "What is kept there is read; nothing is changed." }
        }
    }
}

fn name_of(place: &Place) -> String {
    let folder = place.project.as_ref().map_or(&place.path, |project| &project.root);
    folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}

fn found(project: &FoundProject, at: &std::path::Path) -> Markup {
    let FoundProject { root, repository, branch, configured, initialised, .. } = project;
    let SessionsThere { live, copies, legacy, more } = project.sessions;
    let root_name = root.to_string_lossy();
    html! {
        ul.checks {
            @if root != at { li { (mark(Tone::Calm, "around it")) " the project is " (code(&root_name)) } }
            li {
                @if *repository { (mark(Tone::Good, "git")) " it is a git repository" @if let Some(branch) = branch { ", on " (code(branch)) } }
                @else { (mark(Tone::Warn, "no git")) " it is a plain folder: commits are not seen" }
            }
            li {
                @if *configured { (mark(Tone::Good, "configured")) " it has a " (code("waypost.toml")) }
                @else if *initialised { (mark(Tone::Good, "set up")) " Waypost is set up, without a " (code("waypost.toml")) " in this checkout" }
                @else { (mark(Tone::Warn, "not set up")) " nothing is enforced until " (code("waypost init")) " was run there" }
            }
            li {
                (mark(if live > 0 { Tone::Good } else { Tone::Calm }, &count(live, "session")))
                @if copies > 0 { ", " (copies) " more as published copies" }
                @if legacy > 0 { ", " (count(legacy, "folder")) " of another program's sessions" }
                @if more { ", and more that are counted when you add it" }
            }
            @if let Some(id) = &project.listed {
                li { (mark(Tone::Good, "listed")) " it is among the projects: " a href={ "/projects/" (segment(id)) } { "open it" } }
            } @else if !project.is_kept() {
                li { (mark(Tone::Warn, "nothing kept")) " there is nothing to add yet" }
            }
        }
    }
}

/// The folders in a folder.
fn browser(place: &Place) -> Markup {
    let to = |path: &std::path::Path| {
        format!("/projects/add{}", query(&[("path", &path.to_string_lossy())]))
    };
    html! {
        h2 { "Folders" }
        ul.folders {
            @if let Some(around) = &place.around {
                li { a href=(to(around)) { "↑ up" } }
            }
            @for inside in &place.inside {
                li data-row {
                    a href=(to(&inside.path)) data-open { (text(&inside.name)) "/" }
                    @if inside.repository { " " span.dim { "git" } }
                    @if !inside.path.ends_with(&inside.name) { " " span.dim { "→ " (text(&inside.path.to_string_lossy())) } }
                }
            }
        }
        @if place.inside.is_empty() && place.unreadable.is_none() { p.dim { "No folder lies in it that is not hidden." } }
        @if place.more { p.dim { "Only the first " (MAX_INSIDE) " are listed: write the folder's name above." } }
    }
}
