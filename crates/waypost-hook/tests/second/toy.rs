//! A harness that exists in these tests alone, and does everything otherwise than the real one: other
//! names of events, tools and fields, answers and settings that are no JSON.
//!
//! A line `hook EVENT PROGRAM ARGUMENT…` in its settings registers a hook, with `lazily` before it one
//! that is not waited for; `server NAME PROGRAM ARGUMENT…` an MCP server; `deaf` switches all hooks off.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use waypost_app::error::AppError;
use waypost_app::harness::Answer;
use waypost_app::harness::Health;
use waypost_app::harness::ToolEnd;
use waypost_app::harness::{
    Added, Approval, Calls, Code, Content, Event, Examples, Facts, Fails, Fault, File, Fix, Folder,
    Form, Ground, Harness, Hook, Input, Left, Output, Protected, Reach, Registering, Role, SERVER,
    Said, Server, StatusLine, Switches, Words, is_program,
};
use waypost_app::harness::{Does, Tool};

static FACTS: Facts = Facts {
    name: "toy",
    title: "The Toy",
    conversations: &["TOY_TALK"],
    call_key: None,
    conversation_key: None,
    reopens: Some("toy --back-to"),
    project_dir: None,
    calls: Calls::Socket,
    calls_bare: None,
    markers: &["TOY_TALK", "TOY_RUNS"],
    rules_off: &[],
    requirements: None,
    programs: &["toy"],
    packages: &[],
    folder: ("TOY_HOME", ".toy"),
    user_settings: "own",
    protected: Protected {
        files: &[".toy/own", ".toy/all"],
        spelt: &[".toy/"],
        sign: ".toy",
        at_home: &[],
        code: Code::NONE,
    },
    switches: Switches::NONE,
    managed: None,
    reach: Reach {
        version: "1",
        denies: "NO",
        holds: None,
        context: "SAY",
        fails: Fails::Open,
        unit: "s",
        hooks_in: &[".toy/own", ".toy/all"],
        servers_in: &[".toy/servers"],
        trust: None,
        gaps: &["hold a stop"],
    },
    events: &["soon", "done"],
    skills: Some(".toy/tricks/**"),
    words: Words { reading: "Peek", hooks_off: "deaf", servers_off: "mute" },
    examples: Examples { status_line: "", server: "" },
    without_waypost: "    echo 'SAY Waypost is missing'\n",
};

static FOLDER: Folder =
    Folder { key: "toy", place: |ground| ground.root.join(".toy"), within: None };

static FILES: [File; 3] = [
    File {
        key: "toy-own",
        role: Role::Local,
        lists_servers: false,
        place: |ground| ground.root.join(".toy/own"),
        folder: Some(&FOLDER),
        ignored_by: &["/.toy/own"],
    },
    File {
        key: "toy-all",
        role: Role::Shared,
        lists_servers: false,
        place: |ground| ground.root.join(".toy/all"),
        folder: Some(&FOLDER),
        ignored_by: &[],
    },
    File {
        key: "toy-servers",
        role: Role::Servers,
        lists_servers: false,
        place: |ground| ground.root.join(".toy/servers"),
        folder: Some(&FOLDER),
        ignored_by: &["/.toy/servers"],
    },
];

static LAZY: Fault =
    Fault { health: Health::Bad, says: "nobody waits for it", fix: Fix::Edit("say it early") };

#[derive(Debug)]
pub(crate) struct Toy;

#[derive(Deserialize)]
struct Wire<'i> {
    what: Option<&'i str>,
    talk: Option<&'i str>,
    place: Option<&'i str>,
    with: Option<&'i str>,
    #[serde(borrow)]
    on: Option<&'i RawValue>,
}

