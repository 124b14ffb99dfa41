//! What tells at a glance that a stream has changed.

/// Something that changes whenever a stream does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mark {
    /// How long it is.
    pub bytes: u64,
    /// When it was last changed, as far as that is known.
    pub modified: u64,
}
