//! What sessions and conversations follow, phase by phase: workflows, the protocol, and building by a plan.

pub mod build;
pub mod catalogue;
pub mod protocol;
pub mod workflow;
