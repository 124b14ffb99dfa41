//! The parser's events put together to a tree, within a budget that is counted after aliases are expanded.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use waypost_core::text::{one_line, shortened};

use super::tree::{Entry, Node, Value};
use super::{Yaml, scalar};
use crate::config::Problem;

/// Nobody nests deeper by hand.
pub(in crate::foreign) const MAX_DEPTH: usize = 64;
/// A few lines of aliases can stand for billions of values.
pub(in crate::foreign) const MAX_NODES: usize = 50_000;
/// The same for text: one long scalar with many aliases.
const MAX_TEXT: usize = 4 * super::MAX_BYTES;
/// Nobody reads more of them.
const MAX_TOLD: usize = 50;
/// Where the tags of YAML's own types begin.
const CORE: &str = "tag:yaml.org,2002:";

/// Why a file is refused.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) message: String,
}

fn fault<T>(line: usize, message: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { line, message: message.into() })
}

/// How much there is of something.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    nodes: usize,
    text: usize,
}

impl Size {
    fn plus(self, other: Self) -> Self {
        Self { nodes: self.nodes + other.nodes, text: self.text + other.text }
    }

    fn minus(self, other: Self) -> Self {
        let nodes = self.nodes.saturating_sub(other.nodes);
        Self { nodes, text: self.text.saturating_sub(other.text) }
    }

    fn check(self, line: usize) -> Result<(), Fault> {
        if self.nodes > MAX_NODES {
            let message = format!("with its aliases expanded it has more than {MAX_NODES} values");
            return fault(line, message);
        }
        if self.text > MAX_TEXT {
            let message = format!("with its aliases expanded it has more than {MAX_TEXT} bytes");
            return fault(line, message);
        }
        Ok(())
    }
}

/// A node with what it weighs.
#[derive(Debug, Clone)]
struct Weighed {
    node: Node,
    size: Size,
    /// How many levels are in it.
    depth: usize,
    /// How a scalar that is no text is written: as a key, that is what it is called.
    written: Option<String>,
    /// Whether it is `<<` without quotes: as a key, it brings in another map.
    merges: bool,
}

/// A list or map whose end has not come.
#[derive(Debug)]
struct Open {
    line: usize,
    anchor: usize,
    is_map: bool,
    /// Of a map, keys and values by turns.
    parts: Vec<Weighed>,
}

/// Puts one file's tree together.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    file: &'a str,
    open: Vec<Open>,
    /// What aliases can refer to, by the parser's numbers.
    anchors: BTreeMap<usize, Weighed>,
    root: Option<Node>,
    documents: usize,
    /// What the tree has so far.
    size: Size,
    /// What is kept for aliases.
    kept: Size,
    told: Vec<Problem>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(file: &'a str) -> Self {
        Self {
            file,
            open: Vec::new(),
            anchors: BTreeMap::new(),
            root: None,
            documents: 0,
            size: Size::default(),
            kept: Size::default(),
            told: Vec::new(),
        }
    }

    pub(super) fn build(mut self, text: &str) -> Result<Yaml, Fault> {
        let mut parser = Parser::new_from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
        while let Some(event) = parser.next_event() {
            let (event, span) = match event {
                Ok(event) => event,
                Err(error) => {
                    let line = error.marker().line();
                    return fault(line, format!("it is no YAML: {}", error.info()));
                }
            };
            self.take(event, span.start.line())?;
        }
        let nothing = Node { line: 1, value: Value::Null };
        Ok(Yaml { root: self.root.unwrap_or(nothing), told: self.told })
    }

    fn take(&mut self, event: Event<'_>, line: usize) -> Result<(), Fault> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    let message = "a second document begins here; make it a file of its own";
                    return fault(line, message);
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                let merges = plain && tag.is_none() && text == "<<";
                let value = tagged(&text, plain, tag.as_deref(), line)?;
                let written = (!matches!(value, Value::Text(_))).then(|| text.to_string());
                let size = Size { nodes: 1, text: text.len() };
                let node = Node { line, value };
                self.finish(anchor, Weighed { node, size, depth: 0, written, merges })
            }
            Event::SequenceStart(anchor, tag) => self.begin(line, anchor, false, tag.as_deref()),
            Event::MappingStart(anchor, tag) => self.begin(line, anchor, true, tag.as_deref()),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => self.refer(line, anchor),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn begin(
        &mut self,
        line: usize,
        anchor: usize,
        is_map: bool,
        tag: Option<&Tag>,
    ) -> Result<(), Fault> {
        let own = if is_map { "map" } else { "seq" };
        let name = tag.map(name_of).unwrap_or_default();
        if !matches!(name.as_str(), "" | "!") && name.strip_prefix(CORE) != Some(own) {
            return refused_tag(line, &name);
        }
        self.open.push(Open { line, anchor, is_map, parts: Vec::new() });
        self.fits(line, Size { nodes: 1, text: 0 }, 0)
    }

    fn close(&mut self) -> Result<(), Fault> {
        let Some(Open { line, anchor, is_map, parts }) = self.open.pop() else { return Ok(()) };
        let inner = parts.iter().fold(Size::default(), |sum, part| sum.plus(part.size));
        let depth = parts.iter().map(|part| part.depth).max().unwrap_or(0) + 1;
        let value = if is_map {
            Value::Map(self.map_of(parts)?)
        } else {
            Value::List(parts.into_iter().map(|part| part.node).collect())
        };
        // The parts were counted one by one; now they are counted with what they stand in.
        self.size = self.size.minus(inner);
        let size = inner.plus(Size { nodes: 1, text: 0 });
        let node = Node { line, value };
        self.finish(anchor, Weighed { node, size, depth, written: None, merges: false })
    }

    /// An alias stands for all of what it refers to.
    fn refer(&mut self, line: usize, anchor: usize) -> Result<(), Fault> {
        let Some(meant) = self.anchors.get(&anchor) else {
            return fault(line, "an alias stands inside what it refers to");
        };
        // Before anything is copied.
        self.fits(line, meant.size, meant.depth)?;
        let again = meant.clone();
        self.add(again)
    }

    /// A node is whole: it is kept under its anchor, and put where it belongs.
    fn finish(&mut self, anchor: usize, weighed: Weighed) -> Result<(), Fault> {
        if anchor != 0 {
            self.kept = self.kept.plus(weighed.size);
            self.kept.check(weighed.node.line)?;
            self.anchors.insert(anchor, weighed.clone());
        }
        self.add(weighed)
    }

    fn add(&mut self, weighed: Weighed) -> Result<(), Fault> {
        self.fits(weighed.node.line, weighed.size, weighed.depth)?;
        self.size = self.size.plus(weighed.size);
        match self.open.last_mut() {
            Some(open) => open.parts.push(weighed),
            None => self.root = Some(weighed.node),
        }
        Ok(())
    }

    /// Whether so much more is within the budget.
    fn fits(&self, line: usize, more: Size, depth: usize) -> Result<(), Fault> {
        if self.open.len() + depth > MAX_DEPTH {
            return fault(line, format!("it is nested deeper than {MAX_DEPTH} levels"));
        }
        self.size.plus(more).check(line)
    }

    /// The entries of a map: what `<<` brings in first, then its own.
    fn map_of(&mut self, parts: Vec<Weighed>) -> Result<Vec<Entry>, Fault> {
        let (mut merged, mut own) = (Entries::default(), Entries::default());
        let mut parts = parts.into_iter();
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            let line = key.node.line;
            if key.merges {
                for entry in merge(line, value.node)? {
                    merged.put(entry);
                }
                continue;
            }
            let entry = Entry { key: named(key)?, line, node: value.node };
            if let Some(before) = own.put(entry) {
                self.tell_twice(line, &before);
            }
        }
        for entry in own.list {
            merged.put(entry);
        }
        Ok(merged.list)
    }

    fn tell_twice(&mut self, line: usize, before: &Entry) {
        if self.told.len() < MAX_TOLD {
            let key = shortened(&one_line(&before.key), 40);
            let message = format!("`{key}` stands in line {} too; this one counts", before.line);
            self.told.push(Problem { file: self.file.to_owned(), line, message });
        }
    }
}

