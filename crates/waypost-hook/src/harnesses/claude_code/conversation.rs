//! What Claude Code writes down of a conversation: a line for each block of a message, for each result of a tool, and
//! many that concern nobody here. Seen with versions 2.0 to 2.1.325; what later ones add is passed over.

mod wire;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use waypost_app::harness::{Does, Event, Input, Tool, ToolEnd};
use waypost_app::transcripts::{
    Belongs, By, CallEnd, Entry, Files, Folder, Form, Reading, Returned, TranscriptReader, What,
};
use waypost_core::time::Timestamp;

use super::{tools, transcripts};
use wire::{Block, Line};

/// So many calls may wait for their results.
const MAX_PENDING: usize = 4096;

/// How results begin of calls that the client, a hook or the user kept from running.
const PREVENTED: [&str; 9] = [
    "<tool_use_error>",
    "Bash operation blocked",
    "Claude requested permissions",
    "Hook ",
    "Permission ",
    "PreToolUse:",
    "The user doesn't want",
    "This command requires approval",
    "User rejected",
];
/// What the client says in the place of a prompt when the user stopped the agent.
const INTERRUPTED: &str = "[Request interrupted by user";
/// How texts begin that stand in the place of a prompt and that nobody wrote as one.
const NO_PROMPTS: [&str; 6] = [
    "<bash-input>",
    "<bash-stderr>",
    "<bash-stdout>",
    "<local-command-caveat>",
    "<local-command-stderr>",
    "<local-command-stdout>",
];
/// How texts begin that others than a human wrote.
const BY_CLIENT: [&str; 2] = ["<task-notification>", "<teammate-message"];

/// Its transcripts.
#[derive(Debug)]
pub(in crate::harnesses) struct Conversations;

impl TranscriptReader for Conversations {
    fn client(&self) -> &'static str {
        super::FACTS.name
    }

    fn folder(&self) -> Folder {
        let (variable, below_home) = super::FACTS.folder;
        Folder { variable: (variable, ""), below_home }
    }

    fn files(&self) -> &'static [&'static str] {
        &["projects/*/*.jsonl", "projects/*/*/subagents/**/*.jsonl"]
    }

    fn may_be_of(&self, file: &Path, root: &Path) -> bool {
        let (_, prefix) = transcripts::place(Path::new(""), root);
        file.components().any(|part| part.as_os_str().to_string_lossy().starts_with(&prefix))
    }

    fn parts(&self, file: &Path) -> Option<(PathBuf, &'static str)> {
        Some((file.with_extension(""), "subagents/**/*.jsonl"))
    }

    fn goes_on(&self) -> bool {
        true
    }

    fn prices(&self) -> Option<&'static str> {
        Some(include_str!("prices.toml"))
    }

    fn belongs(&self, file: &Path) -> Belongs {
        let stem = |path: &Path| path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let inside = file.ancestors().find(|above| above.ends_with("subagents"));
        let whose = inside.and_then(Path::parent).or(Some(file)).and_then(stem);
        let conversation = whose.unwrap_or_default();
        Belongs { conversation, part: inside.is_some(), form: Form::Lines }
    }

    fn begin<'f>(&self, file: &Path, _: &'f dyn Files) -> Box<dyn Reading + 'f> {
        let part = self.belongs(file).part;
        Box::new(Conversation { part, ..Conversation::default() })
    }
}

/// A call whose result is awaited.
#[derive(Debug)]
struct Pending {
    tool: Tool,
    understood: bool,
}

/// A transcript that is being read.
#[derive(Debug, Default)]
struct Conversation {
    /// Whether it is a subagent's.
    part: bool,
    /// Whether it is known that it begins at its beginning.
    begun: bool,
    folder: Option<PathBuf>,
    pending: HashMap<String, Pending>,
}

impl Reading for Conversation {
    fn take(&mut self, bytes: &[u8], at: u64, out: &mut dyn FnMut(Entry)) -> bool {
        if wire::is_passed_over(bytes) && self.begun {
            return true;
        }
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return false;
        }
        let Ok(line) = serde_json::from_slice::<Line<'_>>(bytes) else { return false };
        let time = line.timestamp.as_deref().and_then(Timestamp::lenient);
        let subagent = line.agent.as_deref().map(str::to_owned);
        let inline = (line.is_sidechain && !self.part).then(|| "sidechain".to_owned());
        let subagent = subagent.or(inline);
        let mut tell = |what| out(Entry { at, time, subagent: subagent.clone(), what });
        if !self.begun && line.parent.is_known() {
            self.begun = true;
            if line.parent.is_some() && !self.part {
                tell(What::Missing("its transcript begins in the middle".to_owned()));
            }
        }
        if let Some(folder) =
            line.cwd.as_deref().filter(|cwd| self.folder.as_deref() != Some(Path::new(*cwd)))
        {
            self.folder = Some(PathBuf::from(folder));
            tell(What::In(PathBuf::from(folder)));
        }
        match line.kind.as_deref().unwrap_or_default() {
            "assistant" if !line.is_error => return self.assistant(&line, &mut tell),
            "user" if !line.is_passed_over() => self.user(&line, subagent.is_some(), &mut tell),
            "system" if line.subtype.as_deref() == Some("compact_boundary") => {
                tell(What::Compacted);
            }
            "cost-state" => tell(What::Total(line.total())),
            _ => {}
        }
        true
    }
}

