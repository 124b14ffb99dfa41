//! Evidence that somebody gives: the fields that a gate asks for.

use serde_json::{Map, Value};
use waypost_core::evidence::{Evidence, Provenance, Sort};
use waypost_core::gate::proof::fields::FieldsProof;
use waypost_core::gate::{Gate, Proof};

/// The fields that a gate asks for, if it asks for any.
pub fn wanted(gate: &Gate) -> Option<&FieldsProof> {
    let mut found = None;
    gate.proof.each(&mut |proof| {
        if let Proof::Fields(fields) = proof {
            found = found.or(Some(fields));
        }
    });
    found
}

/// What was given for them, as evidence.
pub fn given(gate: &Gate, fields: Map<String, Value>, provenance: Provenance) -> Evidence {
    Evidence { sort: Sort::Fields, subject: gate.id.clone(), sha256: None, fields, provenance }
}
