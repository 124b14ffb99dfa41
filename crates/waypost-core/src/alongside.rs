//! Several agents in one work tree: who changed which file, and for how long that matters to the others.

mod named;

use serde::{Deserialize, Serialize};

use crate::id::{ConversationId, SessionId};
use crate::text::spoken::{ago, name};
use crate::time::Timestamp;

pub use named::NamedFiles;

/// For so many milliseconds somebody may still be at a file after changing it: between two changes of the same
/// file an agent reads, thinks and runs tests, which rarely takes longer than ten minutes.
pub const AT_IT: i64 = 10 * 60 * 1000;
/// For so many milliseconds others are told of a change: what is older was most likely seen in what they read.
pub const TOLD: i64 = 60 * 60 * 1000;
/// How many files of a conversation are named.
const MAX_NAMED: usize = 5;

/// A file that a conversation changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// Its path, relative to the work tree.
    pub file: String,
    /// When it last did.
    pub at: Timestamp,
    /// Which of its subagents did: what sort of agent that is, else its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
}

impl ChangedFile {
    fn age(&self, now: Timestamp) -> i64 {
        now.as_millis() - self.at.as_millis()
    }

    /// When it was changed, and by which subagent.
    fn when(&self, now: Timestamp) -> String {
        let subagent =
            self.subagent.as_ref().map(|agent| format!(", by its subagent {}", name(agent)));
        format!("{}{}", ago(self.age(now)), subagent.unwrap_or_default())
    }
}

/// Another conversation, and what it changed in the same work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherConversation {
    /// What runs its agent.
    pub harness: String,
    /// The conversation.
    pub conversation: ConversationId,
    /// The session that it works in.
    pub session_id: SessionId,
    /// The files that it changed lately, the latest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ChangedFile>,
}

impl OtherConversation {
    /// What of it was changed within so many milliseconds; where files are named, of those. `None` if nothing was.
    pub fn within(&self, now: Timestamp, millis: i64, files: &[String]) -> Option<Self> {
        let counts = |changed: &&ChangedFile| {
            changed.age(now) < millis && (files.is_empty() || files.contains(&changed.file))
        };
        let files: Vec<ChangedFile> = self.files.iter().filter(counts).cloned().collect();
        (!files.is_empty()).then(|| Self { files, ..self.clone() })
    }

    /// Its name for people and agents.
    pub fn name(&self) -> String {
        format!("{} {}", self.harness, self.conversation)
    }

    /// What it changed, and when: `NAME changed src/a.txt (3 minutes ago)`.
    pub fn told(&self, now: Timestamp) -> String {
        format!("{} changed {}", self.name(), self.changed(now))
    }

    /// Its files on one line, with the time of each.
    pub fn changed(&self, now: Timestamp) -> String {
        let few = self.files.iter().take(MAX_NAMED);
        let mut shown: Vec<String> =
            few.map(|one| format!("{} ({})", name(&one.file), one.when(now))).collect();
        let more = self.files.len().saturating_sub(MAX_NAMED);
        shown.extend((more > 0).then(|| format!("{more} more")));
        shown.join(", ")
    }

    /// Names a file less; false if none is named.
    pub(crate) fn shorten(&mut self) -> bool {
        self.files.pop().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::saturating_from_millis(minutes * 60_000)
    }

    fn other(files: &[(&str, i64)]) -> OtherConversation {
        let changed = |(file, minutes): &(&str, i64)| ChangedFile {
            file: (*file).to_owned(),
            at: at(*minutes),
            subagent: None,
        };
        OtherConversation {
            harness: "claude-code".to_owned(),
            conversation: "two".parse().unwrap(),
            session_id: "2026-11-15_work".parse().unwrap(),
            files: files.iter().map(changed).collect(),
        }
    }

    #[test]
    fn what_it_changed_is_told_with_the_time_of_each_and_no_more_than_five_by_name() {
        assert_eq!(
            other(&[("a.txt", 57), ("b.txt", 60)]).told(at(60)),
            "claude-code two changed a.txt (3 minutes ago), b.txt (just now)"
        );
        let many: Vec<String> = (0..7).map(|number| format!("{number}.txt")).collect();
        let many: Vec<(&str, i64)> = many.iter().map(|file| (file.as_str(), 50)).collect();
        assert!(other(&many).told(at(60)).ends_with("4.txt (10 minutes ago), 2 more"));
    }

    #[test]
    fn only_what_is_recent_and_asked_about_counts() {
        let known = other(&[("a.txt", 57), ("b.txt", 40)]);
        let asked = |files: &[&str]| {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            let found = known.within(at(60), AT_IT, &files)?;
            Some(found.files.into_iter().map(|one| one.file).collect::<Vec<_>>())
        };
        assert_eq!(asked(&[]), Some(vec!["a.txt".to_owned()]));
        assert_eq!(asked(&["a.txt", "b.txt"]), Some(vec!["a.txt".to_owned()]));
        assert_eq!(asked(&["b.txt"]), None, "it is too long ago");
        assert_eq!(asked(&["c.txt"]), None);
        let edge = other(&[("a.txt", 50)]);
        assert_eq!(edge.within(at(60), AT_IT, &[]), None, "ten minutes are over");
    }
}
