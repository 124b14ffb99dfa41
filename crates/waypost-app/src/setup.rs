//! Setting Waypost up in a project, taking it out again, and whether it is all really working.

pub mod doctor;
pub mod enrol;
pub mod init;
