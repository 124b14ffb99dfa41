//! Before and after a tool ran: what is seen is recorded, as far as a gate cares.

use std::borrow::Cow;

use waypost_core::command::{Command, ProjectCommand};
use waypost_core::event::SharedFact;
use waypost_core::evidence::{Evidence, Provenance, RecordedEvidence, Run, Sort, Tree};
use waypost_core::gate::policy::{Excerpt, Watched};
use waypost_core::gate::proof::ran::WatchedRun;
use waypost_core::gate::{Before, Gate};
use waypost_core::key::sha256_hex;
use waypost_core::runner::Profile;
use waypost_core::runner::tally::Tally;
use waypost_core::session::SessionState;
use waypost_core::shell::{Analysis, FoundRun};

use super::call_activity::CallEnd;
use super::commits::Noticing;
use super::excerpt::excerpt;
use super::seen_call::SeenCall;
use super::witnessed::{Witnessed, subjects};
use super::{Call, alongside, attach, call_activity, call_moments, locate, subagent, worktrees};
use crate::enforce::counting::{self, Terms};
use crate::enforce::recording::{Recording, shared_on};
use crate::error::AppError;
use crate::harness::Answer;
use crate::harness::{Does, Tool, ToolEnd};
use crate::machine::host::Host;
use crate::machine::matching;
use crate::rulings::facts;
use crate::view::registry::{CalledBy, Pending, Registration};
use crate::view::{View, agent};

/// A skill that is used again after so many milliseconds is recorded again.
const NEWS: i64 = 1_000;

/// What gates ask for, as far as it has to be noted when it happens.
pub(super) struct Asked {
    pub(super) watched: Watched,
    /// The project's own runners.
    pub(super) runners: Vec<Profile>,
    /// Whether another line may run in the place of one.
    pub(super) rewrite: bool,
}

/// If a gate waits for this call: notes that it begins, and what the work tree is before.
pub(super) fn announce(
    view: &View<'_>,
    call: &Call,
    tool: &Tool,
    registration: &Registration,
    seen: &SeenCall,
    asked: &Asked,
    runs: &[(&WatchedRun, FoundRun)],
) -> Result<(), AppError> {
    let Some(id) = &tool.call else { return Ok(()) };
    let by = seen.is_own_tool().then(|| CalledBy {
        checked: call.is_checked(registration),
        subagent: call.subagent.clone(),
        agent_type: call.agent_type.clone(),
        given: tool.given.clone(),
        root: view.place().project.root.clone(),
    });
    let (content, tree) = match (&tool.does, &seen.analysis) {
        (Does::Shell { command, background: false }, Some(_))
            if !seen.is_waypost() && runs.iter().any(|(_, found)| found.counts.is_ok()) =>
        {
            (command.clone(), view.tree())
        }
        _ => match subjects(view, call, tool, &asked.watched).into_iter().next() {
            Some(found) => (found.subject, Tree::Unknown("it is no run".to_owned())),
            // Whoever is called wants to know by whom.
            None if by.is_some() => (String::new(), Tree::Unknown("it is no run".to_owned())),
            None => return Ok(()),
        },
    };
    let checked = call.is_checked(registration);
    let pending = Pending { checked, sha256: sha256_hex(&[content.as_bytes()]), tree, by };
    view.registry().begin(registration, id, &pending)
}

