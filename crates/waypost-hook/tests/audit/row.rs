//! The rows of `turns.txt`.

/// A turn, or several, with the label of its last claim.
pub(crate) struct Row {
    pub(crate) line: String,
    pub(crate) label: String,
    clients: String,
    pub(crate) steps: Vec<Step>,
}

/// What happens.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    User(String),
    Say(String),
    Call { what: Call, sub: bool },
    Lost(String),
    Ghost,
    Meta(String),
    Compact,
    Interrupt,
    Cut,
    Torn,
    Tail,
    Gate(String),
}

/// A call of a tool.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    Edit { file: String, refused: bool },
    Run { line: String, status: i32, output: String },
    Background(String),
    Polled { status: Option<i32>, output: String },
    Denied(String),
    Named(String),
}

const ALL: [&str; 6] = ["claude", "codex", "gemini", "chats", "opencode", "storage"];

impl Row {
    pub(crate) fn clients(&self) -> Vec<&'static str> {
        let is_meant = |one: &&str| match self.clients.as_str() {
            "*" => true,
            // What its files tell, its database tells as well.
            "opencode" => matches!(*one, "opencode" | "storage"),
            client => client == *one,
        };
        ALL.into_iter().filter(is_meant).collect()
    }

    pub(crate) fn gate(&self) -> Option<&str> {
        self.steps.iter().find_map(|step| match step {
            Step::Gate(command) => Some(command.as_str()),
            _ => None,
        })
    }
}

/// All rows.
pub(crate) fn all(text: &str) -> Vec<Row> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")).map(row).collect()
}

fn row(line: &str) -> Row {
    let (head, steps) = line.split_once(": ").unwrap();
    let (label, clients) = head.split_once(' ').unwrap();
    let mut steps: Vec<Step> = steps.split(" § ").map(step).collect();
    let begins =
        steps.iter().any(|one| matches!(one, Step::User(text) if text.starts_with("What")));
    if !begins {
        let at = usize::from(matches!(steps.first(), Some(Step::Cut)));
        steps.insert(at, Step::User("do it".to_owned()));
    }
    let (line, label, clients) = (line.to_owned(), label.to_owned(), clients.to_owned());
    Row { line, label, clients, steps }
}

fn step(text: &str) -> Step {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.replace("\\n", "\n");
    let call = |what| Step::Call { what, sub: false };
    match word {
        "user" | "notify" => Step::User(rest),
        "say" => Step::Say(rest),
        "edit" => call(Call::Edit { file: rest, refused: false }),
        "refused" => {
            let file = rest.strip_prefix("edit ").unwrap().to_owned();
            call(Call::Edit { file, refused: true })
        }
        "run" => call(run(&rest)),
        "bg" => call(Call::Background(rest)),
        "poll" => call(polled(&rest)),
        "denied" => call(Call::Denied(rest)),
        "mcp" | "odd" => call(Call::Named(rest)),
        "lost" => Step::Lost(rest),
        "sub" => match step(&rest) {
            Step::Call { what, .. } => Step::Call { what, sub: true },
            // What a subagent says is no claim of the agent.
            _ => Step::Meta(rest),
        },
        "ghost" => Step::Ghost,
        "meta" => Step::Meta(rest),
        "compact" => Step::Compact,
        "interrupt" => Step::Interrupt,
        "cut" => Step::Cut,
        "torn" => Step::Torn,
        "tail" => Step::Tail,
        "gate" => Step::Gate(rest),
        other => panic!("no step is called {other}"),
    }
}

fn run(text: &str) -> Call {
    let (line, ended) = text.rsplit_once(" => ").unwrap();
    let (status, output) = ended.split_once(' ').unwrap_or((ended, ""));
    Call::Run { line: line.to_owned(), status: status.parse().unwrap(), output: printed(output) }
}

fn polled(text: &str) -> Call {
    let (status, output) = text.split_once(' ').unwrap_or((text, ""));
    Call::Polled { status: status.parse().ok(), output: printed(output) }
}

fn printed(output: &str) -> String {
    let text = match output {
        "@cargo" => {
            "running 5 tests\ntest result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s"
        }
        "@cargo-zero" => {
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
        }
        "@cargo-fail" => {
            "running 5 tests\ntest result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s"
        }
        "@pytest" => "=== 7 passed in 0.12s ===",
        "@pytest-zero" => "=== no tests ran in 0.01s ===",
        "@pytest-fail" => "=== 1 failed, 6 passed in 0.12s ===",
        "@jest" => "Tests:       4 passed, 4 total\nSnapshots:   0 total",
        "@jest-fail" => "Tests:       1 failed, 3 passed, 4 total",
        "@go" => "ok  \texample.com/a\t0.002s",
        "@go-some" => "ok  \texample.com/a\t0.002s\n?   \texample.com/a/cmd\t[no test files]",
        "@go-fail" => "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.002s",
        plain => plain,
    };
    text.to_owned()
}
