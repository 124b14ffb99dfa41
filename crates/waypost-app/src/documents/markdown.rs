//! Markdown as a row of headings, paragraphs, list items and table rows, in the order in which a reader
//! meets them, each with its plain text. What stands in code blocks, quotations, HTML and comments is
//! none of these.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// No more blocks than this are looked at.
const MAX_BLOCKS: usize = 20_000;

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// What it is.
    pub(crate) kind: Kind,
    /// In how many lists it stands; an item counts its own.
    pub(crate) depth: usize,
    /// Its text, without marks.
    pub(crate) text: String,
    /// Whether it is nothing but emphasis, as templates write what is to be filled in.
    pub(crate) emphasised: bool,
}

/// What a piece is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A heading of a level from 1.
    Heading(u8),
    /// A paragraph; in a list, a further one of its item.
    Paragraph,
    /// An item of a list, without what is listed below it.
    Item {
        /// Whether its box is ticked, if it has one.
        ticked: Option<bool>,
        /// Whether something in it is struck out.
        struck: bool,
    },
    /// The cells of a table's row, the heading's too.
    Row(Vec<String>),
}

/// The blocks of a text.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let options =
        Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let mut reading = Reading::default();
    for event in Parser::new_ext(text, options) {
        if reading.blocks.len() >= MAX_BLOCKS {
            break;
        }
        reading.take(event);
    }
    reading.flush();
    reading.blocks
}

#[derive(Default)]
struct Reading {
    blocks: Vec<Block>,
    open: Option<Block>,
    depth: usize,
    emphasis: usize,
    /// How many code blocks, quotations and pieces of HTML are open.
    hidden: usize,
}

impl Reading {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::HtmlBlock) => {
                self.flush();
                self.hidden += 1;
            }
            Event::End(TagEnd::CodeBlock | TagEnd::BlockQuote(_) | TagEnd::HtmlBlock) => {
                self.hidden = self.hidden.saturating_sub(1);
            }
            _ if self.hidden > 0 => {}
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::TaskListMarker(done) => {
                if let Some(Block { kind: Kind::Item { ticked, .. }, .. }) = &mut self.open {
                    *ticked = Some(done);
                }
            }
            Event::Text(text) | Event::Code(text) => self.add(&text),
            Event::SoftBreak | Event::HardBreak => self.add("\n"),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.begin(Kind::Heading(*level as u8)),
            Tag::List(_) => {
                self.flush();
                self.depth += 1;
            }
            Tag::Item => self.begin(Kind::Item { ticked: None, struck: false }),
            // The first paragraph of an item is the item's own text.
            Tag::Paragraph if self.open.is_none() => self.begin(Kind::Paragraph),
            Tag::TableHead | Tag::TableRow => self.begin(Kind::Row(Vec::new())),
            Tag::Emphasis => self.emphasis += 1,
            Tag::Strikethrough => {
                if let Some(Block { kind: Kind::Item { struck, .. }, .. }) = &mut self.open {
                    *struck = true;
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::List(_) => {
                self.flush();
                self.depth = self.depth.saturating_sub(1);
            }
            TagEnd::Emphasis => self.emphasis = self.emphasis.saturating_sub(1),
            TagEnd::TableCell => {
                if let Some(Block { kind: Kind::Row(cells), text, .. }) = &mut self.open {
                    cells.push(std::mem::take(text));
                }
            }
            TagEnd::Heading(_)
            | TagEnd::Paragraph
            | TagEnd::Item
            | TagEnd::TableHead
            | TagEnd::TableRow => self.flush(),
            _ => {}
        }
    }

    fn begin(&mut self, kind: Kind) {
        self.flush();
        let text = String::new();
        self.open = Some(Block { kind, depth: self.depth, text, emphasised: true });
    }

    fn add(&mut self, text: &str) {
        if let Some(open) = &mut self.open {
            open.text.push_str(text);
            open.emphasised &= self.emphasis > 0 || text.trim().is_empty();
        }
    }

    fn flush(&mut self) {
        if let Some(block) = self.open.take() {
            let text = block.text.trim().to_owned();
            if !text.is_empty() || matches!(block.kind, Kind::Row(_)) {
                self.blocks.push(Block { text, ..block });
            }
        }
    }
}