/// Records what a tool call did, and printed.
pub fn after(
    host: &Host,
    call: &Call,
    tool: &Tool,
    ended: ToolEnd,
    printed: &[Cow<'_, str>],
) -> Result<Answer, AppError> {
    let Some((view, registration)) = locate(host, call)? else {
        return Ok(Answer::Silence);
    };
    let registration = match registration {
        Some(registration) => registration,
        None if matches!(tool.does, Does::Read(_) | Does::Look(_) | Does::Ask | Does::Other) => {
            return Ok(Answer::Silence);
        }
        None => attach::late(&view, call)?,
    };
    let (registration, state) = attach::remembered(&view, call, registration)?;
    let seen = SeenCall::of(&view, call, tool);
    let (_, excerpt) = excerpt(&view, &registration, &state, &seen)?;
    let done = Done { view: &view, call, tool, registration: &registration, state: &state };
    done.note(&seen, ended);
    call_moments::ended(&view, call, tool, &seen);
    if let Some(called) = &tool.subagent {
        subagent::returned(&view, call, &registration, &state, &subagent::told(called, ended))?;
    }
    if ended.is_success() {
        done.edited(&seen)?;
        alongside::changed_by(&view, call, &registration, &seen);
    }
    let answer = done.shell(&excerpt, &seen, ended, printed)?;
    if ended.is_success() {
        // A read that showed nothing is no reading.
        if ended != ToolEnd::Empty || !matches!(tool.does, Does::Read(_)) {
            done.witnessed(&excerpt.watched)?;
        }
        done.passed(&excerpt, &seen.paths)?;
    }
    let noticing = Noticing { view: &view, call, registration: &registration };
    let commits = |kinds: &[Before]| kinds.contains(&Before::Commit);
    let ruled = commits(&seen.kinds) || seen.elsewhere.iter().any(|other| commits(&other.kinds));
    if ruled && ended.is_success() {
        done.found_edits()?;
    }
    Ok(match (noticing.after(tool, &seen, ruled)?, answer) {
        (Some(told), Answer::Context(ran)) => Answer::Context(format!("{ran}\n{told}")),
        (Some(told), _) => Answer::Context(told),
        (None, answer) => answer,
    })
}

/// The user called a skill by its name: it counts as used, like one that the agent called.
pub fn expanded(host: &Host, call: &Call, name: &str) -> Result<Answer, AppError> {
    let Some((view, Some(registration))) = locate(host, call)? else {
        return Ok(Answer::Silence);
    };
    let skill = Does::Skill(name.to_owned());
    let tool = &Tool {
        name: "Skill".to_owned(),
        call: None,
        does: skill,
        others: Vec::new(),
        starts: None,
        subagent: None,
        given: None,
    };
    let state = view.load(&registration.session)?;
    let seen = SeenCall::of(&view, call, tool);
    let (_, excerpt) = excerpt(&view, &registration, &state, &seen)?;
    let done = Done { view: &view, call, tool, registration: &registration, state: &state };
    done.note(&seen, ToolEnd::Succeeded);
    // No call was announced: a prompt has only one event.
    let checked = call.is_checked(&registration);
    let provenance = if checked { Provenance::Observed } else { Provenance::Reported };
    let found = subjects(&view, call, tool, &excerpt.watched);
    // Nobody called the tool that agents take for it.
    for used in found.into_iter().filter(|used| used.sort == Sort::Skill) {
        done.evidence(&excerpt.watched, used, provenance)?;
    }
    Ok(Answer::Silence)
}

/// A command line that was run.
struct ShellLine<'a> {
    command: &'a str,
    analysis: &'a Analysis,
    /// Whether how it ended cannot be told.
    background: bool,
    /// What it printed, as far as the harness tells.
    printed: &'a [Cow<'a, str>],
}

/// A tool call that is over.
struct Done<'a> {
    view: &'a View<'a>,
    call: &'a Call,
    tool: &'a Tool,
    registration: &'a Registration,
    state: &'a SessionState,
}