/// A key, as it is written.
fn named(key: Weighed) -> Result<String, Fault> {
    match (key.written, key.node.value) {
        (Some(written), _) => Ok(written),
        (None, Value::Text(text)) => Ok(text),
        (None, _) => fault(key.node.line, "a key has to be text, not a list or a map"),
    }
}

/// What a scalar is, by its tag or else by how it is written.
fn tagged(text: &str, plain: bool, tag: Option<&Tag>, line: usize) -> Result<Value, Fault> {
    let as_text = || Value::Text(text.to_owned());
    let Some(tag) = tag else {
        return Ok(if plain { scalar::resolved(text) } else { as_text() });
    };
    let name = name_of(tag);
    let (wanted, value) = match name.strip_prefix(CORE) {
        Some("str" | "timestamp") => return Ok(as_text()),
        None if name == "!" => return Ok(as_text()),
        Some("null") => ("nothing", scalar::null(text)),
        Some("bool") => ("true or false", scalar::bool(text)),
        Some("int") => ("a whole number", scalar::int(text)),
        Some("float") => ("a number", scalar::float(text).or_else(|| scalar::int(text))),
        _ => return refused_tag(line, &name),
    };
    let shown = shortened(&one_line(text), 40);
    value.map_or_else(|| fault(line, format!("`{shown}` is not {wanted}, as its tag says")), Ok)
}

/// A tag in full.
fn name_of(tag: &Tag) -> String {
    format!("{}{}", tag.handle, tag.suffix)
}

fn refused_tag<T>(line: usize, name: &str) -> Result<T, Fault> {
    let short = name.strip_prefix(CORE).map_or_else(|| name.to_owned(), |own| format!("!!{own}"));
    let shown = shortened(&one_line(&short), 60);
    fault(line, format!("the tag `{shown}` is not taken; write the plain value"))
}

/// Entries in their order, each key once.
#[derive(Debug, Default)]
struct Entries {
    list: Vec<Entry>,
    places: BTreeMap<String, usize>,
}

impl Entries {
    /// The entry that it takes the place of, if one of its key is there.
    fn put(&mut self, entry: Entry) -> Option<Entry> {
        let place = self.places.get(&entry.key).and_then(|place| self.list.get_mut(*place));
        if let Some(place) = place {
            return Some(std::mem::replace(place, entry));
        }
        self.places.insert(entry.key.clone(), self.list.len());
        self.list.push(entry);
        None
    }
}

/// What `<<` brings in, in the order in which the later one wins.
fn merge(line: usize, value: Node) -> Result<Vec<Entry>, Fault> {
    match value.value {
        Value::Map(entries) => Ok(entries),
        Value::List(items) => {
            let mut all = Vec::new();
            // Of several, the first one wins.
            for item in items.into_iter().rev() {
                let Value::Map(entries) = item.value else {
                    return fault(line, format!("`<<` takes maps, not {}", item.type_name()));
                };
                all.extend(entries);
            }
            Ok(all)
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) => {
            fault(line, format!("`<<` takes a map or a list of maps, not {}", value.type_name()))
        }
    }
}
