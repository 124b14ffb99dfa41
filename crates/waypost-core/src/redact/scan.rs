//! Runs of bytes, forwards and backwards, and where a token may begin. Never allocates.

/// Without a bound: only for what is taken once it has been read.
pub(super) const TO_THE_END: usize = usize::MAX;

/// The end of the run of `wanted` bytes from `from`, `most` bytes long at the most.
pub(super) fn run(bytes: &[u8], from: usize, most: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let stop = from.saturating_add(most).min(bytes.len());
    let mut at = from;
    while at < stop && wanted(bytes[at]) {
        at += 1;
    }
    count(at - from + 1);
    at
}

/// The beginning of the run of `wanted` bytes that ends before `to`.
pub(super) fn run_back(bytes: &[u8], to: usize, most: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let stop = to.saturating_sub(most);
    let mut at = to;
    while at > stop && wanted(bytes[at - 1]) {
        at -= 1;
    }
    count(to - at + 1);
    at
}

/// Letters, digits, `_` and `-`: what base64url is made of.
pub(super) fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Spaces and tabs.
pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Whether the letter at `at` begins a word: also after `\n` in a string literal, after `%3D` in a
/// URL and after a terminal's colour code, whose last letter would otherwise hide the word.
pub(super) fn starts_fresh(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[at.saturating_sub(16)..at];
    match before {
        [.., last] if !last.is_ascii_alphanumeric() => true,
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [codes @ .., b'm'] => {
            let digits = run_back(codes, codes.len(), 12, |b| b.is_ascii_digit() || b == b';');
            matches!(&codes[..digits], [.., 0x1b | b'b' | b'3', b'['])
        }
        _ => false,
    }
}

/// Counts looked-at bytes, so that tests can hold the scan to linear time without a clock.
#[cfg(not(test))]
pub(super) fn count(_steps: usize) {}

#[cfg(test)]
pub(super) use counting::count;

#[cfg(test)]
pub(super) mod counting {
    //! How many bytes were looked at on this thread.

    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    /// Adds to the count.
    pub(crate) fn count(steps: usize) {
        STEPS.with(|sum| sum.set(sum.get() + steps));
    }

    /// The count since the last call.
    pub(crate) fn take() -> usize {
        STEPS.with(Cell::take)
    }
}
