//! `waypost.toml` and what belongs to it: read with tolerance, told with file, line and a "did you mean".

mod gate;
mod mirror;
mod prices;
pub(crate) mod proof;
pub(crate) mod protocol;
mod reader;
pub(crate) mod runners;
mod telemetry;
pub mod workflow;

use std::io::ErrorKind;
use std::path::Path;

use toml::de::DeTable;
use waypost_core::cost::Priced;
use waypost_core::gate::modes;
use waypost_core::gate::policy::{Enforcement, Policy};
use waypost_core::key::sha256_hex;
use waypost_core::next_step::{Look, amid};
use waypost_core::text::did_you_mean;
use waypost_core::track::builtin;
use waypost_store::look;

use crate::error::AppError;

pub(crate) use gate::is_name;
pub use mirror::{MirrorConfig, MirrorKind, Reached};
use protocol::ProtocolChanges;
pub use reader::Problem;
use reader::Reader;
pub use telemetry::{Header, Telemetry};

/// A larger file is refused unread.
pub(crate) const MAX_BYTES: u64 = 1024 * 1024;

/// The name of the file.
pub(crate) const FILE: &str = "waypost.toml";

const TOP: &[&str] = &["project", "gate", "protocol", "team", "prices", "telemetry", "mirror"];
const PROJECT: &[&str] = &[
    "sessions_dir",
    "workflow",
    "protocol",
    "mode",
    "mode_changes",
    "enforcement",
    "publish",
    "publish_activity",
    "mirrors",
    "rewrite",
    "requirements",
    "single_active",
];

/// What a `waypost.toml` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The workflow of new sessions.
    pub workflow: String,
    /// The line that names it, if one does.
    pub workflow_line: Option<usize>,
    /// What is changed in the protocol that the policy names.
    pub protocol: ProtocolChanges,
    /// The line that names the protocol, if one does.
    pub protocol_line: Option<usize>,
    /// Which sessions are published by themselves.
    pub publish: Publish,
    /// Whether the last command lines are published beside them.
    pub publish_activity: bool,
    /// Whether the requirements of another framework, that lie in the project, are in force.
    pub requirements: bool,
    /// Whether beginning or resuming a session pauses the others.
    pub single_active: bool,
    /// What models cost here.
    pub prices: Vec<Priced>,
    /// Where what happens is told, if anywhere.
    pub telemetry: Option<Telemetry>,
    /// Where sessions are mirrored, and how what mirrors them is reached.
    pub mirrors: Vec<MirrorConfig>,
    /// The gates and what they depend on.
    pub policy: Policy,
    /// What could not be understood; everything else holds all the same.
    pub problems: Vec<Problem>,
    /// SHA-256 of the file; none where there is none.
    pub sha256: Option<String>,
}

/// Which sessions have a copy in the work tree that is kept up to date by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Publish {
    /// Those that follow a workflow, and those that somebody published once.
    #[default]
    Auto,
    /// The same, and every one that has a name.
    Always,
    /// None: a copy is written whenever somebody says so.
    Never,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            workflow: "none".to_owned(),
            workflow_line: None,
            protocol: ProtocolChanges::default(),
            protocol_line: None,
            publish: Publish::default(),
            publish_activity: false,
            requirements: true,
            single_active: false,
            prices: Vec::new(),
            telemetry: None,
            mirrors: Vec::new(),
            policy: Policy::default(),
            problems: Vec::new(),
            sha256: None,
        }
    }
}

/// Reads the file; `None` if it is not there.
pub fn read(path: &Path) -> Result<Option<Config>, AppError> {
    let fail = |what: String| {
        Err(AppError::configuration(format!("{}: {what}", path.display())).hint(amid(
            "mend the file; ",
            Look::Gates,
            " tells when it is right",
        )))
    };
    match look::at(path) {
        Ok(found) if found.len() > MAX_BYTES => {
            return fail(format!("it has {} bytes; at most {MAX_BYTES} are read", found.len()));
        }
        Ok(found) if found.is_file() => {}
        // Reading a pipe would wait for whoever writes to it.
        Ok(_) => return fail("it is no file".to_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return fail(error.to_string()),
    }
    match look::text(path) {
        Ok(text) => match parse(&text) {
            Ok(config) => {
                let sha256 = Some(sha256_hex(&[text.as_bytes()]));
                Ok(Some(with_runners(path, Config { sha256, ..config })))
            }
            Err(problem) => fail(format!("line {}: {}", problem.line, problem.message)),
        },
        Err(error) => fail(error.to_string()),
    }
}

/// Adds the runners that the project has of its own.
fn with_runners(path: &Path, mut config: Config) -> Config {
    let (profiles, problems) = runners::read(path.parent().unwrap_or(path));
    config.policy.runners = profiles;
    config.problems.extend(problems);
    config
}

/// The text of a file of the project, if it is one, and has no more than `max` bytes.
pub(crate) fn text_inside(root: &Path, path: &Path, max: u64) -> Result<String, String> {
    let real = look::real(path).map_err(|error| error.to_string())?;
    let inside = look::real(root).is_ok_and(|root| real.starts_with(root));
    if !inside {
        return Err("it lies outside the project".to_owned());
    }
    match look::at(&real) {
        // Reading a pipe would wait for whoever writes to it.
        Ok(found) if !found.is_file() => Err("it is no file".to_owned()),
        Ok(found) if found.len() > max => {
            Err(format!("it has {} bytes; at most {max} are read", found.len()))
        }
        Ok(_) => look::text(&real).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => {
                "it is not text in UTF-8: save it in that encoding".to_owned()
            }
            _ => error.to_string(),
        }),
        Err(error) => Err(error.to_string()),
    }
}

