//! Markdown as a row of headings, paragraphs and list items, in the order in which a reader meets
//! them. What stands in code blocks, quotations and comments is none of these.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// What it is.
    pub(super) kind: Kind,
    /// In how many lists it stands; an item counts its own.
    pub(super) depth: usize,
    /// Its text, without marks.
    pub(super) text: String,
}

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading of a level from 1.
    Heading(u8),
    /// A paragraph.
    Paragraph,
    /// An item of a list, and whether it has a box to tick.
    Item {
        /// Whether it has one.
        boxed: bool,
    },
}

/// The blocks of a text.
pub(super) fn of(text: &str) -> Vec<Block> {
    let mut reading = Reading::default();
    for event in Parser::new_ext(text, Options::ENABLE_TASKLISTS) {
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
    /// How many code blocks, quotations and comments are open.
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
            Event::Start(Tag::Heading { level, .. }) => self.begin(Kind::Heading(level as u8)),
            Event::Start(Tag::List(_)) => {
                self.flush();
                self.depth += 1;
            }
            Event::End(TagEnd::List(_)) => {
                self.flush();
                self.depth = self.depth.saturating_sub(1);
            }
            Event::Start(Tag::Item) => self.begin(Kind::Item { boxed: false }),
            // The first paragraph of an item is the item's own text.
            Event::Start(Tag::Paragraph) if self.open.is_none() => self.begin(Kind::Paragraph),
            Event::End(TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item) => self.flush(),
            Event::TaskListMarker(_) => {
                if let Some(Block { kind: Kind::Item { boxed }, .. }) = &mut self.open {
                    *boxed = true;
                }
            }
            Event::Text(text) | Event::Code(text) => self.add(&text),
            Event::SoftBreak | Event::HardBreak => self.add("\n"),
            _ => {}
        }
    }

    fn begin(&mut self, kind: Kind) {
        self.flush();
        self.open = Some(Block { kind, depth: self.depth, text: String::new() });
    }

    fn add(&mut self, text: &str) {
        if let Some(open) = &mut self.open {
            open.text.push_str(text);
        }
    }

    fn flush(&mut self) {
        if let Some(block) = self.open.take() {
            let text = block.text.trim().to_owned();
            if !text.is_empty() {
                self.blocks.push(Block { text, ..block });
            }
        }
    }
}
