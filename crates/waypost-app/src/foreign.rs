//! Formats of other tools: each module reads one with tolerance, tells with file and line what it cannot take, and
//! turns the rest into gates and definitions. None of them opens a file.

pub mod protocol;