impl Done<'_> {
    fn execute(&self, command: Command) -> Result<(), AppError> {
        let Call { harness, conversation, subagent, .. } = self.call;
        let actor = agent(harness, conversation, subagent.as_deref());
        let executed = self.view.execute(&self.registration.session, &actor, command)?;
        self.view.tell_mended(&executed);
        Ok(())
    }

    /// Every call is activity, whether a gate cares for it or not.
    fn note(&self, seen: &SeenCall, ended: ToolEnd) {
        let status = match ended {
            ToolEnd::Succeeded | ToolEnd::Empty => Some(0),
            ToolEnd::Failed(status) => Some(status),
            ToolEnd::Unclear => None,
        };
        let Self { view, call, tool, registration, .. } = self;
        let changes = ended.is_success() && seen.kinds.contains(&Before::Edit);
        let files = if changes { seen.paths.as_slice() } else { &[] };
        let end = CallEnd { name: &tool.name, status, files };
        call_activity::note(view, call, registration, tool, &end);
        self.view.registry().note_alive(self.registration);
    }

    /// A file was changed, by a tool made for that or by a command line that names it.
    fn edited(&self, seen: &SeenCall) -> Result<(), AppError> {
        if seen.kinds.contains(&Before::Edit) {
            self.edited_in(self.view.elsewhere(), &seen.paths)?;
        }
        for other in seen.elsewhere.iter().filter(|other| other.kinds.contains(&Before::Edit)) {
            let elsewhere = self.view.within(&other.project, || self.view.elsewhere());
            self.edited_in(elsewhere, &other.paths)?;
        }
        Ok(())
    }

    fn edited_in(&self, elsewhere: Option<String>, paths: &[String]) -> Result<(), AppError> {
        let Call { conversation, subagent, .. } = self.call;
        let Some(path) = paths.first() else { return Ok(()) };
        let (by, at) = (subagent.as_deref(), elsewhere.as_deref());
        if !self.state.edit_matters(conversation, by, at) {
            return Ok(());
        }
        self.execute(Command::ObserveEdit {
            conversation: conversation.clone(),
            subagent: subagent.clone(),
            tool: self.tool.name.clone(),
            path: path.clone(),
            elsewhere,
        })
    }

    /// A command line has ended.
    fn shell(
        &self,
        excerpt: &Excerpt,
        seen: &SeenCall,
        ended: ToolEnd,
        printed: &[Cow<'_, str>],
    ) -> Result<Answer, AppError> {
        let (view, call) = (self.view, self.call);
        let (Does::Shell { command, background }, Some(analysis)) =
            (&self.tool.does, seen.analysis.as_ref().filter(|_| !seen.is_waypost()))
        else {
            return Ok(Answer::Silence);
        };
        let line = ShellLine { command, analysis, background: *background, printed };
        let (watched, runners) = (&excerpt.watched.ran, &excerpt.runners);
        let ran_in = worktrees::ran_in(view, call, analysis, watched, runners);
        let ran_in = ran_in.unwrap_or_else(|| view.place().project.clone());
        view.within(&ran_in, || {
            let told = alongside::failed(view, call, excerpt, analysis, ended, printed);
            self.ran(excerpt, &line, ended).map(|ran| alongside::also(ran, told))
        })
    }

    /// Something was committed: what is in it and no hook saw is found by comparing.
    fn found_edits(&self) -> Result<(), AppError> {
        let (conversation, elsewhere) = (self.call.conversation.clone(), self.view.elsewhere());
        let known = self.state.conversations.get(&conversation);
        let known = known.filter(|known| !known.has_edited(elsewhere.as_deref()));
        let then = known.and_then(|known| known.turn_tree(elsewhere.as_deref()));
        let Some(then) = then.and_then(Tree::id) else { return Ok(()) };
        let files = facts::changed_since(self.view, then);
        self.execute(Command::FindEdits { conversation, files, elsewhere })
    }

    fn ran(
        &self,
        excerpt: &Excerpt,
        line: &ShellLine<'_>,
        ended: ToolEnd,
    ) -> Result<Answer, AppError> {
        let place = self.view.place();
        let terms = Terms { root: &place.project.root, own: &excerpt.runners };
        let (fitting, why_not) = self.fitting(terms, &excerpt.watched, line);
        let status = match ended {
            ToolEnd::Succeeded | ToolEnd::Empty => 0,
            ToolEnd::Failed(status) => status,
            ToolEnd::Unclear => return Ok(Answer::Silence),
        };
        let Some(first) = fitting.first() else {
            return why_not.map_or(Ok(Answer::Silence), |(watched, why)| self.told(watched, &why));
        };
        let mut tally = Tally::new(&terms.awaited(first));
        line.printed.iter().for_each(|text| tally.feed(text.as_bytes()));
        let run = self.run(line, fitting.iter().map(|watched| watched.name()).collect(), status);
        let Call { harness, conversation, subagent, .. } = self.call;
        let recording = Recording {
            view: self.view,
            actor: &agent(harness, conversation, subagent.as_deref()),
            session: &self.registration.session,
            watched: &excerpt.watched,
        };
        let told = recording.record(run, tally.finish())?;
        Ok(told.map_or(Answer::Silence, |told| Answer::Context(format!("Waypost: {told}."))))
    }

    /// Why a run does not count that was meant to, and what does. Whoever has changed nothing needs no proof.
    fn told(&self, watched: &WatchedRun, why: &str) -> Result<Answer, AppError> {
        let (known, elsewhere) =
            (self.state.conversations.get(&self.call.conversation), self.view.elsewhere());
        if !known.is_some_and(|known| known.has_edited(elsewhere.as_deref())) {
            return Ok(Answer::Silence);
        }
        let policy = self.view.policy_for(self.state, &self.call.conversation)?;
        let next = counting::step_for(&policy.policy, watched).words(self.registration.voice());
        Ok(Answer::Context(format!(
            "Waypost: this does not count as a run of `{}`: {why}.\nNext: {next}",
            watched.pattern
        )))
    }

    /// What the command line is a run of, and why it is none of something else.
    fn fitting<'w>(
        &self,
        terms: Terms<'_>,
        watched: &'w Watched,
        line: &ShellLine<'_>,
    ) -> (Vec<&'w WatchedRun>, Option<(&'w WatchedRun, String)>) {
        let mut fitting = Vec::new();
        let mut why_not = None;
        for watched in &watched.ran {
            let objection = match terms.counts(&self.call.cwd, line.analysis, watched) {
                None => continue,
                // Whoever runs a part of the tests knows that.
                Some(Err(_)) if !terms.is_whole(line.analysis, watched) => continue,
                Some(Err(reason)) => Some(reason),
                Some(Ok(())) if line.background => Some(self.unseen_end().to_owned()),
                Some(Ok(())) => None,
            };
            match objection {
                None => fitting.push(watched),
                Some(reason) => why_not = Some((watched, reason)),
            }
        }
        (fitting, why_not)
    }

    /// Why the tool's success is not the command's.
    fn unseen_end(&self) -> &'static str {
        if self.tool.starts.is_none() {
            return "that tool does not tell how it ended";
        }
        "it runs in the background"
    }

    fn run(&self, line: &ShellLine<'_>, patterns: Vec<String>, status: i32) -> Run {
        let sha256 = sha256_hex(&[line.command.as_bytes()]);
        let (provenance, tree) = self.provenance(&sha256);
        let unseen = || Tree::Unknown("no hook saw it begin".to_owned());
        let name =
            line.analysis.commands.iter().find_map(|simple| simple.name().map(str::to_owned));
        Run {
            command: name.unwrap_or_default(),
            sha256,
            patterns,
            status,
            tree_before: tree.unwrap_or_else(unseen),
            tree_after: self.view.tree(),
            provenance,
            worktree: self.view.place().project.worktree(),
            duration_ms: None,
            tests: None,
            before: None,
            failed: Vec::new(),
            compared: None,
            flaky: Vec::new(),
        }
    }

    /// How well it is known that the call with this content happened, and the tree before it.
    fn provenance(&self, sha256: &str) -> (Provenance, Option<Tree>) {
        let id = self.tool.call.as_deref().unwrap_or_default();
        let pending = self.view.registry().finish(self.registration, id);
        let pending = pending.filter(|pending| pending.sha256 == sha256);
        let announced = pending.as_ref().is_some_and(|pending| pending.checked);
        let seen = announced && self.call.is_checked(self.registration);
        let provenance = if seen { Provenance::Observed } else { Provenance::Reported };
        (provenance, pending.map(|pending| pending.tree))
    }

    /// A file that was read, a skill that was used, a tool that was called.
    fn witnessed(&self, watched: &Watched) -> Result<(), AppError> {
        let nothing_is_asked = watched.called.is_empty() && watched.read.is_empty();
        if matches!(self.tool.does, Does::Shell { .. }) && nothing_is_asked {
            return Ok(());
        }
        let found = subjects(self.view, self.call, self.tool, watched);
        let Some(announced) = found.first() else {
            return Ok(());
        };
        let (provenance, _) = self.provenance(&sha256_hex(&[announced.subject.as_bytes()]));
        found.into_iter().try_for_each(|found| self.evidence(watched, found, provenance))
    }

    /// Something that a gate asks for, unless it is known already.
    fn evidence(
        &self,
        watched: &Watched,
        found: Witnessed,
        provenance: Provenance,
    ) -> Result<(), AppError> {
        let Witnessed { sort, subject, wanted } = found;
        let read = sort == Sort::Read;
        let sha256 =
            if read { matching::hash_of(&self.view.place().project.root, &subject) } else { None };
        let evidence =
            Evidence { sort, subject, sha256, fields: serde_json::Map::new(), provenance };
        let again = self.state.ledger.evidence.iter().any(|known| {
            known.evidence == evidence
                && known.conversation.as_ref() == Some(&self.call.conversation)
                && known.subagent == self.call.subagent
                && !self.is_spent(known.seq)
                && !self.is_older(known)
        });
        if again {
            return Ok(());
        }
        for branch in shared_on(self.view, watched, &[wanted]) {
            self.share(branch, SharedFact::Evidence(evidence.clone()))?;
        }
        self.execute(Command::RecordEvidence(evidence))
    }

    /// Whether a skill was used some time ago: for gates that count it for a time, using it again is news.
    fn is_older(&self, known: &RecordedEvidence) -> bool {
        let age = self.view.host.now().as_millis() - known.time.as_millis();
        known.evidence.sort == Sort::Skill && age > NEWS
    }

    /// Whether some gate does not count evidence of that record any more.
    fn is_spent(&self, seq: u64) -> bool {
        self.state.ledger.spent.iter().any(|spent| spent.seq >= seq)
    }

    fn share(&self, branch: String, what: SharedFact) -> Result<(), AppError> {
        let Call { harness, conversation, subagent, .. } = self.call;
        let actor = agent(harness, conversation, subagent.as_deref());
        self.view.execute_for_project(&actor, ProjectCommand::Share { branch, what })
    }

    /// The action was allowed and has happened: what is for one use is used up. A gate that leaves its files alone has
    /// seen nothing.
    fn passed(&self, excerpt: &Excerpt, paths: &[String]) -> Result<(), AppError> {
        if !excerpt.watched.tracked {
            return Ok(());
        }
        let names = |wanted: &dyn Fn(&Gate) -> bool| {
            let gates = excerpt.gates.iter().filter(|gate| wanted(gate));
            let gates = gates.filter(|gate| !gate.when.exempts(paths));
            gates.map(|gate| gate.id.clone()).collect::<Vec<_>>()
        };
        let is_edit = matches!(self.tool.does, Does::Edit(_) | Does::EditUnnamed);
        let is_used_up = |gate: &Gate| gate.is_used_up_by(&excerpt.kinds, is_edit);
        // What used another tool's rule up is settled with that: no stop asks for it again.
        let triggered = names(&|gate| gate.when.triggered && !(gate.imported && is_used_up(gate)));
        let consumed = names(&is_used_up);
        if triggered.is_empty() && consumed.is_empty() {
            return Ok(());
        }
        let conversation = self.call.conversation.clone();
        self.execute(Command::Pass { conversation, triggered, consumed })
    }
}
