//! The rows of each table. A session is named by a number that is made of its project and its id, so that it is the
//! same in every index.

use super::cell::{AsCell, Cell, Column, Row, Table, row};
use crate::time::Timestamp;

row! {
    /// A project of this machine.
    ProjectRow in "projects", key 1, indexes [["working_dir"]] {
        /// Its id. It stays when the folder is moved.
        id: String,
        /// What people call it.
        name: String,
        /// The folder that its agents work in.
        working_dir: String,
        /// Where its records are.
        store: String,
        /// Whether it is where it is said to be.
        present: bool,
        /// Whether people have put it away.
        archived: bool,
    }
}

row! {
    /// A session.
    SessionRow in "sessions", key 1, indexes [
        ["project", "updated_at"],
        ["project", "lifecycle", "updated_at"],
        ["project", "branch", "updated_at", "lifecycle"],
        ["project", "workflow", "updated_at", "lifecycle"],
        ["project", "kept", "updated_at", "lifecycle"],
        ["project", "nano_usd", "priced", "unpriced"],
        ["id"],
        ["updated_at"]
    ] {
        /// Its number.
        session: i64,
        /// The project that it belongs to.
        project: String,
        /// Its id.
        id: String,
        /// How it is kept: `live`, or as a folder that a clone or another program made: `copy`, `unverified`, `legacy`;
        /// `damaged` or `newer` where it cannot be read to its end.
        kept: String,
        /// What is wrong with it.
        damage: Option<String>,
        /// What it is for.
        objective: Option<String>,
        /// The workflow that it follows.
        workflow: String,
        /// The phase that it is in.
        phase: String,
        /// The phases of its workflow, one a line, each behind a word for how far it has come.
        phases: Option<String>,
        /// Where it was in its life when something last happened.
        lifecycle: String,
        /// Its branch.
        branch: Option<String>,
        /// Its linked work tree; none is the main one.
        worktree: Option<String>,
        /// When it began.
        started_at: Option<Timestamp>,
        /// When something last happened.
        updated_at: Option<Timestamp>,
        /// When it ended, while it is over.
        ended_at: Option<Timestamp>,
        /// The last record.
        version: u64,
        /// How many musts were missed.
        violations: u64,
        /// How many checkpoints its plan has.
        checkpoints: Option<u64>,
        /// How many of them are done.
        checkpoints_completed: u64,
        /// How many conversations are attached.
        attached: u64,
        /// What its conversations cost as far as prices were known, in thousand-millionths of a US dollar.
        nano_usd: u64,
        /// How many tokens' price was known.
        priced: u64,
        /// How many tokens' price was not.
        unpriced: u64,
    }
}

row! {
    /// A conversation of a session.
    ConversationRow in "conversations", key 2, indexes [["id"]] {
        /// The session.
        session: i64,
        /// The harness' own id.
        id: String,
        /// The harness.
        harness: String,
        /// When it first came.
        attached_at: Timestamp,
        /// When it left, unless it came back.
        detached_at: Option<Timestamp>,
        /// Why it left.
        reason: Option<String>,
        /// How many turns it had.
        turns: u64,
    }
}

row! {
    /// An agent that was given work, by a tool or as a subagent.
    AgentRow in "agents", key 2, indexes [["agent", "started_at"]] {
        /// The session.
        session: i64,
        /// The record that began it.
        seq: u64,
        /// Which agent, or what sort of.
        agent: String,
        /// The harness' name for it, where it is a subagent.
        subagent: Option<String>,
        /// The conversation that gave it the work.
        conversation: Option<String>,
        /// What it was asked to do.
        prompt: Option<String>,
        /// How far it has come.
        status: String,
        /// When it began.
        started_at: Timestamp,
        /// When it was done.
        ended_at: Option<Timestamp>,
        /// What it did.
        summary: Option<String>,
        /// Tokens that it took, where its harness tells.
        tokens: Option<u64>,
        /// How long it took.
        duration_ms: Option<u64>,
        /// How many tools it called.
        tool_calls: Option<u64>,
    }
}

row! {
    /// Something that happened in a session: a record, or a tool call that a hook saw.
    LogRow in "agent_logs", key 3, indexes [["time"], ["session", "activity", "kind", "number"]] {
        /// The session.
        session: i64,
        /// Whether it is a line of activity; else a record.
        activity: bool,
        /// Its place among these, from 1.
        number: u64,
        /// When.
        time: Timestamp,
        /// Who.
        actor: String,
        /// The event's type, or the tool.
        kind: String,
        /// What exactly.
        what: Option<String>,
        /// How it ended, where that is known.
        status: Option<i64>,
        /// The files that it changed, one a line.
        files: Option<String>,
    }
}

