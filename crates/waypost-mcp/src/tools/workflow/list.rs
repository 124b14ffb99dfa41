//! `workflow_list`

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::tracks::catalogue::{self, ListedWorkflow};

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Nothing, Tool};
use crate::toolset::Toolset;

pub(crate) struct WorkflowList;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The workflows, built-in ones first.
    workflows: Vec<Workflow>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Workflow {
    /// What workflow_start calls it.
    name: String,
    /// What it is for.
    description: String,
    /// Which version of it.
    version: Option<String>,
    /// The file that it is from, or built-in.
    source: String,
    /// Its phases, in order.
    phases: Vec<String>,
    /// Whether more phases follow that a file below the target names.
    dynamic: bool,
    /// Whether a session can follow it.
    usable: bool,
    /// What could not be understood in its file.
    problems: Vec<String>,
}

impl From<ListedWorkflow> for Workflow {
    fn from(listed: ListedWorkflow) -> Self {
        Self {
            name: listed.name,
            description: listed.description,
            version: listed.version,
            source: listed.source,
            phases: listed.phases,
            dynamic: listed.dynamic,
            usable: listed.usable,
            problems: listed.problems.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Tool for WorkflowList {
    const NAME: &'static str = "workflow_list";
    const TITLE: &'static str = "List workflows";
    const DESCRIPTION: &'static str = "The workflows that sessions of this project can follow, with \
        their phases. Call it before workflow_start. It changes nothing.";
    const TOOLSET: Toolset = Toolset::Workflow;
    const EFFECT: Effect = Effect::Reads;
    type Input = Nothing;
    type Output = Output;

    fn call(call: &Call<'_>, Nothing {}: Nothing) -> Result<Answer<Output>, AppError> {
        let all = catalogue::all(&call.view)?;
        let workflows: Vec<Workflow> = all.into_iter().map(Workflow::from).collect();
        let line = |one: &Workflow| {
            let more = if one.dynamic { ", …" } else { "" };
            let Workflow { name, phases, problems, .. } = one;
            if one.usable {
                return format!("- {name}: {}{more}", phases.join(", "));
            }
            format!("- {name}: cannot be followed: {}", problems.join("; "))
        };
        let text: Vec<String> = workflows.iter().map(line).collect();
        Ok(Answer::new(Output { workflows }, text.join("\n")))
    }
}
