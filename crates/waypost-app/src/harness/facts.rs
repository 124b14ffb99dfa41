//! What is known of a harness once and for all, as data.

/// What is known of a harness.
#[derive(Debug)]
pub struct Facts {
    /// How Waypost's commands and records call it.
    pub name: &'static str,
    /// How people call it.
    pub title: &'static str,
    /// The variables in which it names the conversation to whatever it starts, the best first.
    pub conversations: &'static [&'static str],
    /// The key under which it tells MCP servers its name for a call, if it does.
    pub call_key: Option<&'static str>,
    /// The key under which it tells MCP servers the conversation of a call, if it does.
    pub conversation_key: Option<&'static str>,
    /// The command that, with a conversation's id after it, goes back to that conversation, if it has one.
    pub reopens: Option<&'static str>,
    /// The variable in which it names the folder that it was started in, if it does.
    pub project_dir: Option<&'static str>,
    /// How a call of its hook is known to be its own.
    pub calls: Calls,
    /// The variable by which it is known that it calls, where it leaves the arguments of a hook out.
    pub calls_bare: Option<&'static str>,
    /// The variables that it sets for commands that its agents run. Not those that people keep in
    /// their shell's start-up files, however similar their names are.
    pub markers: &'static [&'static str],
    /// The variables by which users of rules that other tools made for it switch those rules off.
    pub rules_off: &'static [&'static str],
    /// The framework of requirements that its users may have, if Waypost reads the files of one.
    pub requirements: Option<&'static Requirements>,
    /// Its programs.
    pub programs: &'static [&'static str],
    /// The packages that they come in, for those that are scripts within one, with the program.
    pub packages: &'static [(&'static str, &'static str)],
    /// Where it keeps what the user set for all projects: the variable that says so, and the folder
    /// below the user's home where it does not.
    pub folder: (&'static str, &'static str),
    /// The user's settings in it.
    pub user_settings: &'static str,
    /// Its files that agents may not change.
    pub protected: Protected,
    /// What starts it without hooks, or with code that could keep them from being called.
    pub switches: Switches,
    /// What an administrator sets for everyone on the machine, if it looks for that.
    pub managed: Option<Managed>,
    /// What it lets its hook do.
    pub reach: Reach,
    /// The events that its hook has to be registered for.
    pub events: &'static [&'static str],
    /// The skills of a project, as a pattern, if it knows skills.
    pub skills: Option<&'static str>,
    /// What it calls things that people and agents are told of.
    pub words: Words,
    /// How it is told to call Waypost, for the help of commands.
    pub examples: Examples,
    /// What the project's wrapper does for it where Waypost is not installed: lines of a shell, with
    /// what it sent in `$input`.
    pub without_waypost: &'static str,
}

/// What a harness lets its hook do, and what not: told to people and agents, and in the documentation.
#[derive(Debug)]
pub struct Reach {
    /// The version that all of this was seen with.
    pub version: &'static str,
    /// How a tool call is denied.
    pub denies: &'static str,
    /// How a stop is held, and how often in a row, if it can be.
    pub holds: Option<&'static str>,
    /// How and when the agent is told something.
    pub context: &'static str,
    /// What it does where the hook cannot answer, or is too late.
    pub fails: Fails,
    /// The unit in which it counts the time that a hook may take.
    pub unit: &'static str,
    /// The files in which it finds hooks.
    pub hooks_in: &'static [&'static str],
    /// The files in which it finds MCP servers.
    pub servers_in: &'static [&'static str],
    /// What a person has to do before it calls hooks that are registered, if that is not enough.
    pub trust: Option<&'static str>,
    /// What it cannot enforce, each as what follows "… cannot": short, and true of any project.
    pub gaps: &'static [&'static str],
}

/// How a call of a hook is known to be the harness' own. Whoever imitates it is an agent that evades.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// Standard input is a socket, and the process at its other end is the parent.
    Socket,
    /// Standard input is a pipe, the parent is the harness, and nothing is set that it sets for commands of agents.
    Pipe,
    /// It cannot be known.
    Unknown,
}

/// What a harness does where its hook does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fails {
    /// The tool does not run.
    Closed,
    /// The tool runs.
    Open,
}

impl Facts {
    /// What it cannot enforce, in a sentence.
    pub fn limits(&self) -> Option<String> {
        let gaps = self.reach.gaps;
        let all = gaps.join("; ");
        let told = || {
            format!(
                "{} cannot {all}. What changes unseen, Waypost finds when the turn ends",
                self.title
            )
        };
        (!gaps.is_empty()).then(told)
    }
}

