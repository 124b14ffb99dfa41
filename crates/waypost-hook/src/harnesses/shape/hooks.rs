//! Files of hooks: Waypost's put in, found, and taken out.
//!
//! What else stands in them stays as it is. It reads and writes no files.

use std::collections::BTreeSet;

use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp};
use waypost_app::documents::document::{Document, objects, remove_if_bare};
use waypost_app::error::AppError;

use super::hook::{HookForm, OurHook, Written};

const HOOKS: &str = "hooks";
const VERSION: &str = "version";

/// The hooks in a file.
#[derive(Clone, Copy)]
pub(in crate::harnesses) struct Hooks<'a> {
    /// The file.
    pub(in crate::harnesses) document: &'a Document,
    /// How it is written.
    pub(in crate::harnesses) form: &'static HookForm,
}

/// Which containers a file has of its own, so that they stay when they get empty again.
#[derive(Debug, Default)]
pub(in crate::harnesses) struct HooksShape {
    has_hooks: bool,
    has_version: bool,
    events: BTreeSet<String>,
}

impl Hooks<'_> {
    /// Puts Waypost's hooks in, or brings those that are there up to date.
    pub(in crate::harnesses) fn add(self, written: Written<'_>) -> Result<(), AppError> {
        let top = self.document.top_or_new()?;
        if let Some(version) = self.form.version.filter(|_| top.get(VERSION).is_none()) {
            top.append(VERSION, version.into());
        }
        let hooks = top.object_value_or_create(HOOKS);
        let hooks = hooks.ok_or_else(|| self.document.wrong_type(HOOKS, "an object"))?;
        for event in self.form.events {
            let mut is_there = false;
            for found in self.found(written.exe()) {
                if found.event != event.name || !self.form.is(written, &found) {
                    continue;
                }
                if is_there || found.is_narrow() {
                    found.take_out();
                } else {
                    found.update(self.form, written, event);
                    is_there = true;
                }
            }
            if is_there {
                continue;
            }
            let entry = self.form.new_entry(written, event);
            match hooks.get(event.name) {
                None => drop(hooks.append(event.name, CstInputValue::Array(vec![entry]))),
                Some(property) => {
                    let entries = property.array_value();
                    let entries = entries.ok_or_else(|| self.not_an_array(event.name))?;
                    entries.append(entry);
                }
            }
        }
        Ok(())
    }

    /// Takes Waypost's hooks out, and with them what they leave empty, unless `shape` has it.
    pub(in crate::harnesses) fn take_out(self, shape: &HooksShape, exe: Option<&str>) {
        let mut touched = BTreeSet::new();
        for found in self.found(exe) {
            touched.insert(found.event.clone());
            found.take_out();
        }
        let Some(top) = self.document.top() else {
            return;
        };
        let Some(hooks) = top.object_value(HOOKS).filter(|_| !touched.is_empty()) else {
            return;
        };
        for event in touched.difference(&shape.events) {
            remove_if_bare(hooks.get(event));
        }
        if !shape.has_hooks {
            remove_if_bare(top.get(HOOKS));
        }
        // What is only there so that the hooks are read means nothing without them.
        if self.form.version.is_some() && !shape.has_version && top.get(HOOKS).is_none() {
            top.get(VERSION).into_iter().for_each(CstObjectProp::remove);
        }
    }

    /// Waypost's hooks. A program under another name counts if it is `exe`.
    pub(in crate::harnesses) fn found(self, exe: Option<&str>) -> Vec<OurHook> {
        let top = self.document.top();
        let hooks = top.and_then(|top| top.object_value(HOOKS));
        let mut result = Vec::new();
        for property in hooks.map(|hooks| hooks.properties()).unwrap_or_default() {
            let (Some(event), Some(list)) = (property.decoded_name(), property.array_value())
            else {
                continue;
            };
            let lists = if self.form.grouped {
                let groups = objects(Some(list)).into_iter();
                groups.filter_map(|group| Some((group.array_value(HOOKS)?, Some(group)))).collect()
            } else {
                vec![(list, None)]
            };
            for (list, group) in lists {
                for entry in objects(Some(list.clone())) {
                    if let Some((command, args)) = self.form.ours(&entry, exe) {
                        let (event, group, list) = (event.clone(), group.clone(), list.clone());
                        result.push(OurHook { event, command, args, group, list, entry });
                    }
                }
            }
        }
        result
    }

    /// Which containers the file has.
    pub(in crate::harnesses) fn shape(self) -> HooksShape {
        let top = self.document.top();
        let has_version = top.as_ref().is_some_and(|top| top.get(VERSION).is_some());
        let hooks = top.and_then(|top| top.object_value(HOOKS));
        let names = hooks.iter().flat_map(CstObject::properties);
        let events = names.filter_map(|property| property.decoded_name()).collect();
        HooksShape { has_hooks: hooks.is_some(), has_version, events }
    }

    /// Refuses what has another form than hooks, before anything is changed.
    pub(in crate::harnesses) fn check(self) -> Result<(), AppError> {
        let Some(top) = self.document.top() else {
            return Ok(());
        };
        self.document.refuse_twice(&top, |name| name == HOOKS)?;
        let Some(hooks) = top.get(HOOKS) else {
            return Ok(());
        };
        let wrong_type = || self.document.wrong_type(HOOKS, "an object");
        let hooks = hooks.object_value().ok_or_else(wrong_type)?;
        let is_event = |name: &str| self.form.events.iter().any(|event| event.name == name);
        self.document.refuse_twice(&hooks, is_event)?;
        for event in self.form.events {
            let property = hooks.get(event.name);
            if property.is_some_and(|property| property.array_value().is_none()) {
                return Err(self.not_an_array(event.name));
            }
        }
        Ok(())
    }

    fn not_an_array(self, event: &str) -> AppError {
        self.document.wrong_type(&format!("hooks.{event}"), "an array")
    }
}
