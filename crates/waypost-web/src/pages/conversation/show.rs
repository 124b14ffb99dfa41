//! How a conversation looks.

mod entries;

use maud::{Markup, html};
use waypost_app::cost::Used;
use waypost_core::tables::AgentRow;
use waypost_core::text::one_line;
use waypost_core::text::spoken::count;

use super::words::words;
use super::{Agent, Found, InSession, Talk, Told};
use crate::asked::{Asked, segment};
use crate::marked::Words;
use crate::parts::{Parts, Tone, code, many, mark, nothing, text, usd};
use entries::Shown;

pub(super) fn body(told: &Told, asked: &Asked, parts: &Parts<'_>) -> Markup {
    if !told.indexed {
        return nothing(
            "The index is not made yet.",
            html! { p { "It is made now; this page follows by itself." } },
        );
    }
    html! {
        (lead(told, parts))
        (reopening(told))
        (sessions(told, parts))
        (agents(told, asked, parts))
        (models(told))
        h2 id="said" { @match &told.part {
            Some(part) => { "What the subagent " (code(part)) " said and did" },
            None => "What was said and done",
        } }
        @if told.part.is_some() { p { a href={ (path(told)) "#said" } { "Back to the conversation itself" } } }
        (find(told, asked))
        @if let Some(why) = &told.unread {
            (nothing("The transcript cannot be read now.", html! { p { (text(why)) } }))
        } @else if let Some(found) = &told.found {
            (hits(told, found, asked, parts))
        } @else if let Some(talk) = &told.talk {
            (spoken(told, talk, asked, parts))
        } @else {
            (recorded(told, asked, parts))
        }
    }
}

fn path(told: &Told) -> String {
    format!("/conversations/{}", segment(&told.conversation))
}

fn lead(told: &Told, parts: &Parts<'_>) -> Markup {
    let models = told.used.iter().flat_map(|used| &used.models);
    let models = models.map(|model| model.name.as_str()).collect::<Vec<_>>().join(", ");
    html! {
        p.lead {
            @if let Some(client) = &told.client { strong { (text(client)) } }
            @if !models.is_empty() { " with " (text(&models)) }
            @if let Some(used) = &told.used { " · " (cost(used)) }
            @if let Some(began) = told.began { " · began " (parts.ago(began)) }
            @match (told.ended, told.last) {
                (Some(ended), _) => { " · left " (parts.ago(ended)) },
                (None, Some(last)) => { " · last heard " (parts.ago(last)) },
                (None, None) => {},
            }
        }
    }
}

fn cost(used: &Used) -> Markup {
    html! {
        span title={ (used.tokens) " tokens" } { strong { (many(used.tokens)) } " tokens" }
        ", "
        @match used.usd {
            Some(amount) => { strong { (usd(amount)) } @if used.unpriced_tokens > 0 { " and some whose price is unknown" } },
            None => "price unknown",
        }
    }
}

fn reopening(told: &Told) -> Markup {
    let Some(command) = &told.reopen else { return html! {} };
    html! {
        p.reopen {
            "To go on in it" @if let Some(folder) = &told.folder { ", in " (code(folder)) }
            ": " (code(command))
        }
    }
}

fn sessions(told: &Told, parts: &Parts<'_>) -> Markup {
    if told.sessions.is_empty() {
        return html! { p.dim { "It was in no session: no hook of Waypost saw it." } };
    }
    html! {
        h2 { @if told.sessions.len() == 1 { "Its session" } @else { "Its sessions" } }
        ul.rows {
            @for one in &told.sessions { (session(one, parts)) }
        }
    }
}

fn session(one: &InSession, parts: &Parts<'_>) -> Markup {
    let address = format!("/projects/{}/sessions/{}", segment(&one.project), segment(&one.session));
    let tone = if one.detached_at.is_none() { Tone::Busy } else { Tone::Calm };
    let stands = if one.detached_at.is_none() { "attached" } else { "left" };
    html! {
        li.row data-row id={ "s-" (one.session) } {
            div.what {
                (mark(tone, stands))
                a.title href=(address) data-open { (text(one.objective.as_deref().unwrap_or(&one.session))) }
                p.dim {
                    (count(usize::try_from(one.turns).unwrap_or(usize::MAX), "turn"))
                    @if let Some(reason) = &one.reason { ", left: " (text(reason)) }
                }
            }
            div.where {
                span { (text(&one.project_name)) }
                span { (parts.clock(one.attached_at)) @if let Some(left) = one.detached_at { " to " (parts.clock(left)) } }
            }
        }
    }
}

