//! Adding an invocation to a session in which very many agents worked, beside one with few.

use std::cell::RefCell;
use std::ffi::OsString;

use serde_json::json;
use waypost_core::id::SessionId;

use super::Project;
use crate::failure::Failure;
use crate::mcp::client::Client;
use crate::spawn::Spawn;
use crate::store::figure::{Figure, Target};
use crate::store::pair::{by_turns, time};

const FEW: u64 = 10;
const MANY: u64 = 100_000;
const MOST: Target = Target::AtMost(1.2);

pub(super) fn measure(place: &Project<'_>, rounds: usize) -> Result<Vec<Figure>, Failure> {
    let few = place.filler.session_of_agents(FEW)?;
    let many = place.filler.session_of_agents(MANY)?;
    let (name, floor) = ("100,000 invocations", "10 invocations");
    let run = |session: &SessionId| place.invoke(session).run_well().map(|(took, _)| took);
    let by_command = by_turns(rounds, 1, || run(&many), || run(&few))?;
    let client = RefCell::new(place.serve()?);
    let ask = |session: &SessionId| {
        let given = json!({"agent": "qa", "prompt": "Test it", "session_id": session});
        time(|| Client::call(&mut client.borrow_mut(), "agent_invoke", &given))
    };
    let by_tool = by_turns(rounds, 1, || ask(&many), || ask(&few))?;
    Ok(vec![
        Figure::new(&format!("agent invoke, {name}"), floor, by_command, MOST),
        Figure::new(&format!("agent_invoke, {name}"), floor, by_tool, MOST),
    ])
}

impl Project<'_> {
    fn invoke(&self, session: &SessionId) -> Spawn {
        let words = ["agent", "invoke", "qa", "--prompt", "Test it", "--session", session.as_str()];
        let words = words.map(OsString::from).into();
        self.places.spawn_in(self.place, &self.programs.waypost, words, vec![])
    }
}
