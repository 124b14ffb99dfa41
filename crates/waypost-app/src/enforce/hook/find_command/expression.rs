//! The expression of a search, read as `find` reads it.

use waypost_core::shell::Word;

use super::super::programs::{Deed, deed};
use super::super::readings::Reading;
use super::Concern;
use super::file_test::{FileTest, Found, endings};

/// A search's expression.
#[derive(Debug)]
pub(super) struct Expression {
    top: Node,
    /// What is in a folder comes before it, so that it cannot be left out.
    depth_first: bool,
    least: usize,
    most: usize,
}

/// A part of an expression.
#[derive(Debug)]
enum Node {
    Test(FileTest),
    Not(Box<Node>),
    All(Vec<Node>),
    Any(Vec<Node>),
    /// One after the other; the last one's answer counts.
    Each(Vec<Node>),
    Prune,
    /// Something of interest is done. The answer is that of the program, if one is run for each file.
    Act {
        deed: Deed,
        answers: bool,
    },
}

/// What would happen at a file.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// Something is done to it.
    pub(super) takes: bool,
    /// Something is done to it and everything in it.
    pub(super) takes_all: bool,
    /// What is in it is left out.
    pub(super) pruned: bool,
}

impl Expression {
    pub(super) fn of(words: &[Word], concern: Concern, reading: &Reading<'_>) -> Self {
        let mut parser = Parser {
            words,
            at: 0,
            concern,
            reading,
            prints: false,
            depth_first: false,
            least: 0,
            most: usize::MAX,
        };
        let mut top = parser.list();
        // Without an action, what fits is printed.
        if !parser.prints && parser.prints_for_others() {
            let act = Node::Act { deed: Deed::All, answers: false };
            top = Node::All(vec![top, act]);
        }
        let Parser { depth_first, least, most, .. } = parser;
        Self { top, depth_first, least, most }
    }

    /// Whether it does anything of interest.
    pub(super) fn acts(&self) -> bool {
        self.top.acts()
    }

    pub(super) fn judge(&self, found: &Found<'_>) -> Judged {
        let mut judged = Judged::default();
        let depth = found.shown.map(|(_, depth)| depth);
        if depth.is_none_or(|depth| (self.least..=self.most).contains(&depth)) {
            self.top.ask(found, true, &mut judged);
        }
        judged.pruned |= depth.is_some_and(|depth| depth >= self.most);
        judged.pruned &= !self.depth_first || depth.is_some_and(|depth| depth >= self.most);
        judged
    }
}

impl Node {
    fn acts(&self) -> bool {
        match self {
            Self::Act { .. } => true,
            Self::Not(inner) => inner.acts(),
            Self::All(parts) | Self::Any(parts) | Self::Each(parts) => parts.iter().any(Self::acts),
            Self::Test(_) | Self::Prune => false,
        }
    }

    /// The answer for a file. `surely` tells whether this part is asked for certain.
    fn ask(&self, found: &Found<'_>, surely: bool, judged: &mut Judged) -> Option<bool> {
        match self {
            Self::Test(test) => test.answer(found),
            Self::Not(inner) => inner.ask(found, surely, judged).map(|answer| !answer),
            Self::All(parts) => chain(parts, false, found, surely, judged),
            Self::Any(parts) => chain(parts, true, found, surely, judged),
            Self::Each(parts) => {
                parts.iter().map(|part| part.ask(found, surely, judged)).last().flatten()
            }
            Self::Prune => {
                judged.pruned |= surely;
                Some(true)
            }
            Self::Act { deed, answers } => {
                judged.takes |= *deed != Deed::Files || !found.is_folder();
                judged.takes_all |= *deed == Deed::All;
                if *answers { None } else { Some(true) }
            }
        }
    }
}

/// The answer of parts that are asked until one answers `end`.
fn chain(
    parts: &[Node],
    end: bool,
    found: &Found<'_>,
    mut surely: bool,
    judged: &mut Judged,
) -> Option<bool> {
    let mut answer = Some(!end);
    for part in parts {
        match part.ask(found, surely, judged) {
            Some(one) if one == end => return Some(end),
            Some(_) => {}
            None => (surely, answer) = (false, None),
        }
    }
    answer
}

/// Reads an expression.
struct Parser<'a, 'r> {
    words: &'a [Word],
    at: usize,
    concern: Concern,
    reading: &'r Reading<'r>,
    /// Whether it says itself what is done.
    prints: bool,
    depth_first: bool,
    least: usize,
    most: usize,
}

