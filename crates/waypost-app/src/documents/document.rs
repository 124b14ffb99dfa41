//! A JSON file that people edit too: taken apart so that whatever is not changed stays as it is.
//!
//! Works on the text's syntax tree, so that comments, order and layout survive. It reads and writes
//! no files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstNode, CstObject, CstObjectProp, CstRootNode};

use crate::error::AppError;

/// A file's text as a tree. Its top is an object, or nothing at all.
pub struct Document {
    path: PathBuf,
    has_mark: bool,
    root: CstRootNode,
}

impl Document {
    /// Reads a file's content.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, AppError> {
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
        let document = Self { path: path.to_owned(), has_mark, root };
        if document.root.value().is_some_and(|value| value.as_object().is_none()) {
            return Err(document.wrong_type("it", "an object"));
        }
        Ok(document)
    }

    /// The file's content.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_text().into_bytes()
    }

    /// The same as text.
    pub fn to_text(&self) -> String {
        let mark = if self.has_mark { "\u{feff}" } else { "" };
        format!("{mark}{}", self.root)
    }

    /// What is in it, as an object.
    pub fn top(&self) -> Option<CstObject> {
        self.root.object_value()
    }

    /// All of it as a value; of two equal keys the last one counts.
    pub fn value(&self) -> Option<serde_json::Value> {
        self.root.to_serde_value()
    }

    /// The same, made if there is nothing.
    pub fn top_or_new(&self) -> Result<CstObject, AppError> {
        self.root.object_value_or_create().ok_or_else(|| self.wrong_type("it", "an object"))
    }

    /// Whether it says nothing at all.
    pub fn is_bare(&self) -> bool {
        let no_comments = !self.root.children().iter().any(CstNode::is_comment);
        no_comments && self.root.value().is_none_or(|value| is_bare(&value))
    }

    /// Of two equal keys the client sees the last one only; which one is meant is not ours to say.
    pub fn refuse_twice(
        &self,
        object: &CstObject,
        is_ours: impl Fn(&str) -> bool,
    ) -> Result<(), AppError> {
        let mut seen = BTreeSet::new();
        for name in object.properties().iter().filter_map(CstObjectProp::decoded_name) {
            if is_ours(&name) && !seen.insert(name.clone()) {
                return Err(unreadable(&self.path, &format!("{name:?} is in it twice")));
            }
        }
        Ok(())
    }

    /// Says that something in it is not what it has to be.
    pub fn wrong_type(&self, what: &str, wanted: &str) -> AppError {
        unreadable(&self.path, &format!("{what} is not {wanted}"))
    }
}

/// Whether there is nothing in a container, not even a comment.
pub fn is_bare(node: &CstNode) -> bool {
    let is_container = node.as_object().is_some() || node.as_array().is_some();
    let is_filler = |child: &CstNode| child.is_trivia() || child.is_token();
    is_container && node.children().iter().all(|child| is_filler(child) && !child.is_comment())
}

/// Takes a property out if there is nothing in it.
pub fn remove_if_bare(property: Option<CstObjectProp>) {
    if let Some(property) = property
        && property.value().is_some_and(|value| is_bare(&value))
    {
        property.remove();
    }
}

/// The last property of a name: of two equal keys it is the one that readers see.
pub fn last(object: &CstObject, name: &str) -> Option<CstObjectProp> {
    let mut found = object.properties();
    found.retain(|property| property.decoded_name().as_deref() == Some(name));
    found.pop()
}

/// The objects of a list.
pub fn objects(list: Option<CstArray>) -> Vec<CstObject> {
    let elements = list.map(|list| list.elements()).unwrap_or_default();
    elements.into_iter().filter_map(|element| element.as_object()).collect()
}

/// A property that is text.
pub fn text_of(object: &CstObject, name: &str) -> Option<String> {
    object.get(name)?.value().as_ref().and_then(text)
}

/// The texts of a list. An element that is none gives an empty one, which equals none of ours.
pub fn texts(list: Option<CstArray>) -> Vec<String> {
    let elements = list.map(|list| list.elements()).unwrap_or_default();
    elements.iter().map(|element| text(element).unwrap_or_default()).collect()
}

/// What a string says.
pub fn text(node: &CstNode) -> Option<String> {
    node.as_string_lit()?.decoded_value().ok()
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
