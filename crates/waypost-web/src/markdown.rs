//! Markdown that people and agents wrote, as safe HTML: raw HTML is shown as text, images as their words, and only links
//! to the web and within the page can be followed. Every text goes through the same escaping as on all pages.
//!
//! Whatever is written, the work is linear: what is nested too deep is shown without its nesting, and what is too long ends.

mod highlight;
mod inline;

use std::collections::BTreeSet;

use maud::{Markup, html};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use waypost_app::documents::spec::Spec;
use waypost_core::text::{one_line, slug};

use crate::marked::Words;
use crate::parts::{Tone, mark, text};
use inline::link;

/// The deepest nesting that is shown: each level copies what is inside.
const MAX_DEPTH: usize = 24;
/// No more events than this are shown.
const MAX_EVENTS: usize = 200_000;

/// What is to be marked in a document, by its words.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    open: BTreeSet<String>,
    blocking: BTreeSet<String>,
    answered: BTreeSet<String>,
    decisions: BTreeSet<String>,
}

impl Marks {
    /// The questions and decisions of a spec.
    pub(crate) fn of(spec: &Spec) -> Self {
        let set = |texts: &[String]| texts.iter().cloned().collect();
        Self {
            open: set(&spec.open_questions),
            blocking: set(&spec.blocking),
            answered: spec.answered.iter().map(|(question, _)| question.clone()).collect(),
            decisions: spec.decisions.iter().map(|decision| decision.title.clone()).collect(),
        }
    }

    /// The mark of an item or a cell of a table, if it has one.
    fn of_item(&self, said: &str) -> Option<Markup> {
        let words = one_line(said);
        if self.blocking.contains(&words) {
            return Some(mark(Tone::Bad, "blocking question"));
        }
        if self.open.contains(&words) {
            return Some(mark(Tone::Warn, "open question"));
        }
        let begins = |known: &String| !known.is_empty() && words.starts_with(known.as_str());
        if self.answered.iter().any(begins) {
            return Some(mark(Tone::Good, "answered"));
        }
        self.of_title(said)
    }

    /// The mark of a heading, or of the first line of an item.
    fn of_title(&self, said: &str) -> Option<Markup> {
        let first = one_line(said.trim().lines().next().unwrap_or_default());
        let is_decided =
            self.decisions.contains(&first) || self.decisions.contains(unnumbered(&first));
        is_decided.then(|| mark(Tone::Calm, "decision"))
    }
}

fn unnumbered(words: &str) -> &str {
    let rest = words.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.strip_prefix(['.', ')']).map_or(words, str::trim_start)
}

/// A document. Its headings begin one below the page's title.
pub(crate) fn render(source: &str, marks: &Marks) -> Markup {
    write(source, marks, None)
}

/// What somebody said among others who did: its headings are none of the page's and have no names, so that no link leads
/// to them, and words that were looked for are marked.
pub(crate) fn said(source: &str, found: &Words) -> Markup {
    write(source, &Marks::default(), Some(found))
}

fn write(source: &str, marks: &Marks, said: Option<&Words>) -> Markup {
    let options =
        Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let open = vec![Frame::new(Shape::Document)];
    let mut writing = Writing { marks, said, open, too_deep: 0, ids: BTreeSet::new() };
    for event in Parser::new_ext(source, options).take(MAX_EVENTS) {
        writing.take(event);
    }
    while writing.open.len() > 1 {
        writing.close();
    }
    let whole = writing.open.pop().map(|frame| frame.inside).unwrap_or_default();
    html! { div.prose { (joined(&whole)) } }
}

fn joined(parts: &[Markup]) -> Markup {
    html! { @for part in parts { (part) } }
}

/// What something open becomes when it closes.
enum Shape {
    Document,
    Paragraph,
    Heading(HeadingLevel),
    Quote,
    Bullets,
    Numbers(u64),
    Item,
    Code(String),
    Table,
    Head,
    Row,
    Cell,
    Emphasis,
    Strong,
    Struck,
    Link(String),
    Image,
    Raw,
    Plain,
}

