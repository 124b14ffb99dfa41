//! What somebody gives as the workflow of a session, compared with what is recorded: what is new becomes commands, and
//! whatever would be other than recorded is refused.

use serde_json::{Map, Value};
use waypost_core::command::OrchestrationCommand;

use super::fields::{Fields, forged, is_no};
use super::items;
use crate::error::AppError;
use crate::orchestration::state::Told;
use crate::view::View;

const WORKFLOW: &str = "orchestratorWorkflow";
const FIELDS: [&str; 9] = [
    "activeAgent",
    "workflowPhase",
    "agentHistory",
    "decisions",
    "verdicts",
    "pendingHandoffs",
    "compactionHistory",
    "startedAt",
    "lastAgentChange",
];

/// What a workflow that somebody gives asks for.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The phase, if it is another one.
    pub(super) phase: Option<String>,
    /// What is new.
    pub(super) commands: Vec<OrchestrationCommand>,
    /// Whether an agent that was at work is done.
    pub(super) completes: bool,
}

/// What `given` asks for beyond what is recorded.
pub(super) fn asked(view: &View<'_>, told: &Told, given: &Value) -> Result<Asked, AppError> {
    let recorded = told.document.get(WORKFLOW).and_then(Value::as_object);
    if given.is_null() {
        return match recorded {
            None => Ok(Asked::default()),
            Some(_) => Err(forged(WORKFLOW, "would be gone")),
        };
    }
    let fields = Fields::of_value(WORKFLOW, given, &FIELDS)?;
    let compared = Compared { told, recorded, fields };
    let phase = compared.fields.text("workflowPhase")?;
    let phase = phase.filter(|phase| Some(*phase) != compared.recorded_text("workflowPhase"));
    let mut commands = compared.invocations()?;
    let completes = matches!(commands.first(), Some(OrchestrationCommand::Complete(_)));
    let mut taken = compared.decision_ids();
    compared.added("decisions", |at, item| {
        commands.push(items::decided(told, at, item, &mut taken)?);
        Ok(())
    })?;
    compared.added("verdicts", |at, item| {
        commands.push(items::judged(view, told, at, item)?);
        Ok(())
    })?;
    compared.added("pendingHandoffs", |at, item| {
        commands.push(items::handed_over(view, at, item)?);
        Ok(())
    })?;
    let moved = |at: &str, _: &Value| Err(forged(at, "was never moved out of the state"));
    compared.added("compactionHistory", moved)?;
    compared.derived(commands.is_empty())?;
    Ok(Asked { phase: phase.map(str::to_owned), commands, completes })
}

struct Compared<'a> {
    told: &'a Told,
    recorded: Option<&'a Map<String, Value>>,
    fields: Fields<'a>,
}

