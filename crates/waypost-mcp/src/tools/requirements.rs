//! Gates by name: what they find, and saying that one is satisfied or is not any more.

pub(super) mod clear;
pub(super) mod satisfy;
mod spoken;
pub(super) mod status;
