//! How the things look that stand in a conversation: words, calls with their results, what records tell.

use maud::{Markup, html};
use waypost_app::transcripts::window::{Part, Said};
use waypost_core::gate::ruling::Outcome;
use waypost_core::next_step::Voice;

use super::super::records::Record;
use super::super::talk::Item;
use super::super::words::words;
use super::super::{Explained, Told};
use super::{line, path};
use crate::asked::{Asked, segment};
use crate::marked::Words;
use crate::parts::{Parts, Tone, code, mark, text};

/// So much of what a tool is called with stands in its line.
const MOST_IN_LINE: usize = 160;

/// What a part of a conversation is shown with.
pub(super) struct Shown<'a> {
    pub(super) told: &'a Told,
    pub(super) asked: &'a Asked,
    pub(super) parts: &'a Parts<'a>,
    /// Where the part begins.
    pub(super) from: u64,
}

/// What tells an entry from all others of a transcript.
pub(super) fn id(part: &Part) -> String {
    if part.nth == 0 { part.at.to_string() } else { format!("{}-{}", part.at, part.nth) }
}

/// The query that leads to a place of a transcript.
pub(super) fn around(asked: &Asked, at: u64) -> String {
    let kept = ["project", "session", "part", "from"];
    asked.query_with(&kept, "from", Some(&at.to_string()))
}

/// Who said it.
pub(super) fn who(part: &Part) -> Markup {
    let (name, class) = match &part.told {
        Said::Words { by: "human", .. } => ("Person", "human"),
        Said::Words { by: "client", .. } | Said::Event { .. } => ("Client", "client"),
        Said::Words { by: "subagent", .. } => ("Subagent", "agent"),
        Said::Words { .. } => ("Agent", "agent"),
        Said::Call { .. } | Said::Result { .. } => ("Tool", "tool"),
    };
    html! { span class={ "by " (class) } { (name) } }
}

impl Shown<'_> {
    pub(super) fn item(&self, item: &Item) -> Markup {
        match item {
            Item::Part(part) => self.turn(part, &said(part)),
            Item::Call { part, result, rulings } => {
                let said = html! {
                    (call(part, result.as_ref()))
                    @for ruling in rulings { (self.ruling(ruling)) }
                };
                self.turn(part, &said)
            }
            Item::Record(record) => self.record(record),
        }
    }

    fn turn(&self, part: &Part, said: &Markup) -> Markup {
        let place = format!("{}{}#m-{}", path(self.told), around(self.asked, part.at), id(part));
        let class = match &part.told {
            Said::Words { by: "human", .. } => "turn of-human",
            Said::Words { .. } => "turn",
            _ => "turn of-tool",
        };
        html! {
            li class=(class) id={ "m-" (id(part)) } {
                div.who {
                    (who(part))
                    @if let Some(time) = part.time { a.place href=(place) { (self.parts.clock(time)) } }
                    @else { a.place href=(place) { "here" } }
                }
                div.said { (said) }
            }
        }
    }

    /// What gates said to a call, beside it.
    fn ruling(&self, record: &Record) -> Markup {
        html! { div.ruling id={ "e-" (record.session) "-" (record.seq) } { (self.ruled(record)) } }
    }

    /// Something that the records tell, by itself.
    pub(super) fn record(&self, record: &Record) -> Markup {
        html! {
            li.turn.of-record id={ "e-" (record.session) "-" (record.seq) @if record.is_call { "-call" } } {
                div.who { span.by { @if record.is_call { "Tool" } @else { "Record" } } (self.parts.clock(record.time)) }
                div.said { @if record.is_ruling() { div.ruling { (self.ruled(record)) } } @else { (plain(record)) } }
            }
        }
    }

    fn ruled(&self, record: &Record) -> Markup {
        let told = record.what.as_deref().unwrap_or_default();
        let (ruled, why) = told.split_once('\n').unwrap_or((told, ""));
        let (outcome, rest) = ruled.split_once(' ').unwrap_or(("", ""));
        let (tone, word) = match outcome {
            "deny" if rest.starts_with("stop") || rest.starts_with("end") => (Tone::Bad, "held"),
            "deny" => (Tone::Bad, "denied"),
            "warn" => (Tone::Warn, "warned"),
            _ => (Tone::Good, "allowed"),
        };
        let explained = self.told.explained.as_ref();
        let explained = explained
            .filter(|one| (one.seq, one.session.as_str()) == (record.seq, &record.session));
        let (kinds, gates) = rest.rsplit_once(": ").unwrap_or((rest.trim_end_matches(':'), ""));
        let plain: Vec<&str> =
            kinds.split(", ").filter(|kind| !kind.starts_with("tool:")).collect();
        let kinds = if plain.is_empty() { kinds.to_owned() } else { plain.join(", ") };
        html! {
            p {
                (mark(tone, word)) " " (text(&kinds))
                @if !gates.is_empty() { " by " (code(gates)) }
                @if explained.is_none() { " · " a href=(self.explaining(record)) { "Explain" } }
            }
            @match explained {
                Some(explained) => (explanation(explained, self.parts)),
                None => { @if !why.is_empty() { p.dim { (text(why)) } } },
            }
        }
    }

    /// Where a ruling is explained: here, with the part of the transcript that is shown.
    fn explaining(&self, record: &Record) -> String {
        let asked = [
            ("project", record.project.clone()),
            ("session", record.session.clone()),
            ("part", self.asked.get("part").unwrap_or_default().to_owned()),
            ("from", self.told.talk.as_ref().map(|_| self.from.to_string()).unwrap_or_default()),
            ("page", self.asked.get("page").unwrap_or_default().to_owned()),
            ("explain", record.seq.to_string()),
        ];
        let given = asked.iter().filter(|(_, value)| !value.is_empty());
        let query: Vec<String> =
            given.map(|(name, value)| format!("{name}={}", segment(value))).collect();
        let (path, place) = (path(self.told), format!("e-{}-{}", record.session, record.seq));
        format!("{path}?{}#{place}", query.join("&"))
    }
}

