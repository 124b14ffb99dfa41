//! Walks a parsed command line and collects its simple commands.

use brush_parser::ast::{
    self, AndOr, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList,
    IoFileRedirectTarget, IoRedirect, SeparatorOperator,
};
use brush_parser::word::{self, WordPiece, WordPieceWithSource};
use brush_parser::{Parser, ParserOptions};

use super::standing::Standing;
use super::{MAX_DEPTH, Simple, Word};

/// Commands that run the command in their arguments.
const WRAPPERS: &[&str] = &[
    "builtin", "chronic", "command", "doas", "env", "exec", "ionice", "nice", "nohup", "setsid",
    "stdbuf", "sudo", "time", "timeout", "waypost", "xargs",
];
const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "sh", "zsh"];

#[derive(Default)]
pub(super) struct Walker {
    pub(super) commands: Vec<Simple>,
    pub(super) opaque: Option<String>,
}

impl Walker {
    pub(super) fn line(&mut self, line: &str, depth: usize, standing: Standing) {
        if depth > MAX_DEPTH {
            self.opaque = Some(format!("it is nested deeper than {MAX_DEPTH} levels"));
            return;
        }
        let options = ParserOptions::default();
        match Parser::new(std::io::Cursor::new(line), &options).parse_program() {
            Ok(program) => {
                let several =
                    program.complete_commands.iter().map(|list| list.0.len()).sum::<usize>() > 1;
                let standing = if several { standing.hidden(";") } else { standing };
                for list in &program.complete_commands {
                    self.list(list, depth, &standing);
                }
            }
            Err(_) => self.opaque = Some("it cannot be parsed as a shell command".to_owned()),
        }
    }

    fn list(&mut self, list: &CompoundList, depth: usize, standing: &Standing) {
        for ast::CompoundListItem(and_or, separator) in &list.0 {
            let background = matches!(separator, SeparatorOperator::Async);
            let standing = if background { standing.clone().hidden("&") } else { standing.clone() };
            self.and_or(and_or, depth, standing);
        }
    }

    fn and_or(&mut self, list: &ast::AndOrList, depth: usize, mut standing: Standing) {
        if list.additional.iter().any(|next| matches!(next, AndOr::Or(_))) {
            standing = standing.hidden("||");
        }
        let rest = list.additional.iter().map(|next| match next {
            AndOr::And(pipeline) | AndOr::Or(pipeline) => pipeline,
        });
        for pipeline in std::iter::once(&list.first).chain(rest) {
            let first_new = self.commands.len();
            let harmless = self.pipeline(pipeline, depth, &standing);
            let meddles = self.commands[first_new..].iter().any(Simple::changes_what_follows);
            if !harmless || meddles {
                standing = standing.hidden("what stands before it");
            }
        }
    }

    /// Returns whether what follows in an `&&` chain still means what it says.
    fn pipeline(&mut self, pipeline: &ast::Pipeline, depth: usize, standing: &Standing) -> bool {
        let mut standing = standing.clone();
        if pipeline.bang {
            standing = standing.hidden("!");
        }
        if pipeline.seq.len() > 1 {
            standing = standing.hidden("|");
        }
        let mut harmless = true;
        for command in &pipeline.seq {
            harmless &= matches!(command, Command::Simple(_) | Command::ExtendedTest(..));
            self.command(command, depth, &standing);
        }
        harmless
    }

