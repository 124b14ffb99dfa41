//! Steps within a sentence. Its words say what the step is for; what the step is called depends on who is told.

use std::borrow::Cow;

use super::NextStep;

/// Words with steps among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence(pub(super) Vec<Piece>);

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Words for everybody.
    Words(Cow<'static, str>),
    /// A step that the words around it speak of, by its name.
    Named(NextStep),
    /// A step that stands for itself at the end of the words.
    Called(NextStep),
    /// A step that the words end with.
    Quoted(NextStep),
}

/// What a step is for, and the step: "resume it: …".
pub fn to(why: impl Into<Cow<'static, str>>, step: impl Into<NextStep>) -> NextStep {
    let words = [Piece::Words(why.into()), Piece::Words(": ".into())];
    let pieces = words.into_iter().chain([Piece::Called(step.into())]);
    NextStep::Sentence(Sentence(pieces.collect()))
}

/// A step, and what it does: "… shows them".
pub fn does(step: impl Into<NextStep>, what: impl Into<Cow<'static, str>>) -> NextStep {
    let pieces =
        vec![Piece::Named(step.into()), Piece::Words(" ".into()), Piece::Words(what.into())];
    NextStep::Sentence(Sentence(pieces))
}

/// A step in the midst of words, which bring their own spaces.
pub fn amid(
    before: impl Into<Cow<'static, str>>,
    step: impl Into<NextStep>,
    after: impl Into<Cow<'static, str>>,
) -> NextStep {
    let (before, after) = (Piece::Words(before.into()), Piece::Words(after.into()));
    NextStep::Sentence(Sentence(vec![before, Piece::Named(step.into()), after]))
}

impl NextStep {
    /// The same sentence, and what follows in it.
    #[must_use]
    pub fn and(self, more: impl Into<Self>) -> Self {
        let mut pieces = self.into_pieces();
        pieces.extend(more.into().into_pieces());
        Self::Sentence(Sentence(pieces))
    }

    /// The same, and a step after it.
    #[must_use]
    pub fn then(self, step: impl Into<Self>) -> Self {
        let mut pieces = self.into_pieces();
        pieces.extend([Piece::Words(", then ".into()), Piece::Quoted(step.into())]);
        Self::Sentence(Sentence(pieces))
    }

    fn into_pieces(self) -> Vec<Piece> {
        match self {
            Self::Sentence(Sentence(pieces)) => pieces,
            Self::Said(words) => vec![Piece::Words(words.into())],
            step => vec![Piece::Called(step)],
        }
    }
}

impl Sentence {
    /// The steps in it.
    pub(super) fn steps(&self) -> impl Iterator<Item = &NextStep> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Words(_) => None,
            Piece::Named(step) | Piece::Called(step) | Piece::Quoted(step) => Some(step),
        })
    }
}
