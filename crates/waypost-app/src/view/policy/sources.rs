//! What the project's files say of its gates, read once in a call.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use waypost_core::gate::policy::Policy;
use waypost_core::track::Definition;
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
    /// The protocol that it names, for any session.
    pub protocol: Option<Definition>,
    /// Why that cannot be read.
    pub protocol_error: Option<AppError>,
}

impl Sources {
    pub(super) fn of(view: &View<'_>) -> Self {
        let mut config = match config::read(&view.project.config_file()) {
            Ok(Some(config)) => config,
            read => {
                let (config, policy, warnings) = (Config::default(), None, Vec::new());
                let (protocol, protocol_error) = (None, None);
                let error = read.err();
                return Self { config, policy, warnings, error, protocol, protocol_error };
            }
        };
        let (protocol, protocol_error) = match protocol::compile(&view.project.root, &config) {
            Ok(compiled) => (compiled, None),
            Err(error) => (None, Some(error)),
        };
        config.problems.extend(protocol.iter().flat_map(|compiled| compiled.problems.clone()));
        let mut warnings: Vec<String> = config.problems.iter().map(ToString::to_string).collect();
        warnings.extend(protocol_error.iter().map(|error| error.message.clone()));
        let mut policy = config.policy.clone();
        warnings.extend(name_own_key(view, policy.gates.iter_mut()));
        if is_trusted(view, &config) {
            policy.gates.iter_mut().for_each(|gate| gate.source.trusted = true);
        }
        let protocol = protocol.map(|compiled| compiled.definition);
        if let Some(definition) = &protocol {
            policy.gates.extend(protocol::gates(view, definition));
            policy.protocol_steps = definition.hash().ok();
        }
        Self { config, policy: Some(policy), warnings, error: None, protocol, protocol_error }
    }
}

/// Whether a human of this machine wrote the configuration as it is, or trusts it.
fn is_trusted(view: &View<'_>, config: &Config) -> bool {
    // Where that cannot be told, it is not.
    let trusted = view.project_state().ok().and_then(|state| state.trusted_config.clone());
    trusted.is_some() && trusted == config.sha256
}

/// What tells at a glance that the files may say something else than before: `protocol` is the file of that, if any.
pub fn stamp(view: &View<'_>, protocol: Option<&str>) -> String {
    let mut stamp = stamp_of(look::link(view.project.config_file()));
    for file in runners::paths(&view.project.root) {
        stamp.push_str(&format!(" {}", stamp_of(look::link(&file))));
    }
    if let Some(protocol) = protocol {
        stamp.push_str(&format!(" {}", stamp_of(look::at(view.project.root.join(protocol)))));
    }
    stamp
}

fn stamp_of(found: std::io::Result<Metadata>) -> String {
    match found {
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
