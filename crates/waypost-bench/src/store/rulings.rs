//! What a ruling costs once policy and state are in memory.

use std::time::Duration;

use waypost_core::engine::Case;
use waypost_core::gate::action::Action;
use waypost_core::gate::facts::Facts;
use waypost_core::gate::gates::Gates;
use waypost_core::gate::policy::Enforcement;
use waypost_core::gate::proof::ran::{Fresh, RanProof};
use waypost_core::gate::{Before, Gate, Proof, When};
use waypost_core::id::ConversationId;
use waypost_core::project::ProjectState;
use waypost_core::session::SessionState;
use waypost_core::time::Timestamp;

use super::Bench;
use super::figure::{Figure, Target};
use super::pair::{by_turns, time};
use crate::failure::Failure;

/// A single ruling is too short for the clock.
const AT_ONCE: u32 = 100;

pub(super) fn measure(bench: &Bench<'_>) -> Result<Vec<Figure>, Failure> {
    let state = bench.long.load()?.state;
    let (five, fifty) = (gates(5, &Before::Push), gates(50, &Before::Push));
    let standing = gates(50, &Before::Edit);
    let rounds = bench.rounds;
    let idle = by_turns(rounds, 1, || rule(&fifty, &state), || rule(&five, &state))?;
    let busy = by_turns(rounds, 1, || rule(&standing, &state), || rule(&five, &state))?;
    let limit = Target::MedianBelow(Duration::from_micros(50));
    Ok(vec![
        Figure::new(
            "ruling, 50 gates that do not apply",
            "the same, 5 gates",
            idle,
            Target::AtMost(2.0),
        ),
        Figure::new("ruling, 50 gates that apply", "5 gates that do not", busy, limit),
    ])
}

fn rule(gates: &Gates, state: &SessionState) -> Result<Duration, Failure> {
    let project = ProjectState::default();
    let facts = Facts::at(Timestamp::saturating_from_millis(0), Some("main".to_owned()));
    let action = Action::new(vec![Before::Edit], ConversationId::nobody());
    let case = Case {
        enforcement: Enforcement::Block,
        mode: "coding",
        gates,
        state,
        project: &project,
        facts: &facts,
        action: &action,
    };
    let all = time(|| {
        for _ in 0..AT_ONCE {
            std::hint::black_box(case.rule());
        }
        Ok(())
    })?;
    Ok(all / AT_ONCE)
}

fn gates(count: usize, before: &Before) -> Gates {
    let gate = |number: usize| Gate {
        when: When { branch: Some("!docs/*".to_owned()), ..When::default() },
        message: "Run it.".to_owned(),
        ..Gate::new(
            format!("gate-{number}"),
            vec![before.clone()],
            Proof::Ran(RanProof::new(format!("./check-{number}.sh*"), Fresh::Once)),
        )
    };
    (0..count).map(gate).collect::<Vec<_>>().into()
}
