//! Which hooks Codex calls: those whose very text the user trusts, in a folder that the user trusts. It skips the
//! others without a word.

use std::path::Path;

use serde_json::{Map, Value, json};
use toml_edit::{DocumentMut, Item};
use waypost_core::canonical;
use waypost_core::key::sha256_hex;

/// The longest that a hook may take at the end of a conversation, whatever it says, in seconds.
const LONGEST_END: u64 = 3;
/// How long a hook may take that does not say it.
const USUAL: u64 = 600;
const USUAL_END: u64 = 1;

/// A hook that is looked at.
struct Hook<'v> {
    event: &'v str,
    matcher: Option<&'v str>,
    /// Where it stands: in which group, and where in that.
    at: (usize, usize),
    fields: &'v Map<String, Value>,
}

/// The events whose hooks in a file are not called, of those that `is_ours` says yes to.
pub(super) fn untrusted(
    file: &Path,
    hooks: &Value,
    config: &str,
    is_ours: impl Fn(&Map<String, Value>) -> bool,
) -> Vec<String> {
    let config: DocumentMut = config.parse().unwrap_or_default();
    let ours = all(hooks).into_iter().filter(|hook| is_ours(hook.fields));
    let missing = ours.filter(|hook| trusted(&config, file, hook) != hook.hash());
    missing.map(|hook| hook.event.to_owned()).collect()
}

/// Whether the user trusts the folder of a project, so that anything in it is read.
pub(super) fn is_trusted(root: &Path, config: &str) -> bool {
    let config: DocumentMut = config.parse().unwrap_or_default();
    let level = root.ancestors().find_map(|folder| {
        let projects = config.get("projects")?.as_table_like()?;
        let project = projects.get(folder.to_str()?)?.as_table_like()?;
        Some(project.get("trust_level")?.as_str()? == "trusted")
    });
    level == Some(true)
}

fn all(hooks: &Value) -> Vec<Hook<'_>> {
    let events = hooks["hooks"].as_object().into_iter().flatten();
    let groups = events.flat_map(|(event, groups)| {
        let groups = groups.as_array().into_iter().flatten().enumerate();
        groups.map(move |(at, group)| (event.as_str(), at, group))
    });
    let hooks = groups.flat_map(|(event, group, value)| {
        let matcher = value["matcher"].as_str();
        let hooks = value["hooks"].as_array().into_iter().flatten().enumerate();
        hooks.filter_map(move |(at, hook)| {
            Some(Hook { event, matcher, at: (group, at), fields: hook.as_object()? })
        })
    });
    hooks.collect()
}

/// What the user's file says of a hook.
fn trusted(config: &DocumentMut, file: &Path, hook: &Hook<'_>) -> Option<String> {
    let (group, at) = hook.at;
    let key = format!("{}:{}:{group}:{at}", file.display(), hook.label());
    let state = config.get("hooks")?.as_table_like()?.get("state")?.as_table_like()?;
    let state = state.get(&key)?.as_table_like()?;
    let is_off = state.get("enabled").and_then(Item::as_bool) == Some(false);
    state.get("trusted_hash")?.as_str().filter(|_| !is_off).map(str::to_owned)
}

impl Hook<'_> {
    /// The event in the form in which the user's file names it.
    fn label(&self) -> String {
        let mut label = String::new();
        for letter in self.event.chars() {
            if letter.is_ascii_uppercase() && !label.is_empty() {
                label.push('_');
            }
            label.push(letter.to_ascii_lowercase());
        }
        label
    }

    /// What stands for it in the user's file.
    fn hash(&self) -> Option<String> {
        let given = self.fields.get("timeout").and_then(Value::as_u64);
        let timeout = match self.event {
            "SessionEnd" => given.unwrap_or(USUAL_END).clamp(1, LONGEST_END),
            _ => given.unwrap_or(USUAL).max(1),
        };
        let mut fields = Map::new();
        for name in ["command", "commandWindows", "statusMessage", "additionalContextLimit"] {
            if let Some(value) = self.fields.get(name) {
                fields.insert(name.to_owned(), value.clone());
            }
        }
        let runs_beside = self.fields.get("async").and_then(Value::as_bool).unwrap_or(false);
        fields.insert("async".to_owned(), runs_beside.into());
        fields.insert("timeout".to_owned(), timeout.into());
        fields.insert("type".to_owned(), "command".into());
        let mut all = json!({"event_name": self.label(), "hooks": [fields]});
        if let Some(matcher) = self.matcher {
            all["matcher"] = matcher.into();
        }
        let text = canonical::to_string(&all).ok()?;
        Some(format!("sha256:{}", sha256_hex(&[text.as_bytes()])))
    }
}
