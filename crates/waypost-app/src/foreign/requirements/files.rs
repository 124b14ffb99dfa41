//! Reading one of the files: bounded, and a file that cannot be read is told.

use std::io::ErrorKind;

use waypost_store::look;

use super::places::Place;
use crate::config::Problem;
use crate::foreign::yaml::{self, Node, Yaml};

/// What a file says; `None` where it is not there, or is told to be unreadable.
pub(super) fn read(place: &Place, told: &mut Vec<Problem>) -> Option<Node> {
    let mut refuse = |message: String| {
        told.push(Problem { file: place.name.clone(), line: 1, message });
        None
    };
    match look::at(&place.path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => return refuse(error.to_string()),
        // Reading a pipe would wait for whoever writes to it.
        Ok(found) if !found.is_file() => return refuse("it is no file".to_owned()),
        Ok(found) if found.len() > yaml::MAX_BYTES as u64 => {
            let (has, most) = (found.len(), yaml::MAX_BYTES);
            return refuse(format!("it has {has} bytes; at most {most} are read"));
        }
        Ok(_) => {}
    }
    let text = match look::text(&place.path) {
        Ok(text) => text,
        Err(error) => return refuse(error.to_string()),
    };
    match yaml::parse(&place.name, &text) {
        Ok(Yaml { root, told: mut doubled }) => {
            told.append(&mut doubled);
            Some(root)
        }
        Err(problem) => {
            told.push(problem);
            None
        }
    }
}