/// What was said, or came of a call that was made earlier.
fn said(part: &Part) -> Markup {
    match &part.told {
        Said::Words { text, .. } => words(text, &Words::whole("")),
        Said::Event { text: told } => html! { p.dim { (text(told)) } },
        Said::Result { tool, .. } => {
            let name = tool.as_deref().unwrap_or("A call that was made earlier");
            folded(name, "", Some(part), &id(part))
        }
        Said::Call { .. } => call(part, None),
    }
}

/// A tool call, folded, with its result.
fn call(part: &Part, result: Option<&Part>) -> Markup {
    let Said::Call { tool, about, .. } = &part.told else { return html! {} };
    folded(tool, about, result, &id(part))
}

fn folded(tool: &str, about: &str, result: Option<&Part>, id: &str) -> Markup {
    let (remark, printed, failed) = match result.map(|result| &result.told) {
        Some(Said::Result { end, remark, printed, .. }) => {
            (remark.as_str(), printed.as_deref(), matches!(*end, "failed" | "prevented"))
        }
        _ => ("", None, false),
    };
    let tone = if failed { Tone::Bad } else { Tone::Calm };
    let summary = html! {
        code.tool { (text(tool)) } " " span.about { (line(about, MOST_IN_LINE)) }
        @if !remark.is_empty() { " " (mark(tone, remark)) }
    };
    let is_long = about.chars().count() > MOST_IN_LINE || about.contains('\n');
    if printed.is_none() && !is_long {
        return html! { p.call { (summary) } };
    }
    html! {
        details.call data-keep={ "c-" (id) } {
            summary { (summary) }
            @if is_long { pre { (text(about)) } }
            @if let Some(printed) = printed { pre { (text(printed)) } }
        }
    }
}

/// A record in a line.
fn plain(record: &Record) -> Markup {
    let tone = match record.kind.as_str() {
        "violation_recorded" => Some(Tone::Bad),
        "violation_recovered" | "phase_checked" | "checkpoint_completed" | "track_completed" => {
            Some(Tone::Good)
        }
        _ => None,
    };
    let kind = record.kind.replace('_', " ");
    html! {
        p {
            @match (tone, record.is_call) {
                (Some(tone), _) => (mark(tone, &kind)),
                (None, true) => code.tool { (text(&record.kind)) },
                (None, false) => span.dim { (text(&kind)) },
            }
            @if let Some(what) = &record.what { " " (line(what, 300)) }
            @if let Some(status) = record.status.filter(|status| *status != 0) { " " (mark(Tone::Bad, &format!("status {status}"))) }
        }
    }
}

/// Everything that a ruling depended on, and whether it comes out the same again.
fn explanation(explained: &Explained, parts: &Parts<'_>) -> Markup {
    let Some(found) = &explained.explanation else {
        let why = explained.error.as_deref().unwrap_or_default();
        return html! { p.warning { "It cannot be explained: " (text(why)) } };
    };
    let ruling = &found.ruling;
    html! {
        details.explained open data-keep={ "x-" (explained.seq) } {
            summary { "Why " (code(&ruling.id.to_string())) " came out so" }
            @for finding in &ruling.findings {
                p { (code(&finding.gate)) " (" (finding.level.to_string()) "): " (text(&finding.why)) }
                p.dim { "Next: " (text(&finding.words(Voice::PERSON))) }
                p.dim { "Written in " (text(&finding.source.to_string())) }
            }
            @if ruling.findings.is_empty() { p { "No gate stands before this." } }
            @if ruling.gave_way { p { "The gates gave way: it had been held too often while nothing moved." } }
            p.dim {
                "Record " (found.seq) ", " (parts.at(found.time)) ", at version " (ruling.state_version) " of the session, by policy "
                (code(&ruling.policy.chars().take(12).collect::<String>()))
            }
            @if found.replay_agrees {
                p { (mark(Tone::Good, "same again")) " Made again from the same state and facts, it is the same." }
            } @else {
                p { (mark(Tone::Bad, "differs")) " Made again from the same state and facts, it is another"
                    @if ruling.outcome == Outcome::Deny { ", and it denied something" } "." }
            }
        }
    }
}