impl<'a> Parser<'a, '_> {
    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).map(|word| word.text.as_str())
    }

    fn next(&mut self) -> Option<&'a Word> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word)
    }

    fn list(&mut self) -> Node {
        self.joined(&[","], Self::any, Node::Each)
    }

    fn any(&mut self) -> Node {
        self.joined(&["-o", "-or"], Self::all, Node::Any)
    }

    fn joined(
        &mut self,
        by: &[&str],
        part: fn(&mut Self) -> Node,
        join: fn(Vec<Node>) -> Node,
    ) -> Node {
        let mut parts = vec![part(self)];
        while self.peek().is_some_and(|word| by.contains(&word)) {
            self.at += 1;
            parts.push(part(self));
        }
        if parts.len() > 1 { join(parts) } else { parts.remove(0) }
    }

    fn all(&mut self) -> Node {
        let mut parts = Vec::new();
        while let Some(word) = self.peek() {
            match word {
                "-o" | "-or" | "," | ")" => break,
                "-a" | "-and" => self.at += 1,
                _ => parts.push(self.one()),
            }
        }
        Node::All(parts)
    }

    fn one(&mut self) -> Node {
        let Some(word) = self.next() else { return Node::Test(FileTest::Always(true)) };
        match word.text.as_str() {
            "!" | "-not" => Node::Not(Box::new(self.one())),
            "(" => {
                let inner = self.list();
                self.at += usize::from(self.peek() == Some(")"));
                inner
            }
            "-prune" => Node::Prune,
            "-delete" => {
                (self.prints, self.depth_first) = (true, true);
                self.act(Deed::Files, false)
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => self.program(),
            "-print" | "-print0" | "-ls" => self.print(),
            "-printf" => {
                self.at += 1;
                self.print()
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                self.at += 1 + usize::from(word.text == "-fprintf");
                self.prints = true;
                Node::Test(FileTest::Always(true))
            }
            other => Node::Test(self.test(other)),
        }
    }

    /// What it does with what is found, if that is of interest.
    fn act(&self, deed: Deed, answers: bool) -> Node {
        match (self.concern, answers) {
            (Concern::Reading, _) => Node::Act { deed: Deed::All, answers },
            (Concern::Changing { .. }, _) if deed != Deed::Reads => Node::Act { deed, answers },
            (_, true) => Node::Test(FileTest::Unclear),
            (_, false) => Node::Test(FileTest::Always(true)),
        }
    }

    fn prints_for_others(&self) -> bool {
        matches!(self.concern, Concern::Changing { handed_on: true } | Concern::Reading)
    }

    fn print(&mut self) -> Node {
        self.prints = true;
        self.act(if self.prints_for_others() { Deed::All } else { Deed::Reads }, false)
    }

    fn program(&mut self) -> Node {
        self.prints = true;
        let command = &self.words[self.at..];
        let end = command.iter().position(|word| matches!(word.text.as_str(), ";" | "+"));
        let end = end.unwrap_or(command.len());
        let each = command.get(end).is_none_or(|word| word.text == ";");
        self.at += (end + 1).min(command.len());
        let words: Vec<&str> = command[..end].iter().map(|word| word.text.as_str()).collect();
        if each && matches!(words.as_slice(), ["test", "-e", "{}"] | ["[", "-e", "{}", "]"]) {
            return Node::Test(FileTest::There);
        }
        self.act(deed(&command[..end]), each)
    }

    fn test(&mut self, name: &str) -> FileTest {
        let any_case = name.starts_with("-i");
        match name {
            "-xtype" if self.peek() == Some("l") => {
                self.at += 1;
                FileTest::Broken
            }
            "-name" | "-iname" => self.pattern(|patterns| FileTest::Name { patterns, any_case }),
            "-path" | "-ipath" | "-wholename" | "-iwholename" => {
                self.pattern(|patterns| FileTest::Path { patterns, any_case })
            }
            "-regex" | "-iregex" => {
                let endings =
                    self.next().filter(|word| word.literal).and_then(|word| endings(&word.text));
                endings.map_or(FileTest::Unclear, |endings| FileTest::Ending { endings, any_case })
            }
            "-type" => self.pattern(FileTest::Kind),
            "-size" => self.pattern(FileTest::Size),
            "-empty" => FileTest::Empty,
            "-true" => FileTest::Always(true),
            "-false" => FileTest::Always(false),
            "-maxdepth" => {
                self.most = self.number().unwrap_or(usize::MAX);
                FileTest::Always(true)
            }
            "-mindepth" => {
                self.least = self.number().unwrap_or(0);
                FileTest::Always(true)
            }
            "-depth" | "-d" => {
                self.depth_first = true;
                FileTest::Always(true)
            }
            "-mount" | "-xdev" | "-noleaf" | "-daystart" | "-warn" | "-nowarn" | "-follow" => {
                FileTest::Always(true)
            }
            "-regextype" => {
                self.at += 1;
                FileTest::Always(true)
            }
            "-readable" | "-writable" | "-executable" | "-nouser" | "-nogroup" | "-quit" => {
                FileTest::Unclear
            }
            // All others ask about what stands behind them.
            _ => {
                self.at += usize::from(name.starts_with('-'));
                FileTest::Unclear
            }
        }
    }

    fn number(&mut self) -> Option<usize> {
        self.next()?.text.parse().ok()
    }

    /// A test of what stands next, as far as that is spelt out.
    fn pattern(&mut self, test: impl FnOnce(Vec<String>) -> FileTest) -> FileTest {
        let Some(word) = self.next() else { return FileTest::Unclear };
        let texts = self.reading.texts(&word.text, word.literal);
        let is_clear = |text: &String| word.literal || !text.contains(['$', '`', '{']);
        if texts.iter().all(is_clear) { test(texts) } else { FileTest::Unclear }
    }
}
