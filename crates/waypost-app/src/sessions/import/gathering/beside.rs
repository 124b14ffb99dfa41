//! What Brain keeps beside the state of a session, joined to that session.

use waypost_core::key::sha256_hex;

use super::{Source, What};
use crate::foreign::brain;
use crate::foreign::session::Brought;

/// Joins what is kept beside a state to it, or to what else is kept beside the same state.
pub(super) fn joined(sources: Vec<Source>) -> Vec<Source> {
    let is_part = |source: &Source| brought(source).is_some_and(|one| one.format == brain::PART);
    let (parts, mut all): (Vec<Source>, Vec<Source>) = sources.into_iter().partition(is_part);
    for part in parts {
        let Some(at) = place(&all, &part) else {
            all.push(part);
            continue;
        };
        let session = &mut all[at];
        if let (What::Foreign(known), What::Foreign(more)) = (&mut session.what, part.what) {
            brain::join(known, *more);
        }
        session.sha256 = sha256_hex(&[session.sha256.as_bytes(), part.sha256.as_bytes()]);
        session.shown = format!("{}, {}", session.shown, part.shown);
    }
    all
}

fn brought(source: &Source) -> Option<&Brought> {
    match &source.what {
        What::Foreign(brought) => Some(brought),
        What::Own(_) => None,
    }
}

/// Which session it belongs to: that of its id, else the only one whose state lies in the same folder.
fn place(all: &[Source], part: &Source) -> Option<usize> {
    let own = brought(part)?;
    let belongs = |source: &Source| brought(source).is_some_and(|one| brain::joins(one, own));
    if !brain::is_of_folder(own) {
        return all.iter().position(belongs);
    }
    let folder = |shown: &str| shown.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let first = |shown: &str| shown.split(", ").next().and_then(folder);
    let is_near = |source: &Source| {
        let is_state = brought(source).is_some_and(|one| one.format == brain::STATE);
        is_state && first(&source.shown) == folder(&part.shown)
    };
    let near: Vec<usize> = (0..all.len()).filter(|at| is_near(&all[*at])).collect();
    if let [at] = near[..] { Some(at) } else { None }
}
