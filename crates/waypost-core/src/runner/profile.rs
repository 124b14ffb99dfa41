//! What a profile consists of. Built-in ones are tables of the program; a project's own are part of its
//! policy and are read in the same way.

/// Texts of a profile.
#[derive(Debug, Clone, Copy)]
pub(super) enum List<'p> {
    Built(&'static [&'static str]),
    #[expect(dead_code, reason = "projects have no profiles of their own yet")]
    Own(&'p [String]),
}

impl<'p> List<'p> {
    fn len(self) -> usize {
        match self {
            Self::Built(texts) => texts.len(),
            Self::Own(texts) => texts.len(),
        }
    }

    pub(super) fn iter(self) -> impl Iterator<Item = &'p str> {
        (0..self.len()).map(move |at| match self {
            List::Built(texts) => texts[at],
            List::Own(texts) => texts[at].as_str(),
        })
    }
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
    /// Whether a summary replaces the one before it, since it repeats its counts.
    pub(super) last: bool,
    /// Formats whose tests this one counts too. `*` stands for all.
    pub(super) over: List<'p>,
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
