//! Setting a project up: everything is worked out first, then written.

mod own_hooks;
mod requirements;
mod servers;

use std::fs;
use std::path::PathBuf;

use waypost_core::next_step::{Mend, NextStep, amid, does};
use waypost_core::text::shell_word;
use waypost_store::{files, keys, look};

use super::git_hooks::HookToWrite;
use super::items::{Client, Folder, Item, Site};
use super::manifest::Manifest;
use super::proposing::proposed;
use super::ref_hook::RefHookToWrite;
use super::removal::without_ours;
use super::{
    Chosen, InitOutcome, Options, Preset, Proposal, TestGate, attributes, template, wrapper,
};
use crate::config;
use crate::error::AppError;
use crate::harness::{Form, Local, Role};
use crate::machine::host::Host;
use crate::machine::plain_files::{self, Existing};
use crate::machine::project::Project;

/// Sets a project up. Doing it again changes nothing.
pub fn run(host: &Host, project: &Project, options: &Options) -> Result<InitOutcome, AppError> {
    let exe = host.cwd.join(&host.exe);
    let exe = exe.to_str().ok_or_else(|| {
        AppError::configuration(format!("the path {} is not UTF-8", exe.display()))
            .hint("install Waypost in a folder whose name is, such as ~/.local/bin")
    })?;
    let mut outcome = InitOutcome::default();
    let manifest = Manifest::load(project)?;
    check_key(host)?;
    let chosen = options.chosen(host, project)?;
    let site = Site { host, project };
    let (steps, hooks, allowed) = (Vec::new(), Vec::new(), Vec::new());
    let ref_hook = None;
    let mut setup = Setup { site, project, exe, manifest, steps, hooks, ref_hook, allowed };
    setup.config(options, &mut outcome)?;
    setup.allow(options, &mut outcome);
    setup.attributes()?;
    setup.clients(&chosen, options.shared, &mut outcome)?;
    setup.git_hooks(options.git_hooks, &mut outcome)?;
    setup.carry_out(host, &mut outcome)?;
    if outcome.config.is_some() {
        say_where_sessions_go(project, &mut outcome);
    }
    requirements::say(host, project, &mut outcome);
    Ok(outcome)
}

/// A file, and what is to be in it.
struct FileToWrite<'a> {
    item: Item<'a>,
    path: PathBuf,
    before: Option<Existing>,
    /// What is to be in it; none if it is right as it is.
    after: Option<Vec<u8>>,
    what: &'static str,
}

struct Setup<'a> {
    site: Site<'a>,
    project: &'a Project,
    exe: &'a str,
    manifest: Manifest,
    steps: Vec<FileToWrite<'a>>,
    hooks: Vec<HookToWrite>,
    ref_hook: Option<RefHookToWrite>,
    /// The commands that agents may run without asking the user.
    allowed: Vec<String>,
}

/// How the MCP server is registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Registered {
    /// By its path, in a file that `init` made: not for others.
    Here,
    /// In a file that is there to be committed.
    Shared,
    /// In a file of the user's, who knows best whom it is for.
    Beside,
    /// Not at all.
    Not,
}

impl<'a> Setup<'a> {
    fn config(&mut self, options: &Options, outcome: &mut InitOutcome) -> Result<(), AppError> {
        let given = match &options.tests {
            Chosen::Command(command) => Some(checked_command(command)?),
            Chosen::Proposed | Chosen::One(_) | Chosen::Nothing => None,
        };
        let path = self.project.config_file();
        if look::link(&path).is_ok() {
            if options.preset.is_some() || given.is_some() {
                outcome.note(
                    "waypost.toml is there already and stays as it is: the preset and the test \
                     command count for a new one only",
                );
            }
            self.keep(Item::Config, path, None, "already there");
            return Ok(());
        }
        let preset = options.preset.unwrap_or_default();
        if preset != Preset::Minimal {
            let commands = match (&options.tests, given) {
                (_, Some(command)) => vec![typed(command)],
                (Chosen::One(proposal), None) => vec![proposal.clone()],
                (Chosen::Nothing, None) => {
                    outcome.note(
                        "no test command was chosen, so the gate in waypost.toml is commented out: fill yours in there",
                    );
                    Vec::new()
                }
                (_, None) => proposed(&self.project.root, outcome),
            };
            outcome.gates = TestGate::of(preset, &commands);
        }
        let text = template::config(preset, &outcome.gates);
        outcome.config = Some(text.clone());
        self.put(Item::Config, path, None, text.into_bytes(), "created");
        Ok(())
    }