    fn command(&mut self, command: &Command, depth: usize, standing: &Standing) {
        if depth > MAX_DEPTH {
            self.opaque = Some(format!("it is nested deeper than {MAX_DEPTH} levels"));
            return;
        }
        let inner = standing.clone().hidden("a compound command");
        match command {
            Command::Simple(simple) => self.simple(simple, depth, standing),
            Command::Compound(compound, redirects) => {
                self.redirects(redirects.as_ref(), depth);
                self.compound(compound, depth + 1, &inner);
            }
            Command::Function(function) => {
                self.redirects(function.body.1.as_ref(), depth);
                self.compound(&function.body.0, depth + 1, &inner);
            }
            Command::ExtendedTest(test, redirects) => {
                self.redirects(redirects.as_ref(), depth);
                self.word(&test.to_string(), depth);
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, depth: usize, standing: &Standing) {
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => {
                self.word(&arithmetic.expr.value, depth);
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                self.list(&clause.body.list, depth, standing);
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list, depth, standing),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list, depth, standing),
            CompoundCommand::ForClause(clause) => {
                for value in clause.values.iter().flatten() {
                    self.word(&value.value, depth);
                }
                self.list(&clause.body.list, depth, standing);
            }
            CompoundCommand::CaseClause(clause) => {
                self.word(&clause.value.value, depth);
                for list in clause.cases.iter().filter_map(|case| case.cmd.as_ref()) {
                    self.list(list, depth, standing);
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

    fn simple(&mut self, simple: &ast::SimpleCommand, depth: usize, standing: &Standing) {
        let mut found =
            Simple { words: Vec::new(), assigned: Vec::new(), standing: standing.clone() };
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            if let Item::AssignmentWord(assignment, _) = item {
                found.assigned.push(assignment.name.to_string());
            }
            self.item(item, depth);
        }
        if let Some(name) = &simple.word_or_name {
            found.words.push(self.word(&name.value, depth));
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            found.words.extend(self.item(item, depth));
        }
        self.nested(&found, depth);
        self.commands.push(found);
    }

    fn item(&mut self, item: &Item, depth: usize) -> Option<Word> {
        match item {
            Item::IoRedirect(redirect) => {
                self.redirect(redirect, depth);
                None
            }
            Item::Word(word) | Item::AssignmentWord(_, word) => Some(self.word(&word.value, depth)),
            Item::ProcessSubstitution(_, subshell) => {
                self.list(&subshell.list, depth + 1, &Standing::default().hidden("<( )"));
                None
            }
        }
    }

    fn redirects(&mut self, redirects: Option<&ast::RedirectList>, depth: usize) {
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            self.redirect(redirect, depth);
        }
    }

    fn redirect(&mut self, redirect: &IoRedirect, depth: usize) {
        match redirect {
            IoRedirect::File(
                _,
                _,
                IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word),
            )
            | IoRedirect::HereString(_, word)
            | IoRedirect::OutputAndError(word, _) => {
                self.word(&word.value, depth);
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                self.list(&subshell.list, depth + 1, &Standing::default().hidden("<( )"));
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => {}
            IoRedirect::HereDocument(_, document) => {
                if document.requires_expansion {
                    self.word(&document.doc.value, depth);
                }
            }
        }
    }

    /// Commands that are given to another command as words: `bash -c '…'`, `env X=1 git …`.
    fn nested(&mut self, simple: &Simple, depth: usize) {
        let Some(name) = simple.name() else { return };
        let hidden = simple.standing.clone().hidden("the command around it");
        if name == "eval" {
            let line = simple.words[1..].iter().map(|word| word.text.as_str());
            self.line(&line.collect::<Vec<_>>().join(" "), depth + 1, hidden);
        } else if SHELLS.contains(&name) {
            let mut words = simple.words.iter().skip_while(|word| !is_c_flag(&word.text)).skip(1);
            if let Some(line) = words.next() {
                self.line(&line.text, depth + 1, hidden);
            }
        } else if WRAPPERS.contains(&name) {
            for start in 1..simple.words.len() {
                let inner = Simple {
                    words: simple.words[start..].to_vec(),
                    assigned: simple.assigned.clone(),
                    standing: hidden.clone(),
                };
                let git = inner.name() == Some("git");
                if inner.name().is_some_and(|name| SHELLS.contains(&name) || name == "eval") {
                    self.nested(&inner, depth + 1);
                }
                if git {
                    self.commands.push(inner);
                }
            }
        }
    }

    fn word(&mut self, raw: &str, depth: usize) -> Word {
        let Ok(pieces) = word::parse(raw, &ParserOptions::default()) else {
            self.opaque = Some("it cannot be parsed as a shell command".to_owned());
            return Word { text: raw.to_owned(), literal: false };
        };
        let mut text = String::new();
        let literal = self.pieces(&pieces, raw, depth, &mut text);
        Word { text, literal }
    }

    fn pieces(
        &mut self,
        pieces: &[WordPieceWithSource],
        raw: &str,
        depth: usize,
        text: &mut String,
    ) -> bool {
        let mut literal = true;
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(plain) => {
                    literal &= !plain.contains(['*', '?', '[', '{']);
                    text.push_str(plain);
                }
                WordPiece::SingleQuotedText(plain) => text.push_str(plain),
                WordPiece::EscapeSequence(escape) => {
                    text.push_str(escape.strip_prefix('\\').unwrap_or(escape));
                }
                WordPiece::DoubleQuotedSequence(inner)
                | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    literal &= self.pieces(inner, raw, depth, text);
                }
                WordPiece::CommandSubstitution(line)
                | WordPiece::BackquotedCommandSubstitution(line) => {
                    self.line(line, depth + 1, Standing::default().hidden("$( )"));
                    literal = false;
                    text.push_str("$()");
                }
                WordPiece::ParameterExpansion(_) | WordPiece::ArithmeticExpression(_) => {
                    let source = raw.get(piece.start_index..piece.end_index).unwrap_or(raw);
                    self.substitutions_in(source);
                    literal = false;
                    text.push_str(source);
                }
                WordPiece::AnsiCQuotedText(_) | WordPiece::TildeExpansion(_) => {
                    literal = false;
                    text.push_str(raw.get(piece.start_index..piece.end_index).unwrap_or(raw));
                }
            }
        }
        literal
    }

    /// Substitutions inside `${x:-$(…)}` and `$((…))`, which the grammar keeps as text.
    fn substitutions_in(&mut self, source: &str) {
        let inner = source.trim_start_matches(['$', '{', '(']).trim_end_matches(['}', ')']);
        if inner.contains("$(") || inner.contains('`') {
            self.opaque = Some("it substitutes commands inside an expansion".to_owned());
        }
    }
}

fn is_c_flag(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}
