//! Makes projects large: events, sessions and conversations straight through the event log and the
//! registry, many in one transaction. No program is started, and no use case is asked.

use waypost_app::machine::host::Host;
use waypost_app::machine::process::Process;
use waypost_app::machine::project;
use waypost_app::view::registry::{Registration, Registry};
use waypost_core::actor::Actor;
use waypost_core::command::{Command, Completion, OrchestrationCommand, decide};
use waypost_core::event::{AgentInvoked, Known, SessionEnded, SessionOutcome, SessionStarted};
use waypost_core::id::{ConversationId, SessionId, StreamId};
use waypost_core::key::Keyring;
use waypost_core::record::{Draft, Record};
use waypost_core::session::SessionState;
use waypost_core::time::Timestamp;
use waypost_store::{FileLog, StoreError, Streams};

use crate::failure::{During, Failure};

/// How many records are appended in one transaction.
const AT_ONCE: u64 = 1000;
const HARNESS: &str = "claude-code";

/// A place's records and registry.
pub(crate) struct Filler {
    host: Host,
    ring: Keyring,
    log: Streams,
}

impl Filler {
    pub(crate) fn open(host: Host) -> Result<Self, Failure> {
        let during = || format!("opening {}", host.cwd.display());
        let ring = host.keyring().during(during)?;
        let project = project::require(&host.cwd).during(during)?;
        let log = Streams::from(FileLog::new(project.store, host.keyring().during(during)?));
        Ok(Self { host, ring, log })
    }

    /// Appends notes to the session of the place's conversation until it has so many records.
    pub(super) fn events(&self, events: u64) -> Result<(), Failure> {
        let (harness, conversation) =
            self.host.conversation.clone().ok_or_else(|| Failure::new("nobody calls"))?;
        let found = self.registry().find(&harness, &conversation).during(|| harness.clone())?;
        let found = found.ok_or_else(|| Failure::new(format!("{conversation} is not known")))?;
        let stream = StreamId::Session(found.session);
        let loaded = self.log.load::<SessionState>(&stream).during(|| stream.to_string())?;
        self.notes(&stream, loaded.position.seq, events)
    }

    /// A session of its own with so many notes.
    pub(crate) fn session_of_notes(&self, notes: u64) -> Result<SessionId, Failure> {
        let id = self.session(u32::try_from(notes).unwrap_or(u32::MAX), false)?;
        self.notes(&StreamId::Session(id.clone()), 1, notes + 1)?;
        Ok(id)
    }

    /// A session of its own in which so many agents were given work, one after the other.
    pub(super) fn session_of_agents(&self, agents: u64) -> Result<SessionId, Failure> {
        let id = self.session(u32::try_from(agents).unwrap_or(u32::MAX), false)?;
        let stream = StreamId::Session(id.clone());
        for first in (0..agents).step_by(usize::try_from(AT_ONCE).unwrap_or(1)) {
            let loaded = self.log.load::<SessionState>(&stream).during(|| stream.to_string())?;
            let more = AT_ONCE.min(agents - first);
            self.append(&stream, self.worked(loaded.state, more)?.into_iter())?;
        }
        Ok(id)
    }

    /// What happens when so many agents more are given work and do it.
    fn worked(&self, mut state: SessionState, agents: u64) -> Result<Vec<Known>, Failure> {
        let mut events = Vec::new();
        for number in 0..agents {
            let invoked = AgentInvoked {
                agent: "qa".to_owned(),
                prompt: format!("Test greeting {number}"),
                context: serde_json::Map::new(),
                artifacts: Vec::new(),
                handoff_from: None,
            };
            let done = Completion {
                agent: "qa".to_owned(),
                summary: "It greets.".to_owned(),
                ..Completion::default()
            };
            for deed in
                [OrchestrationCommand::Invoke(invoked), OrchestrationCommand::Complete(done)]
            {
                let command = Command::Orchestrate(Box::new(deed));
                for event in decide(&state, command).during(|| "an agent".to_owned())? {
                    let (seq, time, actor) = (state.version + 1, self.now(), Actor::Human);
                    state.apply(&Record { seq, time, actor, event: event.clone().into() });
                    events.push(event);
                }
            }
        }
        Ok(events)
    }

