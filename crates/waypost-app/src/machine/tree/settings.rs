//! What the user told git that has a say in the content: asked of git, since settings lie in many files. What
//! could hide a change is not here; it is set by whoever calls git.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::thread::{Scope, ScopedJoinHandle};

use waypost_store::look;

use super::Trees;
use super::place::Place;
use crate::machine::git::{self, GitError};

const ASKED: &str = r"^(core\.(repositoryformatversion|excludesfile|attributesfile|autocrlf|eol|sparsecheckout)|filter\..*\.(clean|process))$";
/// What stands in the settings of a repository in the work tree that has some of these of its own.
const WORDS: [&str; 7] =
    ["include", "exclude", "attributes", "autocrlf", "eol", "filter", "sparse"];

/// The settings.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    /// Where the user's own rules are that say what is ignored.
    pub(super) excludes: Option<PathBuf>,
    /// Where the user's own rules are that say how files are converted.
    pub(super) attributes: Option<PathBuf>,
    /// How line ends are converted: as git wants it to be told.
    pub(super) line_ends: Vec<String>,
    /// The programs that convert files, by name.
    pub(super) filters: BTreeSet<String>,
    pub(super) is_sparse: bool,
}

impl Settings {
    /// Those of a repository in the work tree: as a rule the same as around it.
    pub(super) fn within(&self, place: &Place, trees: &Trees<'_>) -> Result<Self, GitError> {
        let config = look::bytes(place.common.join("config")).unwrap_or_default();
        let config = String::from_utf8_lossy(&config).to_ascii_lowercase();
        let has_own = WORDS.iter().any(|word| config.contains(word))
            || look::is_there(place.git_folder.join("config.worktree"));
        if place.is_lent || !has_own {
            return Ok(Self { is_sparse: false, ..self.clone() });
        }
        Self::read(place, trees)
    }

    pub(super) fn read(place: &Place, trees: &Trees<'_>) -> Result<Self, GitError> {
        let args = ["config", "-z", "--type=path", "--get-regexp", ASKED];
        let mut command = git::command(&place.root);
        if place.is_lent {
            command.env("GIT_DIR", &place.git_folder);
        }
        let told = git::output(command, args, trees.deadline)?;
        let mut settings = Self::default();
        let told = String::from_utf8_lossy(&told);
        for line in told.split('\0').filter(|line| !line.is_empty()) {
            let (key, value) = line.split_once('\n').unwrap_or((line, "true"));
            settings.take(key, value, &place.root);
        }
        settings.excludes = settings.excludes.or_else(|| usual("ignore"));
        settings.attributes = settings.attributes.or_else(|| usual("attributes"));
        Ok(settings)
    }

    fn take(&mut self, key: &str, value: &str, root: &Path) {
        let is_on =
            !matches!(value.to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0" | "");
        match key {
            "core.excludesfile" => self.excludes = Some(root.join(value)),
            "core.attributesfile" => self.attributes = Some(root.join(value)),
            "core.autocrlf" | "core.eol" => self.line_ends.push(format!("{key}={value}")),
            "core.sparsecheckout" => self.is_sparse = is_on,
            "core.repositoryformatversion" => {}
            _ => {
                let filter = key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.'));
                let filter = filter.filter(|_| !value.is_empty());
                self.filters.extend(filter.map(|(name, _)| name.to_owned()));
            }
        }
    }
}

/// Settings that are being asked for.
pub(super) struct Asked<'scope> {
    handle: Cell<Option<ScopedJoinHandle<'scope, Result<Settings, GitError>>>>,
    told: OnceCell<Result<Settings, GitError>>,
}

impl<'scope> Asked<'scope> {
    /// Waits for them.
    pub(super) fn get(&self) -> Result<&Settings, GitError> {
        let told = self.told.get_or_init(|| {
            let told = self.handle.take().and_then(|handle| handle.join().ok());
            told.unwrap_or_else(|| Err(GitError::from_text("git was not asked".to_owned())))
        });
        told.as_ref().map_err(Clone::clone)
    }

    /// Settings that somebody else asks for meanwhile.
    pub(super) fn meanwhile<'env>(
        scope: &'scope Scope<'scope, 'env>,
        ask: impl FnOnce() -> Result<Settings, GitError> + Send + 'scope,
    ) -> Self {
        Self { handle: Some(scope.spawn(ask)).into(), told: OnceCell::new() }
    }

    pub(super) fn known(settings: Result<Settings, GitError>) -> Self {
        Self { handle: None.into(), told: OnceCell::from(settings) }
    }
}

/// Where git looks for the user's own rules if nothing else is said.
fn usual(name: &str) -> Option<PathBuf> {
    let folder = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty());
    let settings = folder("XDG_CONFIG_HOME").map(PathBuf::from);
    let settings = settings.or_else(|| Some(PathBuf::from(folder("HOME")?).join(".config")));
    Some(settings?.join("git").join(name))
}
