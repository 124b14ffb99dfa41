//! Finding out what gates need to know of the world.

use std::collections::BTreeMap;

use waypost_core::evidence::Tree;
use waypost_core::gate::engine::{Facts, Needs};

use crate::policy;
use crate::tree::Trees;
use crate::workspace::Workspace;

/// The work tree's content now.
pub fn tree(workspace: &Workspace<'_>) -> Tree {
    Trees::new(&workspace.project, &policy::sessions_dir(workspace)).now()
}

/// Everything that was asked for.
pub fn gather(workspace: &Workspace<'_>, needs: &Needs) -> Facts {
    let mut facts = Facts { now: workspace.host.now(), tree: None, changed: BTreeMap::new() };
    if needs.tree {
        let sessions_dir = policy::sessions_dir(workspace);
        let trees = Trees::new(&workspace.project, &sessions_dir);
        let now = trees.now();
        if let Some(now) = now.id() {
            for before in needs.compare.iter().filter(|before| *before != now) {
                facts.changed.insert(before.clone(), trees.changed(before, now));
            }
        }
        facts.tree = Some(now);
    }
    facts
}
