//! How what was used looks.

use maud::{Markup, html};
use waypost_app::cost::{By, Row};
use waypost_app::desk::{Budget, NEAR};
use waypost_core::cost::Told as Tokens;

use super::{BYS, EVER, Found, Named, Told};
use crate::asked::{Asked, segment};
use crate::chart::Chart;
use crate::parts::{Parts, Tone, code, many, mark, nothing, text, usd};

const NAMES: &[&str] = &["by", "since", "until", "project", "page"];
/// How far back it is often asked for.
const PERIODS: [(&str, &str); 4] =
    [("7d", "7 days"), ("30d", "30 days"), ("90d", "90 days"), (EVER, "All")];

pub(super) fn body(told: &Told, asked: &Asked, parts: &Parts<'_>) -> Markup {
    html! {
        (lead(told, parts))
        (choices(told, asked))
        @match &told.found {
            None => { (nothing("Counting…", html! { p { "What clients keep of their conversations is being read. The figures appear here by themselves; without scripts, load the page again." } })) }
            Some(found) if found.rows.is_empty() => { (empty(told)) }
            Some(found) => { (figures(told, found, asked, parts)) }
        }
        (budgets(told))
    }
}

fn lead(told: &Told, parts: &Parts<'_>) -> Markup {
    let Some(found) = &told.found else { return html! {} };
    let all = [
        found.tokens.input,
        found.tokens.output,
        found.tokens.cache_read,
        found.tokens.cache_write,
    ];
    html! {
        p.lead {
            strong.sum { (dollars(found.total_usd, found.unpriced_tokens)) }
            " · " (many(all.into_iter().fold(0, u64::saturating_add))) " tokens"
            " · " (many(found.messages)) " messages"
            @if let Some(project) = &told.project { " · " (text(&project.name)) }
            @if let Some(as_of) = told.as_of { " · as of " (parts.clock(as_of)) }
        }
    }
}

/// An amount; with a `+` if there is more to it that nobody knows.
fn dollars(amount: f64, unpriced: u64) -> String {
    let more = if unpriced > 0 { "+" } else { "" };
    format!("{}{more}", usd(amount))
}

fn choices(told: &Told, asked: &Asked) -> Markup {
    let link = |name: &str, value: &str| {
        let query = asked.query_with(&["by", "since", "until", "project"], name, Some(value));
        format!("/cost{query}")
    };
    html! {
        nav.tabs aria-label="Summed up by" {
            @for by in BYS {
                a href=(link("by", by.name())) aria-current=[(told.by == by.name()).then_some("true")] { (called(by)) }
            }
        }
        nav.tabs.small aria-label="Since" {
            @for (since, name) in PERIODS {
                a href=(link("since", since)) aria-current=[(told.since == since).then_some("true")] { (name) }
            }
        }
        (form(told))
    }
}

/// The form for what no link says.
fn form(told: &Told) -> Markup {
    html! {
        details.ask data-keep="cost-form" {
            summary { "Other dates, or one project" }
            form method="get" action="/cost" {
                input type="hidden" name="by" value=(told.by);
                label { "Since" input id="ask-since" name="since" value=(told.since) placeholder="2026-11-01 or 30d"; }
                label { "Until" input id="ask-until" name="until" value=(told.until.as_deref().unwrap_or_default()) placeholder="2026-11-15 or 7d"; }
                label { "Project"
                    select id="ask-project" name="project" {
                        option value="" { "All projects" }
                        @for project in &told.projects {
                            option value=(project.id) selected[told.project.as_ref().is_some_and(|one| one.id == project.id)] { (text(&project.name)) }
                        }
                    }
                }
                button type="submit" { "Show" }
            }
        }
    }
}

