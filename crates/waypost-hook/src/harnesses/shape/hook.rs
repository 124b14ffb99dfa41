//! One hook of Waypost's in a file: which event, with what command, and how it is known again.

use jsonc_parser::cst::{CstArray, CstInputValue, CstObject};
use waypost_app::documents::document::{is_bare, text_of, texts};
use waypost_app::harness::is_program;
use waypost_core::text::shell_word;

/// The project's wrapper, from its folder.
const WRAPPER: &str = "./.waypost/hook";

/// Which of Waypost's two registrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::harnesses) enum Written<'a> {
    /// This program by its path, for settings of this machine.
    Local(&'a str),
    /// The project's wrapper, for everyone's settings.
    Shared,
}

/// How a harness' file of hooks is written.
#[derive(Debug)]
pub(in crate::harnesses) struct HookForm {
    /// The harness, as Waypost calls it.
    pub(in crate::harnesses) harness: &'static str,
    /// The events to be told about.
    pub(in crate::harnesses) events: &'static [HookEvent],
    /// How a program is named.
    pub(in crate::harnesses) call: CallForm,
    /// How the project's wrapper is spelt where everyone's settings call it.
    pub(in crate::harnesses) wrapper: &'static str,
    /// What the limit of a hook's time is called, and how many of its units a second has.
    pub(in crate::harnesses) time: (&'static str, u32),
    /// Whether hooks stand in groups, each with a matcher.
    pub(in crate::harnesses) grouped: bool,
    /// The version that a file has to name, if it has to.
    pub(in crate::harnesses) version: Option<u32>,
    /// What else each hook says.
    pub(in crate::harnesses) fields: &'static [(&'static str, &'static str)],
}

/// How a program is named in a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::harnesses) enum CallForm {
    /// `command` is the program, `args` are its arguments.
    Arguments,
    /// A line of a shell, under this name.
    Line(&'static str),
}

/// An event to be told about.
#[derive(Debug)]
pub(in crate::harnesses) struct HookEvent {
    /// Its name.
    pub(in crate::harnesses) name: &'static str,
    /// How long the hook may take, in seconds.
    pub(in crate::harnesses) timeout: u32,
    /// What it is limited to, where that has to be said: to everything.
    pub(in crate::harnesses) matcher: Option<&'static str>,
    /// What makes a hook that cannot answer stop the tool, where there is such a thing.
    pub(in crate::harnesses) blocks: Option<(&'static str, &'static str)>,
}

impl HookEvent {
    /// One that takes no matcher and blocks nothing.
    pub(in crate::harnesses) const fn plain(name: &'static str, timeout: u32) -> Self {
        Self { name, timeout, matcher: None, blocks: None }
    }

    /// One of a tool, for all tools.
    pub(in crate::harnesses) const fn of_tools(name: &'static str, timeout: u32) -> Self {
        Self { name, timeout, matcher: Some("*"), blocks: None }
    }
}

/// One of Waypost's hooks.
pub(in crate::harnesses) struct OurHook {
    pub(in crate::harnesses) event: String,
    pub(in crate::harnesses) command: String,
    pub(in crate::harnesses) args: Vec<String>,
    pub(super) group: Option<CstObject>,
    pub(super) list: CstArray,
    pub(super) entry: CstObject,
}

impl<'a> Written<'a> {
    pub(super) fn exe(self) -> Option<&'a str> {
        match self {
            Self::Local(exe) => Some(exe),
            Self::Shared => None,
        }
    }

    /// Everyone's hooks never block: the wrapper may be missing in an older checkout.
    fn blocks(self, event: &HookEvent) -> Option<(&'static str, &'static str)> {
        event.blocks.filter(|_| matches!(self, Self::Local(_)))
    }
}

