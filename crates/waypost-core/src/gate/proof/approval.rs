//! The proof `approval`: a human said so.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::evidence::Provenance;
use crate::gate::facts::Needs;
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// How an approval at a terminal is told: who sat there, nobody can tell.
pub(super) const LOCAL: &str = "approved at a terminal of this machine (local)";
/// How one is told that took a passphrase.
pub(super) const SIGNED: &str = "a human approved it (signed)";

/// A human approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalProof {
    /// The public key that the approval has to be signed with; none: a terminal is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_by: Option<String>,
    /// For how many milliseconds it holds; none: until it is cleared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<i64>,
}

impl ApprovalProof {
    pub(super) fn needs(&self, needs: &mut Needs) {
        needs.signed |= self.signed_by.is_some();
        needs.clock |= self.ttl.is_some();
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let unmet =
            |status, why: &str| Finding::new(status, why, NextStep::Approve(input.gate.id.clone()));
        let Some(mark) = input.mark() else {
            return unmet(
                FindingStatus::Missing,
                "no human has approved it, or the approval is over",
            );
        };
        if mark.mark.provenance != Provenance::Approved {
            return unmet(FindingStatus::Missing, "an agent said so, which is not an approval");
        }
        let signature = mark.mark.signature.as_deref();
        let mut since = mark.time;
        if self.signed_by.is_some() {
            if signature.and_then(signer) != self.signed_by.as_deref() {
                let why = "the approval is not signed with the required key";
                return unmet(FindingStatus::Missing, why);
            }
            if !signature.is_some_and(|signature| input.facts.signed.contains(signature)) {
                return unmet(FindingStatus::Missing, "the approval's signature is not valid");
            }
            // Whoever records it anew does not make it younger.
            since = mark.mark.signed_at.unwrap_or(since);
        }
        let age = input.facts.now.as_millis() - since.as_millis();
        match self.ttl {
            Some(ttl) if !(0..=ttl).contains(&age) => {
                unmet(FindingStatus::Stale, "the approval has expired")
            }
            _ if self.signed_by.is_some() => Finding::met(SIGNED),
            _ => Finding::met(LOCAL),
        }
    }
}

/// The public key of a signature `ed25519:<public>:<signature>`.
fn signer(signature: &str) -> Option<&str> {
    signature.strip_prefix("ed25519:")?.split(':').next()
}
