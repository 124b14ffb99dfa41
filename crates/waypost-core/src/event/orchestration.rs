//! What events say of agents that work for each other: invocations, decisions, verdicts and handoffs.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::SessionId;

/// An agent was given work. The record's sequence number is the invocation's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentInvoked {
    /// Which agent.
    pub agent: String,
    /// What it was asked to do.
    pub prompt: String,
    /// What it was told beside that.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// The files that it was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// The agent that handed the work over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_from: Option<String>,
}

/// An agent is done with what it was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCompleted {
    /// Which agent.
    pub agent: String,
    /// The invocation: the sequence number of its record.
    pub invocation: u64,
    /// What came of it.
    pub status: InvocationStatus,
    /// What it did.
    pub summary: String,
    /// The files that it leaves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// What it recommends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recommendations: Vec<String>,
    /// What kept it from going on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// The agent that goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_to: Option<String>,
    /// Why that one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub handoff_reason: String,
}

/// How far an invocation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvocationStatus {
    /// The agent is at work.
    #[default]
    InProgress,
    /// It is done.
    Completed,
    /// It could not do it.
    Failed,
    /// Something keeps it from going on.
    Blocked,
}

impl InvocationStatus {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::InProgress => "at work",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
        }
    }
}

/// What a harness tells of a subagent's work when the call that started it returns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SubagentCalled {
    /// The harness' name for the subagent.
    pub subagent: String,
    /// What sort of agent it is.
    pub agent_type: String,
    /// What it is for, in the few words that were given with the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The harness' name for the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// What it used, where the harness says so.
    #[serde(default, skip_serializing_if = "AgentUsage::is_unknown")]
    pub usage: AgentUsage,
    /// Whether the call returned while the subagent is still at work.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
    /// Whether the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// What an agent's work took, as far as its harness tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AgentUsage {
    /// Tokens that went in, those from a cache included, and came out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// How many tools it called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
}

impl AgentUsage {
    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// What is known of both; what `other` knows wins.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            tokens: other.tokens.or(self.tokens),
            duration_ms: other.duration_ms.or(self.duration_ms),
            tool_calls: other.tool_calls.or(self.tool_calls),
        }
    }
}

/// Something was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRecorded {
    /// Its id.
    pub id: String,
    /// What sort of decision.
    pub decision_type: DecisionType,
    /// What was decided.
    pub description: String,
    /// Why.
    pub rationale: String,
    /// Who decided it.
    pub decided_by: String,
    /// Who agrees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approved_by: Vec<String>,
    /// Who does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected_by: Vec<String>,
}

/// What sort of decision it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionType {
    /// About the structure of the whole.
    Architectural,
    /// About how something is made.
    Technical,
    /// About how the work is done.
    Process,
    /// About what belongs to it.
    Scope,
}

impl DecisionType {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Architectural, Self::Technical, Self::Process, Self::Scope];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Architectural => "architectural",
            Self::Technical => "technical",
            Self::Process => "process",
            Self::Scope => "scope",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }
}

/// Work is handed from one agent to another. The record's sequence number is the handoff's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HandoffCreated {
    /// Who hands it over.
    pub from_agent: String,
    /// Who goes on.
    pub to_agent: String,
    /// Why.
    pub reason: String,
    /// What whoever goes on has to know.
    pub context: String,
    /// The files that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// What else is kept for whoever goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserved_context: Option<Map<String, Value>>,
    /// What whoever goes on has to look at before anything else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checklist: Vec<String>,
}

/// Whoever goes on took a handoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffAccepted {
    /// The handoff: the sequence number of its record.
    pub handoff: u64,
    /// What was found of each point of its checklist, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<String>,
}

/// Older invocations are no longer in the state; their records are where they were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryCompacted {
    /// The first of them: the sequence number of its record.
    pub from: u64,
    /// The last of them.
    pub to: u64,
    /// How many they are.
    pub count: u64,
}

impl HistoryCompacted {
    /// Where archived invocations are found: what reads resources reads this.
    pub fn note_path(&self, session: &SessionId) -> String {
        format!("{}{session}/history/{}-{}", Self::SCHEME, self.from, self.to)
    }

    /// How such places begin: what follows is the session and the range of records.
    pub const SCHEME: &str = "session://";
}
