//! Claude Code's settings files: Waypost's hooks put in, found, and taken out.
//!
//! What else stands in them stays as it is. It reads and writes no files.

mod allowing;
mod approval;
mod hook;
mod rules;

use std::collections::BTreeSet;

use jsonc_parser::cst::{CstInputValue, CstObject};

use waypost_app::documents::document::{Document, objects, remove_if_bare, text_of, texts};
use waypost_app::error::AppError;
use waypost_app::harness::Content;

use super::facts::FACTS;
use allowing::AllowedShape;
use hook::{EVENTS, is_ours, new_group};
pub(super) use hook::{OurHook, Written};

/// A settings file.
pub(super) struct Settings {
    document: Document,
}

/// Which containers a file has of its own, so that they stay when they get empty again.
#[derive(Debug, Default)]
pub(super) struct Shape {
    has_hooks: bool,
    events: BTreeSet<String>,
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
    settings.add(Written::Local(exe)).unwrap();
    settings.to_bytes()
}

impl Settings {
    /// Reads a file's content. An empty one counts as empty settings.
    pub(super) fn parse(content: Content<'_>) -> Result<Self, AppError> {
        let settings = Self { document: Document::parse(content.path, content.bytes)? };
        settings.check()?;
        Ok(settings)
    }

    /// The file's content.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.document.to_bytes()
    }

    /// Puts Waypost's hooks in, or brings those that are there up to date.
    pub(super) fn add(&self, written: Written<'_>) -> Result<(), AppError> {
        let hooks = self.document.top_or_new()?.object_value_or_create("hooks");
        let hooks = hooks.ok_or_else(|| self.document.wrong_type("hooks", "an object"))?;
        for event in &EVENTS {
            let mut is_there = false;
            for found in self.found(written.exe()) {
                if found.event != event.name || !written.is(&found) {
                    continue;
                }
                if is_there || found.is_narrow() {
                    found.take_out();
                } else {
                    found.update(written, event);
                    is_there = true;
                }
            }
            if is_there {
                continue;
            }
            let group = new_group(written, event);
            match hooks.get(event.name) {
                None => drop(hooks.append(event.name, CstInputValue::Array(vec![group]))),
                Some(property) => {
                    let groups = property.array_value();
                    let groups = groups.ok_or_else(|| self.not_an_array(event.name))?;
                    groups.append(group);
                }
            }
        }
        Ok(())
    }

    /// Takes Waypost's hooks out, and with them what they leave empty, unless `shape` has it.
    pub(super) fn take_out(&self, shape: &Shape, exe: Option<&str>) {
        let mut touched = BTreeSet::new();
        for found in self.found(exe) {
            touched.insert(found.event.clone());
            found.take_out();
        }
        let Some(settings) = self.document.top() else {
            return;
        };
        let Some(hooks) = settings.object_value("hooks").filter(|_| !touched.is_empty()) else {
            return;
        };
        for event in touched.difference(&shape.events) {
            remove_if_bare(hooks.get(event));
        }
        if !shape.has_hooks {
            remove_if_bare(settings.get("hooks"));
        }
    }

    /// Waypost's hooks. A program under another name counts if it is `exe`.
    pub(super) fn found(&self, exe: Option<&str>) -> Vec<OurHook> {
        let settings = self.document.top();
        let hooks = settings.and_then(|settings| settings.object_value("hooks"));
        let mut result = Vec::new();
        for property in hooks.map(|hooks| hooks.properties()).unwrap_or_default() {
            let Some(event) = property.decoded_name() else {
                continue;
            };
            for group in objects(property.array_value()) {
                let Some(list) = group.array_value("hooks") else {
                    continue;
                };
                for entry in objects(Some(list.clone())) {
                    let command = text_of(&entry, "command").unwrap_or_default();
                    let args = texts(entry.array_value("args"));
                    let is_command = text_of(&entry, "type").is_none_or(|kind| kind == "command");
                    if is_command && is_ours(&command, &args, exe) {
                        let (event, group, list) = (event.clone(), group.clone(), list.clone());
                        result.push(OurHook { event, command, args, group, list, entry });
                    }
                }
            }
        }
        result
    }

    /// Which containers the file has.
    pub(super) fn shape(&self) -> Shape {
        let settings = self.document.top();
        let hooks = settings.and_then(|settings| settings.object_value("hooks"));
        let names = hooks.iter().flat_map(CstObject::properties);
        let events = names.filter_map(|property| property.decoded_name()).collect();
        Shape {
            has_hooks: hooks.is_some(),
            events,
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

    /// Refuses what has another form than settings, before anything is changed.
    fn check(&self) -> Result<(), AppError> {
        let Some(settings) = self.document.top() else {
            return Ok(());
        };
        self.document.refuse_twice(&settings, |name| name == "hooks")?;
        let Some(hooks) = settings.get("hooks") else {
            return Ok(());
        };
        let wrong_type = || self.document.wrong_type("hooks", "an object");
        let hooks = hooks.object_value().ok_or_else(wrong_type)?;
        let is_event = |name: &str| EVENTS.iter().any(|event| event.name == name);
        self.document.refuse_twice(&hooks, is_event)?;
        for event in &EVENTS {
            let property = hooks.get(event.name);
            if property.is_some_and(|property| property.array_value().is_none()) {
                return Err(self.not_an_array(event.name));
            }
        }
        Ok(())
    }

    fn not_an_array(&self, event: &str) -> AppError {
        self.document.wrong_type(&format!("hooks.{event}"), "an array")
    }
}
