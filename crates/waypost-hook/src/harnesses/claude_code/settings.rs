//! Claude Code's settings files: Waypost's hooks put in, found, and taken out.
//!
//! What else stands in them stays as it is. It reads and writes no files.

mod allowing;
mod approval;

use waypost_app::documents::document::Document;
use waypost_app::error::AppError;
use waypost_app::harness::Content;

use super::FACTS;
use crate::harnesses::shape::hook::{CallForm, HookEvent, HookForm, Says};
use crate::harnesses::shape::hooks::{Hooks, HooksShape};
use allowing::AllowedShape;

/// How hooks stand in it. Never those of making and removing work trees: a hook there takes the place of what the client
/// does itself.
pub(super) static FORM: HookForm = HookForm {
    harness: FACTS.name,
    events: &[
        HookEvent::plain("SessionStart", 30),
        HookEvent::plain("UserPromptSubmit", 30),
        HookEvent {
            blocks: Some(("onFailure", Says::Text("block"))),
            ..HookEvent::of_tools("PreToolUse", 30)
        },
        HookEvent::of_tools("PostToolUse", 30),
        HookEvent::of_tools("PostToolUseFailure", 30),
        HookEvent::plain("Stop", 30),
        HookEvent::plain("UserPromptExpansion", 30),
        HookEvent::plain("SubagentStart", 30),
        HookEvent::plain("SubagentStop", 30),
        HookEvent::plain("TaskCompleted", 30),
        HookEvent::plain("TeammateIdle", 30),
        HookEvent::plain("ConfigChange", 30),
        HookEvent::plain("PreCompact", 30),
        // Without a timeout of its own it would be killed after 1.5 s.
        HookEvent::plain("SessionEnd", 5),
    ],
    call: CallForm::Arguments,
    wrapper: "${CLAUDE_PROJECT_DIR}/.waypost/hook",
    time: ("timeout", 1),
    grouped: true,
    version: None,
    fields: &[],
};

/// A settings file.
pub(super) struct Settings {
    document: Document,
}

/// Which containers a file has of its own, so that they stay when they get empty again.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) hooks: HooksShape,
    has_approvals: bool,
    is_approved: bool,
    permissions: AllowedShape,
}

/// The built-in plugin whose options say which mods are loaded, by both of its names.
const MOD_POLICIES: [&str; 2] = ["cc-plugin-sec-default@builtin", "sec-default@builtin"];

/// What `waypost init` writes into settings where there are none.
#[cfg(test)]
pub(super) fn registered(exe: &str) -> Vec<u8> {
    let (role, path) = (waypost_app::harness::Role::Local, std::path::Path::new("settings"));
    let content = Content { role, path, bytes: b"", exe: Some(exe) };
    let settings = Settings::parse(content).unwrap();
    settings.hooks().add(crate::harnesses::shape::hook::Written::Local(exe)).unwrap();
    settings.to_bytes()
}

impl Settings {
    /// Reads a file's content. An empty one counts as empty settings.
    pub(super) fn parse(content: Content<'_>) -> Result<Self, AppError> {
        let settings = Self { document: Document::parse(content.path, content.bytes)? };
        settings.hooks().check()?;
        Ok(settings)
    }

    /// The file's content.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.document.to_bytes()
    }

    /// Waypost's hooks in it.
    pub(super) fn hooks(&self) -> Hooks<'_> {
        Hooks { document: &self.document, form: &FORM }
    }

    /// Which containers the file has.
    pub(super) fn shape(&self) -> Shape {
        Shape {
            hooks: self.hooks().shape(),
            has_approvals: self.has_approvals(),
            is_approved: self.approval().is_approved,
            permissions: self.allowed_shape(),
        }
    }

    /// Whether it says nothing at all.
    pub(super) fn is_bare(&self) -> bool {
        self.document.is_bare()
    }

    /// Whether the user switched all hooks off.
    pub(super) fn switches_hooks_off(&self) -> bool {
        self.flag(FACTS.words.hooks_off) == Some(true)
    }

    /// Variables in it that silence hooks, or bring code that may.
    pub(super) fn silencing(&self) -> Vec<String> {
        let switches = &FACTS.switches;
        let env = self.document.top().and_then(|all| all.object_value(switches.variables_in));
        let Some(env) = env else { return Vec::new() };
        let is_on = |name: &&&str| {
            let value = env.get(name).and_then(|property| property.value());
            let text = value.map(|value| value.to_string()).unwrap_or_default();
            !matches!(text.trim_matches('"'), "" | "0" | "false" | "no" | "off" | "null")
        };
        let set = switches.variables.iter().filter(is_on);
        set.map(|name| format!("{}.{name}", switches.variables_in)).collect()
    }

    /// What in it calls the framework of requirements: programs that hooks name, and plugins that are on.
    pub(super) fn frameworks(&self) -> Vec<String> {
        let (Some(known), Some(all)) = (FACTS.requirements, self.document.top()) else {
            return Vec::new();
        };
        let hooks = all.object_value("hooks").map(|hooks| hooks.to_string()).unwrap_or_default();
        let programs = known.programs.iter().filter(|name| hooks.contains(**name));
        let plugins = all.object_value("enabledPlugins").map(|plugins| plugins.properties());
        let plugins = plugins.unwrap_or_default().into_iter().filter_map(|plugin| {
            let name = plugin.name()?.decoded_value().ok()?;
            let is_on = plugin.value()?.to_string() != "false";
            let is_it = name.split('@').next() == Some(known.plugin);
            (is_on && is_it).then(|| format!("the plugin {name}"))
        });
        programs.map(|name| (*name).to_owned()).chain(plugins).collect()
    }

    /// Whether it lets no mods load but an organisation's own.
    pub(super) fn keeps_mods_out(&self) -> bool {
        let all = self.document.top().and_then(|all| all.object_value("pluginConfigs"));
        let Some(all) = all else { return false };
        MOD_POLICIES.iter().any(|name| {
            let options = all.object_value(name).and_then(|one| one.object_value("options"));
            let only = options.and_then(|options| options.get("allowManagedModsOnly"));
            let value = only.and_then(|only| only.value()).map(|value| value.to_string());
            value.is_some_and(|value| !matches!(value.trim(), "false" | "null"))
        })
    }

    /// What a setting that is on or off is set to.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        let property = self.document.top().and_then(|all| all.get(name))?;
        property.value()?.as_boolean_lit().map(|value| value.value())
    }
}
