//! How OpenCode comes to call Waypost: a plugin of its own in `.opencode/plugin`, and `opencode.json` for the MCP server.

use std::path::{Path, PathBuf};

use serde_json::json;
use waypost_app::error::AppError;
use waypost_app::harness::{
    Added, Approval, Content, Fault, File, Fix, Folder, Form, Ground, Health, Hook, Left,
    Registering, Role, Said, Server, is_program,
};

use super::{FACTS, servers};

pub(super) const FILES: &dyn Registering = &Files;

/// The plugin, with these in the place of the program and its arguments.
const PLUGIN: &str = include_str!("plugin.js");
const PROGRAM: &str = "\"WAYPOST_PROGRAM\"";
const ARGS: &str = "[\"WAYPOST_ARGS\"]";
/// What every version of it says, so that a file of somebody else's is told apart.
const MARK: &str = "// Made by `waypost init`";
/// How its lines begin that name the program and its arguments.
const PROGRAM_IS: &str = "const PROGRAM = ";
const ARGS_ARE: &str = "const ARGS = ";
/// The project's wrapper, from its top folder.
const WRAPPER: &str = ".waypost/hook";

static FOLDER: Folder = Folder {
    key: "opencode-plugin",
    place: |ground| ground.root.join(".opencode/plugin"),
    within: Some(&OPENCODE),
};

static OPENCODE: Folder =
    Folder { key: "opencode", place: |ground| ground.root.join(".opencode"), within: None };

static ALL: [File; 2] = [
    File {
        key: "opencode-plugin",
        role: Role::Either,
        lists_servers: false,
        place: |ground| ground.root.join(".opencode/plugin/waypost.js"),
        folder: Some(&FOLDER),
        ignored_by: &[
            "/.opencode/plugin/waypost.js",
            ".opencode/plugin/waypost.js",
            "**/.opencode/plugin/waypost.js",
            ".opencode",
            ".opencode/",
            "/.opencode",
            "/.opencode/",
        ],
    },
    File {
        key: "opencode-servers",
        role: Role::Servers,
        lists_servers: false,
        place: |ground| ground.root.join("opencode.json"),
        folder: None,
        ignored_by: &["/opencode.json", "opencode.json", "**/opencode.json"],
    },
];

static CHANGED: Fault = Fault {
    health: Health::Bad,
    says: "it is not the plugin that this version of Waypost writes",
    fix: Fix::Init,
};

struct Files;

impl Registering for Files {
    fn files(&self) -> &'static [File] {
        &ALL
    }

    fn add(&self, content: Content<'_>, form: Form<'_>) -> Result<Added, AppError> {
        let bytes = match form {
            Form::Server(command) => return servers::added(content, command),
            Form::Local { exe, .. } => plugin(exe, &["hook", FACTS.name]),
            Form::Shared => plugin(WRAPPER, &[FACTS.name]),
        };
        let was_there = is_ours(content);
        if !was_there && !content.bytes.trim_ascii().is_empty() {
            let place = content.path.display();
            let refused = format!("{place} is there already, and is not Waypost's plugin");
            return Err(AppError::refused(refused).hint("give it another name"));
        }
        Ok(Added { bytes, was_there, notes: Vec::new() })
    }

    fn take_out(
        &self,
        content: Content<'_>,
        original: Option<&[u8]>,
        _: bool,
    ) -> Result<Left, AppError> {
        if content.role == Role::Servers {
            let original = original.map(|bytes| Content { bytes, ..content });
            return servers::left(content, original);
        }
        let bytes = if is_ours(content) { Vec::new() } else { content.bytes.to_vec() };
        Ok(Left { is_bare: bytes.is_empty(), bytes })
    }

    fn said(&self, content: Content<'_>) -> Result<Said, AppError> {
        let called = Called::by(content).filter(|called| called.is_ours(content.exe));
        let hook = |event: &&str| {
            let called = called.as_ref()?;
            let args: Vec<&str> = called.args.iter().map(String::as_str).collect();
            let is_current = plugin(&called.program, &args) == content.bytes;
            Some(Hook {
                event: (*event).to_owned(),
                command: called.program.clone(),
                args: called.args.clone(),
                is_shared: called.args.len() == 1,
                faults: (!is_current).then_some(&CHANGED).into_iter().collect(),
            })
        };
        Ok(Said {
            hooks: FACTS.events.iter().filter_map(hook).collect(),
            server: Approval { is_approved: true, ..Approval::default() },
            ..Said::default()
        })
    }

    fn server(&self, content: Content<'_>) -> Result<Option<Server>, AppError> {
        servers::found(content)
    }

    fn user_servers(&self, ground: Ground<'_>) -> PathBuf {
        ground.folder.join("opencode.json")
    }

    fn servers(&self, content: &[u8], _: &Path) -> Vec<String> {
        servers::names(content)
    }
}

/// The plugin that calls a program.
fn plugin(program: &str, args: &[&str]) -> Vec<u8> {
    let named = PLUGIN.replace(PROGRAM, &json!(program).to_string());
    named.replace(ARGS, &json!(args).to_string()).into_bytes()
}

fn is_ours(content: Content<'_>) -> bool {
    content.bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes())
}

/// What a plugin calls.
struct Called {
    program: String,
    args: Vec<String>,
}

impl Called {
    fn by(content: Content<'_>) -> Option<Self> {
        let text = str::from_utf8(content.bytes).ok().filter(|_| is_ours(content))?;
        let says = |begins| text.lines().find_map(|line| line.strip_prefix(begins));
        let program = serde_json::from_str(says(PROGRAM_IS)?).ok()?;
        Some(Self { program, args: serde_json::from_str(says(ARGS_ARE)?).ok()? })
    }

    fn is_ours(&self, exe: Option<&str>) -> bool {
        match self.args.as_slice() {
            [hook, name] => hook == "hook" && name == FACTS.name && is_program(&self.program, exe),
            [name] => name == FACTS.name && self.program == WRAPPER,
            _ => false,
        }
    }
}
