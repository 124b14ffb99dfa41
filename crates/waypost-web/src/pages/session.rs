//! A session: what it is for, where it is, what happened in it, and what people and agents wrote for it.

mod brief;
mod build;
mod cost;
mod docs;
mod evidence;
mod files;
mod gates;
mod head;
mod kinds;
mod people;
mod phase;
mod plan;
mod seen;
mod spec;
mod timeline;
mod touched;
mod verify;
mod violations;

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_app::share::export::{self, Format, Written};

use super::{Page, Param, Sheet};
use crate::asked::Asked;
use crate::parts::{Parts, code, text};
use head::Head;
use seen::Seen;

pub(super) struct Session;

/// A session, and what was asked of it.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    #[serde(flatten)]
    head: Head,
    /// What can be asked of it.
    tabs: Vec<Tab>,
    #[serde(flatten)]
    shown: Shown,
}

/// Something that can be asked of a session.
#[derive(Debug, Serialize)]
struct Tab {
    name: String,
    address: String,
    /// Whether it is this that is told.
    here: bool,
    /// Whether it is a phase of its workflow.
    phase: bool,
}

/// What was asked, by its name.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Shown {
    Overview(timeline::Told),
    Phase(Box<phase::Told>),
    Files(files::Told),
    Gates(gates::Told),
    Evidence(evidence::Told),
    People(people::Told),
    Violations(violations::Told),
    Touched(touched::Told),
    Cost(cost::Told),
    Brief(brief::Told),
    Verify(verify::Told),
}

/// The tabs that are no phases: what they are called in addresses, and for people.
const TABS: &[(&str, &str)] = &[
    ("files", "Files"),
    ("gates", "Gates"),
    ("evidence", "Evidence"),
    ("decisions", "Decisions"),
    ("violations", "Violations"),
    ("touched", "Changes"),
    ("cost", "Cost"),
    ("brief", "Brief"),
    ("verify", "Verify"),
];

impl Page for Session {
    type Told = Told;
    const NAME: &'static str = "session";
    const PATH: &'static str = "/projects/{project}/sessions/{session}";
    const ABOUT: &'static str =
        "A session: where it is, what happened in it, and what was written for it";
    const QUERY: &'static [Param] = &[
        Param {
            name: "phase",
            about: "A phase of its workflow: spec, plan, build, docs, or one of its own",
        },
        Param {
            name: "tab",
            about: "files, gates, evidence, decisions, violations, touched, cost, brief or verify",
        },
        Param { name: "file", about: "With the tab files: a file in the session's folder" },
        Param {
            name: "kind",
            about: "Of the timeline: phases, conversations, agents, gates, runs, commits, notes, calls or all",
        },
        Param { name: "before", about: "Of a long list: only what came before this record" },
        Param { name: "budget", about: "With the tab brief: how many tokens it may have" },
    ];

    fn look(&self, desk: &Desk, asked: &Asked) -> Result<Told, AppError> {
        let seen = Seen::of(desk, asked)?;
        let phase = asked.get("phase").map(str::to_lowercase);
        let tab = asked.get("tab").map(str::to_lowercase);
        let shown = match (&phase, tab.as_deref()) {
            (Some(phase), _) => Shown::Phase(Box::new(phase::look(&seen, phase)?)),
            (None, Some("files")) => Shown::Files(files::look(&seen, asked)?),
            (None, Some("gates")) => Shown::Gates(gates::look(&seen)?),
            (None, Some("evidence")) => Shown::Evidence(evidence::look(&seen, asked)?),
            (None, Some("decisions")) => Shown::People(people::look(&seen)?),
            (None, Some("violations")) => Shown::Violations(violations::look(&seen)?),
            (None, Some("touched")) => Shown::Touched(touched::look(&seen)?),
            (None, Some("cost")) => Shown::Cost(cost::look(&seen)?),
            (None, Some("brief")) => Shown::Brief(brief::look(&seen, asked)?),
            (None, Some("verify")) => Shown::Verify(verify::look(&seen)?),
            (None, None | Some("overview")) => Shown::Overview(timeline::look(&seen, asked)?),
            (None, Some(other)) => {
                return Err(AppError::configuration(format!("a session has no tab `{other}`")));
            }
        };
        let here = phase.as_deref().or(tab.as_deref()).unwrap_or("overview");
        let tabs = tabs(&seen, here, phase.is_some());
        let head = Head::of(&seen);
        Ok(Told { head, tabs, shown })
    }

    fn show(&self, told: &Told, asked: &Asked, parts: &Parts<'_>) -> Sheet {
        let head = &told.head;
        let is_overview = matches!(told.shown, Shown::Overview(_));
        let body = html! {
            div.session.inside[!is_overview] {
                (head.show(parts))
                @if is_overview { (head.deeds(parts)) }
                (navigation(&told.tabs))
                div.tab { (told.shown.show(head, asked, parts)) }
            }
        };
        Sheet { title: head.title().to_owned(), crumbs: head.crumbs(), body }
    }
}