fn called(by: By) -> &'static str {
    match by {
        By::Day => "Day",
        By::Week => "Week",
        By::Month => "Month",
        By::Block => "5 hours",
        By::Model => "Model",
        By::Project => "Project",
        By::Session => "Session",
        By::Conversation => "Conversation",
        By::Agent => "Agent",
        By::Phase => "Phase",
        By::Checkpoint => "Checkpoint",
    }
}

fn empty(told: &Told) -> Markup {
    let next = html! {
        p { "Waypost reads the transcripts that clients keep on this machine. "
            @if told.since != EVER || told.until.is_some() || told.project.is_some() {
                a href="/cost?since=all" { "Look at all of them" } ", of all projects."
            } @else { "Once an agent has answered, what it used stands here." }
        }
    };
    nothing("No client keeps a message of that time that used tokens.", next)
}

fn figures(told: &Told, found: &Found, asked: &Asked, parts: &Parts<'_>) -> Markup {
    let by = By::named(told.by).unwrap_or(By::Day);
    let title = format!(
        "{} by {}",
        if found.bars.dollars { "Cost in US dollars" } else { "Tokens" },
        called(by).to_lowercase()
    );
    let unit: fn(f64) -> String = if found.bars.dollars { money } else { round };
    let chart = Chart { id: "cost-chart", title: &title, bars: &found.bars.bars, unit };
    html! {
        @if !found.bars.bars.is_empty() {
            @if by.is_time() { (chart.columns()) } @else { (chart.rows()) }
        }
        @if let Some(running) = &found.running { (burning(running, parts)) }
        @if !found.unknown_models.is_empty() {
            p.warning {
                "Price unknown: " @for (at, model) in found.unknown_models.iter().enumerate() { @if at > 0 { ", " } (code(model)) }
                ". " (many(found.unpriced_tokens)) " tokens are left out of the dollars. A price is set in "
                (code("waypost.toml")) ": " (code("[prices.\"MODEL\"]")) " with " (code("input = …")) " and " (code("output = …")) "."
            }
        }
        h2 { "By " @if by == By::Block { "five hours" } @else { (by.name()) } }
        (table(found, by, parts))
        (pages(found, asked))
        p.dim.note {
            "US dollars at the list prices" @if let Some(day) = &found.prices_as_of { " of " (day) }
            "; what a plan costs is another matter. The same as " (code(&command(told))) "."
            @if found.unreadable > 0 { " " (many(found.unreadable)) " lines of transcripts could not be read." }
        }
    }
}

fn money(value: f64) -> String {
    if value == 0.0 {
        "$0".to_owned()
    } else if value < 0.1 {
        format!("${value:.3}")
    } else if value < 10.0 {
        format!("${value:.2}")
    } else {
        format!("${value:.0}")
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is shown with two digits"
)]
fn round(value: f64) -> String {
    many(value as u64)
}

/// How fast the running block goes.
fn burning(row: &Row, parts: &Parts<'_>) -> Markup {
    let Some(block) = &row.block else { return html! {} };
    html! {
        p #running {
            (mark(Tone::Busy, "running")) " The block until " (parts.clock(block.ends)) " uses "
            strong { (round(block.tokens_per_hour.unwrap_or_default())) " tokens an hour" }
            @match block.usd_per_hour {
                Some(per_hour) => { ": " strong { (usd(per_hour)) } " an hour, " (usd(row.usd.unwrap_or_default())) " so far." }
                None => { "; their price is not known." }
            }
        }
    }
}

fn table(found: &Found, by: By, parts: &Parts<'_>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="All figures" {
            table.figures {
                thead { tr {
                    th scope="col" { @if by == By::Block { "Five hours from" } @else { (called(by)) } }
                    @for name in ["USD", "Input", "Output", "Cache read", "Cache write"] { th.number scope="col" { (name) } }
                } }
                tbody { @for named in &found.rows { (row(named, parts)) } }
                tfoot { tr {
                    th scope="row" { "All" }
                    td.number { strong { (dollars(found.total_usd, found.unpriced_tokens)) } }
                    (numbers(&found.tokens))
                } }
            }
        }
    }
}

