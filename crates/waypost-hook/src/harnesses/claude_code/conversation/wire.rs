//! The lines of a transcript, as far as they matter here.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::value::RawValue;
use waypost_app::transcripts::{MAX_TOKENS, Total, Usage};

/// How lines begin that concern nobody here: their sort, which stands first.
const PASSED_OVER: [&[u8]; 8] = [
    b"{\"type\":\"api-request",
    b"{\"type\":\"file-history-snapshot",
    b"{\"type\":\"last-prompt",
    b"{\"type\":\"mode\"",
    b"{\"type\":\"progress",
    b"{\"type\":\"queue-operation",
    b"{\"type\":\"summary",
    b"{\"type\":\"tools-used",
];
/// What stands near the beginning of a line that only goes with a message.
const ATTACHED: &[u8] = b"\"attachment\":{";
const NEAR: usize = 400;

/// Whether a line concerns nobody here, by its beginning alone: most of the bytes are in such lines.
pub(super) fn is_passed_over(line: &[u8]) -> bool {
    PASSED_OVER.iter().any(|start| line.starts_with(start))
        || line[..line.len().min(NEAR)].windows(ATTACHED.len()).any(|part| part == ATTACHED)
}

/// A line.
#[derive(Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each true or not")]
pub(super) struct Line<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) subtype: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) cwd: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "agentId")]
    pub(super) agent: Option<Cow<'a, str>>,
    #[serde(default, rename = "parentUuid")]
    pub(super) parent: Parent,
    #[serde(default, rename = "isSidechain")]
    pub(super) is_sidechain: bool,
    #[serde(default, rename = "isApiErrorMessage")]
    pub(super) is_error: bool,
    #[serde(default, rename = "isMeta")]
    is_meta: bool,
    #[serde(default, rename = "isCompactSummary")]
    is_summary: bool,
    #[serde(default, rename = "isVisibleInTranscriptOnly")]
    is_only_shown: bool,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "toolUseResult")]
    pub(super) result: Option<&'a RawValue>,
    #[serde(default, rename = "totalCostUSD")]
    usd: f64,
    #[serde(borrow, default, rename = "modelUsage")]
    models: Option<&'a RawValue>,
}

/// What a line says of the one that it follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Parent {
    /// Nothing.
    #[default]
    Unsaid,
    /// There is none.
    None,
    /// There is one.
    Some,
}

impl Parent {
    pub(super) fn is_known(self) -> bool {
        self != Self::Unsaid
    }

    pub(super) fn is_some(self) -> bool {
        self == Self::Some
    }
}

impl<'de> Deserialize<'de> for Parent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let said = Option::<IgnoredAny>::deserialize(deserializer)?;
        Ok(if said.is_some() { Self::Some } else { Self::None })
    }
}

impl<'a> Line<'a> {
    /// Whether nobody said it: what the client tells its model.
    pub(super) fn is_passed_over(&self) -> bool {
        self.is_meta || self.is_summary || self.is_only_shown
    }

    pub(super) fn message(&self) -> Option<Message<'a>> {
        serde_json::from_str(self.message?.get()).ok()
    }

    pub(super) fn total(&self) -> Total {
        let models = self.models.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let models: BTreeMap<String, ModelTotal> = models.unwrap_or_default();
        let models = models.into_iter().map(|(name, total)| {
            let usage = Usage {
                message: None,
                model: Some(name.clone()),
                input: total.input,
                output: total.output,
                cache_read: total.cache_read,
                cache_write_5m: total.cache_write.saturating_sub(total.cache_write_1h),
                cache_write_1h: total.cache_write_1h,
            };
            (name, total.usd, usage)
        });
        Total { usd: self.usd, models: models.collect() }
    }
}

/// What a model cost.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ModelTotal {
    #[serde(rename = "inputTokens")]
    input: u64,
    #[serde(rename = "outputTokens")]
    output: u64,
    #[serde(rename = "cacheReadInputTokens")]
    cache_read: u64,
    #[serde(rename = "cacheCreationInputTokens")]
    cache_write: u64,
    #[serde(rename = "cacheCreationEphemeral1hInputTokens")]
    cache_write_1h: u64,
    #[serde(rename = "costUSD")]
    usd: f64,
}

/// A message.
#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(default)]
struct Used {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_creation: Option<Created>,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(default)]
struct Created {
    ephemeral_1h_input_tokens: Option<u64>,
    ephemeral_5m_input_tokens: Option<u64>,
}

impl<'a> Message<'a> {
    /// Whether the client made it up, and no model wrote it.
    pub(super) fn is_made_up(&self) -> bool {
        self.model.as_deref() == Some("<synthetic>")
    }

    /// What it consists of.
    pub(super) fn blocks(&self) -> Vec<Block<'a>> {
        blocks(self.content)
    }

    /// What it used, if it says so and that can be.
    pub(super) fn usage(&self) -> Result<Option<Usage>, Unreadable> {
        let Some(raw) = self.usage.filter(|_| !self.is_made_up()) else { return Ok(None) };
        let used: Used = serde_json::from_str(raw.get()).map_err(|_| Unreadable)?;
        let created = used.cache_creation.unwrap_or_default();
        let hour = tokens(created.ephemeral_1h_input_tokens)?;
        let short = tokens(created.ephemeral_5m_input_tokens)?;
        let written = tokens(used.cache_creation_input_tokens)?;
        Ok(Some(Usage {
            message: self.id.as_deref().map(str::to_owned),
            model: self.model.as_deref().map(str::to_owned),
            input: tokens(used.input_tokens)?,
            output: tokens(used.output_tokens)?,
            cache_read: tokens(used.cache_read_input_tokens)?,
            cache_write_5m: written.saturating_sub(hour).max(short),
            cache_write_1h: hour,
        }))
    }
}

/// A line says what cannot be.
#[derive(Debug)]
pub(super) struct Unreadable;

fn tokens(told: Option<u64>) -> Result<u64, Unreadable> {
    let told = told.unwrap_or_default();
    if told <= MAX_TOKENS { Ok(told) } else { Err(Unreadable) }
}

/// A part of a message.
#[derive(Deserialize, Default)]
pub(super) struct Block<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "tool_use_id")]
    pub(super) of_call: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(default)]
    is_error: Option<bool>,
}

impl Block<'_> {
    /// Whether the result of a tool is a failure.
    pub(super) fn failed(&self) -> bool {
        self.is_error == Some(true)
    }

    /// What the result of a tool says.
    pub(super) fn content_text(&self) -> String {
        let parts = blocks(self.content).into_iter().filter_map(|block| block.text);
        parts.collect::<Vec<_>>().join("\n")
    }
}

/// The parts of a content, which may be a text alone.
fn blocks(content: Option<&RawValue>) -> Vec<Block<'_>> {
    let Some(content) = content else { return Vec::new() };
    if content.get().starts_with('"') {
        let text = serde_json::from_str::<String>(content.get()).ok();
        let kind = Some(Cow::Borrowed("text"));
        return vec![Block { kind, text: text.map(Cow::Owned), ..Block::default() }];
    }
    serde_json::from_str(content.get()).unwrap_or_default()
}