impl<'a> Compared<'a> {
    fn recorded_text(&self, name: &str) -> Option<&'a str> {
        self.recorded?.get(name)?.as_str()
    }

    fn recorded_list(&self, name: &str) -> &'a [Value] {
        let list = self.recorded.and_then(|fields| fields.get(name)).and_then(Value::as_array);
        list.map(Vec::as_slice).unwrap_or_default()
    }

    /// Looks at what a list holds behind what is recorded.
    fn added(
        &self,
        name: &str,
        mut add: impl FnMut(&str, &'a Value) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        let Some(given) = self.fields.list(name)? else { return Ok(()) };
        let recorded = self.recorded_list(name);
        for (at, known) in recorded.iter().enumerate() {
            let place = self.place(name, at);
            match given.get(at) {
                None => return Err(forged(&place, "would be gone")),
                Some(item) if item != known => {
                    return Err(forged(&place, "is not what is recorded"));
                }
                Some(_) => {}
            }
        }
        let new = given.iter().enumerate().skip(recorded.len());
        new.into_iter().try_for_each(|(at, item)| add(&self.place(name, at), item))
    }

    fn place(&self, name: &str, at: usize) -> String {
        format!("{}[{at}]", self.fields.path(name))
    }

    fn decision_ids(&self) -> Vec<String> {
        let ids = self.recorded_list("decisions").iter();
        ids.filter_map(|decision| decision["id"].as_str()).map(str::to_owned).collect()
    }

    /// Agents that were given work, and those that are done with it by now.
    fn invocations(&self) -> Result<Vec<OrchestrationCommand>, AppError> {
        const LIST: &str = "agentHistory";
        let Some(given) = self.fields.list(LIST)? else { return Ok(Vec::new()) };
        let recorded = self.recorded_list(LIST);
        let own: Vec<u64> = self.told.agents.at_hand().map(|work| work.seq).collect();
        let brought = recorded.len().saturating_sub(own.len());
        let (mut commands, mut done) = (Vec::new(), Vec::new());
        // The latest one of an agent is completed first.
        for (at, known) in recorded.iter().enumerate().rev() {
            let place = self.place(LIST, at);
            let item = given.get(at).ok_or_else(|| forged(&place, "would be gone"))?;
            if item == known {
                continue;
            }
            let seq = at.checked_sub(brought).and_then(|at| own.get(at).copied());
            let seq = seq.ok_or_else(|| forged(&place, "is not what another program recorded"))?;
            commands.push(self.completed(&place, known, item, seq, &done)?);
            done.push(seq);
        }
        for (at, item) in given.iter().enumerate().skip(recorded.len()) {
            commands.extend(items::invoked(&self.place(LIST, at), item)?);
        }
        Ok(commands)
    }

    /// An agent that was at work and is done.
    fn completed(
        &self,
        place: &str,
        known: &Value,
        item: &Value,
        seq: u64,
        done: &[u64],
    ) -> Result<OrchestrationCommand, AppError> {
        let fields = Fields::of_value(place, item, &items::INVOCATION)?;
        let stays = ["agent", "startedAt", "input", "handoffFrom"];
        let differs = stays.iter().any(|name| fields.raw(name) != known.get(*name));
        if differs || known["status"] != "in_progress" {
            return Err(forged(place, "is not what is recorded"));
        }
        let completion = items::completed(&fields)?;
        let completion = completion.ok_or_else(|| forged(place, "is not what is recorded"))?;
        let open = self.told.session.state.orchestration.open().rev();
        let mut open = open.filter(|open| open.agent == completion.agent);
        let latest = open.find(|open| open.subagent.is_none() && !done.contains(&open.seq));
        if latest.is_none_or(|latest| latest.seq != seq) {
            let message = format!(
                "`{place}` cannot be completed so: hooks see when it is done, or a later one of that agent is open"
            );
            return Err(
                AppError::refused(message).hint("complete the latest one of an agent first")
            );
        }
        Ok(OrchestrationCommand::Complete(completion))
    }

    /// What follows from the rest: it is what it is, unless there is something new.
    fn derived(&self, is_same: bool) -> Result<(), AppError> {
        for name in ["startedAt", "lastAgentChange", "activeAgent"] {
            let Some(given) = self.fields.raw(name) else { continue };
            let Some(recorded) = self.recorded.and_then(|fields| fields.get(name)) else {
                self.fields.text(name)?;
                continue;
            };
            let is_fixed = is_same || name == "startedAt";
            if given != recorded && is_fixed {
                return Err(forged(&self.fields.path(name), "is not what is recorded"));
            }
            if name == "activeAgent" && given != recorded && *given != self.active_then() {
                let path = self.fields.path(name);
                return Err(is_no(&path, "the agent that began last of those at work"));
            }
        }
        Ok(())
    }

    /// The agent that is at work by what is given.
    fn active_then(&self) -> Value {
        let list = self.fields.get("agentHistory").and_then(Value::as_array);
        let mut latest = list.into_iter().flatten().rev();
        let at_work = latest.find(|item| item["status"] == "in_progress");
        at_work.map(|item| item["agent"].clone()).unwrap_or_default()
    }
}
