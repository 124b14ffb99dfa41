//! How Codex comes to call Waypost: `.codex/hooks.json` for hooks, `.codex/config.toml` for the MCP server. It reads both
//! only in folders that the user trusts, and calls hooks only once the user trusts each of them.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use waypost_app::documents::document::Document;
use waypost_app::error::AppError;
use waypost_app::harness::{
    Added, Approval, Content, File, Folder, Form, Ground, Left, Registering, Role, Said, Server,
};

use super::FACTS;
use super::servers::Servers;
use super::trust;
use crate::harnesses::shape::hook::{CallForm, HookEvent, HookForm, Written};
use crate::harnesses::shape::hooks::Hooks;

pub(super) const FILES: &dyn Registering = &Files;

static FOLDER: Folder =
    Folder { key: "codex", place: |ground| ground.root.join(".codex"), within: None };

static ALL: [File; 2] = [
    File {
        key: "codex-hooks",
        role: Role::Either,
        lists_servers: false,
        place: |ground| ground.root.join(".codex/hooks.json"),
        folder: Some(&FOLDER),
        ignored_by: &[
            "/.codex/hooks.json",
            ".codex/hooks.json",
            ".codex",
            ".codex/",
            "/.codex",
            "/.codex/",
            ".codex/*",
            "/.codex/*",
        ],
    },
    File {
        key: "codex-config",
        role: Role::Servers,
        lists_servers: true,
        place: |ground| ground.root.join(".codex/config.toml"),
        folder: Some(&FOLDER),
        ignored_by: &[
            "/.codex/config.toml",
            ".codex/config.toml",
            ".codex",
            ".codex/",
            "/.codex",
            "/.codex/",
            ".codex/*",
            "/.codex/*",
        ],
    },
];

/// How hooks stand in its file. More time than three seconds at the end would be cut short with a warning.
static FORM: HookForm = HookForm {
    harness: FACTS.name,
    events: &[
        HookEvent::plain("SessionStart", 30),
        HookEvent::plain("UserPromptSubmit", 30),
        HookEvent::of_tools("PreToolUse", 30),
        HookEvent::of_tools("PostToolUse", 30),
        HookEvent::plain("Stop", 30),
        HookEvent::plain("SubagentStart", 30),
        HookEvent::plain("SubagentStop", 30),
        HookEvent::plain("PreCompact", 30),
        HookEvent::plain("SessionEnd", 3),
    ],
    call: CallForm::Line("command"),
    wrapper: "\"$(git rev-parse --show-toplevel 2>/dev/null || pwd)/.waypost/hook\"",
    time: ("timeout", 1),
    grouped: true,
    version: None,
    fields: &[],
};

struct Files;

fn hooks(document: &Document) -> Result<Hooks<'_>, AppError> {
    let hooks = Hooks { document, form: &FORM };
    hooks.check()?;
    Ok(hooks)
}

impl Registering for Files {
    fn files(&self) -> &'static [File] {
        &ALL
    }

    fn add(&self, content: Content<'_>, form: Form<'_>) -> Result<Added, AppError> {
        let written = match form {
            Form::Server(command) => return Servers::parse(content)?.added(command),
            Form::Local { exe, .. } => Written::Local(exe),
            Form::Shared => Written::Shared,
        };
        let document = Document::parse(content.path, content.bytes)?;
        let hooks = hooks(&document)?;
        let was_there = !hooks.found(content.exe).is_empty();
        hooks.add(written)?;
        Ok(Added { bytes: document.to_bytes(), was_there, notes: Vec::new() })
    }

    fn take_out(
        &self,
        content: Content<'_>,
        original: Option<&[u8]>,
        _: bool,
    ) -> Result<Left, AppError> {
        let original = original.map(|bytes| Content { bytes, ..content });
        if content.role == Role::Servers {
            let before = original.and_then(|original| Servers::parse(original).ok());
            return Servers::parse(content)?.left(before.as_ref(), content.exe);
        }
        let document = Document::parse(content.path, content.bytes)?;
        let before = original.and_then(|one| Document::parse(one.path, one.bytes).ok());
        let shape = before.as_ref().and_then(|before| Some(hooks(before).ok()?.shape()));
        hooks(&document)?.take_out(&shape.unwrap_or_default(), content.exe);
        Ok(Left { bytes: document.to_bytes(), is_bare: document.is_bare() })
    }

    fn said(&self, content: Content<'_>) -> Result<Said, AppError> {
        let document = Document::parse(content.path, content.bytes)?;
        let hooks = hooks(&document)?.found(content.exe);
        // What a folder that the user trusts lists is started without a question.
        let server = Approval { is_approved: true, ..Approval::default() };
        let hooks = hooks.iter().map(|hook| hook.told(&FORM)).collect();
        Ok(Said { hooks, server, ..Said::default() })
    }

    fn trust_file(&self, ground: Ground<'_>) -> Option<PathBuf> {
        Some(ground.folder.join("config.toml"))
    }

    fn untrusted(&self, content: Content<'_>, root: &Path, trust: &[u8]) -> Vec<String> {
        let (Ok(hooks), Ok(config)) =
            (serde_json::from_slice(content.bytes), str::from_utf8(trust))
        else {
            return Vec::new();
        };
        let is_ours = |fields: &Map<String, Value>| {
            let line = fields.get("command").and_then(Value::as_str).unwrap_or_default();
            FORM.line(line, content.exe).is_some()
        };
        if !trust::is_trusted(root, config) {
            return FACTS.events.iter().map(|event| (*event).to_owned()).collect();
        }
        trust::untrusted(content.path, &hooks, config, is_ours)
    }

    fn server(&self, content: Content<'_>) -> Result<Option<Server>, AppError> {
        Ok(Servers::parse(content)?.found())
    }

    fn user_servers(&self, ground: Ground<'_>) -> PathBuf {
        ground.folder.join("config.toml")
    }

    fn servers(&self, content: &[u8], _: &Path) -> Vec<String> {
        let path = Path::new("config.toml");
        let content = Content { role: Role::Servers, path, bytes: content, exe: None };
        Servers::parse(content).map(|servers| servers.names()).unwrap_or_default()
    }
}
