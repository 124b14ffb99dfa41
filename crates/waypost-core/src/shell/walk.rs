//! Walks a parsed command line and collects its simple commands.

use std::rc::Rc;

use brush_parser::ast::{
    self, AndOr, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList,
    SeparatorOperator,
};
use brush_parser::{Parser, ParserOptions};

use super::companion::{self, Options};
use super::folder::Folders;
use super::standing::{BESIDE, ExitStanding, LOST, PIPED};
use super::{Document, MAX_DEPTH, Simple, Tampering, Word, Write, too_much};

pub(super) struct Walker {
    pub(super) commands: Vec<Simple>,
    pub(super) opaque: Option<String>,
    pub(super) writes: Vec<Write>,
    pub(super) writes_unknown: bool,
    pub(super) reads: Vec<Word>,
    pub(super) documents: Vec<Document>,
    /// Where a search begins whose finds the command at hand is given as `{}`.
    pub(super) searched: Vec<Word>,
    /// The length of all paths in `writes`.
    pub(super) written: usize,
    pub(super) tampering: Tampering,
    /// Whether there are no redirects, substitutions, compound commands and the like.
    pub(super) plain: bool,
    pub(super) folders: Folders,
    /// What the command at hand reads from its standard input, if that is known.
    pub(super) feed: Option<Rc<str>>,
    /// What the command at hand writes to its standard output, if somebody reads it.
    pub(super) output: Option<String>,
    pub(super) is_read: bool,
    pub(super) options: Options,
}

impl Walker {
    pub(super) fn new() -> Self {
        Self {
            commands: Vec::new(),
            opaque: None,
            writes: Vec::new(),
            writes_unknown: false,
            reads: Vec::new(),
            documents: Vec::new(),
            searched: Vec::new(),
            written: 0,
            tampering: Tampering::default(),
            plain: true,
            folders: Folders::default(),
            feed: None,
            output: None,
            is_read: false,
            options: Options::default(),
        }
    }

    pub(super) fn give_up(&mut self, reason: &str) {
        self.opaque.get_or_insert_with(|| reason.to_owned());
    }

