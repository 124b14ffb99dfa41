//! What may stand beside a command in its line without hiding how it ended.

use brush_parser::ast::{
    self, AndOr, Command, CommandPrefixOrSuffixItem as Item, IoFileRedirectKind,
    IoFileRedirectTarget, IoRedirect,
};

use super::{Word, reader};

/// Commands that change nothing and always succeed.
const NEUTRAL: &[&str] = &[":", "cd", "date", "echo", "printf", "pwd", "true"];

/// Commands that print their words and do nothing else.
const FEEDING: &[&str] = &[":", "echo", "printf", "true", "yes"];

/// Commands that change the shell they run in, and no file.
const SETTING: &[&str] = &[".", "command", "declare", "export", "set", "source", "unset"];

/// What a shell was told about failures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// The line ends with the first command that fails.
    pub(super) ends_at_failure: bool,
    /// A pipe fails if any command in it does.
    pub(super) fails_with_pipe: bool,
    /// The line ends as the first command of the pipe at hand does.
    pub(super) first_decides: bool,
}

impl Options {
    /// Takes over what `set` says. Whether that is all that the pipeline does.
    pub(super) fn set_by(&mut self, pipeline: &ast::Pipeline) -> bool {
        let [Command::Simple(simple)] = pipeline.seq.as_slice() else { return false };
        if name_of(simple) != Some("set") {
            return false;
        }
        self.set(words_of(simple));
        true
    }

    /// The same for the flags of a shell.
    pub(super) fn set<'w>(&mut self, words: impl Iterator<Item = &'w str>) {
        let mut named = false;
        for word in words {
            let on = word.starts_with('-');
            if std::mem::take(&mut named) {
                match word {
                    "errexit" => self.ends_at_failure = true,
                    "pipefail" => self.fails_with_pipe = true,
                    _ => {}
                }
            } else if on || word.starts_with('+') {
                self.ends_at_failure = if word.contains('e') { on } else { self.ends_at_failure };
                named = on && word.ends_with('o');
                // Which one is turned off is not worth telling.
                let off = !on && word.ends_with('o');
                *self = if off { Self::default() } else { *self };
            }
        }
    }
}

/// Whether a chain of commands changes nothing.
pub(super) fn is_neutral_chain(list: &ast::AndOrList) -> bool {
    let rest = list.additional.iter().map(|next| match next {
        AndOr::And(pipeline) | AndOr::Or(pipeline) => pipeline,
    });
    std::iter::once(&list.first).chain(rest).all(is_neutral)
}

/// Whether a pipeline is one command that changes nothing and always succeeds.
pub(super) fn is_neutral(pipeline: &ast::Pipeline) -> bool {
    let [Command::Simple(simple)] = pipeline.seq.as_slice() else { return false };
    !pipeline.bang
        && simple.prefix.is_none()
        && name_of(simple).is_some_and(|name| NEUTRAL.contains(&name))
        && writes_nowhere(simple)
}

/// Whether these commands only print what their words say: `yes | pytest`.
pub(super) fn only_feed(commands: &[Command]) -> bool {
    commands.iter().all(|command| {
        let Command::Simple(simple) = command else { return false };
        simple.prefix.is_none()
            && name_of(simple).is_some_and(|name| FEEDING.contains(&name))
            && writes_nowhere(simple)
    })
}

/// Whether a command changes no file.
pub(super) fn is_passive(simple: &ast::SimpleCommand, words: &[Word]) -> bool {
    let sets = name_of(simple).is_some_and(|name| SETTING.contains(&name));
    (sets || reader::only_reads(words)) && writes_nowhere(simple)
}

/// Whether neither its words nor its redirects change anything.
fn writes_nowhere(simple: &ast::SimpleCommand) -> bool {
    let substitutes = |word: &str| word.contains("$(") || word.contains('`') || word.contains("<(");
    let is_plain = |item: &Item| match item {
        Item::Word(word) | Item::AssignmentWord(_, word) => !substitutes(&word.value),
        Item::IoRedirect(redirect) => writes_nothing(redirect),
        Item::ProcessSubstitution(..) => false,
    };
    let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
    prefix.chain(simple.suffix.iter().flat_map(|suffix| &suffix.0)).all(is_plain)
}

