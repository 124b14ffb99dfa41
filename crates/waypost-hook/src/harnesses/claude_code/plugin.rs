//! Waypost's plugin, as Claude Code keeps it: `plugins/installed_plugins.json` lists it, settings switch it on.

use std::path::{Path, PathBuf};

use serde_json::Value;
use waypost_app::documents::document::Document;
use waypost_app::harness::{Content, Ground, Hook, Listed, Plugins, SERVER, Server};

/// What stands for the plugin's folder in its files.
const ROOT: &str = "${CLAUDE_PLUGIN_ROOT}";
/// How the plugin is called, before the list that it came from.
const NAME: &str = "waypost@";

/// The files of the plugin and about it.
pub(super) struct Files;

impl Plugins for Files {
    fn list(&self, ground: Ground<'_>) -> PathBuf {
        ground.folder.join("plugins/installed_plugins.json")
    }

    fn listed(&self, list: &[u8], root: &Path) -> Vec<Listed> {
        let list: Value = serde_json::from_slice(list).unwrap_or_default();
        let own = list["plugins"].as_object().into_iter().flatten();
        let own = own.filter(|(name, _)| name.starts_with(NAME));
        let each = own.flat_map(|(name, places)| {
            places.as_array().into_iter().flatten().map(move |place| (name, place))
        });
        // One that is installed for a project counts there alone.
        let is_here = |place: &Value| {
            place["projectPath"].as_str().is_none_or(|path| Path::new(path) == root)
        };
        let here = each.filter(|(_, place)| is_here(place));
        here.filter_map(|(name, place)| {
            let folder = place["installPath"].as_str()?.into();
            Some(Listed { name: name.clone(), folder })
        })
        .collect()
    }

    fn is_on(&self, settings: Content<'_>, name: &str) -> Option<bool> {
        let settings = Document::parse(settings.path, settings.bytes).ok()?.value()?;
        settings["enabledPlugins"][name].as_bool()
    }

    fn files(&self, folder: &Path) -> (PathBuf, PathBuf) {
        (folder.join("hooks/hooks.json"), folder.join(".mcp.json"))
    }

    fn hooks(&self, content: &[u8], folder: &Path) -> Vec<Hook> {
        let content: Value = serde_json::from_slice(content).unwrap_or_default();
        let events = content["hooks"].as_object().into_iter().flatten();
        let hooks = events.flat_map(|(event, groups)| {
            let groups = groups.as_array().into_iter().flatten();
            let hooks = groups.flat_map(|group| group["hooks"].as_array().into_iter().flatten());
            hooks.filter_map(move |hook| Some((event, called(hook, folder)?)))
        });
        let told = hooks.map(|(event, (command, args))| Hook {
            event: event.clone(),
            command,
            args,
            is_shared: true,
            faults: Vec::new(),
        });
        told.collect()
    }

    fn server(&self, content: &[u8], folder: &Path) -> Option<Server> {
        let content: Value = serde_json::from_slice(content).ok()?;
        let (command, args) = called(&content["mcpServers"][SERVER], folder)?;
        Some(Server { command: Some(command), args, env: Vec::new() })
    }
}

/// A command and its arguments.
fn called(entry: &Value, folder: &Path) -> Option<(String, Vec<String>)> {
    let filled = |value: &Value| Some(value.as_str()?.replace(ROOT, &folder.to_string_lossy()));
    let args = entry["args"].as_array().into_iter().flatten().filter_map(filled).collect();
    Some((filled(&entry["command"])?, args))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harnesses::claude_code::{FACTS, settings};

    const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/waypost");

    fn content(file: &str) -> Vec<u8> {
        std::fs::read(Path::new(PLUGIN).join(file)).unwrap()
    }

    #[test]
    fn the_plugin_is_told_of_the_same_events_as_settings() {
        let own: Value = serde_json::from_slice(&content("hooks/hooks.json")).unwrap();
        let settings = settings::registered("waypost");
        let settings: Value = serde_json::from_slice(&settings).unwrap();
        let plain = |hooks: &Value| {
            let mut hooks = hooks["hooks"].clone();
            for group in hooks.as_object_mut().unwrap().values_mut() {
                let hook = group[0]["hooks"][0].as_object_mut().unwrap();
                hook.remove("command");
                hook.remove("args");
            }
            hooks
        };
        assert_eq!(plain(&own), plain(&settings));
        let called = Files.hooks(&content("hooks/hooks.json"), Path::new("/p"));
        assert!(FACTS.events.iter().all(|event| called.iter().any(|hook| hook.event == *event)));
        assert!(called.iter().all(|hook| hook.command == "/p/launch"));
        assert!(called.iter().all(|hook| hook.args == ["hook", FACTS.name]));
    }

    #[test]
    fn the_server_is_started_by_the_same_script() {
        let server = Files.server(&content(".mcp.json"), Path::new("/p")).unwrap();
        assert_eq!(server.command.as_deref(), Some("/p/launch"));
        assert_eq!(server.args, ["mcp", FACTS.name]);
    }

    #[test]
    fn one_that_is_installed_for_another_project_does_not_count() {
        let list = r#"{"version": 2, "plugins": {
            "other@waypost": [{"installPath": "/0"}],
            "waypost@one": [{"scope": "user", "installPath": "/1"}],
            "waypost@two": [{"scope": "local", "projectPath": "/here", "installPath": "/2"},
                            {"scope": "local", "projectPath": "/there", "installPath": "/3"}]}}"#;
        let found = Files.listed(list.as_bytes(), Path::new("/here"));
        let found: Vec<_> = found.iter().map(|one| one.folder.to_str().unwrap()).collect();
        assert_eq!(found, ["/1", "/2"]);
        assert!(Files.listed(b"{", Path::new("/here")).is_empty());
    }
}