    /// The runs of gates that agents may have without asking the user. Each rule is for one command and no
    /// other: one for `waypost run` would let anything run.
    fn allow(&mut self, options: &Options, outcome: &mut InitOutcome) {
        let config = match &outcome.config {
            Some(text) => config::parse(text).ok(),
            None => config::read(&self.project.config_file()).ok().flatten(),
        };
        let gates = config.map(|config| config.policy.gates).unwrap_or_default();
        let waypost = self.site.host.own_name();
        let runs = gates.iter().filter(|gate| gate.own_command().is_some());
        let runs: Vec<String> =
            runs.map(|gate| format!("{waypost} run --gate {}", shell_word(&gate.id))).collect();
        if options.allow_run {
            self.allowed = runs;
        } else if outcome.config.is_some() && !runs.is_empty() {
            outcome.note(format!(
                "with --allow-run agents may run `{}` without asking you, so that Waypost can see to it \
                 that a test run counts",
                runs.join("`, `")
            ));
        }
    }

    /// Tells git what published copies are.
    fn attributes(&mut self) -> Result<(), AppError> {
        let Some(path) = Item::Attributes.path(self.site) else {
            return Ok(());
        };
        // A configuration that cannot be read is told of where it is used.
        let config = config::read(&self.project.config_file()).ok().flatten().unwrap_or_default();
        let folder = &config.policy.sessions_dir;
        let before = plain_files::look(&path)?;
        let content = before.as_ref().map(|now| now.bytes.as_slice()).unwrap_or_default();
        if attributes::covers(content, folder) {
            self.keep(Item::Attributes, path, before, "already there");
        } else {
            let after = attributes::added(content, folder);
            self.put(Item::Attributes, path, before, after, "published copies marked");
        }
        Ok(())
    }