impl HookForm {
    fn command<'a>(&self, written: Written<'a>) -> &'a str {
        written.exe().unwrap_or(self.wrapper)
    }

    fn args(&self, written: Written<'_>) -> Vec<&'static str> {
        match written {
            Written::Local(_) => vec!["hook", self.harness],
            Written::Shared => vec![self.harness],
        }
    }

    /// The field that names the program, and what it says.
    fn call(&self, written: Written<'_>) -> (&'static str, String) {
        match self.call {
            CallForm::Arguments => ("command", self.command(written).to_owned()),
            CallForm::Line(name) => {
                let program = match written {
                    Written::Local(exe) => shell_word(exe),
                    // It is a line already.
                    Written::Shared => self.wrapper.to_owned(),
                };
                (name, format!("{program} {}", self.args(written).join(" ")))
            }
        }
    }

    pub(super) fn is(&self, written: Written<'_>, found: &OurHook) -> bool {
        found.args == self.args(written)
    }

    /// The program and the arguments of a hook, if it is Waypost's. A program under another name counts if it is `exe`.
    pub(super) fn ours(
        &self,
        entry: &CstObject,
        exe: Option<&str>,
    ) -> Option<(String, Vec<String>)> {
        let is_command = text_of(entry, "type").is_none_or(|kind| kind == "command");
        if !is_command {
            return None;
        }
        match self.call {
            CallForm::Arguments => {
                let command = text_of(entry, "command").unwrap_or_default();
                let args = texts(entry.array_value("args"));
                let is_local = is_program(&command, exe) && args == ["hook", self.harness];
                let is_ours = is_local || (command == self.wrapper && args == [self.harness]);
                is_ours.then_some((command, args))
            }
            CallForm::Line(name) => self.line(&text_of(entry, name)?, exe),
        }
    }

    /// The same of a line of a shell. The wrapper is told as whoever stands in the project's folder calls it.
    pub(in crate::harnesses) fn line(
        &self,
        line: &str,
        exe: Option<&str>,
    ) -> Option<(String, Vec<String>)> {
        let (rest, harness) = line.trim_end().rsplit_once(' ')?;
        if harness != self.harness {
            return None;
        }
        let args = |args: &[&str]| args.iter().map(|arg| (*arg).to_owned()).collect();
        if rest == self.wrapper {
            return Some((WRAPPER.to_owned(), args(&[self.harness])));
        }
        let program = unquoted(rest.strip_suffix(" hook")?)?;
        is_program(&program, exe).then(|| (program, args(&["hook", self.harness])))
    }

    /// A new hook, with its group if hooks stand in groups.
    pub(super) fn new_entry(&self, written: Written<'_>, event: &HookEvent) -> CstInputValue {
        let (name, call) = self.call(written);
        let mut hook = Vec::new();
        if self.version.is_none() || self.fields.iter().all(|(name, _)| *name != "type") {
            hook.push(("type".to_owned(), "command".into()));
        }
        hook.extend(self.fields.iter().map(|(name, says)| ((*name).to_owned(), (*says).into())));
        hook.push((name.to_owned(), call.as_str().into()));
        if self.call == CallForm::Arguments {
            let args = self.args(written).into_iter().map(CstInputValue::from).collect();
            hook.push(("args".to_owned(), CstInputValue::Array(args)));
        }
        let (time, units) = self.time;
        hook.push((time.to_owned(), (event.timeout * units).into()));
        if let Some((name, says)) = written.blocks(event) {
            hook.push((name.to_owned(), says.into()));
        }
        if !self.grouped {
            if let Some(matcher) = event.matcher {
                hook.insert(0, ("matcher".to_owned(), matcher.into()));
            }
            return CstInputValue::Object(hook);
        }
        let mut group = Vec::new();
        if let Some(matcher) = event.matcher {
            group.push(("matcher".to_owned(), matcher.into()));
        }
        let hooks = CstInputValue::Array(vec![CstInputValue::Object(hook)]);
        group.push(("hooks".to_owned(), hooks));
        CstInputValue::Object(group)
    }
}

impl OurHook {
    /// Whether it sees some tools or starts only.
    pub(super) fn is_narrow(&self) -> bool {
        let holder = self.group.as_ref().unwrap_or(&self.entry);
        let matcher = holder.get("matcher").and_then(|property| property.value());
        let text = matcher.map(|value| value.as_string_lit()?.decoded_value().ok());
        text.is_some_and(|text| !matches!(text.as_deref(), Some("" | "*" | ".*")))
    }

    /// Whether it is the registration that a team shares.
    pub(in crate::harnesses) fn is_shared(&self) -> bool {
        self.args.len() == 1
    }

    /// Puts the command right and adds what an older version left out. What the user set stays.
    pub(super) fn update(&self, form: &HookForm, written: Written<'_>, event: &HookEvent) {
        let (name, call) = form.call(written);
        if text_of(&self.entry, name).as_deref() != Some(&call)
            && let Some(property) = self.entry.get(name)
        {
            property.set_value(call.as_str().into());
        }
        let (time, units) = form.time;
        if self.entry.get(time).is_none() {
            self.entry.append(time, (event.timeout * units).into());
        }
        if let Some((name, says)) = written.blocks(event)
            && self.entry.get(name).is_none()
        {
            self.entry.append(name, says.into());
        }
    }

    pub(super) fn take_out(self) {
        self.entry.remove();
        if let Some(group) = self.group.filter(|_| is_bare(&self.list.into())) {
            group.remove();
        }
    }
}

/// A word of a shell's line as it is meant, as far as [`shell_word`] writes such words.
fn unquoted(word: &str) -> Option<String> {
    let Some(inner) = word.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) else {
        return (!word.contains(char::is_whitespace)).then(|| word.to_owned());
    };
    Some(inner.replace("'\\''", "'"))
}