/// A framework of requirements that runs in a harness by hooks of its own, and whose files Waypost reads.
#[derive(Debug)]
pub struct Requirements {
    /// The folder of its files, below the project's and below the user's home.
    pub folder: &'static str,
    /// The file in it by which a checkout is left out of the strict check.
    pub opted_out: &'static str,
    /// The variable that switches the strict check off.
    pub strict_off: &'static str,
    /// The folder of plans where nothing is said.
    pub plans_in: &'static str,
    /// Files that no requirement is about, as patterns.
    pub plans: &'static [&'static str],
    /// The programs that it is called by, as hooks name them.
    pub programs: &'static [&'static str],
    /// The plugin that it comes in.
    pub plugin: &'static str,
}

/// Files that agents may not change: those in which hooks are registered.
#[derive(Debug)]
pub struct Protected {
    /// Their paths, from whatever folder they count for.
    pub files: &'static [&'static str],
    /// How their names begin in a command line, wherever they lie.
    pub spelt: &'static [&'static str],
    /// What a command line has to speak of to be about them: the name of their folder.
    pub sign: &'static str,
    /// Files in the user's home, or in the folder of the user's settings, that are the harness' own.
    pub at_home: &'static [&'static str],
    /// Where it loads code of others from.
    pub code: Code,
}

/// Where a harness loads code from that runs within it. Whatever lies there in another file is text to it.
#[derive(Debug)]
pub struct Code {
    /// Folders below which everything is such code, as patterns of paths. They begin with the name of the
    /// folder in which the harness keeps what the user set, and count wherever that lies.
    pub places: &'static [&'static str],
    /// Folders below which modules are.
    pub hooks: &'static [&'static str],
    /// Folders each of whose folders is loaded as code if it is marked so.
    pub loaded: &'static [&'static str],
    /// What marks a folder as code, from that folder on.
    pub marks: &'static [&'static str],
    /// The file that names modules, from the folder on, and the list in it.
    pub modules_in: (&'static str, &'static str),
    /// The file in the folder of the user's settings that lists what is installed, and what names its folders.
    pub installed: (&'static str, &'static str),
    /// How modules end, and files that name modules.
    pub endings: &'static [&'static str],
}

impl Code {
    /// That of a harness which loads none.
    pub const NONE: Self = Self {
        places: &[],
        hooks: &[],
        loaded: &[],
        marks: &[],
        modules_in: ("", ""),
        installed: ("", ""),
        endings: &[],
    };
}

/// What starts a harness without hooks, or with code of others in it that may keep hooks from being called.
#[derive(Debug)]
pub struct Switches {
    /// Options of its program.
    pub options: &'static [Switch],
    /// Commands of its program that bring such code, by their words.
    pub commands: &'static [&'static [&'static str]],
    /// Variables, in its environment or below `variables_in` of its settings.
    pub variables: &'static [&'static str],
    /// Variables that say where it finds what it reads. Where it is told another place, it knows other hooks.
    pub places: &'static [&'static str],
    /// Settings that do it where they are set, and not to `false`.
    pub settings: &'static [&'static str],
    /// The setting that holds variables.
    pub variables_in: &'static str,
    /// How it starts once, calls its hooks for that, and ends, if it can.
    pub start_only: Option<StartOnly>,
}

/// How a harness starts once, calls its hooks for that, and ends. No model is asked, and nobody else.
#[derive(Debug)]
pub struct StartOnly {
    /// Its arguments.
    pub args: &'static [&'static str],
    /// Variables that keep it from asking the network.
    pub env: &'static [(&'static str, &'static str)],
}

impl Switches {
    /// Those of a harness that has none.
    pub const NONE: Self = Self {
        options: &[],
        commands: &[],
        variables: &[],
        places: &[],
        settings: &[],
        variables_in: "",
        start_only: None,
    };
}

/// An option of a harness' program that silences hooks.
#[derive(Debug)]
pub struct Switch {
    /// How it is spelt.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
}

/// What an option takes, and with what it silences hooks.
#[derive(Debug)]
pub enum Takes {
    /// Whatever it takes.
    Anything,
    /// Settings, or a file of them: if they silence hooks.
    Settings,
    /// A list: unless it names all of these.
    AllOf(&'static [&'static str]),
    /// Something: if one of these stands in it.
    OneOf(&'static [&'static str]),
}

/// The settings of an administrator.
#[derive(Debug)]
pub struct Managed {
    /// The file.
    pub file: &'static str,
    /// The folder of JSON files that win over it, the last one first.
    pub parts: &'static str,
}

/// What a harness calls things.
#[derive(Debug)]
pub struct Words {
    /// The tool that reads a file; empty where agents read by command lines alone.
    pub reading: &'static str,
    /// The setting that switches all hooks off.
    pub hooks_off: &'static str,
    /// The setting that names MCP servers which are not started.
    pub servers_off: &'static str,
}

/// How a harness is told to call Waypost: lines of the commands' help.
#[derive(Debug)]
pub struct Examples {
    /// For its status line.
    pub status_line: &'static str,
    /// To start the MCP server.
    pub server: &'static str,
}
