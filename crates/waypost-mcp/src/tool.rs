//! What a tool is. One file for each in `tools/`; this is all that they have to say of themselves.

use rmcp::model::{CallToolResult, JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use waypost_app::error::AppError;
use waypost_app::harness::{asks_who_calls, digest_of};
use waypost_app::machine::host::Host;
use waypost_app::orchestration::verdicts::Witnessed;
use waypost_app::view::View;

use crate::call::{Call, Progress};
use crate::outcome::{self, Answer};
use crate::toolset::Toolset;
use crate::{arguments, schema};

/// What calling a tool does to what is kept, for clients that ask their user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It only looks.
    Reads,
    /// It adds something; doing it again adds it again.
    Adds,
    /// It changes something; doing it again changes nothing more.
    Sets,
    /// It takes something away; doing it again takes nothing more.
    Takes,
}

/// A tool, thin over one use case.
pub(crate) trait Tool: 'static {
    /// What clients call it.
    const NAME: &'static str;
    /// What people call it.
    const TITLE: &'static str;
    /// For a model: when to call it, and what it gives.
    const DESCRIPTION: &'static str;
    /// The group that it belongs to.
    const TOOLSET: Toolset;
    /// What it does to what is kept.
    const EFFECT: Effect;
    /// Its own arguments, with `deny_unknown_fields`. `session_id`, `session_dir` and `expected_version` are every
    /// tool's and are taken care of.
    type Input: DeserializeOwned + JsonSchema;
    /// What it gives.
    type Output: Serialize + JsonSchema;

    /// Does it.
    fn call(call: &Call<'_>, input: Self::Input) -> Result<Answer<Self::Output>, AppError>;
}

/// The arguments of a tool that has none of its own.
#[derive(Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// A tool among others.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// What clients call it.
    pub(crate) name: &'static str,
    /// The group that it belongs to.
    pub(crate) toolset: Toolset,
    /// What it does to what is kept.
    pub(crate) effect: Effect,
    /// How clients are told about it.
    pub(crate) describe: fn() -> rmcp::model::Tool,
    /// Does it. Blocks.
    pub(crate) run: fn(&Host, JsonObject, &Progress) -> CallToolResult,
}

impl Entry {
    /// The entry of a tool.
    pub(crate) const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            toolset: T::TOOLSET,
            effect: T::EFFECT,
            describe: describe::<T>,
            run: run::<T>,
        }
    }
}

fn describe<T: Tool>() -> rmcp::model::Tool {
    let effect = T::EFFECT;
    let annotations = ToolAnnotations::with_title(T::TITLE)
        .read_only(effect == Effect::Reads)
        .destructive(effect == Effect::Takes)
        .idempotent(effect != Effect::Adds)
        .open_world(false);
    rmcp::model::Tool::new(T::NAME, T::DESCRIPTION, schema::input::<T::Input>())
        .with_title(T::TITLE)
        .with_raw_output_schema(schema::output::<T::Output>())
        .with_annotations(annotations)
}

/// Whatever is wrong with a call is an answer that its caller can read, never an error of the
/// protocol, which clients show as if the server had failed.
fn run<T: Tool>(host: &Host, given: JsonObject, progress: &Progress) -> CallToolResult {
    try_run::<T>(host, given, progress).unwrap_or_else(|error| outcome::refusal(host, &error))
}

fn try_run<T: Tool>(
    host: &Host,
    given: JsonObject,
    progress: &Progress,
) -> Result<CallToolResult, AppError> {
    let witnessed = progress.call_name().filter(|_| asks_who_calls(T::NAME)).and_then(|name| {
        let given = digest_of(&serde_json::to_string(&given).ok()?)?;
        Some(Witnessed { call: name.to_owned(), given })
    });
    let (common, input) = arguments::parse::<T::Input>(given)?;
    let view = View::open(host)?.expecting(common.expected_version);
    view.note_tools()?;
    let call = Call { view, session: common.session_id, witnessed, progress };
    if T::EFFECT == Effect::Reads && common.expected_version.is_some() {
        // What only looks may find the session in another way, which compares nothing.
        call.view.session(call.session())?;
    }
    T::call(&call, input)?.into_result()
}
