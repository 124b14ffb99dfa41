//! Gates that ask for the user's own signature.

use waypost_core::gate::{Gate, Proof};
use waypost_core::next_step::{Mend, Voice, amid};

use crate::config::proof::OWN_KEY;
use crate::machine::signing;
use crate::view::View;

/// Gates that ask for the user's signature get the public key that it is made with.
pub(crate) fn name_own_key<'g>(
    view: &View<'_>,
    gates: impl Iterator<Item = &'g mut Gate>,
) -> Option<String> {
    let asks = |proof: &Proof| matches!(proof, Proof::Approval(approval) if approval.signed_by.as_deref() == Some(OWN_KEY));
    let asking = |gate: &&mut Gate| {
        let mut asked = false;
        gate.proof.each(&mut |proof| asked |= asks(proof));
        asked
    };
    let mut gates = gates.filter(asking).peekable();
    gates.peek()?;
    let own = signing::public(&view.host.approval_key_file());
    let (own, warning) = match own {
        Ok(Some(own)) => (own.to_string(), None),
        Ok(None) => {
            let why = "a gate asks for your signature, and there is no approval key: ";
            let told = amid(why, Mend::MakeApprovalKey, " makes one");
            // Nobody's signature fits, so the gate stays shut.
            ("nobody".to_owned(), Some(told.words(Voice::PERSON)))
        }
        Err(error) => ("nobody".to_owned(), Some(error.full_text(Voice::PERSON))),
    };
    for gate in gates {
        replace_key(&mut gate.proof, &own);
    }
    warning
}

fn replace_key(proof: &mut Proof, own: &str) {
    match proof {
        Proof::Approval(approval) if approval.signed_by.as_deref() == Some(OWN_KEY) => {
            approval.signed_by = Some(own.to_owned());
        }
        Proof::All(proofs) | Proof::Any(proofs) => {
            for proof in proofs {
                replace_key(proof, own);
            }
        }
        _ => {}
    }
}
