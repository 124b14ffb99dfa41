//! How what differs between two contents is called: by the path of the file that made the difference, also where
//! it is in no commit.

use waypost_core::text::one_line;

use super::Trees;
use super::rules::EXCLUDE;
use super::whole::{BYTES, PRIVATE, decoded};

/// What follows the name of a file with rules of the user's own that say what is ignored.
pub const PRIVATE_RULES: &str = " (private ignore rules)";

impl Trees<'_> {
    /// What a path in a content's tree stands for.
    pub(super) fn named(&self, path: &str) -> String {
        let mark = format!("{PRIVATE}/");
        let found = path.rfind(&mark).filter(|at| *at == 0 || path[..*at].ends_with('/'));
        let Some(at) = found else { return one_line(path) };
        let (folder, name) = (&path[..at], decoded(&path[at + mark.len()..]));
        let file = match name.strip_prefix(BYTES) {
            Some(file) => format!("{folder}{file}"),
            None if name == EXCLUDE => self.exclude_file(folder) + PRIVATE_RULES,
            None => {
                let file = name.strip_prefix(EXCLUDE).and_then(|rest| rest.strip_prefix(':'));
                file.unwrap_or(&name).to_owned() + PRIVATE_RULES
            }
        };
        one_line(&file)
    }

    /// The rules of the repository at `folder`, as seen from the project.
    fn exclude_file(&self, folder: &str) -> String {
        let file = match &self.project.git {
            Some(git) if folder.is_empty() => git.common.join("info/exclude"),
            _ => return format!("{folder}.git/info/exclude"),
        };
        self.project.relative(&file)
    }
}