/// Whether all that is left is to end with the status of what came before.
pub(super) fn passes_status_on(list: &ast::AndOrList) -> bool {
    list.additional.is_empty()
        && exit_of(&list.first)
            .is_some_and(|words| matches!(words.as_slice(), [] | ["$?" | "\"$?\""]))
}

/// The same for the first command of the pipe that came before.
pub(super) fn passes_first_status_on(list: &ast::AndOrList) -> bool {
    const FIRST: &[&str] =
        &["${PIPESTATUS[0]}", "\"${PIPESTATUS[0]}\"", "$PIPESTATUS", "\"$PIPESTATUS\""];
    list.additional.is_empty()
        && exit_of(&list.first)
            .is_some_and(|words| matches!(words[..], [word] if FIRST.contains(&word)))
}

/// Whether a chain ends the shell, and with a failure, where anything of it fails: `… || exit 1`.
pub(super) fn exits_on_failure(list: &ast::AndOrList) -> bool {
    let Some((AndOr::Or(otherwise), before)) = list.additional.split_last() else { return false };
    let fails = |words: Vec<&str>| match words.as_slice() {
        [] | ["$?" | "\"$?\""] => true,
        [code] => code.parse::<u8>().is_ok_and(|code| code != 0),
        _ => false,
    };
    before.iter().all(|next| matches!(next, AndOr::And(_))) && exit_of(otherwise).is_some_and(fails)
}

/// What `exit` is given, if that is all that a pipeline does.
fn exit_of(pipeline: &ast::Pipeline) -> Option<Vec<&str>> {
    let [Command::Simple(simple)] = pipeline.seq.as_slice() else { return None };
    let is_exit = !pipeline.bang
        && simple.prefix.is_none()
        && name_of(simple) == Some("exit")
        && writes_nowhere(simple);
    is_exit.then(|| words_of(simple).collect())
}

/// How a pipeline is named when somebody is told of it.
pub(super) fn shown(pipeline: &ast::Pipeline) -> String {
    match pipeline.seq.as_slice() {
        [Command::Simple(simple), ..] => {
            let words = name_of(simple).into_iter().chain(words_of(simple));
            words.take(3).collect::<Vec<_>>().join(" ")
        }
        _ => "what stands there".to_owned(),
    }
}

/// Whether what a command prints goes to `/dev/null`.
pub(super) fn throws_output_away(simple: &ast::SimpleCommand) -> bool {
    let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
    let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
    prefix.chain(suffix).any(|item| match item {
        Item::IoRedirect(
            IoRedirect::OutputAndError(word, _)
            | IoRedirect::File(
                None | Some(1),
                IoFileRedirectKind::Write
                | IoFileRedirectKind::Clobber
                | IoFileRedirectKind::Append,
                IoFileRedirectTarget::Filename(word),
            ),
        ) => word.value == "/dev/null",
        Item::IoRedirect(IoRedirect::File(
            None | Some(1),
            IoFileRedirectKind::DuplicateOutput,
            IoFileRedirectTarget::Duplicate(word),
        )) => matches!(word.value.as_str(), "/dev/null" | "-"),
        _ => false,
    })
}

fn writes_nothing(redirect: &IoRedirect) -> bool {
    match redirect {
        IoRedirect::File(_, kind, IoFileRedirectTarget::Filename(word)) => {
            matches!(kind, IoFileRedirectKind::Read) || word.value == "/dev/null"
        }
        IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => true,
        IoRedirect::File(_, _, IoFileRedirectTarget::Duplicate(word)) => {
            word.value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        }
        _ => false,
    }
}

fn name_of(simple: &ast::SimpleCommand) -> Option<&str> {
    simple.word_or_name.as_ref().map(|name| name.value.as_str())
}

fn words_of(simple: &ast::SimpleCommand) -> impl Iterator<Item = &str> {
    simple.suffix.iter().flat_map(|suffix| &suffix.0).filter_map(|item| match item {
        Item::Word(word) => Some(word.value.as_str()),
        _ => None,
    })
}
