//! What happens in sessions, drawn with a seed and decided by the core's own commands. What is refused does not happen.

use std::fs;

use serde_json::json;
use waypost_app::view::View;
use waypost_app::view::activity::{self, Deed};
use waypost_core::actor::Actor;
use waypost_core::command::{
    BuildCommand, Command, Completion, GatesCommand, OrchestrationCommand,
};
use waypost_core::cost::Tokens;
use waypost_core::event::{
    AgentInvoked, AgentUsage, CommitAdded, ConversationAttached, DecisionRecorded, DecisionType,
    PausedGates, SessionEnded, SessionOutcome, SessionStarted, SubagentCalled, UsageCounted,
    UsedByAgent, UsedModel, Violation,
};
use waypost_core::evidence::{
    Confidence, Evidence, Mark, Provenance, Run, Sort, Tree, VerdictGiven, VerdictWord,
};
use waypost_core::gate::action::Action;
use waypost_core::gate::before::Before;
use waypost_core::gate::ruling::{GateFinding, Outcome, Ruling};
use waypost_core::gate::{FindingStatus, Level, Source};
use waypost_core::id::{ConversationId, RulingId, SessionId, StreamId};
use waypost_core::next_step::NextStep;
use waypost_core::session::SessionState;

use crate::world::World;