impl Shown {
    fn show(&self, head: &Head, asked: &Asked, parts: &Parts<'_>) -> Markup {
        match self {
            Self::Overview(told) => timeline::show(told, head, parts),
            Self::Phase(told) => phase::show(told, head, parts),
            Self::Files(told) => files::show(told, head, asked),
            Self::Gates(told) => gates::show(told, head, parts),
            Self::Evidence(told) => evidence::show(told, head, parts),
            Self::People(told) => people::show(told, parts),
            Self::Violations(told) => violations::show(told, head, parts),
            Self::Touched(told) => touched::show(told, parts),
            Self::Cost(told) => cost::show(told, head),
            Self::Brief(told) => brief::show(told),
            Self::Verify(told) => verify::show(told),
        }
    }
}

/// A session as one page that can be taken away.
pub(crate) fn export(desk: &Desk, project: &str, session: &str) -> Result<Written, AppError> {
    let seen = Seen::named(desk, project, session)?;
    export::written(&seen.view, seen.id().as_str(), Format::Html)
}

/// The tabs: the overview, the phases with the one that the session is in first, then everything else.
fn tabs(seen: &Seen<'_>, here: &str, by_phase: bool) -> Vec<Tab> {
    let address = seen.address();
    let overview = Tab {
        name: "Overview".to_owned(),
        address: address.clone(),
        here: !by_phase && here == "overview",
        phase: false,
    };
    let mut phases = phase::names(seen);
    // Whoever asked for another one still sees where they are.
    if by_phase && !phases.iter().any(|phase| phase.eq_ignore_ascii_case(here)) {
        phases.push(here.to_owned());
    }
    let phases = phases.into_iter().map(|phase| Tab {
        address: head::phase_address(&address, &phase),
        here: by_phase && phase.eq_ignore_ascii_case(here),
        name: phase,
        phase: true,
    });
    let others = TABS.iter().map(|(tab, name)| Tab {
        name: (*name).to_owned(),
        address: format!("{address}?tab={tab}"),
        here: !by_phase && here == *tab,
        phase: false,
    });
    std::iter::once(overview).chain(phases).chain(others).collect()
}

/// Words with commands in backquotes, as next steps have them.
pub(in crate::pages) fn spoken(words: &str) -> Markup {
    let parts = words.split('`').enumerate();
    let is_paired = words.matches('`').count().is_multiple_of(2);
    html! {
        @if is_paired {
            @for (place, part) in parts { @if place % 2 == 1 { (code(part)) } @else { (text(part)) } }
        } @else {
            (text(words))
        }
    }
}

fn navigation(tabs: &[Tab]) -> Markup {
    html! {
        nav.tabs aria-label="Of this session" {
            ul {
                @for tab in tabs {
                    li class=[tab.phase.then_some("phase")] {
                        a href=(tab.address) aria-current=[tab.here.then_some("page")] { (text(&tab.name)) }
                    }
                }
            }
        }
    }
}