fn agents(told: &Told, asked: &Asked, parts: &Parts<'_>) -> Markup {
    if told.agents.is_empty() {
        return html! {};
    }
    let address = |part: &str| format!("{}{}#said", path(told), of_part(asked, Some(part)));
    html! {
        h2 { "Agents that it gave work to" }
        ul.tree {
            li {
                span.node { (text(told.client.as_deref().unwrap_or("the conversation"))) }
                ul {
                    @for agent in &told.agents {
                        (one_agent(agent, agent.part.as_deref().map(address).as_deref(), told, parts))
                    }
                }
            }
        }
    }
}

/// The query that leads to another transcript of the conversation, from its end.
fn of_part(asked: &Asked, part: Option<&str>) -> String {
    asked.query_with(&["project", "session", "part"], "part", part)
}

fn one_agent(agent: &Agent, address: Option<&str>, told: &Told, parts: &Parts<'_>) -> Markup {
    let is_here = agent.part.is_some() && agent.part == told.part;
    html! {
        li {
            @match &agent.row {
                Some(row) => (known_agent(row, address, is_here, parts)),
                None => {
                    a href=[address] aria-current=[is_here.then_some("true")] {
                        (text(agent.part.as_deref().unwrap_or_default()))
                    }
                    " " span.dim { "of which only its transcript tells" }
                },
            }
        }
    }
}

fn known_agent(row: &AgentRow, address: Option<&str>, is_here: bool, parts: &Parts<'_>) -> Markup {
    let tone = match row.status.as_str() {
        "completed" => Tone::Good,
        "failed" | "blocked" => Tone::Bad,
        _ => Tone::Busy,
    };
    let took = row.duration_ms.or_else(|| {
        let ended = row.ended_at?.as_millis() - row.started_at.as_millis();
        u64::try_from(ended).ok()
    });
    html! {
        (mark(tone, &row.status.replace('_', " "))) " "
        a href=[address] aria-current=[is_here.then_some("true")] { (text(&row.agent)) }
        " " span.dim {
            (parts.clock(row.started_at))
            @if let Some(took) = took { ", " (lasted(took)) }
            @if let Some(tokens) = row.tokens { ", " (many(tokens)) " tokens" }
            @if let Some(calls) = row.tool_calls { ", " (count(usize::try_from(calls).unwrap_or(usize::MAX), "call")) }
        }
        @if let Some(prompt) = &row.prompt { p.dim { (text(&short(prompt, 200))) } }
        @if let Some(summary) = &row.summary { p { (text(&short(summary, 400))) } }
    }
}

