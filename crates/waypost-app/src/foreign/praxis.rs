//! Workflows of praxis-os: a folder with `metadata.json`, `phases/N/phase.md`, task files and gate definitions, read
//! as what its own loader makes of them. Never runs the Python in them: what is simple is translated, anything else
//! is refused by name.

mod gate;
mod lambda;
mod metadata;
pub mod template;

pub use metadata::Files;
pub(crate) use metadata::read;

#[cfg(test)]
mod tests;
