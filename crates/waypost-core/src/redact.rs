//! placeholder until the real one is merged
use std::borrow::Cow;
/// x
pub fn redact(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}
