//! What leaves this machine or comes to it, and what it is worth: publishing, taking over, exporting, verifying,
//! repairing, and whose keys are trusted.

pub mod adopt;
pub mod archive;
pub mod export;
pub mod publish;
pub mod publishing;
pub mod repair;
pub mod trust;
pub mod verify;