    /// Sessions that are over, on the branch and in the work tree of the one that is not.
    pub(crate) fn sessions(&self, sessions: u32) -> Result<(), Failure> {
        (0..sessions).try_for_each(|number| self.session(number, true).map(drop))
    }

    /// Conversations that ran in other projects, each with a session of its own.
    pub(super) fn conversations(&self, conversations: u32) -> Result<(), Failure> {
        for number in 0..conversations {
            let conversation = conversation(number)?;
            let registration = Registration {
                heads: std::collections::BTreeMap::new(),
                harness: HARNESS.to_owned(),
                session: self.name(number),
                root: format!("/nowhere/project-{}", number % 100).into(),
                // Numbers of processes are not this large.
                process: Some(Process { pid: u32::MAX - number, started: 1 }),
                prompt: None,
                hooked: true,
                conversation,
                tools: None,
                effective: None,
                met: Vec::new(),
            };
            self.registry().enter(&registration).during(|| "entering".to_owned())?;
        }
        Ok(())
    }

    /// Whether the conversation was entered.
    pub(super) fn knows(&self, conversation: &ConversationId) -> bool {
        self.registry().find(HARNESS, conversation).is_ok_and(|found| found.is_some())
    }

    fn registry(&self) -> Registry<'_> {
        Registry::new(&self.host.state_dir, &self.ring)
    }

    fn session(&self, number: u32, over: bool) -> Result<SessionId, Failure> {
        let id = self.name(number);
        let stream = StreamId::Session(id.clone());
        let started = Known::SessionStarted(SessionStarted {
            objective: Some(format!("Make greeting {number} friendlier")),
            workflow: "none".to_owned(),
            branch: Some("main".to_owned()),
            commit: None,
            worktree: None,
        });
        let ended = Known::SessionEnded(SessionEnded {
            outcome: SessionOutcome::Completed,
            summary: Some("It is friendlier.".to_owned()),
            next_notes: None,
        });
        let is_new = self.log.create(&stream).during(|| stream.to_string())?;
        if !is_new {
            return Err(Failure::new(format!("{stream} is there already")));
        }
        self.append(&stream, [started].into_iter().chain(over.then_some(ended)))?;
        Ok(id)
    }

    /// A name that no other has, of the same day as all others.
    pub(crate) fn name(&self, number: u32) -> SessionId {
        // Five bits of each byte tell names apart.
        let digits = [25, 20, 15, 10, 5, 0].map(|bits| (number >> bits).to_le_bytes()[0]);
        SessionId::new(self.now(), Some("make the greeting friendlier"), digits)
    }

    fn notes(&self, stream: &StreamId, from: u64, to: u64) -> Result<(), Failure> {
        for first in (from..to).step_by(usize::try_from(AT_ONCE).unwrap_or(1)) {
            let numbers = first..to.min(first + AT_ONCE);
            self.append(stream, numbers.map(note))?;
        }
        Ok(())
    }

    fn append(
        &self,
        stream: &StreamId,
        events: impl Iterator<Item = Known>,
    ) -> Result<(), Failure> {
        let time = self.now();
        let draft = |event: Known| Draft { time, actor: Actor::Human, event: event.into() };
        let drafts: Vec<Draft> = events.map(draft).collect();
        self.log
            .transact(stream, |_: &SessionState| Ok::<_, StoreError>((drafts.clone(), ())))
            .during(|| stream.to_string())
            .map(drop)
    }

    fn now(&self) -> Timestamp {
        self.host.now()
    }
}

/// A conversation that no place has.
pub(super) fn conversation(number: u32) -> Result<ConversationId, Failure> {
    let text = format!("00000000-0000-4000-8000-{number:012}");
    text.parse().during(|| text.clone())
}

fn note(number: u64) -> Known {
    Known::NoteAdded {
        note_kind: "decision".to_owned(),
        text: format!("Greeting {number} stays in one function; languages get files of their own."),
    }
}
