//! What the project's files say of its gates, read once in a call.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use waypost_core::gate::policy::Policy;
use waypost_store::look;

use super::own_key::name_own_key;
use crate::config::{self, Config, runners};
use crate::error::AppError;
use crate::view::View;
use crate::view::protocol;

/// What the project's files say.
#[derive(Debug)]
pub struct Sources {
    /// The configuration, or the defaults where there is none that can be read.
    pub config: Config,
    /// All gates; none where this checkout has no file, or it cannot be read.
    pub policy: Option<Policy>,
    /// What somebody should be told.
    pub warnings: Vec<String>,
    /// Why the file cannot be read.
    pub error: Option<AppError>,
}

impl Sources {
    pub(super) fn of(view: &View<'_>) -> Self {
        let config = match config::read(&view.project.config_file()) {
            Ok(Some(config)) => config,
            read => {
                let (config, policy, warnings) = (Config::default(), None, Vec::new());
                return Self { config, policy, warnings, error: read.err() };
            }
        };
        let mut warnings: Vec<String> = config.problems.iter().map(ToString::to_string).collect();
        let mut policy = config.policy.clone();
        warnings.extend(name_own_key(view, policy.gates.iter_mut()));
        if is_trusted(view, &config) {
            policy.gates.iter_mut().for_each(|gate| gate.source.trusted = true);
        }
        policy.gates.extend(protocol::gates(view, &policy));
        Self { config, policy: Some(policy), warnings, error: None }
    }
}

/// Whether a human of this machine wrote the configuration as it is, or trusts it.
fn is_trusted(view: &View<'_>, config: &Config) -> bool {
    // Where that cannot be told, it is not.
    let trusted = view.project_state().ok().and_then(|state| state.trusted_config.clone());
    trusted.is_some() && trusted == config.sha256
}

/// What tells at a glance that the files may say something else than before.
pub fn stamp(view: &View<'_>) -> String {
    let mut stamp = stamp_of(&view.project.config_file());
    for file in runners::paths(&view.project.root) {
        stamp.push_str(&format!(" {}", stamp_of(&file)));
    }
    stamp
}

fn stamp_of(file: &Path) -> String {
    match look::link(file) {
        Ok(found) => format!(
            "{}-{}-{}.{}-{}.{}",
            found.ino(),
            found.size(),
            found.mtime(),
            found.mtime_nsec(),
            found.ctime(),
            found.ctime_nsec()
        ),
        Err(_) => "none".to_owned(),
    }
}
