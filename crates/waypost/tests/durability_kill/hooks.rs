//! Conversations of an agent: its harness calls the hook, which is killed in the middle.

use serde_json::{Value, json};

use super::ledger::Told;
use super::worker::{Worker, World};

/// How many conversations a harness goes on with.
const CONVERSATIONS: usize = 4;

/// The conversations of one harness.
#[derive(Debug, Default)]
pub(crate) struct Conversations {
    all: Vec<Conversation>,
    calls: u64,
}

#[derive(Debug, Clone)]
struct Conversation {
    id: String,
    /// A call of it was answered. Until then, any call may find that nobody has announced it.
    is_known: bool,
}

/// What a hook answered, if it did.
struct Answered {
    told: Told,
    answer: Value,
}

impl Conversations {
    /// One thing that happens in a conversation, with all its hook calls.
    pub(crate) fn step(&mut self, worker: &mut Worker, world: &World) {
        if self.all.len() < CONVERSATIONS || worker.random.below(24) == 0 {
            return self.begin(worker, world);
        }
        self.calls += 1;
        let call = format!("call-{}", self.calls);
        let chosen = worker.random.index(self.all.len());
        let own = &mut self.all[chosen];
        match worker.random.below(8) {
            0 => attach(worker, world, (own, "resume")),
            1..=3 => {
                let prompt = json!({"prompt": worker.word()});
                let answered = hook(worker, world, "UserPromptSubmit", (own, prompt));
                // Whoever ended its session sends it on to another one.
                let moved = answered.answer.to_string().contains("this conversation continues in");
                if moved || answered.told == Told::Nothing {
                    let attached = ("conversation_attached", own.id.clone());
                    worker.ledger.push((attached, answered.told));
                }
                worker.ledger.push((("turn_started", own.id.clone()), answered.told));
            }
            4 | 5 => check(worker, world, (own, &call)),
            6 => commit(worker, world, (own, &call)),
            _ => {
                let file = world.env.project().join("src/lib.txt");
                let edit = json!({"tool_name": "Edit", "tool_input": {"file_path": file},
                                  "tool_use_id": call});
                hook(worker, world, "PreToolUse", (own, edit.clone()));
                hook(worker, world, "PostToolUse", (own, edit));
            }
        }
    }

    fn begin(&mut self, worker: &mut Worker, world: &World) {
        let mut own = Conversation { id: worker.conversation(), is_known: false };
        attach(worker, world, (&mut own, "startup"));
        if self.all.len() == CONVERSATIONS {
            self.all.remove(0);
        }
        self.all.push(own);
    }
}

/// A conversation begins or comes back.
fn attach(worker: &mut Worker, world: &World, (own, source): (&mut Conversation, &str)) {
    let answered = hook(worker, world, "SessionStart", (own, json!({"source": source})));
    worker.ledger.push((("conversation_attached", own.id.clone()), answered.told));
}

/// The agent runs the checks that a gate wants.
fn check(worker: &mut Worker, world: &World, (own, call): (&mut Conversation, &str)) {
    let mut fields = bash("./check.sh", call);
    hook(worker, world, "PreToolUse", (own, fields.clone()));
    fields["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
    let answered = hook(worker, world, "PostToolUse", (own, fields));
    worker.ledger.push((("command_ran", own.id.clone()), answered.told));
}

/// The agent wants to commit, and is denied as long as the checks are missing.
fn commit(worker: &mut Worker, world: &World, (own, call): (&mut Conversation, &str)) {
    let answered = hook(worker, world, "PreToolUse", (own, bash("git commit -m x", call)));
    let told = answered.answer["hookSpecificOutput"]["permissionDecisionReason"].as_str();
    if let Some((_, ruling)) = told.and_then(|told| told.split_once("(ruling ")) {
        let ruling = ruling.split(')').next().unwrap_or_default().to_owned();
        worker.ledger.push((("ruling_made", ruling), Told::Done));
    }
}

fn bash(command: &str, call: &str) -> Value {
    json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call})
}

/// Calls the hook for a conversation.
fn hook(
    worker: &mut Worker,
    world: &World,
    event: &'static str,
    (own, mut fields): (&mut Conversation, Value),
) -> Answered {
    fields["session_id"] = json!(own.id);
    let session = world.session(&mut worker.random);
    let aim = worker.aim(world, event, &session);
    let child = world.env.begin_hook(world.env.event(event, &fields).to_string().as_bytes());
    let output = worker.strike(world, event, (&aim, child));
    let answer = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let said = waypost_testkit::everything(&output);
    let told = match output.status.code() {
        Some(0) => {
            worker.tallies.entry(event).or_default().answered += 1;
            Told::Done
        }
        None if !answer.is_null() => Told::Done,
        None => Told::Nothing,
        Some(_) => panic!("{event} {fields}: {said}"),
    };
    assert!(!said.contains("cannot decide"), "{event} {fields}: {said}");
    if !own.is_known && event != "SessionStart" {
        worker.ledger.push((("conversation_attached", own.id.clone()), Told::Nothing));
    }
    own.is_known |= told == Told::Done;
    Answered { told, answer }
}