impl Conversation {
    /// Says whether all of it could be read.
    fn assistant(&mut self, line: &Line<'_>, tell: &mut dyn FnMut(What)) -> bool {
        let Some(message) = line.message() else { return true };
        for block in message.blocks() {
            match block.kind.as_deref().unwrap_or_default() {
                "text" if !message.is_made_up() => {
                    let text = block.text.unwrap_or_default();
                    if !text.trim().is_empty() {
                        tell(What::Said(text.into_owned()));
                    }
                }
                "tool_use" => self.called(&block, tell),
                _ => {}
            }
        }
        let Ok(usage) = message.usage() else { return false };
        if let Some(usage) = usage {
            tell(What::Used(usage));
        }
        true
    }

    fn called(&mut self, block: &Block<'_>, tell: &mut dyn FnMut(What)) {
        let (Some(name), Some(call)) = (&block.name, &block.id) else { return };
        let input = Input {
            event: Some(Event::BeforeTool),
            tool: Some(name.as_ref().into()),
            call: Some(call.as_ref().into()),
            arguments: block.input,
            ..Input::default()
        };
        let tool = tools::tool(&input).unwrap_or_else(|_| Tool {
            name: name.clone().into_owned(),
            call: Some(call.clone().into_owned()),
            does: Does::Other,
            others: Vec::new(),
            starts: None,
            subagent: None,
            given: None,
        });
        let understood = tool.does != Does::Other || tools::is_known(name);
        if self.pending.len() < MAX_PENDING {
            let pending = Pending { tool: tool.clone(), understood };
            self.pending.insert(call.clone().into_owned(), pending);
        }
        tell(What::Called { call: call.clone().into_owned(), tool });
    }

    fn user(&mut self, line: &Line<'_>, is_subagent: bool, tell: &mut dyn FnMut(What)) {
        let Some(message) = line.message() else { return };
        let mut text = String::new();
        for block in message.blocks() {
            match block.kind.as_deref().unwrap_or_default() {
                "tool_result" => self.returned(&block, line.result, tell),
                "text" => text.push_str(&block.text.unwrap_or_default()),
                _ => {}
            }
        }
        let plain = text.trim_start();
        if plain.starts_with(INTERRUPTED) {
            tell(What::Interrupted);
        } else if !plain.is_empty() && !NO_PROMPTS.iter().any(|start| plain.starts_with(start)) {
            let is_told = is_subagent || BY_CLIENT.iter().any(|start| plain.starts_with(start));
            let by = if is_told { By::Client } else { By::Human };
            tell(What::Prompt { text, by });
        }
    }

    fn returned(
        &mut self,
        block: &Block<'_>,
        result: Option<&RawValue>,
        tell: &mut dyn FnMut(What),
    ) {
        let call = block.of_call.clone().unwrap_or_default().into_owned();
        let pending = self.pending.remove(&call);
        let understood = pending.as_ref().is_none_or(|pending| pending.understood);
        let mut tool = pending.map(|pending| pending.tool);
        let text = block.content_text();
        let (event, error) = if block.failed() {
            (Event::AfterFailure, Some(text.as_str().into()))
        } else {
            (Event::AfterTool, None)
        };
        let name = tool.as_ref().map(|tool| tool.name.clone());
        let input = Input {
            event: Some(event),
            tool: name.map(Into::into),
            response: result,
            error,
            ..Input::default()
        };
        if let Some(tool) = &mut tool {
            (tool.starts, tool.subagent) = tools::returned(tool, &input);
            let goes_on =
                tool.starts.is_some() || text.starts_with("Command running in background");
            if let Does::Shell { background, .. } = &mut tool.does {
                *background |= goes_on;
            }
        }
        let is_shell = matches!(tool.as_ref().map(|tool| &tool.does), Some(Does::Shell { .. }));
        let end = if !block.failed() || text.starts_with("Exit code ") {
            CallEnd::Ran(tools::ended(&input))
        } else if !is_shell || PREVENTED.iter().any(|start| text.starts_with(start)) {
            CallEnd::Prevented
        } else {
            CallEnd::Ran(ToolEnd::Unclear)
        };
        let printed = is_shell.then(|| printed(&input, &text)).flatten();
        tell(What::Returned(Returned { call, tool, understood, end, printed }));
    }
}

/// What a command line printed. Of subagents, the client keeps only what their model was shown.
fn printed(input: &Input<'_>, text: &str) -> Option<String> {
    let is_kept_elsewhere = text.starts_with("<persisted-output>");
    if input.event == Some(Event::AfterFailure) || input.response.is_none() {
        return (!is_kept_elsewhere).then(|| text.to_owned());
    }
    let parts = tools::printed(input);
    (!parts.is_empty()).then(|| parts.join("\n"))
}

#[cfg(test)]
mod tests;