    /// Lets harnesses find Waypost: its MCP server, and its hooks.
    fn clients(
        &mut self,
        chosen: &[&'a Local],
        shared: bool,
        outcome: &mut InitOutcome,
    ) -> Result<(), AppError> {
        let allowed = self.allowed.clone();
        let mut registered = Vec::new();
        for local in chosen {
            registered.push(self.servers(local, shared, outcome)?);
        }
        self.exclude(chosen, &registered, shared, outcome);
        let mut clients = chosen.iter().flat_map(|local| Client::of(local));
        let is_either = |client: &Client<'_>| client.file.role == Role::Either;
        if (shared && !chosen.is_empty())
            || clients.any(|client| is_either(&client) && self.is_for_everyone(client, shared))
        {
            self.wrapper(outcome)?;
        }
        for (local, registered) in chosen.iter().zip(registered) {
            // It is Waypost's, so that the client may start it without asking.
            let approve = registered != Registered::Not;
            for client in Client::of(local) {
                let local = Form::Local { exe: self.exe, approve, allow: &allowed };
                let form = match client.file.role {
                    Role::Local => Some(local),
                    Role::Shared => shared.then_some(Form::Shared),
                    Role::Either => {
                        let everyones = self.is_for_everyone(client, shared);
                        Some(if everyones { Form::Shared } else { local })
                    }
                    Role::Servers => None,
                };
                if let Some(form) = form {
                    self.settings(client, form, outcome)?;
                }
            }
        }
        Ok(())
    }

    fn wrapper(&mut self, outcome: &mut InitOutcome) -> Result<(), AppError> {
        let Some(path) = Item::Wrapper.path(self.site) else {
            return Ok(());
        };
        let before = plain_files::look(&path)?;
        match &before {
            Some(now) if !wrapper::is_ours(&now.bytes) => {
                return Err(AppError::configuration(format!(
                    "{} is there already and is not Waypost's",
                    path.display()
                ))
                .hint("move it elsewhere, then run this again; nothing was changed"));
            }
            Some(now) if now.mode & 0o100 == 0 => {
                outcome.note(format!(
                    "{} cannot be executed: chmod +x it, and commit that",
                    path.display()
                ));
                self.keep(Item::Wrapper, path, before, "already there");
            }
            Some(_) => self.keep(Item::Wrapper, path, before, "already there"),
            None => {
                let script = wrapper::script(self.site.host.harnesses.iter().map(Local::facts));
                self.put(Item::Wrapper, path, None, script.into_bytes(), "created");
            }
        }
        Ok(())
    }

    /// Registers hooks in a settings file.
    fn settings(
        &mut self,
        client: Client<'a>,
        form: Form<'_>,
        outcome: &mut InitOutcome,
    ) -> Result<(), AppError> {
        let (item, path) = (Item::Client(client), client.path(self.site));
        let before = plain_files::look(&path)?;
        let content = before.as_ref().map(|now| now.bytes.as_slice()).unwrap_or_default();
        let asked = client.content(&path, content, Some(self.exe));
        let added = client.local.harness.registering().add(asked, form)?;
        outcome.notes.extend(added.notes.into_iter().map(NextStep::Said));
        if added.bytes == content && before.is_some() {
            self.keep(item, path, before, "already there");
            return Ok(());
        }
        if let Some(how) = client.local.facts().reach.trust {
            outcome.note(format!("{}: {how}", client.local.facts().title));
        }
        let what = match &before {
            None => "created",
            Some(_) if added.was_there => "updated",
            Some(_) => "hooks added",
        };
        self.put(item, path, before, added.bytes, what);
        Ok(())
    }

    fn put(
        &mut self,
        item: Item<'a>,
        path: PathBuf,
        before: Option<Existing>,
        after: Vec<u8>,
        what: &'static str,
    ) {
        self.steps.push(FileToWrite { item, path, before, after: Some(after), what });
    }

    fn keep(
        &mut self,
        item: Item<'a>,
        path: PathBuf,
        before: Option<Existing>,
        what: &'static str,
    ) {
        self.steps.push(FileToWrite { item, path, before, after: None, what });
    }

    fn carry_out(mut self, host: &Host, outcome: &mut InitOutcome) -> Result<(), AppError> {
        self.record()?;
        // Nothing is made before everything could be: the key would outlive a failure.
        let store = &self.project.store;
        let there = store.ancestors().find(|folder| look::is_folder(folder)).unwrap_or(store);
        for folder in [there, &self.project.root] {
            files::check_writable(folder)?;
        }
        if host.secret.is_none() {
            let made = keys::create(&host.key_file())?;
            outcome.change(host.key_file(), if made { "created" } else { "already there" });
        }
        outcome.change(store, if look::is_folder(store) { "already there" } else { "created" });
        files::make_dir(store)?;
        if self.manifest.declined {
            self.decline(outcome)?;
        }
        self.manifest.save(self.project)?;
        for step in &self.steps {
            self.write(step).map_err(|error| {
                error.hint(
                    amid("then run ", Mend::SetUp, " again; ")
                        .and(does(Mend::TakeOut, "undoes it")),
                )
            })?;
            outcome.change(&step.path, step.what);
        }
        for plan in &self.hooks {
            plan.carry_out()?;
            outcome.change(&plan.path, plan.what);
        }
        if let Some(plan) = &self.ref_hook {
            plan.carry_out()?;
            outcome.change(&plan.path, plan.what);
        }
        Ok(())
    }

    /// Notes in the manifest what is there now and what will be.
    fn record(&mut self) -> Result<(), AppError> {
        if !look::is_folder(&self.project.store) {
            self.manifest.record_folder(self.project, Folder::Store);
        }
        for step in &self.steps {
            let Some(after) = &step.after else { continue };
            let original = self.original(step)?;
            record_folder(&mut self.manifest, self.site, step.item);
            self.manifest.record(self.project, step.item, original, after);
        }
        for plan in &self.hooks {
            let Some(after) = &plan.after else { continue };
            // What was there before is not kept here but beside it, as it is.
            let item = plan.hook.item();
            record_folder(&mut self.manifest, self.site, item);
            self.manifest.record(self.project, item, None, after);
        }
        if let Some(after) = self.ref_hook.as_ref().and_then(RefHookToWrite::recorded) {
            let item = Item::ReferenceTransaction;
            record_folder(&mut self.manifest, self.site, item);
            self.manifest.record(self.project, item, None, &after);
        }
        Ok(())
    }

    /// What `--remove` is to give back: what was there at first, with what the user changed since.
    fn original(&self, step: &FileToWrite<'_>) -> Result<Option<Vec<u8>>, AppError> {
        let entry = self.manifest.entry(self.project, step.item);
        if let Some(entry) = entry.filter(|entry| entry.is_untouched(step.before.as_ref())) {
            return Ok(entry.original());
        }
        let Some(now) = &step.before else {
            return Ok(None);
        };
        // What a teammate committed is what was there at first.
        if entry.is_none() && step.item.is_everyones(self.site) {
            return Ok(Some(now.bytes.clone()));
        }
        without_ours(self.site, step.item, entry, &now.bytes, self.exe)
    }

    fn write(&self, step: &FileToWrite<'_>) -> Result<(), AppError> {
        let Some(after) = &step.after else {
            return Ok(());
        };
        if let Some(folder) = step.item.folder().and_then(|folder| folder.path(self.site)) {
            fs::create_dir_all(&folder)
                .map_err(plain_files::failed("cannot make the folder", &folder))?;
        }
        let mode = step.before.as_ref().map(|now| now.mode);
        plain_files::write(&step.path, after, mode, step.item.new_mode())
    }
}

/// Notes that the folder of a file is about to be made, and those in which it lies, where they are.
fn record_folder(manifest: &mut Manifest, site: Site<'_>, item: Item<'_>) {
    for folder in item.folder().into_iter().flat_map(Folder::all) {
        if folder.path(site).is_some_and(|path| !look::is_folder(&path)) {
            manifest.record_folder(site.project, folder);
        }
    }
}

/// Refuses a key that could not be used, before anything is changed.
fn check_key(host: &Host) -> Result<(), AppError> {
    if host.secret.is_some() || look::link(host.key_file()).is_ok() {
        host.keyring()?;
    }
    Ok(())
}

/// Where sessions are kept and published, and how to keep them out of git.
fn say_where_sessions_go(project: &Project, outcome: &mut InitOutcome) {
    let store = project.relative(&project.store);
    let folder = config::Config::default().policy.sessions_dir;
    outcome.note(format!(
        "sessions are recorded in {store}, which is never committed; those that are published lie in {folder}, for you \
         to commit. `publish = \"never\"` below [project] in waypost.toml keeps them out of the work tree"
    ));
}

/// A command that a person gave.
fn typed(command: String) -> Proposal {
    Proposal { command, folder: None, because: "it was given".to_owned() }
}

fn checked_command(command: &str) -> Result<String, AppError> {
    let command = command.trim();
    if command.is_empty() || command.contains(['\n', '\r']) {
        return Err(AppError::configuration("the test command has to be one line of text")
            .hint("for example: --test-command \"cargo test\""));
    }
    Ok(command.to_owned())
}
