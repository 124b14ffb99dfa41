//! Whose turn it is and whose an edit is: nobody is held for what another did, and what is unproven is asked
//! about before a commit.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use waypost_testkit::{HookAnswer, TestEnv, everything};

const GATE: &str = "[[gate]]\nid = \"checks\"\nbefore = [\"stop\", \"commit\"]\n\
                    proof = { ran = \"./check.sh\", fresh = \"tree\" }\n";

/// A project with a check that passes and a script that changes a file without its line saying which.
fn project() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    for (name, text) in [
        ("check.sh", "#!/bin/sh\necho 3 checks passed\n"),
        ("gen.sh", "#!/bin/sh\necho \"$2\" > \"$1.txt\"\n"),
    ] {
        env.write(name, text);
        let path = env.project().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    env.write("a.txt", "a\n");
    env.init_with(GATE);
    env.ok(&["start", "--objective", "work"]);
    env
}

/// Somebody in the project: a conversation, one of its subagents, or a person.
struct World {
    env: TestEnv,
    calls: usize,
}

impl World {
    fn new() -> Self {
        Self { env: project(), calls: 0 }
    }

    fn hook(&self, conversation: &str, event: &str, fields: &Value) -> HookAnswer {
        let mut given = json!({"session_id": conversation});
        given.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.env.hook(event, &given)
    }

    fn begin(&self, conversation: &str) {
        self.hook(conversation, "SessionStart", &json!({"source": "startup"}));
        self.prompt(conversation);
    }

    fn prompt(&self, conversation: &str) {
        self.hook(conversation, "UserPromptSubmit", &json!({"prompt": "go"}));
    }

    fn stop(&self, conversation: &str) -> Option<String> {
        self.stop_saying(conversation, "Done.")
    }

    fn stop_saying(&self, conversation: &str, said: &str) -> Option<String> {
        let fields = json!({"stop_hook_active": false, "background_tasks": [],
            "last_assistant_message": said});
        self.hook(conversation, "Stop", &fields).held()
    }

    fn tool(
        &mut self,
        who: (&str, Option<&str>),
        name: &str,
        input: &Value,
        act: &dyn Fn(&TestEnv),
    ) {
        let fields = self.open(who, name, input);
        act(&self.env);
        self.close(who.0, fields);
    }

    /// A call begins.
    fn open(&mut self, who: (&str, Option<&str>), name: &str, input: &Value) -> Value {
        self.calls += 1;
        let call = format!("call{}", self.calls);
        let mut fields = json!({"tool_name": name, "tool_input": input, "tool_use_id": call});
        if let Some(agent) = who.1 {
            fields["agent_id"] = json!(agent);
        }
        assert_eq!(self.hook(who.0, "PreToolUse", &fields).denied(), None);
        fields
    }

