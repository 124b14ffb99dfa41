//! What Claude Code keeps of its conversations: a file each, in a folder that is named after the one that the
//! client was started in. Only looked at for when and where one began.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use waypost_app::harness::Transcript;
use waypost_core::time::Timestamp;

/// A line of a transcript, as far as it matters here.
#[derive(Deserialize)]
struct Line {
    #[serde(default, rename = "type")]
    kind: String,
    timestamp: Option<String>,
    cwd: Option<PathBuf>,
    #[serde(default, rename = "isApiErrorMessage")]
    is_error: bool,
}

/// Where those of a project lie, and how the folders are called. Those of its own folders begin the same.
pub(super) fn place(folder: &Path, root: &Path) -> (PathBuf, String) {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    (folder.join("projects"), root.to_string_lossy().chars().map(plain).collect())
}

/// What the beginning of a file tells.
pub(super) fn read(name: &str, head: &[u8]) -> Option<Transcript> {
    let id = name.strip_suffix(".jsonl").filter(|id| id.len() == 36 && id.contains('-'))?;
    let text = String::from_utf8_lossy(head);
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    let (mut began, mut folder, mut answered) = (None, None, false);
    for line in lines {
        began = began.or_else(|| Timestamp::lenient(line.timestamp.as_deref()?));
        folder = folder.or(line.cwd);
        answered |= line.kind == "assistant" && !line.is_error;
    }
    let (began, folder) = (began?, folder?);
    answered.then_some(Transcript { conversation: id.parse().ok()?, began, folder })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "8c3b6078-ed99-426a-a14e-ad70b75e0760.jsonl";

    #[test]
    fn a_transcript_tells_when_and_where_a_conversation_began_that_was_answered() {
        let user = "{\"type\":\"user\",\"cwd\":\"/p/x\",\"timestamp\":\"2026-11-18T05:00:00.5Z\"}";
        let answer =
            "{\"type\":\"assistant\",\"cwd\":\"/p/y\",\"timestamp\":\"2026-11-18T06:00:00Z\"}";
        let other = "{\"type\":\"summary\"}";
        let told = read(ID, format!("{other}\n{user}\n{answer}\n{{\"type\":").as_bytes()).unwrap();
        assert_eq!(told.began.to_string(), "2026-11-18T05:00:00.500Z");
        assert_eq!(told.folder, Path::new("/p/x"));
        assert_eq!(read(ID, user.as_bytes()), None, "nothing was answered");
        assert_eq!(read("agent-a1.jsonl", format!("{user}\n{answer}").as_bytes()), None);
        assert_eq!(read(ID, b"no json"), None);
    }

    #[test]
    fn folders_are_named_after_the_path() {
        let (folder, prefix) = place(Path::new("/h/.claude"), Path::new("/tmp/my_p.x"));
        assert_eq!(
            (folder.as_path(), prefix.as_str()),
            (Path::new("/h/.claude/projects"), "-tmp-my-p-x")
        );
    }
}
