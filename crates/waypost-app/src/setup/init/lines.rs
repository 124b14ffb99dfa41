//! Lines of ours in a list that belongs to the user, below a comment that says so.

/// The lines of a list, without what ends them.
pub(super) fn of(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    whole(content).map(<[u8]>::trim_ascii_end)
}

/// The list with `comment` and `own` at its end.
pub(super) fn added(content: &[u8], comment: &str, own: &[&str]) -> Vec<u8> {
    let mut result = content.to_vec();
    if !result.is_empty() && !result.ends_with(b"\n") {
        result.push(b'\n');
    }
    for line in [&[comment], own].concat() {
        result.extend_from_slice(line.as_bytes());
        result.push(b'\n');
    }
    result
}

/// The list without `comment` and what is ours of the lines right below it.
pub(super) fn taken_out(content: &[u8], comment: &str, is_own: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut result = Vec::with_capacity(content.len());
    let mut ours = false;
    for line in whole(content) {
        let trimmed = line.trim_ascii_end();
        ours = trimmed == comment.as_bytes() || (ours && is_own(trimmed));
        if !ours {
            result.extend_from_slice(line);
        }
    }
    result
}

fn whole(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split_inclusive(|byte| *byte == b'\n')
}
