//! Rules of the user's own that say what is ignored: no commit holds them, so the content's id does. The lines by
//! which Waypost itself keeps files of one machine out of commits do not count.

use std::path::Path;

use waypost_core::key::sha256_hex;
use waypost_store::look;

use super::place::Place;
use super::settings::Settings;

/// How entries of such rules are named.
pub(super) const EXCLUDE: &str = "rules";

/// What says the same of the same files, by where it stands; nothing where there are no rules.
pub(super) fn of(
    place: &Place,
    settings: &Settings,
    around: Option<&Settings>,
    allowed: &[&str],
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if !place.is_lent {
        let digest = digest(&place.common.join("info/exclude"), allowed);
        found.extend(digest.map(|digest| (EXCLUDE.to_owned(), digest)));
    }
    let file = settings.excludes.as_deref();
    let file =
        file.filter(|file| around.is_none_or(|around| around.excludes.as_deref() != Some(*file)));
    if let Some(file) = file
        && let Some(digest) = digest(file, allowed)
    {
        found.push((format!("{EXCLUDE}:{}", file.display()), digest));
    }
    found
}

fn digest(file: &Path, allowed: &[&str]) -> Option<String> {
    let content = look::bytes(file).ok()?;
    let lines = content.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let is_rule = |line: &&[u8]| {
        let is_allowed = allowed.iter().any(|allowed| allowed.as_bytes() == *line);
        !line.is_empty() && !line.starts_with(b"#") && !is_allowed
    };
    let rules: Vec<&[u8]> = lines.filter(is_rule).flat_map(|line| [line, b"\n"]).collect();
    (!rules.is_empty()).then(|| sha256_hex(&rules))
}
