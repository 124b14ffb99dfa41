//! What a profile consists of. Built-in ones are tables of the program; a project's own are part of its
//! policy (`own`) and are read in the same way.

use serde::{Deserialize, Serialize};

use crate::glob;

/// Texts of a profile.
#[derive(Debug, Clone, Copy)]
pub(super) enum List<'p> {
    Built(&'static [&'static str]),
    Own(&'p [String]),
}

impl<'p> List<'p> {
    fn len(self) -> usize {
        match self {
            Self::Built(texts) => texts.len(),
            Self::Own(texts) => texts.len(),
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.len() == 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = &'p str> {
        (0..self.len()).map(move |at| match self {
            List::Built(texts) => texts[at],
            List::Own(texts) => texts[at].as_str(),
        })
    }

    /// Whether a word fits one of these patterns.
    pub(super) fn has(self, word: &str) -> bool {
        let first = word.as_bytes().first().copied();
        // Nearly all of them begin with another letter, and hooks look through hundreds.
        let may_fit = |pattern: &str| match pattern.as_bytes().first() {
            Some(b'*' | b'?') | None => true,
            begins => begins.copied() == first,
        };
        self.iter().any(|pattern| may_fit(pattern) && glob::matches(pattern, word))
    }
}

impl Reading<'_> {
    /// Whether an operand leaves nothing out. What the shell or the runner would expand is `%` in the list,
    /// so that `test/%.js` is the pattern `test/*.js` and no file.
    pub(super) fn is_whole(&self, operand: &str) -> bool {
        if operand.contains('*') {
            return self.whole.has(&operand.replace('*', "%"));
        }
        !operand.contains('%') && self.whole.has(operand)
    }
}

/// A test runner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Runner<'p> {
    pub(super) name: &'p str,
    /// Its equal spellings.
    pub(super) spellings: List<'p>,
    /// Flags of the program that may stand between the words of a spelling.
    pub(super) own: List<'p>,
    /// The same with a value in the next word.
    pub(super) own_valued: List<'p>,
    /// Variables of the environment that may leave tests out.
    pub(super) variables: List<'p>,
    /// How its output says how many tests ran; without any it may be in all ways.
    pub(super) formats: List<'p>,
    /// Flags that name the folder in which it works. With `*` at the end the name may follow at once.
    pub(super) folder: List<'p>,
    /// A flag that names a file in that folder, and what that file is called.
    pub(super) file: List<'p>,
    /// Words with which it tests the whole workspace from wherever it is; `*` if it always does.
    pub(super) everywhere: List<'p>,
    /// The files by which it finds the folder that it works in, looking upwards.
    pub(super) tops: List<'p>,
    /// Flags with which it goes on after a failure and tells of every test, where it would not.
    pub(super) in_full: List<'p>,
    /// Whether what stands behind its name is for what it runs, and `folder` and `everywhere` stand before.
    pub(super) hands_on: bool,
    /// Flags of one letter that others may follow in the same word: `-qx` is `-q -x`.
    pub(super) switches: List<'p>,
    /// Whether the beginning of a long flag is taken for all of it.
    pub(super) abbreviates: bool,
    pub(super) reading: Reading<'p>,
    /// How what stands behind `--` is read, where that is different.
    pub(super) after: Option<Reading<'p>>,
}

/// How the arguments of a runner are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'p> {
    /// With these nothing is tested.
    pub(super) idle: List<'p>,
    /// These leave tests out, or may.
    pub(super) narrow: List<'p>,
    /// These take the next word and leave nothing out.
    pub(super) valued: List<'p>,
    /// Operands that leave nothing out.
    pub(super) whole: List<'p>,
    pub(super) operands: Operands,
    /// Whether everything is tested where no operand says what.
    pub(super) bare: bool,
}

/// What operands mean that nobody knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operands {
    /// Only these are tested.
    #[default]
    Narrow,
    /// Nothing.
    Free,
    /// Each is something to do. The last word of a spelling is one of them.
    Targets,
}

/// A program with several names.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) also: List<'static>,
}

/// A program that runs the command behind it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrapper<'p> {
    pub(super) words: &'p str,
    /// Its flags with a value in the next word.
    pub(super) valued: List<'p>,
    /// Flags that name the folder in which it runs the command.
    pub(super) folder: List<'p>,
    /// Flags with which it does not run the command.
    pub(super) idle: List<'p>,
    /// Operands that may stand before the command.
    pub(super) skipped: List<'p>,
    /// Why what it runs proves nothing; empty if it does.
    pub(super) objection: &'p str,
    /// How many operands of its own stand before the command.
    pub(super) operands: usize,
    /// Whether `X=1` may stand before the command.
    pub(super) assigns: bool,
}

/// How output says how many tests ran. Lines are given as templates, see `tally::template`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Format<'p> {
    pub(super) name: &'p str,
    /// Lines with counts.
    pub(super) summary: List<'p>,
    /// What stands beside a number in `<counts>`.
    pub(super) words: Words<'p>,
    /// Each such line is a test that passed, failed or was skipped.
    pub(super) each_passed: List<'p>,
    pub(super) each_failed: List<'p>,
    pub(super) each_skipped: List<'p>,
    /// Lines saying that nothing was tested here.
    pub(super) nothing: List<'p>,
    /// Lines saying that something was tested, but not how much.
    pub(super) uncounted: List<'p>,
    /// Lines that name a failed test.
    pub(super) names: List<'p>,
    /// Lines that only look like one of the others.
    pub(super) ignored: List<'p>,
    /// Counts stand behind one of these lines, if there are any.
    pub(super) after: List<'p>,
    /// Lines saying that it stopped at a failure, or may have.
    pub(super) stopped: List<'p>,
    /// Lines saying that it went on all the same.
    pub(super) went_on: List<'p>,
    /// Whether a summary replaces the one before it, since it repeats its counts.
    pub(super) last: bool,
    /// Formats whose tests this one counts too. `*` stands for all.
    pub(super) over: List<'p>,
}

impl<'p> Format<'p> {
    /// All lists of templates.
    pub(super) fn lines(&self) -> [List<'p>; 11] {
        let Self { summary, each_passed, each_failed, each_skipped, .. } = *self;
        let Self { nothing, uncounted, names, ignored, after, .. } = *self;
        let Self { stopped, went_on, .. } = *self;
        [
            summary,
            each_passed,
            each_failed,
            each_skipped,
            nothing,
            uncounted,
            names,
            ignored,
            after,
            stopped,
            went_on,
        ]
    }
}

/// The words for what a number counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'p> {
    pub(super) passed: List<'p>,
    pub(super) failed: List<'p>,
    pub(super) skipped: List<'p>,
    /// All of these together.
    pub(super) total: List<'p>,
    /// What passed and what failed.
    pub(super) ran: List<'p>,
    /// Something else.
    pub(super) other: List<'p>,
}