/// Something that is open.
struct Frame {
    shape: Shape,
    inside: Vec<Markup>,
    /// Its own words, without those of lists in it.
    words: String,
    /// Whether a list in it has begun, so that what follows is not its own.
    beyond: bool,
    in_head: bool,
}

impl Frame {
    fn new(shape: Shape) -> Self {
        Self { shape, inside: Vec::new(), words: String::new(), beyond: false, in_head: false }
    }
}

struct Writing<'m> {
    marks: &'m Marks,
    /// Of what was said: the words that were looked for.
    said: Option<&'m Words>,
    open: Vec<Frame>,
    /// How much is open that is nested too deep to be shown so.
    too_deep: usize,
    /// The names of headings so far.
    ids: BTreeSet<String>,
}

impl Writing<'_> {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(&tag),
            Event::End(_) if self.too_deep > 0 => self.too_deep -= 1,
            Event::End(TagEnd::TableHead) => {
                self.close();
                self.last().in_head = false;
            }
            Event::End(_) => self.close(),
            // Footnotes and formulas are not asked for: where there are any, they are shown as they stand.
            Event::Text(words)
            | Event::FootnoteReference(words)
            | Event::InlineMath(words)
            | Event::DisplayMath(words) => self.say(&words),
            Event::Code(words) => {
                self.hear(&words);
                let words = self.worded(&words);
                self.put(html! { code { (words) } });
            }
            Event::InlineHtml(raw) => self.put(html! { code.raw { (text(&raw)) } }),
            Event::Html(raw) => self.say(&raw),
            Event::SoftBreak => self.say("\n"),
            Event::HardBreak => {
                self.hear("\n");
                self.put(html! { br; });
            }
            Event::Rule => self.put(html! { hr; }),
            Event::TaskListMarker(done) => {
                let (sign, word) = if done { ("☑", "done") } else { ("☐", "to do") };
                self.put(html! { span.tick role="img" aria-label=(word) { (sign) } " " });
            }
        }
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        if self.open.len() >= MAX_DEPTH || self.too_deep > 0 {
            self.too_deep += 1;
            return;
        }
        if let Tag::List(_) = tag {
            self.last().beyond = true;
        }
        let in_head = matches!(tag, Tag::TableHead) || self.last().in_head;
        let shape = match tag {
            Tag::Paragraph => Shape::Paragraph,
            Tag::Heading { level, .. } => Shape::Heading(*level),
            Tag::BlockQuote(_) => Shape::Quote,
            Tag::CodeBlock(CodeBlockKind::Indented) => Shape::Code(String::new()),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                let name = info.split([' ', ',', '{']).next().unwrap_or_default();
                Shape::Code(name.to_lowercase())
            }
            Tag::HtmlBlock => Shape::Raw,
            Tag::List(None) => Shape::Bullets,
            Tag::List(Some(first)) => Shape::Numbers(*first),
            Tag::Item => Shape::Item,
            Tag::Table(_) => Shape::Table,
            Tag::TableHead => Shape::Head,
            Tag::TableRow => Shape::Row,
            Tag::TableCell => Shape::Cell,
            Tag::Emphasis => Shape::Emphasis,
            Tag::Strong => Shape::Strong,
            Tag::Strikethrough => Shape::Struck,
            Tag::Link { dest_url, .. } => Shape::Link(dest_url.to_string()),
            Tag::Image { .. } => Shape::Image,
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => Shape::Plain,
        };
        self.open.push(Frame { in_head, ..Frame::new(shape) });
    }

    fn close(&mut self) {
        if self.open.len() < 2 {
            return;
        }
        let Some(frame) = self.open.pop() else { return };
        let own = !matches!(frame.shape, Shape::Bullets | Shape::Numbers(_) | Shape::Table);
        if own {
            self.hear(&frame.words);
            if matches!(frame.shape, Shape::Paragraph) {
                self.hear("\n");
            }
        }
        let shown = match &frame.shape {
            Shape::Heading(_) if self.said.is_some() => {
                html! { p { strong { (joined(&frame.inside)) } } }
            }
            Shape::Heading(level) => {
                let id = self.named(&frame.words);
                frame.heading(*level, &id, self.marks)
            }
            Shape::Link(to) if self.said.is_some() && to.starts_with('#') => joined(&frame.inside),
            Shape::Code(_) if self.said.is_some_and(|found| !found.is_empty()) => {
                html! { pre { code { (self.worded(&frame.words)) } } }
            }
            _ => frame.shown(self.marks),
        };
        self.put(shown);
    }

    /// A name for a heading, that no other has.
    fn named(&mut self, words: &str) -> String {
        let slug = slug(words);
        let mut id = format!("s-{slug}");
        if !self.ids.insert(id.clone()) {
            id = format!("s-{slug}-{}", self.ids.len());
            self.ids.insert(id.clone());
        }
        id
    }

    fn say(&mut self, words: &str) {
        self.hear(words);
        // What is code or raw is shown as a whole when it closes.
        if !matches!(self.last().shape, Shape::Code(_) | Shape::Raw | Shape::Image) {
            let words = self.worded(words);
            self.put(words);
        }
    }

    fn worded(&self, words: &str) -> Markup {
        self.said.map_or_else(|| text(words), |found| found.marked_in(words))
    }

    fn hear(&mut self, words: &str) {
        let last = self.last();
        if !last.beyond {
            last.words.push_str(words);
        }
    }

    fn put(&mut self, part: Markup) {
        self.last().inside.push(part);
    }

    fn last(&mut self) -> &mut Frame {
        if self.open.is_empty() {
            self.open.push(Frame::new(Shape::Document));
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }
}