    /// It ends.
    fn close(&self, conversation: &str, mut fields: Value) {
        fields["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
        self.hook(conversation, "PostToolUse", &fields);
        self.env.tick();
    }

    fn edit(&mut self, who: (&str, Option<&str>), file: &str, text: &str) {
        let path = self.env.project().join(file);
        let input = json!({"file_path": path, "content": text});
        self.tool(who, "Write", &input, &|env| env.write(file, text));
    }

    /// Changes a file by a command line that does not say so.
    fn shell(&mut self, who: (&str, Option<&str>), file: &str, text: &str) {
        let line = format!("./gen.sh {} {text}", file.trim_end_matches(".txt"));
        let input = json!({"command": line});
        self.tool(who, "Bash", &input, &|env| {
            let status = env.command("sh", env.project()).args(["-c", &line]).status().unwrap();
            assert!(status.success());
        });
    }

    fn person(&self, file: &str, text: &str) {
        self.env.tick();
        self.env.write(file, text);
        self.env.tick();
    }

    fn run(&mut self, conversation: &str) {
        let input = json!({"command": "waypost run -- ./check.sh"});
        self.tool((conversation, None), "Bash", &input, &|env| {
            let mut command = env.command(env.binary(), env.project());
            command.args(["run", "--", "./check.sh"]).env("CLAUDE_CODE_SESSION_ID", conversation);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", everything(&output));
        });
    }

    fn commit_is_denied(&mut self, conversation: &str) -> bool {
        self.calls += 1;
        let mut fields = json!({"tool_name": "Bash", "tool_use_id": format!("commit{}", self.calls),
            "tool_input": {"command": "git commit -qam x"}});
        let denied = self.hook(conversation, "PreToolUse", &fields).denied().is_some();
        if !denied {
            fields["error"] = json!("Exit code 1\nnothing to commit");
            self.hook(conversation, "PostToolUseFailure", &fields);
            self.env.tick();
        }
        denied
    }
}

#[test]
fn a_research_turn_is_not_held_for_what_a_person_did_meanwhile() {
    let mut world = World::new();
    world.begin("s1");
    world.shell(("s1", None), "scratch.txt", "x");
    fs::remove_file(world.env.project().join("scratch.txt")).unwrap();
    world.env.tick();
    world.person("a.txt", "by hand\n");
    assert_eq!(world.stop("s1"), None);
    assert!(world.commit_is_denied("s1"), "a commit is asked about all of it");
}

#[test]
fn what_a_command_line_changed_is_its_conversations_and_named() {
    let mut world = World::new();
    world.begin("s1");
    world.begin("s2");
    world.shell(("s1", Some("helper")), "made.txt", "x");
    world.person("hand.txt", "y\n");
    let held = world.stop("s1").unwrap();
    assert!(held.contains("made.txt") && !held.contains("hand.txt"), "{held}");
    assert_eq!(world.stop("s2"), None);
}

#[test]
fn a_proof_stays_good_at_the_stop_when_a_person_goes_on_editing() {
    let mut world = World::new();
    world.begin("s1");
    world.edit(("s1", None), "b.txt", "b\n");
    world.run("s1");
    world.person("a.txt", "by hand\n");
    assert_eq!(world.stop("s1"), None);
    assert!(world.commit_is_denied("s1"));
    world.prompt("s1");
    world.edit(("s1", None), "b.txt", "again\n");
    let held = world.stop("s1").unwrap();
    assert!(held.contains("b.txt") && !held.contains("a.txt"), "{held}");
}

#[test]
fn what_runs_in_the_background_may_write_later() {
    let mut world = World::new();
    world.begin("s1");
    let line = "./gen.sh late x &";
    world.tool(("s1", None), "Bash", &json!({"command": line}), &|_| {});
    world.person("late.txt", "x\n");
    let held = world.stop("s1").unwrap();
    assert!(held.contains("late.txt"), "{held}");
}

#[test]
fn without_the_journal_of_calls_every_change_is_the_conversations() {
    let mut world = World::new();
    world.begin("s1");
    world.edit(("s1", None), "b.txt", "b\n");
    world.run("s1");
    world.shell(("s1", None), "c.txt", "c");
    fs::remove_dir_all(world.env.home().join(".local/state/waypost/activity")).unwrap();
    assert!(world.stop("s1").unwrap().contains("c.txt"));
}

#[test]
fn an_unanswered_question_frees_the_stop_and_the_debt_stays() {
    for tool in ["AskUserQuestion", "ExitPlanMode"] {
        let mut world = World::new();
        world.begin("s1");
        world.edit(("s1", None), "b.txt", "b\n");
        let ask = json!({"tool_name": tool, "tool_use_id": "q", "tool_input": {}});
        world.hook("s1", "PreToolUse", &ask);
        assert_eq!(world.stop("s1"), None, "the user has to answer first");
        assert!(world.commit_is_denied("s1"), "the debt stays");
        world.hook("s1", "PreToolUse", &ask);
        world.hook("s1", "PostToolUse", &ask);
        assert!(world.stop("s1").is_some(), "it was answered");
        world.prompt("s1");
        assert!(world.stop("s1").is_some(), "the debt stays in the next turn");
    }
}

#[test]
fn a_question_in_plain_text_frees_the_second_stop() {
    let mut world = World::new();
    world.begin("s1");
    world.edit(("s1", None), "b.txt", "b\n");
    let held = world.stop_saying("s1", "Which one do you want?").unwrap();
    assert!(held.contains("ask again"), "{held}");
    assert_eq!(world.stop_saying("s1", "Which one do you want, A or B?"), None);
    world.prompt("s1");
    assert!(world.stop_saying("s1", "Done.").is_some(), "the debt stays");
    assert!(world.stop_saying("s1", "Done.").is_some(), "who does not ask is held");
}

/// What should come of it, by the rule alone.
#[derive(Default)]
struct Model {
    now: BTreeMap<String, String>,
    /// Who may have made each file's last change.
    last: BTreeMap<String, BTreeSet<String>>,
    /// What was changed by tools made for that, since when.
    edits: Vec<(usize, String, String)>,
    /// What was proven, and when.
    proven: Option<(usize, BTreeMap<String, String>)>,
    turns: BTreeMap<String, (usize, BTreeMap<String, String>)>,
    edited: BTreeSet<String>,
    time: usize,
}

impl Model {
    fn write(&mut self, file: &str, text: &str, by: BTreeSet<String>) {
        self.now.insert(file.to_owned(), text.to_owned());
        self.last.insert(file.to_owned(), by);
    }

    fn differing(&self, then: &BTreeMap<String, String>) -> Vec<String> {
        let names: BTreeSet<&String> = then.keys().chain(self.now.keys()).collect();
        let differ = names.into_iter().filter(|name| then.get(*name) != self.now.get(*name));
        differ.cloned().collect()
    }

    fn own(&self, who: &str, since: usize, then: &BTreeMap<String, String>) -> bool {
        self.differing(then).iter().any(|file| {
            let edit =
                |(at, by, what): &(usize, String, String)| *at > since && by == who && what == file;
            self.edits.iter().any(edit) || self.last.get(file).is_some_and(|by| by.contains(who))
        })
    }

