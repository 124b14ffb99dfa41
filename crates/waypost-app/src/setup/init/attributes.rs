//! The lines that tell git what published copies are: generated, not worth a diff, never merged line
//! by line.

use super::lines;

const COMMENT: &str = "# Waypost: published copies of sessions";
const ATTRIBUTES: &str = "linguist-generated -diff merge=binary";

/// Whether the list says already what published copies below `sessions_dir` are.
pub(super) fn covers(content: &[u8], sessions_dir: &str) -> bool {
    let own = own(sessions_dir);
    own.iter().all(|own| lines::of(content).any(|line| line == own.as_bytes()))
}

/// The list with Waypost's lines for `sessions_dir` at its end, and without those for another one.
pub(super) fn added(content: &[u8], sessions_dir: &str) -> Vec<u8> {
    let own = own(sessions_dir);
    lines::added(&taken_out(content), COMMENT, &own.each_ref().map(String::as_str))
}

/// The list without Waypost's lines.
pub(super) fn taken_out(content: &[u8]) -> Vec<u8> {
    lines::taken_out(content, COMMENT, |line| line.ends_with(ATTRIBUTES.as_bytes()))
}

fn own(sessions_dir: &str) -> [String; 2] {
    let folder = sessions_dir.trim_matches('/');
    ["state.json", "events.jsonl"].map(|name| {
        let pattern = format!("/{folder}/*/{name}");
        let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\');
        if pattern.chars().all(plain) {
            return format!("{pattern} {ATTRIBUTES}");
        }
        let escaped = pattern.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\" {ATTRIBUTES}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_user_stay_and_another_folder_takes_the_place_of_the_first() {
        for content in [&b""[..], b"*.png binary\n", b"* text=auto\r\n"] {
            let with = added(content, "agents/sessions");
            assert!(covers(&with, "agents/sessions") && !covers(&with, "other"));
            assert_eq!(taken_out(&with), content);
            let moved = added(&with, "other");
            assert!(covers(&moved, "other") && !covers(&moved, "agents/sessions"));
        }
        let spaced = String::from_utf8(added(b"", "my sessions")).unwrap();
        assert!(spaced.contains("\"/my sessions/*/state.json\" linguist-generated"), "{spaced}");
    }
}
