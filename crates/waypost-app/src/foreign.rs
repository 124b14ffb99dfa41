//! Formats of other tools, a module each: what their files say, read with tolerance, and what it means here. Never
//! decides anything: what comes out are gates and definitions like any others.

pub mod requirements;
pub mod yaml;
