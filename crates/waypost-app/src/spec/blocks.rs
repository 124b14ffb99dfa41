//! Markdown as a list of blocks: headings, paragraphs, items of lists and rows of tables, each with its
//! plain text. Code blocks, HTML and comments are left out.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// No more blocks than this are looked at.
const MAX_BLOCKS: usize = 20_000;

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// A heading.
    Heading {
        /// 1 is the highest.
        level: usize,
        /// What it says.
        text: String,
    },
    /// A paragraph outside lists, with its line breaks.
    Paragraph(String),
    /// An item of a list.
    Item(Item),
    /// The cells of a table's row; the heading's too.
    Row(Vec<String>),
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Item {
    /// What it says, without the items below it.
    pub(super) text: String,
    /// 1 is the outermost list.
    pub(super) depth: usize,
    /// Whether its box is ticked, if it has one.
    pub(super) ticked: Option<bool>,
    /// Whether something in it is struck out.
    pub(super) struck: bool,
}

/// Takes a document apart. What is nothing but emphasis is a template's remark and left out.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let options =
        Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let mut walk = Walk::default();
    for event in Parser::new_ext(text, options) {
        if walk.blocks.len() >= MAX_BLOCKS {
            break;
        }
        walk.take(event);
    }
    walk.blocks
}

/// Text as it is collected.
#[derive(Debug, Default)]
struct Span {
    text: String,
    /// Whether some of it is not emphasised.
    is_said: bool,
}

#[derive(Debug, Default)]
struct Walk {
    blocks: Vec<Block>,
    span: Span,
    items: Vec<Item>,
    row: Vec<String>,
    emphasis: usize,
    is_code: bool,
}

impl Walk {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) if !self.is_code => self.add(&text),
            Event::SoftBreak | Event::HardBreak => self.span.text.push('\n'),
            Event::TaskListMarker(ticked) => {
                if let Some(item) = self.items.last_mut() {
                    item.ticked = Some(ticked);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, text: &str) {
        self.span.text.push_str(text);
        self.span.is_said |= self.emphasis == 0 && !text.trim().is_empty();
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            // What an item says ends where a list below it begins.
            Tag::List(_) => self.flush_item(),
            Tag::Item => {
                let depth = self.items.len() + 1;
                self.items.push(Item { depth, ..Item::default() });
                self.span = Span::default();
            }
            Tag::Emphasis => self.emphasis += 1,
            Tag::Strikethrough => {
                if let Some(item) = self.items.last_mut() {
                    item.struck = true;
                }
            }
            Tag::CodeBlock(_) => self.is_code = true,
            Tag::Heading { .. } | Tag::TableCell => self.span = Span::default(),
            Tag::Paragraph if self.items.is_empty() => self.span = Span::default(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => {
                let text = std::mem::take(&mut self.span).text;
                self.blocks.push(Block::Heading { level: level as usize, text });
            }
            TagEnd::Paragraph if self.items.is_empty() => {
                let span = std::mem::take(&mut self.span);
                if span.is_said {
                    self.blocks.push(Block::Paragraph(span.text));
                }
            }
            TagEnd::Paragraph => self.span.text.push('\n'),
            TagEnd::Item => {
                self.flush_item();
                self.items.pop();
            }
            TagEnd::Emphasis => self.emphasis = self.emphasis.saturating_sub(1),
            TagEnd::CodeBlock => self.is_code = false,
            TagEnd::TableCell => self.row.push(std::mem::take(&mut self.span).text),
            TagEnd::TableHead | TagEnd::TableRow => {
                self.blocks.push(Block::Row(std::mem::take(&mut self.row)));
            }
            _ => {}
        }
    }

    fn flush_item(&mut self) {
        let span = std::mem::take(&mut self.span);
        if let Some(item) = self.items.last()
            && span.is_said
        {
            self.blocks.push(Block::Item(Item { text: span.text, ..item.clone() }));
        }
    }
}