impl Harness for Toy {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn read<'i>(&self, bytes: &'i [u8]) -> (Input<'i>, Option<String>) {
        let wire: Wire<'i> = match serde_json::from_slice(bytes) {
            Ok(wire) => wire,
            Err(error) => return (Input::default(), Some(error.to_string())),
        };
        let event = |name| match name {
            "hello" => Event::Start,
            "soon" => Event::BeforeTool,
            "done" => Event::AfterTool,
            _ => Event::Other,
        };
        let input = Input {
            event: wire.what.map(event),
            conversation: wire.talk.map(Cow::Borrowed),
            cwd: wire.place.map(Cow::Borrowed),
            tool: wire.with.map(Cow::Borrowed),
            arguments: wire.on,
            ..Input::default()
        };
        (input, None)
    }

    fn tool(&self, input: &Input<'_>) -> Result<Tool, AppError> {
        let name = input.tool.as_deref().unwrap_or_default().to_owned();
        let on = input.arguments.and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
        let does = match (name.as_str(), on) {
            ("Scribble", Some(file)) => Does::Edit(file.into()),
            ("Shout", Some(command)) => Does::Shell { command, background: false },
            _ => Does::Other,
        };
        Ok(Tool {
            name,
            call: None,
            does,
            others: Vec::new(),
            starts: None,
            subagent: None,
            given: None,
        })
    }

    fn ended(&self, _: &Input<'_>) -> ToolEnd {
        ToolEnd::Unclear
    }

    fn printed<'i>(&self, _: &Input<'i>) -> Vec<Cow<'i, str>> {
        Vec::new()
    }

    fn is_harmless(&self, tool: &str) -> bool {
        tool == "Peek"
    }

    fn render(&self, event: Event, _: &Input<'_>, answer: &Answer) -> Output {
        let stdout = match answer {
            Answer::Silence => String::new(),
            Answer::Deny(why) => format!("NO {event:?} {why}"),
            Answer::Context(text) | Answer::Message(text) => format!("SAY {text}"),
            Answer::Both { agent, user } | Answer::Rewrite { agent, user, .. } => {
                format!("SAY {agent} {user}")
            }
        };
        Output { stdout, ..Output::default() }
    }

    fn probe(&self, root: &Path, file: &Path) -> String {
        let (place, on) = (root.display().to_string(), file.display().to_string());
        let wire = serde_json::json!({"what": "soon", "talk": "t", "place": place, "on": on});
        wire.to_string()
    }

    fn is_denial(&self, stdout: &str) -> bool {
        stdout.starts_with("NO ")
    }

    fn status_line(&self, bytes: &[u8]) -> Option<StatusLine> {
        let talk = str::from_utf8(bytes).ok()?.strip_prefix("talk ")?;
        Some(StatusLine { conversation: Some(talk.to_owned()), folders: Vec::new() })
    }

    fn registering(&self) -> &'static dyn Registering {
        &Settings
    }
}

struct Settings;

impl Registering for Settings {
    fn files(&self) -> &'static [File] {
        &FILES
    }

    fn add(&self, content: Content<'_>, form: Form<'_>) -> Result<Added, AppError> {
        let text = text(content.bytes);
        let wanted = match form {
            Form::Local { exe, .. } => {
                FACTS.events.iter().map(|event| format!("hook {event} {exe} hook toy")).collect()
            }
            Form::Shared => vec!["hook soon ./.waypost/hook toy".to_owned()],
            Form::Server(command) => vec![format!("server {SERVER} {command} mcp")],
        };
        let new = wanted.iter().filter(|line| !text.lines().any(|known| known == *line));
        let bytes = new.fold(text.clone(), |text, line| text + line + "\n").into_bytes();
        Ok(Added { was_there: bytes == content.bytes, bytes, notes: Vec::new() })
    }

    fn take_out(&self, content: Content<'_>, _: Option<&[u8]>, _: bool) -> Result<Left, AppError> {
        let is_ours = |line: &&str| line.contains(" toy") || line.starts_with("server waypost");
        let text = text(content.bytes);
        let left: String =
            text.lines().filter(|line| !is_ours(line)).flat_map(|line| [line, "\n"]).collect();
        Ok(Left { is_bare: left.is_empty(), bytes: left.into_bytes() })
    }

    fn said(&self, content: Content<'_>) -> Result<Said, AppError> {
        let text = text(content.bytes);
        let hook = |line: &str| {
            let lazy = line.strip_prefix("lazily ");
            let mut words =
                lazy.unwrap_or(line).strip_prefix("hook ")?.split(' ').map(str::to_owned);
            let (event, command) = (words.next()?, words.next()?);
            let args: Vec<String> = words.collect();
            let faults = lazy.map(|_| &LAZY).into_iter().collect();
            let is_shared = !is_program(&command, content.exe);
            Some(Hook { event, command, args, is_shared, faults })
        };
        Ok(Said {
            hooks: text.lines().filter_map(hook).collect(),
            hooks_off: text.lines().any(|line| line == FACTS.words.hooks_off).then_some(true),
            own_hooks_only: false,
            server: Approval { is_approved: true, ..Approval::default() },
            silencing: Vec::new(),
            own_code_only: false,
            frameworks: Vec::new(),
        })
    }

    fn server(&self, content: Content<'_>) -> Result<Option<Server>, AppError> {
        let text = text(content.bytes);
        let own = text.lines().find_map(|line| line.strip_prefix("server waypost "));
        let mut words = own.into_iter().flat_map(|line| line.split(' ').map(str::to_owned));
        let command = words.next();
        Ok(own.map(|_| Server { command, args: words.collect(), env: Vec::new() }))
    }

    fn user_servers(&self, ground: Ground<'_>) -> PathBuf {
        ground.folder.join("servers")
    }

    fn servers(&self, content: &[u8], _: &Path) -> Vec<String> {
        let name = |line: &str| Some(line.strip_prefix("server ")?.split(' ').next()?.to_owned());
        text(content).lines().filter_map(name).collect()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