fn lasted(millis: u64) -> String {
    match millis / 1000 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

fn short(text: &str, most: usize) -> String {
    waypost_core::text::shortened(&one_line(text), most)
}

fn models(told: &Told) -> Markup {
    let Some(used) = told.used.as_ref().filter(|used| used.models.len() > 1) else {
        return html! {};
    };
    html! {
        h2 { "What it used" }
        div.scroll { table {
            thead { tr {
                th scope="col" { "Model" } th.number scope="col" { "Tokens" }
                th.number scope="col" { "In" } th.number scope="col" { "Out" } th.number scope="col" { "Cost" }
            } }
            tbody { @for model in &used.models { tr {
                th scope="row" { (text(&model.name)) }
                td.number { (many(model.tokens)) } td.number { (many(model.input)) } td.number { (many(model.output)) }
                td.number { (model.usd.map_or_else(|| "unknown".to_owned(), usd)) }
            } } }
        } }
    }
}

fn find(told: &Told, asked: &Asked) -> Markup {
    if told.talk.is_none() && told.found.is_none() {
        return html! {};
    }
    let kept = ["project", "session", "part"];
    html! {
        form.within role="search" action=(path(told)) {
            @for name in kept { @if let Some(value) = asked.get(name) { input type="hidden" name=(name) value=(value); } }
            label for="within" { "Search in it" }
            input id="within" type="search" name="q" value=[asked.get("q")];
            button type="submit" { "Search" }
            @if told.found.is_some() { a href={ (path(told)) (asked.query_with(&kept, "", None)) } { "Show all" } }
        }
    }
}

fn hits(told: &Told, found: &Found, asked: &Asked, parts: &Parts<'_>) -> Markup {
    let query = asked.get("q").unwrap_or_default();
    let wanted = Words::begun(query);
    if found.hits.is_empty() {
        return nothing(
            "Nothing in it has these words.",
            html! { p { "What was said and what was called is searched, and not what tools printed. What was said a moment ago is found once it is indexed." } },
        );
    }
    let told_of = match (found.hits.len(), found.more) {
        (some, true) => format!("The last {some} places"),
        (some, false) => count(some, "place"),
    };
    html! {
        p.dim { (told_of) ", the last first." }
        ol.talk.hits {
            @for hit in &found.hits {
                @let address = format!("{}{}#m-{}", path(told), entries::around(asked, hit.at), entries::id(hit));
                li.turn data-row id={ "h-" (entries::id(hit)) } {
                    div.who { (entries::who(hit)) @if let Some(time) = hit.time { (parts.clock(time)) } }
                    div.said {
                        (words(&cut(&super::look::text_of(hit), query), &wanted))
                        p { a href=(address) data-open { "Show it in its place" } }
                    }
                }
            }
        }
    }
}

/// The part of a long text in which what is wanted stands first.
fn cut(said: &str, query: &str) -> String {
    const BEFORE: usize = 160;
    const ALL: usize = 700;
    let (low, wanted) = (said.to_lowercase(), query.to_lowercase());
    let first = wanted.split_whitespace().filter_map(|word| low.find(word)).min().unwrap_or(0);
    let before = low[..first].chars().count();
    let begin = before.saturating_sub(BEFORE);
    let rest: String = said.chars().skip(begin).collect();
    let dots = if begin > 0 { "…" } else { "" };
    format!("{dots}{}", waypost_core::text::shortened(&rest, ALL))
}

fn spoken(told: &Told, talk: &Talk, asked: &Asked, parts: &Parts<'_>) -> Markup {
    let shown = Shown { told, asked, parts, from: talk.from };
    html! {
        @if talk.entries.is_empty() {
            (nothing("Nothing was said here.", html! { p { "What comes next is shown by itself." } }))
        }
        (turning(told, talk, asked))
        ol.talk { @for item in &talk.entries { (shown.item(item)) } }
        @if talk.unreadable > 0 {
            p.warning { (count(usize::try_from(talk.unreadable).unwrap_or(usize::MAX), "line")) " of this part could not be read." }
        }
        (turning(told, talk, asked))
        p.dim { "From " (code(&talk.file)) ", with whatever looks like a credential taken out." }
    }
}

fn turning(told: &Told, talk: &Talk, asked: &Asked) -> Markup {
    if talk.earlier.is_none() && talk.later.is_none() {
        return html! {};
    }
    let kept = ["project", "session", "part", "from"];
    let at = |from: Option<u64>| {
        let from = from.map(|from| from.to_string());
        format!("{}{}#said", path(told), asked.query_with(&kept, "from", from.as_deref()))
    };
    html! {
        nav.turning aria-label="Parts of the transcript" {
            @if let Some(earlier) = talk.earlier { a href=(at(Some(earlier))) rel="prev" { "← Earlier" } }
            span.dim { (percent(talk.from, talk.length)) " % from the beginning" }
            @if let Some(later) = talk.later { a href=(at(Some(later))) rel="next" { "Later →" } }
            @if !talk.is_last { a href=(at(None)) { "The end" } }
        }
    }
}

fn percent(part: u64, all: u64) -> u64 {
    part.saturating_mul(100).checked_div(all).unwrap_or(0)
}

fn recorded(told: &Told, asked: &Asked, parts: &Parts<'_>) -> Markup {
    let page = asked.page().unwrap_or(1);
    let kept = ["project", "session", "page"];
    let at = |page: u32| {
        let page = (page > 1).then(|| page.to_string());
        format!("{}{}#said", path(told), asked.query_with(&kept, "page", page.as_deref()))
    };
    let shown = Shown { told, asked, parts, from: 0 };
    html! {
        p.dim { "There is no transcript of it here: its client keeps none, or not any more. This is what the records tell, the last first." }
        @if told.records.is_empty() {
            (nothing("The records tell nothing of it.", html! { p { "What agents do is recorded once their hooks call Waypost." } }))
        }
        ol.talk { @for record in &told.records { (shown.record(record)) } }
        nav.turning aria-label="Pages of the records" {
            @if told.more { a href=(at(page + 1)) rel="prev" { "← Earlier" } }
            @if page > 1 { a href=(at(page - 1)) rel="next" { "Later →" } }
        }
    }
}

/// A text on one line.
fn line(said: &str, most: usize) -> Markup {
    text(&short(said, most))
}
