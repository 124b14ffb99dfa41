//! `history_compact`

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::orchestration::agents;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Nothing, Tool};
use crate::tools::session::changed::Changed;
use crate::toolset::Toolset;

pub(crate) struct HistoryCompact;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// How many invocations were archived.
    count: u64,
    /// The resource under which they are read.
    note_path: Option<String>,
}

impl Tool for HistoryCompact {
    const NAME: &'static str = "history_compact";
    const TITLE: &'static str = "Archive older invocations";
    const DESCRIPTION: &'static str = "Leaves all but the last three invocations to the records, where \
        they stay readable. It happens by itself above ten, so there is rarely a reason to call it.";
    const TOOLSET: Toolset = Toolset::Orchestration;
    const EFFECT: Effect = Effect::Sets;
    type Input = Nothing;
    type Output = Output;

    fn call(call: &Call<'_>, _input: Nothing) -> Result<Answer<Output>, AppError> {
        let (recorded, range) = agents::compact(&call.view, call.session())?;
        let note_path = range.as_ref().map(|range| agents::note_path(&recorded.session, range));
        let count = range.map_or(0, |range| range.count);
        let changed = Changed::of(call, &recorded.session, recorded.warnings)?;
        let text = changed.told(format!("{count} invocations are archived."));
        Ok(Answer::new(Output { changed, count, note_path }, text))
    }
}