    fn is_held(&self, who: &str) -> bool {
        let (since, turn) = &self.turns[who];
        let armed = self.edited.contains(who) || self.own(who, *since, turn);
        armed && self.proven.as_ref().is_none_or(|(since, then)| self.own(who, *since, then))
    }

    fn settle(&mut self, who: &str) {
        self.edited.remove(who);
        self.turns.insert(who.to_owned(), (self.time, self.now.clone()));
    }
}

/// Always the same numbers for the same seed (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        for shift in [(13, false), (7, true), (17, false)] {
            self.0 ^= if shift.1 { self.0 >> shift.0 } else { self.0 << shift.0 };
        }
        let end = u64::try_from(end).unwrap();
        usize::try_from((self.0 >> 11) % end).unwrap()
    }
}

/// A game in which several do things in one work tree, beside each other.
struct Play {
    world: World,
    model: Model,
    /// Command lines that are under way, and the conversations that they are of.
    open: Vec<(String, Value)>,
}

impl Play {
    fn new() -> Self {
        let world = World::new();
        let mut model = Model::default();
        model.now.insert("a.txt".to_owned(), "a".to_owned());
        for who in ["s1", "s2"] {
            world.begin(who);
            model.settle(who);
        }
        Self { world, model, open: Vec::new() }
    }

    fn with_open(&self) -> BTreeSet<String> {
        self.open.iter().map(|(who, _)| who.clone()).collect()
    }

    fn edit(&mut self, who: (&str, Option<&str>), file: &str, text: &str) {
        self.world.edit(who, file, &format!("{text}\n"));
        self.model.edits.push((self.model.time, who.0.to_owned(), file.to_owned()));
        self.model.edited.insert(who.0.to_owned());
        self.model.write(file, text, BTreeSet::new());
    }

    fn shell(&mut self, who: (&str, Option<&str>), file: &str, text: &str) {
        self.world.shell(who, file, text);
        let mut by = self.with_open();
        by.insert(who.0.to_owned());
        self.model.write(file, text, by);
    }

    fn person(&mut self, file: &str, text: &str) {
        self.world.person(file, &format!("{text}\n"));
        self.model.write(file, text, self.with_open());
    }

    /// A line that takes long begins, or the one that began first ends.
    fn begin_or_end(&mut self, who: (&str, Option<&str>), begin: bool) {
        if begin {
            let input = json!({"command": "./gen.sh slow x"});
            let fields = self.world.open(who, "Bash", &input);
            self.open.push((who.0.to_owned(), fields));
        } else if !self.open.is_empty() {
            let (who, fields) = self.open.remove(0);
            self.world.close(&who, fields);
        }
    }

    fn run(&mut self, who: &str) {
        self.world.run(who);
        self.model.proven = Some((self.model.time, self.model.now.clone()));
    }

    fn stop(&mut self, who: &str, told: &str) {
        // An agent stops when its calls have ended.
        if self.with_open().contains(who) {
            return;
        }
        let held = self.world.stop(who);
        assert_eq!(held.is_some(), self.model.is_held(who), "{told} {held:?}");
        if held.is_none() {
            self.model.settle(who);
        } else {
            self.model.edited.insert(who.to_owned());
            self.world.prompt(who);
        }
    }

    fn commit(&mut self, who: &str, told: &str) {
        let proven = self.model.proven.as_ref().is_some_and(|(_, then)| *then == self.model.now);
        assert_eq!(self.world.commit_is_denied(who), !proven, "{told}");
    }
}

fn play(seed: u8) {
    let mut dice = Dice(u64::from(seed) + 1);
    let mut play = Play::new();
    let mut done = Vec::new();
    for step in 0..14 {
        play.model.time += 1;
        let deed = dice.below(11);
        let who = ["s1", "s2"][dice.below(2)];
        let file = ["a.txt", "b.txt", "c.txt"][dice.below(3)];
        let text = format!("{seed}-{step}");
        let agent = (who == "s1" && dice.below(2) == 0).then_some("helper");
        done.push(format!("{deed} {who} {file}"));
        let told = format!("seed {seed}: {done:?}");
        match deed {
            0 | 1 => play.edit((who, agent), file, &text),
            2 => play.shell((who, agent), file, &text),
            3 | 4 => play.person(file, &text),
            5 => play.begin_or_end((who, agent), true),
            6 => play.begin_or_end((who, agent), false),
            7 => play.run(who),
            8 | 9 => play.stop(who, &told),
            _ => play.commit(who, &told),
        }
    }
}

fn play_some(seeds: std::ops::Range<u8>) {
    seeds.for_each(play);
}

#[test]
fn any_order_of_what_several_do_holds_only_whom_it_concerns_1() {
    play_some(0..16);
}

#[test]
fn any_order_of_what_several_do_holds_only_whom_it_concerns_2() {
    play_some(16..32);
}

#[test]
fn any_order_of_what_several_do_holds_only_whom_it_concerns_3() {
    play_some(32..48);
}

#[test]
fn any_order_of_what_several_do_holds_only_whom_it_concerns_4() {
    play_some(48..64);
}
