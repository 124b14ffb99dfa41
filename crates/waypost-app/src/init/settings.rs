//! Claude Code's settings files: Waypost's hooks put in, found, and taken out.
//!
//! Works on the text's syntax tree, so that comments, order and layout of the user's own settings
//! stay as they are. It reads and writes no files.

mod hook;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};

pub(super) use self::hook::Form;
pub(crate) use self::hook::Found;
use self::hook::{EVENTS, is_ours, new_group};
use crate::error::AppError;

/// A settings file's text as a tree.
pub(crate) struct Settings {
    path: PathBuf,
    has_mark: bool,
    root: CstRootNode,
}

/// Which containers a file has of its own, so that they stay when they get empty again.
#[derive(Debug, Default)]
pub(super) struct Shape {
    has_hooks: bool,
    events: BTreeSet<String>,
}

impl Settings {
    /// Reads a file's content. An empty one counts as empty settings.
    pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, AppError> {
        let text = str::from_utf8(bytes).map_err(|error| {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            unreadable(path, &format!("line {line}, column {column}: it is not UTF-8"))
        })?;
        let (has_mark, text) = match text.strip_prefix('\u{feff}') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let root = CstRootNode::parse(text, &options()).map_err(|error| {
            let (line, column) = (error.line_display(), error.column_display());
            let why = error.kind().to_string();
            unreadable(path, &format!("line {line}, column {column}: {why}"))
        })?;
        let settings = Self { path: path.to_owned(), has_mark, root };
        settings.check()?;
        Ok(settings)
    }

    /// The file's content.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mark = if self.has_mark { "\u{feff}" } else { "" };
        format!("{mark}{}", self.root).into_bytes()
    }

    /// Puts Waypost's hooks in, or brings those that are there up to date.
    pub(super) fn add(&self, form: Form) -> Result<(), AppError> {
        let hooks = self.root.object_value_or_create();
        let hooks = hooks.and_then(|settings| settings.object_value_or_create("hooks"));
        let hooks = hooks.ok_or_else(|| self.wrong_type("hooks", "an object"))?;
        for event in &EVENTS {
            let mut is_there = false;
            for found in self.found(form.exe()) {
                if found.event != event.name || !form.is(&found) {
                    continue;
                }
                if is_there || found.is_narrow() {
                    found.take_out();
                } else {
                    found.update(form, event);
                    is_there = true;
                }
            }
            if is_there {
                continue;
            }
            let group = new_group(form, event);
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
        let Some(settings) = self.root.object_value() else {
            return;
        };
        let Some(hooks) = settings.object_value("hooks").filter(|_| !touched.is_empty()) else {
            return;
        };
        for event in touched.difference(&shape.events) {
            let Some(property) = hooks.get(event) else {
                continue;
            };
            if property.array_value().is_some_and(|list| is_bare(&list.into())) {
                property.remove();
            }
        }
        if !shape.has_hooks
            && is_bare(&hooks.into())
            && let Some(property) = settings.get("hooks")
        {
            property.remove();
        }
    }

    /// Waypost's hooks. A program under another name counts if it is `exe`.
    pub(crate) fn found(&self, exe: Option<&str>) -> Vec<Found> {
        let settings = self.root.object_value();
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
                        result.push(Found { event, command, args, group, list, entry });
                    }
                }
            }
        }
        result
    }

    /// Which containers the file has.
    pub(super) fn shape(&self) -> Shape {
        let settings = self.root.object_value();
        let hooks = settings.and_then(|settings| settings.object_value("hooks"));
        let names = hooks.iter().flat_map(CstObject::properties);
        let events = names.filter_map(|property| property.decoded_name()).collect();
        Shape { has_hooks: hooks.is_some(), events }
    }

    /// Whether it says nothing at all.
    pub(super) fn is_bare(&self) -> bool {
        let no_comments = !self.root.children().iter().any(CstNode::is_comment);
        no_comments && self.root.value().is_none_or(|value| is_bare(&value))
    }

    /// Whether the user switched all hooks off.
    pub(super) fn switches_hooks_off(&self) -> bool {
        self.flag("disableAllHooks") == Some(true)
    }

    /// What a setting that is on or off is set to.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        let property = self.root.object_value().and_then(|all| all.get(name))?;
        property.value()?.as_boolean_lit().map(|value| value.value())
    }

    /// Refuses what has another form than settings, before anything is changed.
    fn check(&self) -> Result<(), AppError> {
        let Some(value) = self.root.value() else {
            return Ok(());
        };
        let settings = value.as_object().ok_or_else(|| self.wrong_type("it", "an object"))?;
        self.refuse_twice(&settings)?;
        let Some(hooks) = settings.get("hooks") else {
            return Ok(());
        };
        let hooks = hooks.object_value().ok_or_else(|| self.wrong_type("hooks", "an object"))?;
        self.refuse_twice(&hooks)?;
        for event in &EVENTS {
            let property = hooks.get(event.name);
            if property.is_some_and(|property| property.array_value().is_none()) {
                return Err(self.not_an_array(event.name));
            }
        }
        Ok(())
    }

    /// Of two equal keys the client sees the last one only; which one is meant is not ours to say.
    fn refuse_twice(&self, object: &CstObject) -> Result<(), AppError> {
        let mut seen = BTreeSet::new();
        for name in object.properties().iter().filter_map(CstObjectProp::decoded_name) {
            let is_ours = name == "hooks" || EVENTS.iter().any(|event| event.name == name);
            if is_ours && !seen.insert(name.clone()) {
                return Err(unreadable(&self.path, &format!("{name:?} is in it twice")));
            }
        }
        Ok(())
    }

    fn not_an_array(&self, event: &str) -> AppError {
        self.wrong_type(&format!("hooks.{event}"), "an array")
    }

    fn wrong_type(&self, what: &str, wanted: &str) -> AppError {
        unreadable(&self.path, &format!("{what} is not {wanted}"))
    }
}

/// Whether there is nothing in a container, not even a comment.
fn is_bare(node: &CstNode) -> bool {
    let is_container = node.as_object().is_some() || node.as_array().is_some();
    let is_filler = |child: &CstNode| child.is_trivia() || child.is_token();
    is_container && node.children().iter().all(|child| is_filler(child) && !child.is_comment())
}

fn objects(list: Option<CstArray>) -> Vec<CstObject> {
    let elements = list.map(|list| list.elements()).unwrap_or_default();
    elements.into_iter().filter_map(|element| element.as_object()).collect()
}

fn text_of(object: &CstObject, name: &str) -> Option<String> {
    object.get(name)?.value()?.as_string_lit()?.decoded_value().ok()
}

fn texts(list: Option<CstArray>) -> Vec<String> {
    let elements = list.map(|list| list.elements()).unwrap_or_default();
    // An argument that is no text gives an empty one, which equals none of ours.
    let text = |element: CstNode| element.as_string_lit()?.decoded_value().ok();
    elements.into_iter().map(|element| text(element).unwrap_or_default()).collect()
}

/// JSON with comments and trailing commas, and nothing looser.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn unreadable(path: &Path, why: &str) -> AppError {
    AppError::configuration(format!("{} cannot be read: {why}", path.display()))
        .hint("correct it there, then run this again; nothing was changed")
}
