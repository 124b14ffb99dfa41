//! What the project's files say of its gates, read once in a call.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use waypost_core::gate::policy::Policy;
use waypost_core::track::Definition;
use waypost_store::look;

use super::own_key::name_own_key;
use crate::config::{self, Config, Problem, runners};
use crate::error::AppError;
use crate::foreign::requirements::{Imported, Places};
use crate::view::View;
use crate::view::protocol;

/// What the project's files say.
#[derive(Debug)]
pub struct Sources {
    /// The configuration, or the defaults where there is none that can be read.
    pub config: Config,
    /// The requirements of another framework, where the project has them and they are in force.
    pub imported: Option<Imported>,
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
                let (protocol, protocol_error, imported) = (None, None, None);
                let error = read.err();
                return Self {
                    config,
                    imported,
                    policy,
                    warnings,
                    error,
                    protocol,
                    protocol_error,
                };
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
        let imported = imported(view, &config, &mut policy);
        let told = imported.iter().flat_map(|imported| &imported.problems);
        warnings.extend(told.map(ToString::to_string));
        let (policy, error) = (Some(policy), None);
        Self { config, imported, policy, warnings, error, protocol, protocol_error }
    }
}

/// Adds what another framework's files require. A gate of the project of the same name stays as it is.
fn imported(view: &View<'_>, config: &Config, policy: &mut Policy) -> Option<Imported> {
    if !config.requirements {
        return None;
    }
    let read = |places: &Places| Imported::read(places);
    let mut all =
        Places::of_each(view.host, &view.project.root).iter().filter_map(read).collect::<Vec<_>>();
    let mut imported = all.pop()?;
    for gate in &imported.gates {
        if policy.gates.iter().any(|known| known.id == gate.id) {
            imported.notes.push(Problem {
                file: gate.source.file.clone(),
                line: gate.source.line,
                message: format!("requirement `{}` gives way to the gate of that name", gate.id),
            });
        } else {
            policy.gates.push(gate.clone());
        }
    }
    Some(imported)
}

/// Whether a human of this machine wrote the configuration as it is, or trusts it.
pub(crate) fn is_trusted(view: &View<'_>, config: &Config) -> bool {
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
    for (places, own) in view.requirements() {
        let [_, others @ ..] = places.paths();
        // Without the project's own file the others say nothing.
        let others = if own == NONE { Vec::new() } else { others.to_vec() };
        let others = others.iter().map(|file| stamp_of(look::at(file)));
        stamp.extend(std::iter::once(own.clone()).chain(others).map(|one| format!(" {one}")));
    }
    stamp
}

impl View<'_> {
    fn requirements(&self) -> &[(Places, String)] {
        self.cache.requirements.get_or_init(|| {
            let all = Places::of_each(self.host, &self.project.root).into_iter();
            let with_stamp = |places: Places| {
                let stamp = stamp_of(look::at(&places.paths()[0]));
                (places, stamp)
            };
            all.map(with_stamp).collect()
        })
    }

    /// Where the files of requirements lie that the project has.
    pub(crate) fn requirements_there(&self) -> impl Iterator<Item = &Places> {
        self.requirements().iter().filter(|(_, stamp)| stamp != NONE).map(|(places, _)| places)
    }
}

/// The stamp of what is not there.
const NONE: &str = "none";

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
        Err(_) => NONE.to_owned(),
    }
}