/// Reads a configuration. Only a file that is no TOML at all is refused.
pub fn parse(text: &str) -> Result<Config, Problem> {
    let mut reader = Reader::new(FILE, text);
    let table = reader.parse()?;
    let mut config = Config::default();
    let top = table.get_ref();
    reader.unknown_keys(top, TOP, "the file");
    if let Some(project) = reader.table(top, "project") {
        read_project(&mut reader, project, &mut config);
    }
    if let Some(changes) = reader.table(top, "protocol") {
        config.protocol = protocol::read(&mut reader, changes);
        if config.policy.protocol.is_none() {
            reader.problem_at(
                top,
                "protocol",
                "[project] names no `protocol` that it could change",
            );
        }
    }
    config.prices = prices::read(&mut reader, top);
    config.telemetry = telemetry::read(&mut reader, top);
    config.mirrors = mirror::read(&mut reader, top);
    config.policy.gates = gate::read_all(&mut reader, top, gate::OF_PROJECT);
    config.problems = reader.into_problems();
    Ok(config)
}

fn read_project(reader: &mut Reader<'_>, project: &DeTable<'_>, config: &mut Config) {
    reader.unknown_keys(project, PROJECT, "[project]");
    if let Some(folder) = reader.string(project, "sessions_dir") {
        if is_inside(folder) {
            folder.clone_into(&mut config.policy.sessions_dir);
        } else {
            reader.problem_at(project, "sessions_dir", "it must stay inside the project");
        }
    }
    if let Some(workflow) = reader.string(project, "workflow") {
        if !is_name(workflow) {
            let known = format!("it is one of {}, or your own", builtin::WORKFLOWS.join(", "));
            reader.problem_at(project, "workflow", &known);
        }
        // Whether there is such a one, only the project's folder tells.
        config.workflow_line = project.get("workflow").map(|at| reader.line_at(at.span().start));
        workflow.clone_into(&mut config.workflow);
    }
    if let Some(mode) = reader.string(project, "mode") {
        if !modes::ALL.contains(&mode) || mode == modes::DISABLED {
            let modes = "it is `analysis`, `planning` or `coding`; until then everything is held";
            reader.problem_at(project, "mode", modes);
        }
        // Kept as it is: a mode that nobody knows denies like a state that cannot be read.
        let mode = if mode == modes::DISABLED { "" } else { mode };
        mode.clone_into(&mut config.policy.mode);
    }
    match reader.string(project, "mode_changes") {
        None | Some("agents") => {}
        Some("humans") => config.policy.modes_by_humans = true,
        Some(_) => {
            reader.problem_at(project, "mode_changes", "it is `agents` or `humans`");
            config.policy.modes_by_humans = true;
        }
    }
    config.protocol_line = project.get("protocol").map(|at| reader.line_at(at.span().start));
    match reader.string(project, "protocol").map(|name| name.trim().trim_start_matches("./")) {
        None | Some("none") => {}
        Some(name) => {
            if !is_inside(name) {
                let known =
                    "it is `none`, `builtin` or a file of the project, and must stay inside it";
                reader.problem_at(project, "protocol", known);
            }
            // Kept as it is: under a protocol that cannot be read nobody begins.
            config.policy.protocol = Some(name.to_owned());
        }
    }
    if let Some(word) = reader.string(project, "publish") {
        config.publish = read_publish(reader, project, word);
    }
    config.publish_activity = reader.flag(project, "publish_activity").unwrap_or_default();
    config.requirements = reader.flag(project, "requirements").unwrap_or(true);
    config.single_active = reader.flag(project, "single_active").unwrap_or_default();
    config.policy.rewrite = reader.flag(project, "rewrite").unwrap_or(true);
    match reader.string(project, "enforcement") {
        None | Some("block") => {}
        Some("report") => config.policy.enforcement = Enforcement::Report,
        Some(_) => reader.problem_at(project, "enforcement", "it is `block` or `report`"),
    }
}

/// What `publish` says. Until somebody puts a wrong word right, nothing is written that may not have been
/// wanted.
fn read_publish(reader: &mut Reader<'_>, project: &DeTable<'_>, word: &str) -> Publish {
    let meant = match word {
        "auto" => return Publish::Auto,
        "always" => return Publish::Always,
        "never" => return Publish::Never,
        // The words that there were before these.
        "none" => Some("never"),
        "records" => Some("always"),
        "full" => Some("always` with `publish_activity = true"),
        other => did_you_mean(other, &["auto", "always", "never"]),
    };
    let meant = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
    let known = format!("it is `auto`, `always` or `never`{meant}");
    reader.problem_at(project, "publish", &known);
    Publish::Never
}

fn is_inside(folder: &str) -> bool {
    let path = Path::new(folder);
    let plain = |part| matches!(part, std::path::Component::Normal(_));
    !folder.is_empty() && path.components().all(plain)
}

/// Milliseconds, from a text such as `30m`.
pub fn duration(text: &str) -> Option<i64> {
    let units = [('s', 1_000), ('m', 60_000), ('h', 3_600_000), ('d', 86_400_000)];
    let (unit, factor) = units.into_iter().find(|(unit, _)| text.ends_with(*unit))?;
    let number = text.strip_suffix(unit)?;
    number.parse::<i64>().ok().filter(|number| *number > 0)?.checked_mul(factor)
}

#[cfg(test)]
mod tests;
