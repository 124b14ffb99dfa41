//! How Claude Code comes to call Waypost: `.claude/settings*.json` for hooks, `.mcp.json` for the
//! MCP server.

use std::path::{Path, PathBuf};

use waypost_app::error::AppError;
use waypost_app::harness::{
    Added, Content, File, Folder, Form, Ground, Left, Registering, Role, SERVER, Said, Server,
};

use super::FACTS;
use super::settings::{FORM, Settings, Shape};
use crate::harnesses::shape::hook::Written;
use crate::harnesses::shape::servers;

pub(super) const FILES: &dyn Registering = &Files;

static FOLDER: Folder =
    Folder { key: "claude", place: |ground| ground.root.join(".claude"), within: None };

static ALL: [File; 3] = [
    File {
        key: "local-settings",
        role: Role::Local,
        lists_servers: false,
        place: |ground| ground.root.join(".claude/settings.local.json"),
        folder: Some(&FOLDER),
        ignored_by: &[
            "/.claude/settings.local.json",
            ".claude/settings.local.json",
            "**/.claude/settings.local.json",
            "settings.local.json",
            "*.local.json",
            ".claude",
            ".claude/",
            "/.claude",
            "/.claude/",
            ".claude/*",
            "/.claude/*",
        ],
    },
    File {
        key: "shared-settings",
        role: Role::Shared,
        lists_servers: false,
        place: |ground| ground.root.join(".claude/settings.json"),
        folder: Some(&FOLDER),
        ignored_by: &[],
    },
    File {
        key: "servers",
        role: Role::Servers,
        lists_servers: false,
        place: |ground| ground.root.join(".mcp.json"),
        folder: None,
        ignored_by: &["/.mcp.json", ".mcp.json", "**/.mcp.json"],
    },
];

struct Files;

impl Registering for Files {
    fn files(&self) -> &'static [File] {
        &ALL
    }

    fn add(&self, content: Content<'_>, form: Form<'_>) -> Result<Added, AppError> {
        match form {
            Form::Local { exe, approve, allow } => {
                add_hooks(content, Written::Local(exe), approve, allow)
            }
            Form::Shared => add_hooks(content, Written::Shared, false, &[]),
            Form::Server(command) => servers::added(content, command),
        }
    }

    fn take_out(
        &self,
        content: Content<'_>,
        original: Option<&[u8]>,
        by_init: bool,
    ) -> Result<Left, AppError> {
        let original = original.map(|bytes| Content { bytes, ..content });
        if content.role == Role::Servers {
            return servers::left(content, original);
        }
        let settings = Settings::parse(content)?;
        let before = original.and_then(|original| Settings::parse(original).ok());
        let shape = before.map_or_else(Shape::default, |before| before.shape());
        let had_hooks = !settings.hooks().found(content.exe).is_empty();
        settings.hooks().take_out(&shape.hooks, content.exe);
        // Where `init` never was, the user has approved the server, asked by the client.
        if content.role == Role::Local && (by_init || had_hooks) {
            settings.disapprove(&shape);
            settings.disallow(&shape, content.exe);
        }
        Ok(Left { bytes: settings.to_bytes(), is_bare: settings.is_bare() })
    }

    fn said(&self, content: Content<'_>) -> Result<Said, AppError> {
        let settings = Settings::parse(content)?;
        Ok(Said {
            hooks: settings
                .hooks()
                .found(content.exe)
                .iter()
                .map(|hook| hook.told(&FORM))
                .collect(),
            hooks_off: settings.flag(FACTS.words.hooks_off),
            own_hooks_only: settings.flag("allowManagedHooksOnly") == Some(true),
            silencing: settings.silencing(),
            own_code_only: settings.keeps_mods_out(),
            server: settings.approval(),
            frameworks: settings.frameworks(),
        })
    }

    fn server(&self, content: Content<'_>) -> Result<Option<Server>, AppError> {
        servers::found(content)
    }

    fn user_servers(&self, ground: Ground<'_>) -> PathBuf {
        ground.home.join(".claude.json")
    }

    fn servers(&self, content: &[u8], root: &Path) -> Vec<String> {
        servers::names(content, root)
    }
}

/// Puts Waypost's hooks in, and lets the client start the MCP server where that is wanted.
fn add_hooks(
    content: Content<'_>,
    written: Written<'_>,
    approve: bool,
    allow: &[String],
) -> Result<Added, AppError> {
    let settings = Settings::parse(content)?;
    let (place, words, mut notes) = (content.path.display(), &FACTS.words, Vec::new());
    if settings.switches_hooks_off() {
        let word = words.hooks_off;
        notes.push(format!("{place} says {word}, so no hook runs, Waypost's included"));
    }
    let was_there = !settings.hooks().found(content.exe).is_empty();
    settings.hooks().add(written)?;
    if approve {
        settings.approve()?;
        if settings.approval().is_refused {
            let word = words.servers_off;
            notes.push(format!(
                "{place} names {SERVER} among {word}, so Waypost's MCP server is not started"
            ));
        }
    }
    settings.allow(allow)?;
    Ok(Added { bytes: settings.to_bytes(), was_there, notes })
}
