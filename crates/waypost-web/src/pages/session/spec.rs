//! The spec of a session: what is asked and decided in it, and then all of it.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::documents::spec::{self, Spec};

use super::seen::Seen;
use crate::markdown::{Marks, render};
use crate::parts::{Tone, code, mark, nothing, text};

#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// The file; none where there is none.
    markdown: Option<String>,
    /// Why it cannot be read.
    problem: Option<String>,
    /// Where it would be.
    file: String,
    #[serde(flatten)]
    spec: Spec,
}

pub(super) fn look(seen: &Seen<'_>) -> Told {
    let (view, id) = (&seen.view, seen.id());
    let (markdown, problem) = match spec::text_of(view, id) {
        Ok(markdown) => (markdown, None),
        Err(error) => (None, Some(error.message)),
    };
    let file = waypost_app::view::copy::folder_of(view, id).join(spec::FILE);
    let spec = markdown.as_deref().map(spec::read).unwrap_or_default();
    Told { markdown, problem, file: file.display().to_string(), spec }
}

pub(super) fn show(told: &Told) -> Markup {
    let Some(markdown) = &told.markdown else {
        return nothing(
            told.problem.as_deref().unwrap_or("There is no spec here."),
            html! { p { "It is written to " (code(&told.file)) "." } },
        );
    };
    html! {
        div.read {
            (asked(&told.spec))
            article.document id="spec" { (render(markdown, &Marks::of(&told.spec))) }
        }
    }
}

/// What is open, and what was decided.
fn asked(spec: &Spec) -> Markup {
    html! {
        @if !spec.open_questions.is_empty() || !spec.decisions.is_empty() {
            aside.asked aria-label="Questions and decisions" {
                @if !spec.open_questions.is_empty() {
                    h3 { "Open questions" }
                    ul {
                        @for question in &spec.open_questions {
                            li {
                                @if spec.blocking.contains(question) { (mark(Tone::Bad, "blocking")) " " }
                                (text(question))
                            }
                        }
                    }
                }
                @if !spec.decisions.is_empty() {
                    h3 { "Decisions" }
                    ul {
                        @for decision in &spec.decisions {
                            li {
                                (text(&decision.title))
                                @if let Some(made) = &decision.made { " " span.dim { (text(made)) } }
                                @if let Some(why) = &decision.rationale { p.dim { (text(why)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
