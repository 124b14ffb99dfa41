//! Setting Waypost up in a project, taking it out again, and whether it is all really working.

pub mod doctor;
pub mod init;
pub mod project_record;