    pub(super) fn too_deep(&mut self, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            self.give_up(&format!("it is nested deeper than {MAX_DEPTH} levels"));
        }
        depth > MAX_DEPTH
    }

    pub(super) fn line(&mut self, line: &str, depth: usize, standing: &ExitStanding) {
        if self.too_deep(depth) {
            return;
        }
        // What was put together from words can be worse than the line that they were in.
        if let Some(reason) = too_much(line) {
            self.give_up(&reason);
            return;
        }
        let options = ParserOptions::default();
        // The parser never ends, and takes all memory, where the end of the input comes before a
        // here-document that is to end at an empty line. So there is one for each.
        let documents = line.matches("<<").count();
        let padding = if documents > 0 { "\n".repeat(documents + 2) } else { String::new() };
        let input = std::io::Read::chain(line.as_bytes(), padding.as_bytes());
        match Parser::new(input, &options).parse_program() {
            Ok(program) => {
                let items = program.complete_commands.iter().flat_map(|list| &list.0);
                self.items(&items.collect::<Vec<_>>(), depth, standing);
            }
            Err(_) => self.give_up("it cannot be parsed as a shell command"),
        }
    }

    /// A line that another shell runs, which changes nothing about where this one is.
    pub(super) fn line_elsewhere(&mut self, line: &str, depth: usize, standing: &ExitStanding) {
        let (before, options) = (self.folders.clone(), self.options);
        self.line(line, depth, standing);
        self.folders.back(before);
        self.options = options;
    }

    fn list(&mut self, list: &CompoundList, depth: usize, standing: &ExitStanding) {
        self.items(&list.0.iter().collect::<Vec<_>>(), depth, standing);
    }

    /// Commands one after the other.
    fn items(&mut self, items: &[&ast::CompoundListItem], depth: usize, standing: &ExitStanding) {
        let mut standing = standing.clone();
        self.plain &= items.len() == 1;
        let last_deed = items.iter().rposition(|item| !companion::is_neutral_chain(&item.0));
        for (index, ast::CompoundListItem(and_or, separator)) in items.iter().enumerate() {
            let background = matches!(separator, SeparatorOperator::Async);
            let after = &items[index + 1..];
            let before = self.folders.clone();
            let first_new = self.commands.len();
            let (here, ending) = if !background && companion::exits_on_failure(and_or) {
                (standing.clone(), standing.clone())
            } else {
                self.among(standing.clone(), background, after)
            };
            self.options.first_decides = !background
                && and_or.additional.is_empty()
                && matches!(after, [last] if companion::passes_first_status_on(&last.0));
            let here_too = self.options.first_decides.then(|| standing.clone());
            self.and_or(and_or, depth, here, here_too.unwrap_or(ending));
            if last_deed.is_some_and(|at| at > index) {
                self.hide_swapped(first_new, || LOST.to_owned());
            }
            if background {
                standing = standing.hidden("something else runs beside it in the background");
                self.folders.back(before);
            }
            standing = self.behind(first_new, standing);
        }
    }

    /// What the status of commands means that these others follow: that of the whole chain that they
    /// are in, and that of the last one in it.
    fn among(
        &self,
        standing: ExitStanding,
        background: bool,
        after: &[&ast::CompoundListItem],
    ) -> (ExitStanding, ExitStanding) {
        if background {
            let hidden = standing.hidden(BESIDE);
            return (hidden.clone(), hidden);
        }
        match after {
            [] => (standing.clone(), standing),
            [last] if companion::passes_status_on(&last.0) => (standing.clone(), standing),
            // Only the last command of a chain ends a line that ends with the first failure.
            _ if self.options.ends_at_failure => (standing.clone().hidden(LOST), standing),
            _ => (standing.clone().hidden(LOST), standing.hidden(LOST)),
        }
    }

    /// What the status of a command means behind those that were read since.
    fn behind(&self, first_new: usize, standing: ExitStanding) -> ExitStanding {
        if self.tampering.has_functions {
            return standing.hidden("a function is defined before it, which may run instead");
        }
        match self.commands[first_new..].iter().find_map(Simple::meddling) {
            Some(what) => standing
                .hidden(&format!("`{what}` stands before it, so that something else may run")),
            None => standing,
        }
    }

    /// The commands of a subshell.
    fn subshell(&mut self, list: &CompoundList, depth: usize, standing: &ExitStanding) {
        let before = self.folders.clone();
        self.list(list, depth, standing);
        self.folders.back(before);
    }

    /// A substituted process; what it writes is what the command around it reads.
    pub(super) fn process(
        &mut self,
        subshell: &ast::SubshellCommand,
        depth: usize,
    ) -> Option<Rc<str>> {
        self.plain = false;
        let is_read = std::mem::replace(&mut self.is_read, true);
        let output = self.output.take();
        self.subshell(
            &subshell.list,
            depth + 1,
            &ExitStanding::default().hidden("it runs inside a substitution"),
        );
        self.is_read = is_read;
        std::mem::replace(&mut self.output, output).map(Rc::from)
    }

    /// `ending` is what the status of the last command means, `standing` that of those before it.
    fn and_or(
        &mut self,
        list: &ast::AndOrList,
        depth: usize,
        mut standing: ExitStanding,
        mut ending: ExitStanding,
    ) {
        let exits = companion::exits_on_failure(list);
        let others = &list.additional[..list.additional.len() - usize::from(exits)];
        if others.iter().any(|next| matches!(next, AndOr::Or(_))) {
            let why = "`||` hides whether it succeeded";
            (standing, ending) = (standing.hidden(why), ending.hidden(why));
        }
        let rest = list.additional.iter().map(|next| match next {
            AndOr::And(pipeline) => (pipeline, false),
            AndOr::Or(pipeline) => (pipeline, true),
        });
        let chain: Vec<_> = std::iter::once((&list.first, false)).chain(rest).collect();
        let deeds = &chain[..chain.len() - usize::from(exits)];
        let last_deed = deeds.iter().rposition(|(pipeline, _)| !companion::is_neutral(pipeline));
        // Any command of the chain may be the last one that ran.
        let mut anywhere = self.folders.clone();
        let mut is_certain = true;
        for (index, (pipeline, or)) in chain.iter().enumerate() {
            if *or {
                self.folders.either(&anywhere);
            }
            let first_new = self.commands.len();
            let here = if index + 1 == chain.len() { &ending } else { &standing };
            self.pipeline(pipeline, depth, &here.clone());
            if let Some(at) = last_deed.filter(|at| *at > index) {
                let other = companion::shown(chain[at].0);
                let why = || format!("`{other}` comes after it in the same line");
                self.hide_swapped(first_new, why);
            }
            anywhere.either(&self.folders);
            // What stands behind another command may never be reached.
            is_certain = is_certain && self.options.set_by(pipeline);
            standing = self.behind(first_new, standing);
            ending = self.behind(first_new, ending);
        }
        self.folders.back(anywhere);
    }

    /// Content can be swapped for a run where something before it may change files, and something after
    /// it, too.
    fn hide_swapped(&mut self, first_new: usize, why: impl Fn() -> String) {
        for command in self.commands[first_new..].iter_mut().filter(|one| one.acted_before) {
            command.standing = std::mem::take(&mut command.standing).hidden(&why());
        }
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline, depth: usize, standing: &ExitStanding) {
        let mut standing = standing.clone();
        if pipeline.bang {
            standing = standing.hidden("`!` turns its exit status around");
        }
        match pipeline.seq.as_slice() {
            [only] => self.command(only, depth, &standing),
            several => self.piped(several, depth, &standing),
        }
    }

    fn piped(&mut self, commands: &[Command], depth: usize, own: &ExitStanding) {
        let mut standing = own.clone();
        if !self.options.fails_with_pipe {
            standing = standing.hidden(PIPED);
        }
        // A pipe ends as its last command does; what runs beside that could swap content for it.
        let before_last = commands.split_last().map(|(_, before)| before);
        let is_fed = before_last.is_some_and(companion::only_feed);
        let first_decides = std::mem::take(&mut self.options.first_decides);
        let is_read = self.is_read;
        let before = self.folders.clone();
        let mut feed = None;
        let output = self.output.take();
        for (index, command) in commands.iter().enumerate() {
            self.is_read = is_read || index + 1 < commands.len();
            self.folders.back(before.clone());
            if index > 0 {
                self.feed = self.output.take().map(Rc::from);
            }
            let is_last = index + 1 == commands.len();
            let decides = if first_decides { index == 0 } else { is_fed && is_last };
            self.command(command, depth, if decides { own } else { &standing });
            if index == 0 {
                feed = self.feed.take();
            }
        }
        self.is_read = is_read;
        self.feed = feed;
        if let Some(mut before) = output {
            before.push_str(self.output.as_deref().unwrap_or_default());
            self.output = Some(before);
        }
        // Some shells run the last command themselves.
        self.folders.either(&before);
    }

    fn command(&mut self, command: &Command, depth: usize, standing: &ExitStanding) {
        if self.too_deep(depth) {
            return;
        }
        let inner = || standing.clone().hidden("it stands inside `if`, `for` or the like");
        match command {
            Command::Simple(simple) => self.simple(simple, depth, standing),
            Command::Compound(compound, redirects) => {
                self.plain = false;
                let outer = self.redirects(redirects.as_ref(), depth);
                let options = self.options;
                match compound {
                    CompoundCommand::BraceGroup(_) | CompoundCommand::Subshell(_) => {
                        self.compound(compound, depth + 1, standing);
                    }
                    _ => self.compound(compound, depth + 1, &inner()),
                }
                self.options = options;
                self.unfeed(outer);
            }
            Command::Function(function) => {
                self.folders.define(&function.fname.value);
                self.tampering.has_functions = true;
                let outer = self.redirects(function.body.1.as_ref(), depth);
                let before = self.folders.clone();
                let options = self.options;
                self.compound(&function.body.0, depth + 1, &inner());
                self.options = options;
                if !self.folders.unchanged(&before) {
                    self.folders.lose();
                }
                self.unfeed(outer);
            }
            Command::ExtendedTest(test, redirects) => {
                let outer = self.redirects(redirects.as_ref(), depth);
                self.word(&test.to_string(), depth);
                self.unfeed(outer);
            }
        }
    }

    fn is_loop(compound: &CompoundCommand) -> bool {
        matches!(
            compound,
            CompoundCommand::ArithmeticForClause(_)
                | CompoundCommand::ForClause(_)
                | CompoundCommand::WhileClause(_)
                | CompoundCommand::UntilClause(_)
        )
    }

    fn compound(&mut self, compound: &CompoundCommand, depth: usize, standing: &ExitStanding) {
        let before = self.folders.clone();
        let first_new = self.writes.len();
        self.parts(compound, depth, standing);
        if Self::is_loop(compound) && !self.folders.unchanged(&before) {
            // The second time round it begins somewhere else.
            for write in &mut self.writes[first_new..] {
                write.literal &= write.path.starts_with('/');
            }
            self.folders.lose();
        }
    }

    fn parts(&mut self, compound: &CompoundCommand, depth: usize, standing: &ExitStanding) {
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => {
                self.word(&arithmetic.expr.value, depth);
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                let parts = [&clause.initializer, &clause.condition, &clause.updater];
                for part in parts.into_iter().flatten() {
                    self.word(&part.value, depth);
                }
                self.list(&clause.body.list, depth, standing);
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list, depth, standing),
            CompoundCommand::Subshell(subshell) => self.subshell(&subshell.list, depth, standing),
            CompoundCommand::ForClause(clause) => {
                for value in clause.values.iter().flatten() {
                    let value = self.word(&value.value, depth);
                    self.tampering.hold(&value.text);
                    self.tampering.give(&clause.variable_name, &value.text);
                }
                self.list(&clause.body.list, depth, standing);
            }
            CompoundCommand::CaseClause(clause) => {
                self.word(&clause.value.value, depth);
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        self.word(&pattern.value, depth);
                    }
                    if let Some(list) = &case.cmd {
                        self.list(list, depth, standing);
                    }
                }
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition, depth, standing);
                self.list(&clause.then, depth, standing);
                for other in clause.elses.iter().flatten() {
                    if let Some(condition) = &other.condition {
                        self.list(condition, depth, standing);
                    }
                    self.list(&other.body, depth, standing);
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0, depth, standing);
                self.list(&clause.1.list, depth, standing);
            }
            CompoundCommand::Coprocess(coprocess) => self.command(&coprocess.body, depth, standing),
        }
    }

    fn simple(&mut self, simple: &ast::SimpleCommand, depth: usize, standing: &ExitStanding) {
        let mut found = Simple {
            words: Vec::new(),
            assigned: Vec::new(),
            standing: standing.clone(),
            unseen: companion::throws_output_away(simple),
            acted_before: false,
            folders: self.folders.told(),
        };
        let (mut feed, first_document) = (None, self.documents.len());
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.item(item, depth, &mut feed);
            if let Item::AssignmentWord(assignment, _) = item {
                found.assigned.push(assignment.name.to_string());
            }
        }
        if let Some(name) = &simple.word_or_name {
            found.words.push(self.word(&name.value, depth));
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            found.words.extend(self.item(item, depth, &mut feed));
        }
        if self.tampering.has_functions {
            // These may be the arguments of one.
            found.words.iter().for_each(|word| self.tampering.hold(&word.text));
        }
        for document in &mut self.documents[first_document..] {
            let name = document.reader.take().or_else(|| found.name().map(str::to_owned));
            document.reader = name;
        }
        // What is substituted in its words ran before it.
        found.acted_before = self.tampering.acts;
        let outer = self.fed(feed);
        self.run(&found.words, &found, depth);
        self.unfeed(outer);
        self.tampering.acts |= !companion::is_passive(simple, &found.words);
        self.commands.push(found);
    }

    fn item(&mut self, item: &Item, depth: usize, feed: &mut Option<Rc<str>>) -> Option<Word> {
        match item {
            Item::IoRedirect(redirect) => {
                if let Some(text) = self.redirect(redirect, depth) {
                    *feed = Some(text);
                }
                None
            }
            Item::Word(word) => Some(self.word(&word.value, depth)),
            Item::AssignmentWord(assignment, word) => {
                let word = self.word(&word.value, depth);
                let name = assignment.name.to_string();
                self.tampering.assign(&name, &word.text, &mut self.folders);
                Some(word)
            }
            Item::ProcessSubstitution(_, subshell) => {
                if let Some(text) = self.process(subshell, depth) {
                    *feed = Some(text);
                }
                None
            }
        }
    }
}
