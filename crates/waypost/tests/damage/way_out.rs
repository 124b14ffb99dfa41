//! What is shown of a damage, and where following the printed advice leads.

use serde_json::json;
use waypost_testkit::everything;

use crate::world::{NOTES, World};

/// So many steps are followed; no way out is that long.
const MAX_STEPS: usize = 8;

/// What came of a damage.
pub(crate) struct WayOut {
    /// The word that the table has for it.
    pub(crate) word: String,
    /// What is not as it has to be, whatever was damaged.
    pub(crate) problems: Vec<String>,
    /// Everything that was asked and answered.
    pub(crate) log: String,
}

struct Walk<'a> {
    world: &'a World,
    log: String,
    followed: Vec<String>,
    problems: Vec<String>,
}

/// Looks at a project in which something was damaged, and follows the advice until all is well.
pub(crate) fn of(world: &World, file: &str, correct: impl FnOnce()) -> WayOut {
    let mut walk = Walk { world, log: String::new(), followed: Vec::new(), problems: Vec::new() };
    let shown = walk.shown();
    walk.hook();
    world.leave();
    let (first, _) = walk.run(&["doctor"]);
    walk.follow();
    if ["waypost.toml", "settings"].contains(&file) {
        walk.edit(file, correct);
    }
    walk.settled();
    let leads = walk.word(first == 0, &shown);
    if ["repair", "loss"].contains(&leads.as_str()) && file == "session log" {
        walk.is_shown_as_damaged(&shown);
    }
    let Walk { problems, log, .. } = walk;
    WayOut { word: leads, problems, log }
}

impl Walk<'_> {
    fn run(&mut self, args: &[&str]) -> (i32, String) {
        let output = self.world.run(args);
        let (status, text) = (output.status.code().unwrap_or(-1), everything(&output));
        self.log.push_str(&format!("$ waypost {}\n{text}\n", args.join(" ")));
        (status, text)
    }

    /// What people are shown first.
    fn shown(&mut self) -> Vec<(i32, String)> {
        ["list", "status", "brief"].map(|command| self.run(&[command])).to_vec()
    }

    /// Whoever works here already can read, and is told the way out where an edit is denied.
    fn hook(&mut self) {
        let file = self.world.env.project().join("src/lib.txt");
        let ask = |tool: &str, input| {
            let fields = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "t"});
            self.world.env.hook("PreToolUse", &fields)
        };
        let read = ask("Read", json!({"file_path": file}));
        let repair = ask("Bash", json!({"command": "waypost repair"}));
        let edit = ask("Edit", json!({"file_path": file, "old_string": "one", "new_string": "2"}));
        for (what, answer) in [("Read", &read), ("waypost repair", &repair)] {
            if answer.status != 0 || answer.denied().is_some() {
                self.problems.push(format!("{what} is denied: {}{}", answer.stdout, answer.stderr));
            }
        }
        if let Some(why) = edit.denied().filter(|why| !why.contains("waypost ")) {
            self.problems.push(format!("an edit is denied without a way out: {why}"));
        }
        self.log.push_str(&format!("Edit: {}{}\n", edit.stdout, edit.stderr));
    }

    /// Does what is advised, one step after the other, until nothing new is.
    fn follow(&mut self) {
        let mut said = self.run(&["doctor"]).1;
        for _ in 0..MAX_STEPS {
            let next = advice(&said).into_iter().find(|one| !self.followed.contains(one));
            let Some(next) = next else { return };
            let words: Vec<&str> = next.split_whitespace().collect();
            let told = match words[..] {
                ["waypost", ref args @ ..] => self.run(args).1,
                ["git", ref args @ ..] => {
                    self.world.env.git(args);
                    String::new()
                }
                _ => return,
            };
            self.followed.push(next);
            said = told + &self.run(&["doctor"]).1;
        }
    }

    /// What people write themselves they correct themselves, where nothing else leads out. They are
    /// told which file it is.
    fn edit(&mut self, file: &str, correct: impl FnOnce()) {
        let (status, told) = self.run(&["doctor"]);
        if status == 0 {
            return;
        }
        if !told.contains(file) {
            self.problems.push(format!("{file} is not named"));
        }
        correct();
        self.followed.push("edit".to_owned());
    }

    /// In the end all is well, and nothing that was acknowledged is missing without a word.
    fn settled(&mut self) {
        let doctor = self.run(&["doctor"]);
        let verify = self.run(&["verify", "--all"]);
        if doctor.0 != 0 || verify.0 != 0 {
            self.problems.push("the advice leads nowhere".to_owned());
        }
        if let Err(why) = self.world.a_new_conversation_works() {
            self.problems.push(format!("a new conversation is denied: {why}"));
        }
        self.world.leave();
        let session = self.world.session.clone();
        let history = self.run(&["history", &session]).1;
        let named = self.log.contains("lost");
        for note in NOTES.iter().filter(|note| !history.contains(**note)) {
            if !named {
                self.problems.push(format!("the note `{note}` is gone without a word"));
            }
        }
        let note = self.run(&["note", "add", "fifth", "--session", &session]);
        if note.0 != 0 {
            self.problems.push("work does not go on".to_owned());
        }
    }

    /// What leads out, in the table's words.
    fn word(&self, was_well: bool, shown: &[(i32, String)]) -> String {
        let did = |start: &str| self.followed.iter().any(|step| step.starts_with(start));
        let told = shown.iter().any(|(_, text)| text.contains("note:"));
        let word = match () {
            () if did("waypost repair key") => "key",
            () if did("waypost trust loss") => "loss",
            () if did("waypost repair") => "repair",
            () if did("edit") => "edit",
            () if did("waypost publish") => "publish",
            () if did("git restore") => "restore",
            () if did("waypost init") => "init",
            () if !was_well || told => "mends",
            () => "fine",
        };
        word.to_owned()
    }

    /// Whoever looks for the session finds it, by what it is for, and the way out.
    fn is_shown_as_damaged(&mut self, shown: &[(i32, String)]) {
        for ((status, text), command) in shown.iter().zip(["list", "status", "brief"]) {
            let named = text.contains("Add login") && text.contains(&self.world.session);
            let out = text.contains("damaged") && text.contains("waypost repair");
            if !named || !out || (command != "list" && *status != 3) {
                self.problems.push(format!("{command} does not tell: {text}"));
            }
        }
    }
}

/// The commands that a text advises.
fn advice(text: &str) -> Vec<String> {
    let advised =
        |line: &&str| ["→", "next:", ": waypost ", "note:"].iter().any(|mark| line.contains(mark));
    let mut found = Vec::new();
    for line in text.lines().filter(advised) {
        for program in ["waypost ", "git restore "] {
            if let Some(at) = line.find(program) {
                let rest = &line[at..];
                let end = rest.find(['`', ';', ',', '(']).unwrap_or(rest.len());
                found.push(rest[..end].trim().trim_end_matches('.').to_owned());
            }
        }
    }
    let only_looks = |step: &String| {
        ["doctor", "verify", "status", "list", "show", "gate list", "start", "trust key"]
            .iter()
            .any(|looking| step.starts_with(&format!("waypost {looking}")))
    };
    found.retain(|step| !only_looks(step));
    found
}
