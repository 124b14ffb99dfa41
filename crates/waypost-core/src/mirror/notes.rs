//! The notes that tools for notes keep of sessions: one of each session, one of each agent that worked in it, one of each
//! range of its agents' work that left the state, and one that says which session is current. They are written as Brain
//! writes its own, with observations and links, so that its tools find and join them.

use super::words::line;
use crate::id::SessionId;
use crate::time::Timestamp;

/// The folder of all of them.
pub const FOLDER: &str = "sessions";
/// The note that says which session is current.
pub const CURRENT: &str = "current-session";

/// The title of a session's note.
pub fn title(id: &SessionId) -> String {
    format!("session-{id}")
}

/// The title of the note of an agent in a session.
pub fn agent_title(id: &SessionId, agent: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    let agent: String = agent.chars().take(60).map(plain).collect();
    format!("session-{id}-agent-{agent}")
}

/// The title of the note of a range of work that left the state, counted from one.
pub fn history_title(id: &SessionId, number: usize) -> String {
    format!("session-{id}-history-{number}")
}

/// A session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub objective: String,
    /// `IN_PROGRESS`, `PAUSED`, `COMPLETE` or `FAILED`.
    pub status: String,
    /// Its branch.
    pub branch: Option<String>,
    /// The commit that it began at.
    pub starting_commit: Option<String>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// The phase that it is in.
    pub phase: String,
    /// The mode.
    pub mode: String,
    /// What was written down, by its sort.
    pub observations: Vec<(String, String)>,
    /// Its commits: hash and message.
    pub commits: Vec<(String, String)>,
    /// What came of it.
    pub summary: Option<String>,
    /// What whoever comes next should know.
    pub next_notes: Option<String>,
    /// The titles of the notes that belong to it.
    pub relations: Vec<String>,
}

/// What an agent did in a session. What it was asked is not in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    /// The agent.
    pub agent: String,
    /// How far it came.
    pub status: String,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it was done.
    pub completed_at: Option<Timestamp>,
    /// What it did, as it says.
    pub summary: Option<String>,
    /// What kept it from going on.
    pub blockers: Vec<String>,
}

/// The text of a session's note.
pub fn session(session: &Session) -> String {
    let mut text = format!("# Session {}\n\n", line(&session.id));
    let time = |time: Option<Timestamp>| time.map(|time| time.to_string()).unwrap_or_default();
    let (started, updated) = (time(session.started_at), time(session.updated_at));
    let fields = [
        ("Objective", session.objective.as_str()),
        ("Status", &session.status),
        ("Branch", session.branch.as_deref().unwrap_or_default()),
        ("Starting Commit", session.starting_commit.as_deref().unwrap_or_default()),
        ("Started", &started),
        ("Updated", &updated),
        ("Phase", &session.phase),
        ("Mode", &session.mode),
    ];
    for (name, told) in fields.iter().filter(|(_, told)| !told.is_empty()) {
        text.push_str(&format!("**{name}**: {}\n", line(told)));
    }
    if let Some(summary) = &session.summary {
        text.push_str(&format!("\n## Summary\n\n{}\n", line(summary)));
    }
    if let Some(next) = &session.next_notes {
        text.push_str(&format!("\n## Next Session\n\n{}\n", line(next)));
    }
    text.push_str("\n## Observations\n\n");
    for (kind, told) in &session.observations {
        text.push_str(&observation(kind, told, "session"));
    }
    for (sha, message) in &session.commits {
        text.push_str(&observation("outcome", &format!("commit {sha}: {message}"), "commit"));
    }
    text.push_str("\n## Relations\n\n");
    for title in &session.relations {
        text.push_str(&format!("- has_part [[{}]]\n", line(title)));
    }
    text
}

/// The text of a note of work that agents did.
pub fn work(title: &str, session: &SessionId, all: &[Work]) -> String {
    let mut text = format!("# {}\n\n## Observations\n\n", line(title));
    for work in all {
        let time = work.started_at.map(|time| format!(" at {time}")).unwrap_or_default();
        let told = format!("{}{time}: {}", line(&work.agent), line(&work.status));
        text.push_str(&observation("fact", &told, "agent"));
        if let Some(summary) = &work.summary {
            text.push_str(&observation("outcome", summary, "agent"));
        }
        for blocker in &work.blockers {
            text.push_str(&observation("problem", blocker, "blocker"));
        }
    }
    text.push_str(&format!("\n## Relations\n\n- part_of [[{}]]\n", self::title(session)));
    text
}

/// The text of the note that says which session is current.
pub fn current(id: Option<&SessionId>) -> String {
    match id {
        Some(id) => {
            format!("# Current Session\n\n{id}\n\n## Relations\n\n- points_to [[{}]]\n", title(id))
        }
        None => "# Current Session\n\nThere is none.\n".to_owned(),
    }
}

/// A line that tools index: a sort in brackets, the text, a tag.
fn observation(kind: &str, text: &str, tag: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    let kind: String = kind.chars().take(40).map(plain).collect();
    // What others wrote makes no links of its own.
    let text = line(text).replace("[[", "[ [").replace("]]", "] ]");
    format!("- [{kind}] {text} #{tag}\n")
}
