//! The workflows that sessions can follow: built-in ones, the project's own, and those of praxis-os in it.

mod own;
mod praxis;
mod tasks;

use std::path::Path;

use serde_json::{Map, Value};
use waypost_core::gate::Gate;
use waypost_core::next_step::{Look, Voice, amid, does};
use waypost_core::text::{did_you_mean, one_line, shortened};
use waypost_core::track::{Definition, Next, builtin};

use crate::config::{self, Config, Problem};
use crate::error::AppError;
use crate::view::View;
use crate::view::policy;

pub(crate) use own::FOLDER;
use own::Own;
pub use tasks::unfold;

/// Where workflows are from that Waypost brings.
pub const BUILT_IN: &str = "built-in";

/// A workflow that sessions can follow, or could if its file were right.
#[derive(Debug)]
pub struct ListedWorkflow {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Which version of it this is.
    pub version: Option<String>,
    /// The file that it is from, or [`BUILT_IN`].
    pub source: String,
    /// The names of its phases, in order.
    pub phases: Vec<String>,
    /// Whether more phases follow that a file below the target names.
    pub dynamic: bool,
    /// What could not be understood.
    pub problems: Vec<Problem>,
    /// Whether a session can follow it.
    pub usable: bool,
}

/// Everything that sessions can follow: built-in workflows first, then the project's own and those of praxis-os,
/// each by name.
pub fn all(view: &View<'_>) -> Result<Vec<ListedWorkflow>, AppError> {
    let built_in = builtin::WORKFLOWS.into_iter().map(|name| {
        let definition = builtin::workflow(name).unwrap_or_else(|| no_phases(name));
        ListedWorkflow::new(name.to_owned(), BUILT_IN.to_owned(), Some(&definition), Vec::new())
    });
    Ok(built_in.chain(written(&view.project.root)?).collect())
}

/// Those that files of the project say.
pub fn written(root: &Path) -> Result<Vec<ListedWorkflow>, AppError> {
    let own = own::all(root)?;
    let names: Vec<String> = own.iter().map(|own| own.name.clone()).collect();
    let all = own.into_iter().chain(praxis::all(root, &names));
    Ok(all
        .map(|Own { name, file, parsed }| {
            ListedWorkflow::new(name, file, parsed.definition.as_ref(), parsed.problems)
        })
        .collect())
}

/// The one of that name that a file of the project says.
fn named(root: &Path, name: &str) -> Result<Option<Own>, AppError> {
    Ok(own::named(root, name)?.or_else(|| praxis::named(root, name)))
}

/// The one of that name, whether it is right or not.
pub fn find(view: &View<'_>, name: &str) -> Result<ListedWorkflow, AppError> {
    let found = all(view)?.into_iter().find(|listed| listed.name == name);
    let root = &view.project.root;
    let called = || {
        let Own { name, file, parsed } = praxis::named(root, name)?;
        Some(ListedWorkflow::new(name, file, parsed.definition.as_ref(), parsed.problems))
    };
    found.or_else(called).ok_or_else(|| unknown(root, name))
}

fn no_phases(name: &str) -> Definition {
    let description = "work without phases".to_owned();
    Definition { description, ..Definition::new(name, Vec::new()) }
}

impl ListedWorkflow {
    fn new(
        name: String,
        source: String,
        definition: Option<&Definition>,
        problems: Vec<Problem>,
    ) -> Self {
        Self {
            name,
            description: definition.map(|one| one.description.clone()).unwrap_or_default(),
            version: definition.and_then(|one| one.version.clone()),
            source,
            phases: definition.map(Definition::names).unwrap_or_default(),
            dynamic: definition.is_some_and(|one| one.phases_from.is_some()),
            problems,
            usable: definition.is_some(),
        }
    }
}

/// The workflow of that name; `None` is the one without phases.
pub fn definition(view: &View<'_>, name: &str) -> Result<Option<Definition>, AppError> {
    if builtin::WORKFLOWS.contains(&name) {
        return Ok(builtin::workflow(name));
    }
    let root = &view.project.root;
    let Some(own) = named(root, name)? else { return Err(unknown(root, name)) };
    let Some(mut definition) = own.parsed.definition else {
        let problems = own.parsed.problems.iter().map(ToString::to_string);
        let told = format!("the workflow {name} cannot be followed");
        let told = problems.fold(told, |told, problem| format!("{told}\n  {problem}"));
        return Err(AppError::refused(told).hint(amid(
            "ask the user to mend it; ",
            Look::WorkflowProblems(Some(name.to_owned())),
            " tells when",
        )));
    };
    name_own_key(view, &mut definition);
    Ok(Some(definition))
}

