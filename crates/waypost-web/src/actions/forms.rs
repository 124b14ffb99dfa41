//! The forms of actions, for pages that show what they are done to.

use maud::{Markup, html};

use crate::parts::Parts;

/// What the forms of a session are about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// The project's id.
    pub(crate) project: &'a str,
    /// The session's linked work tree; none is the main one.
    pub(crate) worktree: Option<&'a str>,
    /// The session.
    pub(crate) session: &'a str,
    /// Its version, as it is shown.
    pub(crate) version: u64,
    /// Where it is in its life: `active`, `paused`, `completed` and so on.
    pub(crate) lifecycle: &'a str,
    /// How it is kept: `live`, or only as a folder in the work tree.
    pub(crate) kept: &'a str,
    /// Whether new conversations join it.
    pub(crate) current: bool,
    /// Where a browser goes when it is done.
    pub(crate) back: &'a str,
}

/// What can be done to a session now.
pub(crate) fn session(subject: &Subject<'_>, parts: &Parts<'_>) -> Markup {
    let Subject { lifecycle, kept, current, .. } = *subject;
    let is_live = kept == "live";
    let is_over = matches!(lifecycle, "completed" | "failed" | "archived");
    html! {
        div.deeds {
            @if !is_live || lifecycle != "active" { (resume(subject, parts)) }
            @if is_live && !is_over {
                (switch(subject, current, parts))
                (note(subject, parts))
            }
            @if is_live && lifecycle == "active" { (pause(subject, parts)) }
            @if is_live && lifecycle != "archived" { (archive(subject, parts)) }
        }
    }
}

/// Lets no session be the current one of a work tree.
pub(crate) fn none_current(
    project: &str,
    worktree: Option<&str>,
    back: &str,
    parts: &Parts<'_>,
) -> Markup {
    html! {
        form.deed method="post" action="/do/switch" {
            (parts.carried())
            input type="hidden" name="project" value=(project);
            @if let Some(worktree) = worktree { input type="hidden" name="worktree" value=(worktree); }
            input type="hidden" name="back" value=(back);
            button type="submit" { "Let none be current" }
            span.dim { "New conversations then get a session of their own." }
        }
    }
}

fn resume(subject: &Subject<'_>, parts: &Parts<'_>) -> Markup {
    let about = if subject.kept == "live" {
        "It goes on, and new conversations join it."
    } else {
        "It is taken over into this work tree, and goes on here."
    };
    form(
        "resume",
        subject,
        parts,
        &html! {
            button type="submit" { "Resume" }
            span.dim { (about) }
        },
    )
}

fn switch(subject: &Subject<'_>, current: bool, parts: &Parts<'_>) -> Markup {
    if current {
        let Subject { project, worktree, back, .. } = *subject;
        return none_current(project, worktree, back, parts);
    }
    form(
        "switch",
        subject,
        parts,
        &html! {
            button type="submit" { "Make it the current one" }
            span.dim { "New conversations in its work tree join it." }
        },
    )
}

fn note(subject: &Subject<'_>, parts: &Parts<'_>) -> Markup {
    form(
        "note",
        subject,
        parts,
        &html! {
            label { "Note" textarea name="text" rows="2" required {} }
            label { "Kind" input name="kind" value="note" size="10"; }
            button type="submit" { "Write it down" }
        },
    )
}

fn pause(subject: &Subject<'_>, parts: &Parts<'_>) -> Markup {
    form(
        "pause",
        subject,
        parts,
        &html! {
            label { "Why it rests" input name="reason" required; }
            label { "What whoever goes on should know" input name="context"; }
            button type="submit" { "Pause" }
        },
    )
}

/// Whoever puts something away has decided on what they saw.
fn archive(subject: &Subject<'_>, parts: &Parts<'_>) -> Markup {
    form(
        "archive",
        subject,
        parts,
        &html! {
            input type="hidden" name="version" value=(subject.version);
            label { "Why it is put away" input name="reason" required; }
            button type="submit" { "Archive" }
            span.dim { "It is listed no more unless somebody asks for it. Nothing is deleted." }
        },
    )
}

fn form(action: &str, subject: &Subject<'_>, parts: &Parts<'_>, inside: &Markup) -> Markup {
    let Subject { project, worktree, session, back, .. } = *subject;
    html! {
        form.deed method="post" action={ "/do/" (action) } {
            (parts.carried())
            input type="hidden" name="project" value=(project);
            input type="hidden" name="session" value=(session);
            @if let Some(worktree) = worktree { input type="hidden" name="worktree" value=(worktree); }
            input type="hidden" name="back" value=(back);
            (inside)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waypost_core::time::Timestamp;

    fn shown(lifecycle: &str, kept: &str, current: bool) -> String {
        let subject = Subject {
            project: "p\"1",
            worktree: Some("linked"),
            session: "<script>",
            version: 7,
            lifecycle,
            kept,
            current,
            back: "/projects/p?q=\"&amp;",
        };
        let now = Timestamp::from_millis(0).unwrap();
        session(&subject, &Parts::new(now, "carried")).into_string()
    }

    fn actions(html: &str) -> Vec<&str> {
        let parts = html.split("action=\"/do/").skip(1);
        parts.filter_map(|part| part.split('"').next()).collect()
    }

    #[test]
    fn only_what_can_be_done_is_offered() {
        for (lifecycle, kept, current, offered) in [
            ("active", "live", false, &["switch", "note", "pause", "archive"][..]),
            ("active", "live", true, &["switch", "note", "pause", "archive"]),
            ("abandoned", "live", false, &["resume", "switch", "note", "archive"]),
            ("paused", "live", false, &["resume", "switch", "note", "archive"]),
            ("completed", "live", false, &["resume", "archive"]),
            ("archived", "live", false, &["resume"]),
            ("active", "legacy", false, &["resume"]),
        ] {
            assert_eq!(actions(&shown(lifecycle, kept, current)), offered, "{lifecycle} {kept}");
        }
        // Of the current one only that none is to be: no session is named.
        let (current, other) = (shown("active", "live", true), shown("active", "live", false));
        assert_eq!(current.matches("name=\"session\"").count(), 3);
        assert_eq!(other.matches("name=\"session\"").count(), 4);
    }

    #[test]
    fn every_form_carries_what_is_needed_and_nothing_is_markup() {
        let html = shown("active", "live", false);
        let forms = html.matches("<form").count();
        for field in ["name=\"form\" value=\"carried\"", "name=\"worktree\" value=\"linked\""] {
            assert_eq!(html.matches(field).count(), forms, "{field}");
        }
        assert_eq!(html.matches("value=\"7\"").count(), 1, "who puts it away saw this version");
        assert!(!html.contains("<script>") && html.contains("p&quot;1"), "{html}");
    }
}
