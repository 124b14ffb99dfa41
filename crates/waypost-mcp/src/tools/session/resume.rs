//! `session_resume`

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::sessions::resume;
use waypost_app::standing::brief;

use super::changed::Changed;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Nothing, Tool};
use crate::toolset::Toolset;
use crate::wire::{Pause, quoted};

pub(crate) struct SessionResume;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// Why it rested, if it did.
    pause: Option<Pause>,
    /// Whether it was only a folder in the work tree until now.
    adopted: bool,
    /// The session that this conversation was in until now, if it was in another one.
    left: Option<String>,
    /// Where it stands, and the exact next step.
    brief: String,
}

impl Tool for SessionResume {
    const NAME: &'static str = "session_resume";
    const TITLE: &'static str = "Resume a session";
    const DESCRIPTION: &'static str = "Takes a session up: one that is paused, abandoned or over, or one \
        that another conversation works in. This conversation goes on in it from then on. Without \
        session_id: this conversation's own, else the work tree's only one that is paused or \
        abandoned. The answer tells where it stands, and the exact next step.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Sets;
    type Input = Nothing;
    type Output = Output;

    fn call(call: &Call<'_>, Nothing {}: Nothing) -> Result<Answer<Output>, AppError> {
        let resumed = resume::resume(&call.view, call.session())?;
        let mut text = format!("This conversation works in session {} now.", resumed.session);
        if let Some(pause) = &resumed.pause {
            text.push_str(&format!(" It was paused: {}.", quoted(&pause.reason)));
        }
        if let Some(left) = &resumed.left {
            text.push_str(&format!(" It left session {left}."));
        }
        let changed = Changed::of(call, &resumed.session, resumed.warnings)?;
        let brief = brief::of(&call.view, Some(resumed.session.as_str()))?;
        let brief = brief.text(brief::BUDGET);
        let text = changed.told(text) + "\n" + &brief;
        let output = Output {
            changed,
            pause: resumed.pause.map(Pause::from),
            adopted: resumed.adopted,
            left: resumed.left.map(|id| id.to_string()),
            brief,
        };
        Ok(Answer::new(output, text))
    }
}