fn name_own_key(view: &View<'_>, definition: &mut Definition) -> Option<String> {
    let gates = definition.phases.iter_mut().flat_map(|phase| {
        let steps = phase.entry.iter_mut().flat_map(|entry| &mut entry.steps);
        let entering: Vec<&mut Gate> = steps.map(|step| &mut step.gate).collect();
        entering.into_iter().chain(&mut phase.gates)
    });
    policy::name_own_key(view, gates)
}

/// What whoever begins a workflow should be told about it, although it can be followed.
pub(crate) fn warnings(view: &View<'_>, name: &str) -> Vec<String> {
    let own = named(&view.project.root, name).ok().flatten();
    let Some(own) = own.filter(|_| !builtin::WORKFLOWS.contains(&name)) else { return Vec::new() };
    let problems = own.parsed.problems.iter().map(ToString::to_string);
    let key = own.parsed.definition.and_then(|mut one| name_own_key(view, &mut one));
    problems.chain(key).collect()
}

fn unknown(root: &Path, name: &str) -> AppError {
    let own: Vec<String> = own::names(root).into_iter().chain(praxis::names(root)).collect();
    let known: Vec<&str> =
        builtin::WORKFLOWS.into_iter().chain(own.iter().map(String::as_str)).collect();
    let shown = shortened(&one_line(name), 80);
    let error = AppError::refused(format!("there is no workflow `{shown}`"));
    match did_you_mean(name, &known) {
        Some(meant) => error.hint(format!("did you mean `{meant}`?")),
        None => error.hint(format!("workflows are {}", known.join(", "))),
    }
}

/// What is wrong with the workflow that `waypost.toml` names for new sessions; `None` if nothing is.
pub fn configured(root: &Path, config: &Config) -> Option<Problem> {
    let name = config.workflow.as_str();
    let line = config.workflow_line?;
    if builtin::WORKFLOWS.contains(&name) || !config::is_name(name) {
        return None;
    }
    let message = match named(root, name) {
        Ok(Some(own)) if own.parsed.definition.is_some() => return None,
        Ok(Some(own)) => format!("`workflow`: {} cannot be followed", own.file),
        Ok(None) => {
            let error = unknown(root, name);
            format!("`workflow`: {}; {}", error.message, error.next(Voice::PERSON).join("; "))
        }
        Err(error) => format!("`workflow`: {}", error.message),
    };
    Some(Problem { file: config::FILE.to_owned(), line, message })
}

/// The same, for the file as it stands.
pub fn configured_in(view: &View<'_>) -> Result<Option<Problem>, AppError> {
    let config = config::read(&view.project.config_file())?.unwrap_or_default();
    Ok(configured(&view.project.root, &config))
}

/// Where the file is that names the phases which follow: an option may say it, else it is the target.
pub(crate) fn target_of<'a>(
    definition: &Definition,
    target: Option<&'a str>,
    options: &'a Map<String, Value>,
) -> Option<&'a str> {
    let option = definition.target_option.as_deref().and_then(|option| options.get(option));
    option.and_then(Value::as_str).or(target)
}

/// Where a workflow begins. Where all phases that are known leave themselves out, those that follow
/// are looked for.
pub(crate) fn opened(
    view: &View<'_>,
    definition: Definition,
    target: Option<&str>,
    options: &Map<String, Value>,
) -> Result<(Definition, Next), AppError> {
    let next = definition.next_after(None, target, options);
    if next.to.is_some() {
        return Ok((definition, next));
    }
    if let Some(file) = definition.phases_from.clone() {
        let target = target_of(&definition, target, options);
        let unfolded = unfold(view, &definition, &file, target)?;
        let next = unfolded.next_after(None, target, options);
        return Ok((unfolded, next));
    }
    Err(AppError::refused(format!(
        "every phase of the workflow {} leaves itself out with these options",
        definition.name
    ))
    .hint(does(Look::Workflow(definition.name.clone()), "tells when they do")))
}