row! {
    /// A gate of a session, and what came of it.
    GateRow in "gates", key 2, indexes [["gate"]] {
        /// The session.
        session: i64,
        /// The gate.
        gate: String,
        /// `held`, `warned`, `passed`, `used_up`, `cleared`, `paused`, `unpaused`, or how well it is known that it
        /// is satisfied.
        status: String,
        /// When that came to be.
        time: Timestamp,
        /// Why it held.
        why: Option<String>,
        /// How often it held something.
        held: u64,
        /// How often it warned.
        warned: u64,
    }
}

row! {
    /// What was seen or said that a gate may ask for.
    EvidenceRow in "evidence", key 2, indexes [["subject"]] {
        /// The session.
        session: i64,
        /// The record.
        seq: u64,
        /// When.
        time: Timestamp,
        /// The conversation, if one did it.
        conversation: Option<String>,
        /// `run`, `read`, `called`, `skill`, `fields` or `mark`.
        kind: String,
        /// What ran, the file, the tool, the skill, the gate.
        subject: String,
        /// Its exit status.
        status: Option<i64>,
        /// How many tests it executed.
        tests: Option<u64>,
        /// How many of them failed.
        failed: Option<u64>,
        /// The content that it is about.
        tree: Option<String>,
        /// How well it is known.
        provenance: String,
    }
}

row! {
    /// A decision.
    DecisionRow in "decisions", key 2, indexes [] {
        /// The session.
        session: i64,
        /// Its id.
        id: String,
        /// The record.
        seq: u64,
        /// When.
        time: Timestamp,
        /// What sort of decision.
        kind: String,
        /// What was decided.
        description: String,
        /// Why.
        rationale: String,
        /// Who decided it.
        decided_by: String,
        /// Who agrees, one a line.
        approved_by: String,
        /// Who does not, one a line.
        rejected_by: String,
    }
}

row! {
    /// What an agent said of another's work.
    VerdictRow in "verdicts", key 2, indexes [["agent"]] {
        /// The session.
        session: i64,
        /// The record.
        seq: u64,
        /// When.
        time: Timestamp,
        /// Which agent.
        agent: String,
        /// What it says.
        verdict: String,
        /// How sure it is.
        confidence: f64,
        /// Why.
        reasoning: String,
        /// How well it is known that it said so.
        provenance: String,
        /// Whether that is enough for a gate.
        counts: bool,
        /// How many conditions and blockers it names.
        wants: u64,
        /// How they were met.
        resolved: Option<String>,
    }
}

row! {
    /// A missed must.
    ViolationRow in "violations", key 3, indexes [["time"], ["gate"]] {
        /// The session.
        session: i64,
        /// The record.
        seq: u64,
        /// Its place among several that one record tells of.
        place: u64,
        /// When.
        time: Option<Timestamp>,
        /// The conversation.
        conversation: Option<String>,
        /// The gate.
        gate: String,
        /// What it required.
        requirement: String,
        /// How bad that is.
        severity: String,
        /// Why it came to this.
        reason: String,
        /// How it came to hold after all.
        recovery: Option<String>,
        /// When.
        recovered_at: Option<Timestamp>,
    }
}

row! {
    /// A commit of a session.
    CommitRow in "commits", key 2, indexes [["sha"]] {
        /// The session.
        session: i64,
        /// The commit.
        sha: String,
        /// The record.
        seq: u64,
        /// When.
        time: Option<Timestamp>,
        /// What it is about.
        message: String,
        /// The checkpoint that it belongs to.
        checkpoint: Option<u64>,
        /// How many of its files no gate was seen to be met for.
        unproven: u64,
        /// Whether no gate was asked before it was made.
        unruled: bool,
    }
}

row! {
    /// How far something was read: a stream, a session's folder, a file.
    SourceRow in "sources", key 3, indexes [] {
        /// The project, or where else it belongs.
        project: String,
        /// `stream`, `folder`, `activity`, or a format of transcripts.
        kind: String,
        /// Its name there.
        name: String,
        /// The session that its rows belong to, if it is one's.
        session: Option<i64>,
        /// How long it was.
        bytes: u64,
        /// When it was last changed then.
        modified: u64,
        /// The file that it was.
        file: u64,
        /// Up to which record or line it was read.
        seq: u64,
        /// Up to which byte.
        offset: u64,
        /// The hash of that record, or what else tells that it is the same.
        hash: String,
    }
}
