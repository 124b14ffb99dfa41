//! Gates that are budgets: those that ask for what a session used, and come near their end before they hold anything.

use waypost_core::gate::{Gate, Proof};
use waypost_core::usage::Usage;

/// Of these gates the budgets that came near their end since what was used was `before`, and that in words.
pub(crate) fn near(gates: &[Gate], used: &Usage, before: &Usage) -> Option<(Vec<String>, String)> {
    let is_near = |gate: &&Gate| {
        let mut is_near = false;
        gate.proof.each(&mut |proof| {
            if let Proof::Check(check) = proof {
                is_near |= check.nears(used, before);
            }
        });
        is_near
    };
    let near: Vec<String> = gates.iter().filter(is_near).map(|gate| gate.id.clone()).collect();
    if near.is_empty() {
        return None;
    }
    let (gates, verb) = (near.join(", "), if near.len() == 1 { "is" } else { "are" });
    let used = used.words();
    let told =
        format!("{gates} {verb} near the limit: this session used {used}, more than 80% of it");
    Some((near, told))
}
