//! What gates ask of the world, and the rulings that come of it: facts, evidence of commits, asking, explaining.

pub(crate) mod ask;
pub mod commit;
pub mod explain;
pub mod facts;
pub mod fields;
pub mod found_commits;
pub mod judge;
pub mod new_commits;
pub mod violations;
mod whose;
