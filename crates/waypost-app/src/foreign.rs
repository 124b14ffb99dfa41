//! Formats of other tools, a module each: it reads one with tolerance, tells with file and line what it cannot take, and
//! turns the rest into gates and definitions like any others. Never decides anything, and opens no file.

pub mod json;
pub mod praxis;
pub mod protocol;
pub mod yaml;
