//! The file as a row of headings, paragraphs, list items, table rows and code, in the order in which a reader meets
//! them, each with its line. Code spans keep their backticks, so that what stands in them is told apart.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::wording::{key_word, raised};

/// No more pieces than this are looked at.
const MAX_BLOCKS: usize = 20_000;
/// What is deeper in lists than this is read as if it were not.
const MAX_DEPTH: usize = 64;
/// In longer rows, in bytes, nobody looks for code.
const MAX_ROW: usize = 8 * 1024;

/// A piece of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// Its text, with nothing marked but code.
    pub(super) text: String,
    /// The line that it begins at, from 1.
    pub(super) line: usize,
}

/// What a piece is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading of a level from 1.
    Heading(u8),
    /// A paragraph, and in how many lists it stands.
    Paragraph(usize),
    /// An item of a list: how deep it stands, and whether it has a box to tick.
    Item(usize, bool),
    /// The cells of a table's heading.
    Head(Vec<String>),
    /// The cells of a table's row.
    Row(Vec<String>),
    /// A block of code: what it says, whether it is closed, and in how many lists it stands.
    Code(String, bool, usize),
}

impl Block {
    /// Whether a key word stands in it.
    pub(super) fn has_key_word(&self) -> bool {
        match &self.kind {
            Kind::Row(cells) => cells.iter().any(|cell| key_word(cell).is_some()),
            Kind::Code(code, ..) => code.lines().any(|line| key_word(line).is_some()),
            _ => key_word(&self.text).is_some(),
        }
    }

    /// Writes the key words in it as such. Code stays as it is.
    pub(super) fn raise(&mut self) {
        self.text = raised(&self.text);
        if let Kind::Row(cells) = &mut self.kind {
            for cell in cells {
                *cell = raised(cell);
            }
        }
    }
}

/// The pieces of a text, and whether there were more of them than are read.
pub(super) fn blocks(text: &str) -> (Vec<Block>, bool) {
    let options = Options::ENABLE_TASKLISTS
        | Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_GFM;
    let mut reading = Reading { text, lines: Lines::of(text), ..Reading::default() };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        if reading.blocks.len() >= MAX_BLOCKS {
            return (reading.blocks, true);
        }
        reading.take(event, range);
    }
    reading.flush();
    (reading.blocks, false)
}

/// Where lines begin.
#[derive(Default)]
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect())
    }

    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset).max(1)
    }
}

#[derive(Default)]
struct Reading<'t> {
    text: &'t str,
    lines: Lines,
    blocks: Vec<Block>,
    open: Option<Block>,
    depth: usize,
    /// Where the code begins that is being read.
    code: Option<(usize, String)>,
    /// How many pieces of HTML, and of what is struck out, are open.
    hidden: usize,
    in_row: bool,
}

impl Reading<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::BlockQuote(_)) | Event::End(TagEnd::BlockQuote(_)) => self.flush(),
            Event::Start(Tag::HtmlBlock) => {
                self.flush();
                self.hidden += 1;
            }
            // What somebody struck out is not asked for any more.
            Event::Start(Tag::Strikethrough) => self.hidden += 1,
            Event::End(TagEnd::HtmlBlock | TagEnd::Strikethrough) => {
                self.hidden = self.hidden.saturating_sub(1);
            }
            _ if self.hidden > 0 => {}
            Event::Start(Tag::CodeBlock(_)) => {
                self.flush();
                self.code = Some((range.start, String::new()));
            }
            Event::End(TagEnd::CodeBlock) => self.end_code(&range),
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag),
            Event::TaskListMarker(_) => {
                if let Some(Block { kind: Kind::Item(_, boxed), .. }) = &mut self.open {
                    *boxed = true;
                }
            }
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.add(&text),
            },
            Event::Code(text) => {
                self.add("`");
                self.add(&text.replace('`', "'"));
                self.add("`");
            }
            Event::SoftBreak | Event::HardBreak => self.add(" "),
            _ => {}
        }
    }

    fn end_code(&mut self, range: &Range<usize>) {
        let Some((start, code)) = self.code.take() else { return };
        let raw = self.text.get(range.clone()).unwrap_or_default();
        let fence = raw.trim_start().chars().next().filter(|c| matches!(c, '`' | '~'));
        let last = raw.trim_end().lines().last().unwrap_or_default();
        // In a quotation each line begins with its sign.
        let last = last.trim_start_matches([' ', '\t', '>']).trim_end();
        let closed = match fence {
            None => true,
            Some(fence) => {
                raw.trim_end().lines().count() > 1
                    && last.len() >= 3
                    && last.chars().all(|c| c == fence)
            }
        };
        let line = self.lines.at(start);
        let kind = Kind::Code(code, closed, self.depth);
        self.blocks.push(Block { kind, text: String::new(), line });
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        let line = self.lines.at(range.start);
        match tag {
            Tag::Heading { level, .. } => self.begin(Kind::Heading(*level as u8), line),
            Tag::List(_) => {
                self.flush();
                self.depth = (self.depth + 1).min(MAX_DEPTH);
            }
            Tag::Item => self.begin(Kind::Item(self.depth, false), line),
            // The first paragraph of an item is the item's own text.
            Tag::Paragraph if self.open.is_none() => self.begin(Kind::Paragraph(self.depth), line),
            Tag::TableHead | Tag::TableRow => {
                self.flush();
                self.in_row = true;
                let raw = self.text.get(range).unwrap_or_default();
                // A pipe inside code parts no cells, whatever a renderer makes of it.
                let cells = cells(raw.lines().next().unwrap_or_default());
                let is_head = matches!(tag, Tag::TableHead);
                let kind = if is_head { Kind::Head(cells) } else { Kind::Row(cells) };
                self.blocks.push(Block { kind, text: String::new(), line });
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
            TagEnd::TableHead | TagEnd::TableRow => self.in_row = false,
            TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item => self.flush(),
            _ => {}
        }
    }

    fn begin(&mut self, kind: Kind, line: usize) {
        self.flush();
        self.open = Some(Block { kind, text: String::new(), line });
    }

    fn add(&mut self, text: &str) {
        if let Some(open) = self.open.as_mut().filter(|_| !self.in_row) {
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

/// The cells of a table's row, without marks but those of code.
pub(super) fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    if line.len() > MAX_ROW {
        return line.split('|').map(|cell| cell.trim().to_owned()).collect();
    }
    let mut cells = vec![String::new()];
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '`' => code_span(rest),
            '\\' => rest.chars().take(2).map(char::len_utf8).sum(),
            _ => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(taken);
        rest = after;
        match (piece, cells.last_mut()) {
            ("|", _) => cells.push(String::new()),
            ("\\|", Some(cell)) => cell.push('|'),
            (piece, Some(cell)) => cell.push_str(piece),
            (_, None) => {}
        }
    }
    if cells.len() > 1 && cells.last().is_some_and(|last| last.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().replace("**", "")).collect()
}

/// How many bytes the code takes that begins here; the backticks alone if it never ends.
fn code_span(text: &str) -> usize {
    let run = text.bytes().take_while(|byte| *byte == b'`').count();
    let (open, rest) = text.split_at(run);
    let mut at = 0;
    while let Some(found) = rest.get(at..).and_then(|rest| rest.find(open)) {
        let start = at + found;
        let end = start + run;
        let longer = rest.as_bytes().get(end) == Some(&b'`');
        if !longer {
            return run + end;
        }
        let run_on = rest.bytes().skip(start).take_while(|byte| *byte == b'`').count();
        at = start + run_on;
    }
    run
}