impl Frame {
    fn shown(&self, marks: &Marks) -> Markup {
        let inside = joined(&self.inside);
        match &self.shape {
            Shape::Document | Shape::Plain | Shape::Heading(_) => inside,
            Shape::Paragraph => html! { p { (inside) } },
            Shape::Quote => html! { blockquote { (inside) } },
            Shape::Bullets => html! { ul { (inside) } },
            Shape::Numbers(first) => html! { ol start=(first) { (inside) } },
            Shape::Item => {
                let mark = marks.of_item(&self.words);
                html! {
                    li class=[mark.is_some().then_some("marked")] { @if let Some(mark) = &mark { (mark) " " } (inside) }
                }
            }
            Shape::Code(name) => highlight::block(name, &self.words),
            Shape::Table => html! { div.scroll { table { (inside) } } },
            Shape::Head => html! { thead { tr { (inside) } } },
            Shape::Row => html! { tr { (inside) } },
            Shape::Cell if self.in_head => html! { th scope="col" { (inside) } },
            Shape::Cell => {
                let mark = marks.of_item(&self.words);
                html! { td { (inside) @if let Some(mark) = &mark { " " (mark) } } }
            }
            Shape::Emphasis => html! { em { (inside) } },
            Shape::Strong => html! { strong { (inside) } },
            Shape::Struck => html! { s { (inside) } },
            Shape::Link(to) => link(to, &inside),
            Shape::Image => html! { span.image { "Image: " (text(&self.words)) } },
            Shape::Raw => html! { pre.raw { (text(self.words.trim_end())) } },
        }
    }

    fn heading(&self, level: HeadingLevel, id: &str, marks: &Marks) -> Markup {
        let marked = marks.of_title(&self.words);
        let inside = html! { (joined(&self.inside)) @if let Some(mark) = &marked { " " (mark) } };
        match level {
            HeadingLevel::H1 => html! { h2 id=(id) { (inside) } },
            HeadingLevel::H2 => html! { h3 id=(id) { (inside) } },
            HeadingLevel::H3 => html! { h4 id=(id) { (inside) } },
            HeadingLevel::H4 => html! { h5 id=(id) { (inside) } },
            HeadingLevel::H5 | HeadingLevel::H6 => html! { h6 id=(id) { (inside) } },
        }
    }
}

#[cfg(test)]
mod tests;
