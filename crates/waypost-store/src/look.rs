//! Looking at files of any place. Whatever decides an answer is looked at through here or through
//! [`crate::files`], so that [`crate::seen`] knows of it.

use std::fs::{self, File, Metadata, ReadDir};
use std::io;
use std::path::{Path, PathBuf};

use crate::seen;

/// What is there, through links.
pub fn at(path: impl AsRef<Path>) -> io::Result<Metadata> {
    seen::glance(path.as_ref());
    fs::metadata(path)
}

/// What is there, a link itself included.
pub fn link(path: impl AsRef<Path>) -> io::Result<Metadata> {
    seen::glance(path.as_ref());
    fs::symlink_metadata(path)
}

/// Whether anything is there, through links.
pub fn is_there(path: impl AsRef<Path>) -> bool {
    at(path).is_ok()
}

/// Whether it is a file, through links.
pub fn is_file(path: impl AsRef<Path>) -> bool {
    at(path).is_ok_and(|found| found.is_file())
}

/// Whether it is a folder, through links.
pub fn is_folder(path: impl AsRef<Path>) -> bool {
    at(path).is_ok_and(|found| found.is_dir())
}

/// Whether it is a link.
pub fn is_link(path: impl AsRef<Path>) -> bool {
    link(path).is_ok_and(|found| found.is_symlink())
}

/// The entries of a folder.
pub fn folder(path: impl AsRef<Path>) -> io::Result<ReadDir> {
    seen::glance(path.as_ref());
    fs::read_dir(path)
}

/// The path without links.
pub fn real(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    seen::glance(path.as_ref());
    path.as_ref().canonicalize()
}

/// Where a link leads.
pub fn target(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    seen::glance(path.as_ref());
    fs::read_link(path)
}

/// A file, to be read.
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    seen::read(path.as_ref());
    File::open(path)
}

/// A whole file.
pub fn bytes(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    seen::read(path.as_ref());
    fs::read(path)
}

/// A whole file of text.
pub fn text(path: impl AsRef<Path>) -> io::Result<String> {
    seen::read(path.as_ref());
    fs::read_to_string(path)
}
