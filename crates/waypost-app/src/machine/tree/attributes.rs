//! Which files git converts before it stores them, in a way that no commit tells: by a program, or by attributes of
//! the user's own. As far as that can be told without asking git; where it cannot, all may be.

use std::path::Path;

use waypost_store::look;

use super::begin::as_path;
use super::index::Index;
use super::place::Place;
use super::settings::Settings;

/// Attributes that say how files are converted.
const CONVERTING: [&str; 7] =
    ["text", "eol", "crlf", "binary", "filter", "ident", "working-tree-encoding"];

/// Which files may be converted.
pub(super) enum Suspects {
    None,
    /// Those whose names end so.
    Ending(Vec<Vec<u8>>),
    All,
}

impl Suspects {
    pub(super) fn has(&self, name: &[u8]) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Ending(ends) => ends.iter().any(|end| name.ends_with(end)),
        }
    }
}

/// Whether one of these files in `root` may name a program.
pub(super) fn names_programs(root: &Path, attribute_files: &[String]) -> bool {
    attribute_files.iter().any(|file| {
        look::bytes(root.join(file))
            .is_ok_and(|content| lines(&content).any(|line| line.contains("filter")))
    })
}

impl Suspects {
    /// Which files may be converted in a way that no commit tells.
    pub(super) fn of(place: &Place, settings: &Settings, index: &[u8], programs: bool) -> Self {
        let info = place.common.join("info/attributes");
        let own = [Some(info.as_path()), settings.attributes.as_deref()];
        let converts = |file: &Path| {
            let content = look::bytes(file).unwrap_or_default();
            lines(&content).any(|line| {
                let mut words = line.split_ascii_whitespace();
                line.starts_with("[attr]")
                    || words.any(|word| CONVERTING.iter().any(|attribute| word.contains(attribute)))
            })
        };
        if own.into_iter().flatten().any(converts) {
            return Self::All;
        }
        if settings.filters.is_empty() || !programs {
            return Self::None;
        }
        let Some((_, summary)) = Index::read(index) else { return Self::All };
        let mut ends = Vec::new();
        for file in summary.attribute_files {
            let content =
                look::bytes(place.root.join(as_path(file.as_bytes()))).unwrap_or_default();
            for line in lines(&content).filter(|line| line.contains("filter")) {
                let pattern = line.split_ascii_whitespace().next().unwrap_or_default();
                let end = pattern.strip_prefix('*').unwrap_or(pattern);
                if end.is_empty() || end.contains(['*', '?', '[', '\\', '"', '/']) {
                    return Self::All;
                }
                ends.push(end.as_bytes().to_vec());
            }
        }
        Self::Ending(ends)
    }
}

fn lines(content: &[u8]) -> impl Iterator<Item = String> {
    let lines = content
        .split(|byte| *byte == b'\n')
        .map(|line| String::from_utf8_lossy(line).trim().to_owned());
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}
