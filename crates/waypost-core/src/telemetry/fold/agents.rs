//! Agents that work for others as spans, as OpenTelemetry names them: `invoke_agent NAME`.

use super::super::signal::{Place, Signal, Span, SpanId, Status};
use super::super::told::Scene;
use super::{Agent, Begun, MAX_OPEN, Tracing, ended, one};
use crate::event::{AgentCompleted, AgentUsage, InvocationStatus, SubagentCalled};
use crate::id::ConversationId;

impl Tracing {
    pub(super) fn invoke(
        &mut self,
        scene: Scene<'_>,
        name: &str,
        subagent: Option<&str>,
        conversation: Option<&ConversationId>,
    ) -> Vec<Signal> {
        let mut told = Vec::new();
        if self.agents.len() >= MAX_OPEN {
            let oldest = self.agents.keys().next().copied();
            told.extend(self.finish(scene, oldest, Status::Unset));
        }
        let agent = Agent {
            begun: Begun::of(scene.record),
            name: name.to_owned(),
            subagent: subagent.map(str::to_owned),
            conversation: conversation.cloned(),
            call: None,
            usage: AgentUsage::default(),
        };
        self.agents.insert(scene.record.seq, agent);
        told
    }

    /// The latest one of the conversation that the harness calls so.
    pub(super) fn subagent(&self, conversation: &ConversationId, subagent: &str) -> Option<u64> {
        let is_it = |agent: &Agent| {
            agent.subagent.as_deref() == Some(subagent)
                && agent.conversation.as_ref() == Some(conversation)
        };
        self.agents.iter().rev().find(|(_, agent)| is_it(agent)).map(|(number, _)| *number)
    }

    /// An agent is done.
    pub(super) fn finish(
        &mut self,
        scene: Scene<'_>,
        number: Option<u64>,
        status: Status,
    ) -> Vec<Signal> {
        let Some(agent) = number.and_then(|number| self.agents.remove(&number)) else {
            return Vec::new();
        };
        let Place { trace, span: parent } = self.place(agent.conversation.as_ref());
        let mut attributes = scene.common();
        attributes.retain(|(name, _)| !matches!(*name, "gen_ai.agent.id"));
        attributes.push(("gen_ai.operation.name", "invoke_agent".into()));
        attributes.push(("gen_ai.agent.name", agent.name.as_str().into()));
        attributes.extend(agent.subagent.map(|id| ("gen_ai.agent.id", id.into())));
        let call = agent.call.as_deref();
        attributes.extend(call.map(|call| ("tool_use_id", call.into())));
        attributes.extend(call.map(|call| ("gen_ai.tool.call.id", call.into())));
        attributes.extend(agent.usage.tokens.map(|all| ("waypost.agent.tokens", all.into())));
        let calls = agent.usage.tool_calls;
        attributes.extend(calls.map(|calls| ("waypost.agent.tool_calls", calls.into())));
        let span = SpanId::of(&self.root, "agent", agent.begun.seq);
        vec![ended(Span {
            place: Place { trace, span },
            parent: Some(parent),
            link: None,
            name: format!("invoke_agent {}", agent.name),
            start: agent.begun.time,
            end: scene.record.time,
            attributes,
            status,
        })]
    }

    /// The call that let a subagent work returned: mostly after its end, and then that is told beside the span.
    pub(super) fn called(&mut self, scene: Scene<'_>, called: &SubagentCalled) -> Vec<Signal> {
        let conversation = scene.record.actor.conversation();
        let number = conversation.and_then(|id| self.subagent(id, &called.subagent));
        if let Some(agent) = number.and_then(|number| self.agents.get_mut(&number)) {
            agent.call.clone_from(&called.call);
            agent.usage = called.usage;
            return if called.failed {
                self.finish(scene, number, Status::Failed)
            } else {
                Vec::new()
            };
        }
        let mut said = vec![
            ("gen_ai.operation.name", "invoke_agent".into()),
            ("gen_ai.agent.name", called.agent_type.as_str().into()),
            ("gen_ai.agent.id", called.subagent.as_str().into()),
            ("waypost.agent.failed", called.failed.into()),
        ];
        let call = called.call.as_deref();
        said.extend(call.map(|call| ("tool_use_id", call.into())));
        said.extend(call.map(|call| ("gen_ai.tool.call.id", call.into())));
        said.extend(called.usage.tokens.map(|all| ("waypost.agent.tokens", all.into())));
        let took = called.usage.duration_ms;
        said.extend(took.map(|took| ("waypost.agent.duration_ms", took.into())));
        said.extend(scene.free("waypost.agent.about", &called.about));
        let body = format!("agent {} returned", called.agent_type);
        one(scene.log("waypost.agent", self.place(conversation), body, said))
    }

    pub(super) fn completed(&mut self, scene: Scene<'_>, done: &AgentCompleted) -> Vec<Signal> {
        let status = match done.status {
            InvocationStatus::InProgress => return Vec::new(),
            InvocationStatus::Completed => Status::Good,
            InvocationStatus::Failed | InvocationStatus::Blocked => Status::Failed,
        };
        self.finish(scene, Some(done.invocation), status)
    }

    /// Nobody tells of the end of a conversation's agents any more.
    pub(super) fn lose_agents(&mut self, scene: Scene<'_>, id: &ConversationId) -> Vec<Signal> {
        let is_lost =
            |agent: &Agent| agent.subagent.is_some() && agent.conversation.as_ref() == Some(id);
        let lost = self.agents.iter().filter(|(_, agent)| is_lost(agent));
        let lost: Vec<u64> = lost.map(|(number, _)| *number).collect();
        lost.into_iter()
            .flat_map(|number| self.finish(scene, Some(number), Status::Failed))
            .collect()
    }
}
