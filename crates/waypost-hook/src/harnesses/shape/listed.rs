//! How a harness comes to call Waypost whose hooks and MCP servers stand in JSON files of the usual form.

use std::path::{Path, PathBuf};

use waypost_app::documents::document::Document;
use waypost_app::error::AppError;
use waypost_app::harness::{
    Added, Approval, Content, File, Form, Ground, Left, Registering, Role, SERVER, Said, Server,
};

use super::hook::{HookForm, Written};
use super::hooks::Hooks;
use super::servers::{self, Servers};

/// Such files.
pub(in crate::harnesses) struct Listed {
    /// Which.
    pub(in crate::harnesses) files: &'static [File],
    /// How hooks are written in them.
    pub(in crate::harnesses) form: &'static HookForm,
    /// The setting that switches all hooks off: the names that lead to it, and what it is set to.
    pub(in crate::harnesses) off: (&'static [&'static str], bool),
    /// The list of hooks that are switched off by their names or commands, if there is one.
    pub(in crate::harnesses) disabled: &'static [&'static str],
    /// The user's file of servers.
    pub(in crate::harnesses) user_servers: fn(Ground<'_>) -> PathBuf,
}

impl Listed {
    fn hooks<'a>(&self, document: &'a Document) -> Hooks<'a> {
        Hooks { document, form: self.form }
    }

    fn parsed(&self, content: Content<'_>) -> Result<Document, AppError> {
        let document = Document::parse(content.path, content.bytes)?;
        self.hooks(&document).check()?;
        if self.has_servers(content.role) {
            Servers { document: &document }.check()?;
        }
        Ok(document)
    }

    fn has_servers(&self, role: Role) -> bool {
        self.files.iter().any(|file| file.role == role && file.lists_servers)
    }

    /// What the setting says that switches hooks off.
    fn hooks_off(&self, document: &Document) -> Option<bool> {
        let (names, off) = self.off;
        let value = at(&document.value()?, names)?.as_bool()?;
        Some(value == off)
    }

    fn add_hooks(&self, content: Content<'_>, written: Written<'_>) -> Result<Added, AppError> {
        let document = self.parsed(content)?;
        let mut notes = Vec::new();
        if self.hooks_off(&document) == Some(true) {
            let (place, names) = (content.path.display(), self.off.0.join("."));
            let note = "so no hook runs, Waypost's included";
            notes.push(format!("{place} sets {names} to {}, {note}", self.off.1));
        }
        let was_there = !self.hooks(&document).found(content.exe).is_empty();
        self.hooks(&document).add(written)?;
        if self.has_servers(content.role) {
            Servers { document: &document }.add(written.exe().unwrap_or(SERVER))?;
        }
        Ok(Added { bytes: document.to_bytes(), was_there, notes })
    }
}

/// What stands where these names lead.
fn at<'v>(value: &'v serde_json::Value, names: &[&str]) -> Option<&'v serde_json::Value> {
    names.iter().try_fold(value, |value, name| value.get(name))
}

impl Registering for Listed {
    fn files(&self) -> &'static [File] {
        self.files
    }

    fn add(&self, content: Content<'_>, form: Form<'_>) -> Result<Added, AppError> {
        match form {
            Form::Local { exe, .. } => self.add_hooks(content, Written::Local(exe)),
            Form::Shared => self.add_hooks(content, Written::Shared),
            Form::Server(command) => servers::added(content, command),
        }
    }

    fn take_out(
        &self,
        content: Content<'_>,
        original: Option<&[u8]>,
        _: bool,
    ) -> Result<Left, AppError> {
        let original = original.map(|bytes| Content { bytes, ..content });
        if content.role == Role::Servers {
            return servers::left(content, original);
        }
        let document = self.parsed(content)?;
        let before = original.and_then(|original| self.parsed(original).ok());
        let shape = before.as_ref().map(|before| self.hooks(before).shape()).unwrap_or_default();
        self.hooks(&document).take_out(&shape, content.exe);
        if self.has_servers(content.role) {
            let shape = before.map(|before| Servers { document: &before }.shape());
            let servers = Servers { document: &document };
            servers.take_out(&shape.unwrap_or_default(), content.exe);
        }
        Ok(Left { bytes: document.to_bytes(), is_bare: document.is_bare() })
    }

    fn said(&self, content: Content<'_>) -> Result<Said, AppError> {
        let document = self.parsed(content)?;
        let hooks = self.hooks(&document).found(content.exe);
        let value = document.value().unwrap_or_default();
        let disabled = at(&value, self.disabled).and_then(serde_json::Value::as_array);
        let is_ours =
            |name: &serde_json::Value| name.as_str().is_some_and(|it| it.contains(SERVER));
        let is_disabled = disabled.is_some_and(|names| names.iter().any(is_ours));
        Ok(Said {
            hooks: hooks.iter().map(|hook| hook.told(self.form)).collect(),
            hooks_off: self.hooks_off(&document),
            own_hooks_only: false,
            silencing: is_disabled.then(|| self.disabled.join(".")).into_iter().collect(),
            own_code_only: false,
            server: Approval { is_approved: true, ..Approval::default() },
            frameworks: Vec::new(),
        })
    }

    fn server(&self, content: Content<'_>) -> Result<Option<Server>, AppError> {
        servers::found(content)
    }

    fn user_servers(&self, ground: Ground<'_>) -> PathBuf {
        (self.user_servers)(ground)
    }

    fn servers(&self, content: &[u8], root: &Path) -> Vec<String> {
        servers::names(content, root)
    }
}
