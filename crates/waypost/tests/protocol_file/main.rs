//! A protocol that the project wrote down itself, through the real binary.

mod changed;
mod hooks;
mod project;
mod refused;
mod session;
mod shown;
