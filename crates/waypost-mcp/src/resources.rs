//! Sessions as resources: `session://KIND` for the one at hand, `session://ID/KIND` for any.

mod bounded;
mod dashboard;
mod read;

use rmcp::model::{Annotations, Resource, ResourceTemplate, Role};
use waypost_core::id::SessionId;

pub(crate) use read::read;

const SCHEME: &str = "session://";

/// What a resource tells of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    State,
    Checklist,
    History,
    Violations,
    Brief,
    Dashboard,
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::State,
        Self::Checklist,
        Self::History,
        Self::Violations,
        Self::Brief,
        Self::Dashboard,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Checklist => "checklist",
            Self::History => "history",
            Self::Violations => "violations",
            Self::Brief => "brief",
            Self::Dashboard => "dashboard",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::State => "Where the session stands",
            Self::Checklist => "What this conversation has to do",
            Self::History => "What happened in the session",
            Self::Violations => "Violations",
            Self::Brief => "Brief on the session",
            Self::Dashboard => "Overview",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::State => {
                "Objective, lifecycle, version, conversations, gates, and the protocol's checklists with \
                 what was found, as JSON."
            }
            Self::Checklist => "The gates of this conversation with PASS or FAIL, as JSON.",
            Self::History => {
                "The latest records, each with a summary in words, and every decision and verdict; of no \
                 session in particular, also the last sessions with outcome, commit, decisions and notes. As JSON."
            }
            Self::Violations => {
                "Every must-gate that was not met when its action happened, with the reason and how it \
                 came to hold; of no session in particular, in all sessions. As JSON."
            }
            Self::Brief => "Where the session stands in few words, and the next step.",
            Self::Dashboard => {
                "The project's sessions; of this one, the open gates, what agents wait for, and who else \
                                changed files here."
            }
        }
    }

    fn mime_type(self) -> &'static str {
        match self {
            Self::State | Self::Checklist | Self::History | Self::Violations => "application/json",
            Self::Brief => "text/plain",
            Self::Dashboard => "text/markdown",
        }
    }

    fn annotations(self) -> Annotations {
        let (audience, priority) = match self {
            Self::Brief => (vec![Role::Assistant], 1.0),
            Self::State | Self::Checklist => (vec![Role::Assistant, Role::User], 0.8),
            Self::Dashboard => (vec![Role::User], 0.6),
            Self::History | Self::Violations => (vec![Role::Assistant, Role::User], 0.4),
        };
        Annotations::default().with_audience(audience).with_priority(priority)
    }
}

/// A resource's name taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Uri {
    kind: Kind,
    session: Option<SessionId>,
    /// Of the history, only what agents did whose records lie in this range.
    range: Option<(u64, u64)>,
}

impl Uri {
    /// Takes a name apart; `None` if it is none of ours. An id is checked as one: it cannot lead
    /// anywhere else.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        let path = uri.strip_prefix(SCHEME)?;
        let (session, name) = match path.split_once('/') {
            Some((id, name)) => (Some(id.parse().ok()?), name),
            None => (None, path),
        };
        let (name, range) = match name.split_once('/') {
            Some(("history", range)) if session.is_some() => ("history", Some(numbers(range)?)),
            Some(_) => return None,
            None => (name, None),
        };
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name)?;
        Some(Self { kind, session, range })
    }

    /// The session whose changes matter; without one, everything does.
    pub(crate) fn watched(&self) -> Option<&str> {
        match self.kind {
            Kind::Dashboard => None,
            _ => self.session.as_ref().map(SessionId::as_str),
        }
    }
}

/// Two numbers, the smaller first.
fn numbers(range: &str) -> Option<(u64, u64)> {
    let (from, to) = range.split_once('-')?;
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (from <= to).then_some((from, to))
}

/// The resources of the session at hand.
pub(crate) fn list() -> Vec<Resource> {
    let described = |kind: Kind| {
        Resource::new(format!("{SCHEME}{}", kind.name()), kind.name())
            .with_title(kind.title())
            .with_description(kind.description())
            .with_mime_type(kind.mime_type())
            .with_annotations(kind.annotations())
    };
    Kind::ALL.into_iter().map(described).collect()
}

/// The same of any session.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let described = |kind: Kind| {
        let name = format!("session-{}", kind.name());
        ResourceTemplate::new(format!("{SCHEME}{{session_id}}/{}", kind.name()), name)
            .with_title(format!("{}, of any session", kind.title()))
            .with_description(kind.description())
            .with_mime_type(kind.mime_type())
            .with_annotations(kind.annotations())
    };
    let archive = ResourceTemplate::new(
        format!("{SCHEME}{{session_id}}/history/{{from}}-{{to}}"),
        "session-archive",
    )
    .with_title("Archived invocations of agents, of any session")
    .with_description(
        "The invocations whose records lie in that range, in full: what a `notePath` names. Beside them, the \
         decisions and verdicts of that range. `earlier` is the resource of what does not fit. As JSON.",
    )
    .with_mime_type(Kind::History.mime_type())
    .with_annotations(Kind::History.annotations());
    Kind::ALL.into_iter().map(described).chain([archive]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_of_ours_or_nothing() {
        let uri = Uri::parse("session://2026-11-15_add-login_k3f9a2/brief").unwrap();
        assert_eq!(uri.watched(), Some("2026-11-15_add-login_k3f9a2"));
        assert_eq!(Uri::parse("session://state").unwrap().session, None);
        for wrong in [
            "session://",
            "session://key",
            "session://../../key",
            "session://../state",
            "session://a/b/state",
            "session:///state",
            "session://%2e%2e/state",
            "file:///etc/passwd",
            "",
        ] {
            assert_eq!(Uri::parse(wrong), None, "{wrong}");
        }
    }
}