fn row(named: &Named, parts: &Parts<'_>) -> Markup {
    let Named { row, name, address } = named;
    html! {
        tr data-row[address.is_some()] {
            th.time[row.block.is_some() || is_day(&row.key)] scope="row" {
                @match (&row.block, address) {
                    (Some(block), _) => { (parts.at(block.begins)) @if block.running { " " (mark(Tone::Busy, "running")) } }
                    (None, Some(address)) => { a href=(address) data-open title=(text(&row.key).into_string()) { (text(name.as_deref().unwrap_or(&row.key))) } }
                    (None, None) => { (text(name.as_deref().unwrap_or(&row.key))) }
                }
            }
            td.number {
                @match row.usd {
                    Some(amount) => { (dollars(amount, row.unpriced_tokens)) }
                    None => { span.dim { "price unknown" } }
                }
            }
            (numbers(&row.tokens))
        }
    }
}

fn is_day(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_digit()) && key.len() <= 10
}

fn numbers(tokens: &Tokens) -> Markup {
    let all = [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write];
    html! { @for number in all { td.number title=(number) { (many(number)) } } }
}

fn pages(found: &Found, asked: &Asked) -> Markup {
    let to =
        |page: u32| format!("/cost{}", asked.query_with(NAMES, "page", Some(&page.to_string())));
    html! {
        @if found.pages > 1 {
            nav.tabs.small aria-label="Parts of the table" {
                @if found.page > 1 { a href=(to(found.page - 1)) rel="prev" { "Before" } }
                span { "Part " (found.page) " of " (found.pages) }
                @if found.page < found.pages { a href=(to(found.page + 1)) rel="next" { "After" } }
            }
        }
    }
}

/// What says the same in a terminal.
fn command(told: &Told) -> String {
    let mut line = "waypost cost".to_owned();
    if told.project.is_none() {
        line.push_str(" --all");
    }
    line.push_str(&format!(" --by {}", told.by));
    if told.since != EVER {
        line.push_str(&format!(" --since {}", told.since));
    }
    if let Some(until) = &told.until {
        line.push_str(&format!(" --until {until}"));
    }
    line
}

fn budgets(told: &Told) -> Markup {
    html! {
        h2 id="budgets" { "Budgets" }
        @if told.budgets.is_empty() {
            p.dim { "No open session has a budget. A gate sets one: " (code("proof = { check = \"usage.cost_usd < 5\" }")) "." }
        } @else {
            ul.rows { @for budget in &told.budgets { (of_budget(budget)) } }
        }
    }
}

fn of_budget(budget: &Budget) -> Markup {
    let (tone, word) = match budget.percent {
        100.. => (Tone::Bad, "used up"),
        NEAR.. => (Tone::Warn, "near its end"),
        _ => (Tone::Good, "left"),
    };
    let (project, session) = (segment(&budget.project_id), budget.session.as_str());
    let width = format!("{}%", budget.percent.min(100));
    html! {
        li.row.budget data-row id={ "b-" (session) "-" (budget.gate) } {
            div {
                (mark(tone, word))
                a.title data-open href={ "/projects/" (project) "/sessions/" (segment(session)) } {
                    (text(budget.objective.as_deref().unwrap_or(session)))
                }
                p { strong { (budget.percent) " %" } " of " (code(&budget.gate)) ": " (code(&budget.expression)) "; used " @if let Some(amount) = budget.usd { (usd(amount)) ", " } (many(budget.tokens)) " tokens" }
                svg.meter width="100%" height="6" aria-hidden="true" {
                    rect.ground width="100%" height="6" {}
                    rect class={ "level " (match tone { Tone::Bad => "failed", Tone::Warn => "stale", _ => "verified" }) } width=(width) height="6" {}
                }
            }
            div.where { span { (text(&budget.project)) } }
        }
    }
}