/// Draws what happens next.
pub(crate) struct Random {
    state: u64,
    sessions: Vec<SessionId>,
    folders: usize,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed, sessions: Vec::new(), folders: 0 }
    }

    fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }

    fn word(&mut self) -> String {
        const WORDS: [&str; 6] = ["tests", "lint", "review", "docs", "ünï 'quoted' \"x\"", "a;b"];
        WORDS[self.below(WORDS.len())].to_owned()
    }

    fn conversation(&mut self) -> ConversationId {
        format!("c{}", self.below(3)).parse().unwrap()
    }

    fn actor(&mut self) -> Actor {
        match self.below(3) {
            0 => Actor::Human,
            1 => Actor::Waypost,
            _ => {
                let conversation = self.conversation();
                Actor::Agent { harness: "toy".to_owned(), conversation, subagent: None }
            }
        }
    }

    /// Begins one more session.
    pub(crate) fn begin(&mut self, view: &View<'_>, number: usize) {
        let id: SessionId = format!("2026-11-15_number-{number}_aaaaaa").parse().unwrap();
        assert!(view.log.create(&StreamId::Session(id.clone())).unwrap());
        let started = SessionStarted {
            objective: (self.below(3) > 0).then(|| format!("Number {number}")),
            workflow: "none".to_owned(),
            branch: Some("main".to_owned()),
            commit: None,
            worktree: None,
        };
        view.execute(&id, &Actor::Human, Command::Start(started)).unwrap();
        self.sessions.push(id);
    }

    /// Something happens in one of them.
    pub(crate) fn step(&mut self, view: &View<'_>) {
        let place = self.below(self.sessions.len());
        let id = self.sessions[place].clone();
        if self.below(4) == 0 {
            let (actor, tool, status) = (self.actor(), self.word(), self.below(3));
            let files = vec!["src/a.rs".to_owned(); status];
            let status = i32::try_from(status).ok();
            let deed =
                Deed { actor: &actor, tool: &tool, what: "cargo test", status, files: &files };
            activity::note(view, &id, &deed);
            return;
        }
        let (actor, state) = (self.actor(), view.log.load(&StreamId::Session(id.clone())));
        let state: SessionState = state.unwrap().state;
        let command = self.command(&state);
        let _ = view.execute(&id, &actor, command);
    }

    #[expect(clippy::too_many_lines, reason = "one match over what can happen")]
    fn command(&mut self, state: &SessionState) -> Command {
        let conversation = self.conversation();
        match self.below(34) {
            0 => Command::Note { kind: "note".to_owned(), text: self.word() },
            1 => Command::Pause { reason: self.word(), context: None },
            2 | 3 => {
                Command::Resume { now: state.updated_at.unwrap(), attended: false, commit: None }
            }
            4 => Command::End(SessionEnded {
                outcome: [SessionOutcome::Completed, SessionOutcome::Failed][self.below(2)],
                summary: Some(self.word()),
                next_notes: None,
            }),
            5 => Command::Archive { reason: self.word() },
            6 => Command::AddCommit(CommitAdded {
                unproven: vec!["a".to_owned(); self.below(3)],
                ..CommitAdded::new(format!("{:040x}", self.below(50)), self.word())
            }),
            7..=9 => Command::Attach {
                attached: ConversationAttached {
                    conversation,
                    harness: "toy".to_owned(),
                    source: "startup".to_owned(),
                    checked: true,
                    traceparent: None,
                },
                policy: "ab".repeat(32),
            },
            10 => Command::Detach { conversation, reason: self.word() },
            11 => Command::BeginTurn { conversation, tree: None, policy: "ab".repeat(32) },
            12 => Command::ObserveEdit {
                conversation,
                subagent: None,
                tool: "Edit".to_owned(),
                path: self.word(),
                elsewhere: None,
            },
            13 => Command::RecordRun(self.run()),
            14 => Command::RecordEvidence(Evidence {
                sort: [Sort::Read, Sort::Called, Sort::Skill][self.below(3)],
                subject: self.word(),
                sha256: None,
                fields: serde_json::Map::new(),
                provenance: Provenance::Observed,
            }),
            15 => Command::Mark(self.mark(conversation)),
            16 => Command::Clear { gate: self.word(), conversation: None },
            17 => Command::Gates(GatesCommand::Pause(PausedGates {
                gates: vec![self.word()],
                until: None,
            })),
            18 => Command::Pass {
                conversation,
                triggered: vec![self.word()],
                consumed: vec![self.word()],
            },
            19 => Command::Miss { conversation: None, missed: vec![self.violation()] },
            20 => Command::Recover {
                conversation: None,
                recovered: vec![(self.word(), "done later".to_owned())],
            },
            21 => Command::Build(BuildCommand::Begin { total: 3 }),
            22 => Command::Build(BuildCommand::CompleteCheckpoint {
                checkpoint: 1 + self.below(3) as u64,
            }),
            23 => Command::Rule(self.ruling(conversation, Outcome::Deny)),
            24..=26 => Command::SettleStop {
                ruling: self.ruling(conversation, Outcome::Warn),
                found: vec!["src/a.rs".to_owned()],
                unenforced: false,
            },
            _ => self.about_agents(conversation, state),
        }
    }

    fn used(&mut self, conversation: ConversationId, subagent: String) -> UsageCounted {
        let tokens = Tokens { input: self.below(900) as u64 + 1, ..Tokens::default() };
        let used = UsedModel {
            model: ["opus", "haiku"][self.below(2)].to_owned(),
            phase: "build".to_owned(),
            checkpoint: None,
            tokens,
            nano_usd: (self.below(2) == 0).then_some(tokens.input),
        };
        let agents = vec![UsedByAgent { subagent, tokens: self.below(900) as u64 }];
        UsageCounted { conversation, used: vec![used], agents }
    }

    fn about_agents(&mut self, conversation: ConversationId, state: &SessionState) -> Command {
        let subagent = format!("s{}", self.below(2));
        let agent = ["code-reviewer", "tester"][self.below(2)].to_owned();
        let usage = AgentUsage { tokens: Some(self.below(900) as u64), ..AgentUsage::default() };
        let orchestrated = match self.below(11) {
            10 => return Command::CountUsage(self.used(conversation, subagent)),
            0 => {
                return Command::StartSubagent {
                    conversation,
                    subagent,
                    agent_type: agent,
                    tree: None,
                };
            }
            1 => {
                return Command::EndSubagent { conversation, subagent, files: Vec::new() };
            }
            2 => {
                let called = SubagentCalled {
                    subagent,
                    agent_type: agent,
                    about: self.word(),
                    usage,
                    failed: self.below(2) == 0,
                    ..SubagentCalled::default()
                };
                return Command::ReturnSubagent { conversation, called };
            }
            3 | 4 => OrchestrationCommand::Invoke(AgentInvoked {
                agent,
                prompt: self.word(),
                context: serde_json::Map::new(),
                artifacts: Vec::new(),
                handoff_from: None,
            }),
            5 => OrchestrationCommand::Complete(Completion {
                agent,
                summary: self.word(),
                failed: self.below(2) == 0,
                ..Completion::default()
            }),
            6 => OrchestrationCommand::Decide { decision: self.decision(), salt: "x".to_owned() },
            7 => {
                let open = state.orchestration.decisions.first().map(|open| open.id.clone());
                OrchestrationCommand::Review {
                    decision: open.unwrap_or_default(),
                    by: agent,
                    approved: self.below(2) == 0,
                }
            }
            8 => OrchestrationCommand::Judge(self.verdict(agent)),
            _ => OrchestrationCommand::Resolve { verdict: state.version, how: self.word() },
        };
        Command::Orchestrate(Box::new(orchestrated))
    }

    /// Gates hold an action, or give way to a stop, which is a violation.
    fn ruling(&mut self, conversation: ConversationId, outcome: Outcome) -> Ruling {
        let kind = if outcome == Outcome::Deny { Before::Commit } else { Before::Stop };
        let finding = |gate: String| GateFinding {
            gate,
            level: Level::Must,
            status: FindingStatus::Missing,
            message: "run the tests".to_owned(),
            why: "no run was seen".to_owned(),
            next: NextStep::Begin,
            source: Source::new("waypost.toml", 1),
        };
        Ruling {
            id: RulingId::new([1, 2, 3, 4]),
            action: Action::new(vec![kind], conversation),
            outcome,
            gave_way: outcome == Outcome::Warn,
            stop_block: None,
            policy: "ab".repeat(32),
            state_version: 1,
            facts: serde_json::from_value(json!({"now": "2026-11-15T12:00:00.000Z"})).unwrap(),
            findings: vec![finding(self.word()), finding("always".to_owned())],
            also: Vec::new(),
        }
    }

    fn run(&mut self) -> Run {
        Run {
            command: self.word(),
            sha256: "cd".repeat(32),
            patterns: vec!["cargo test".to_owned()],
            status: i32::try_from(self.below(2)).unwrap(),
            tree_before: Tree::Id("t".to_owned()),
            tree_after: Tree::Id(["t", "u"][self.below(2)].to_owned()),
            provenance: Provenance::Verified,
            worktree: None,
            duration_ms: None,
            tests: None,
            before: None,
            failed: Vec::new(),
            compared: None,
            flaky: Vec::new(),
        }
    }

    fn mark(&mut self, conversation: ConversationId) -> Mark {
        Mark {
            gate: self.word(),
            provenance: Provenance::Claimed,
            conversation: Some(conversation),
            until: None,
            tree: None,
            note: None,
            shown: None,
            signature: None,
            signed_at: None,
        }
    }

    fn violation(&mut self) -> Violation {
        Violation {
            conversation: None,
            gate: self.word(),
            requirement: self.word(),
            severity: "must".to_owned(),
            reason: self.word(),
            phase: None,
            forced: false,
        }
    }

    fn decision(&mut self) -> DecisionRecorded {
        DecisionRecorded {
            id: String::new(),
            decision_type: DecisionType::ALL[self.below(4)],
            description: self.word(),
            rationale: self.word(),
            decided_by: "orchestrator".to_owned(),
            approved_by: Vec::new(),
            rejected_by: vec!["tester".to_owned(); self.below(2)],
        }
    }

    fn verdict(&mut self, agent: String) -> VerdictGiven {
        let conditional = self.below(2) == 0;
        VerdictGiven {
            agent,
            verdict: if conditional { VerdictWord::Conditional } else { VerdictWord::Approve },
            confidence: Confidence::new(0.5).unwrap(),
            reasoning: self.word(),
            conditions: if conditional { vec![self.word()] } else { Vec::new() },
            blockers: Vec::new(),
            provenance: Provenance::Claimed,
            seen_as: None,
            tree_before: None,
            tree_after: None,
            own_work: Vec::new(),
            undone: false,
            unwatched: false,
            asked: true,
        }
    }

    /// Folders of another program come, change and go.
    pub(crate) fn folders(&mut self, world: &World) {
        for _ in 0..3 {
            self.folders += 1;
            let id = format!("2026-02-14_folder-{}", self.folders);
            self.folder(world, &id);
        }
        let changed = format!("2026-02-14_folder-{}", 1 + self.below(self.folders));
        self.folder(world, &changed);
        if self.folders > 3 {
            let gone =
                format!("repo/agents/sessions/2026-02-14_folder-{}", 1 + self.below(self.folders));
            let _ = fs::remove_dir_all(world.path(&gone));
        }
    }

    fn folder(&mut self, world: &World, id: &str) {
        let mut manifest = json!({
            "session_id": id, "topic": self.word(), "session_type": "full", "status": "active",
            "current_phase": "build", "git": {"branch": "main"},
            "commits": [{"sha": format!("{:040x}", self.below(9)), "message": self.word()}],
        });
        if self.below(2) == 0 {
            manifest["created_at"] = "2026-02-14T10:00:00Z".into();
        }
        let file = format!("repo/agents/sessions/{id}/state.json");
        world.put(&file, &manifest.to_string());
    }
}
