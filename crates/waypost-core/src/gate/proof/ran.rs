//! The proof `ran`: a command ran, succeeded, and is as fresh as the gate wants it.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Finding, FindingStatus};
use crate::evidence::{RecordedRun, Run, Tree, listed as shown};
use crate::gate::facts::{Facts, Needs, UnprovenCommit};
use crate::gate::input::GateInput;
use crate::gate::{Gate, Scope};
use crate::next_step::{NextStep, Running, amid};
use crate::text::spoken::count;

/// How fresh a run has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fresh {
    /// Once in the session is enough.
    Once,
    /// The work tree has not changed since.
    Tree,
    /// It is not older than this many milliseconds.
    Within(i64),
}

/// A command ran and succeeded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanProof {
    /// Which commands count, with `*` and `?`.
    pub pattern: String,
    /// How fresh the run has to be.
    pub fresh: Fresh,
    /// The folder of the project that it has to run in; none is its top folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Whether a run of some of the tests is enough.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub narrowed: bool,
    /// Whether as many tests have to be executed as the last time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_fewer: bool,
    /// Whether tests may fail that failed already when the conversation began.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub baseline: bool,
}

/// A run that some gate waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedRun {
    /// Which commands count, with `*` and `?`.
    pub pattern: String,
    /// The folder of the project that it has to run in.
    pub folder: Option<String>,
    /// The files that it is about, where its gate names some.
    pub paths: Option<String>,
    /// Whether a run of some of the tests is enough.
    pub narrowed: bool,
    /// Whether some gate asks for as many tests as the last time.
    pub not_fewer: bool,
    /// Whether some gate lets tests fail that failed already when the conversation began.
    pub baseline: bool,
}

/// How it is written down in full.
#[derive(Serialize, Deserialize)]
struct Written {
    pattern: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paths: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    narrowed: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    not_fewer: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    baseline: bool,
}

// Nearly always there is nothing but the pattern, and hooks read it on every call.
impl Serialize for WatchedRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { pattern, folder, paths, narrowed, not_fewer, baseline } = self.clone();
        let has_more = narrowed || not_fewer || baseline;
        if folder.is_none() && paths.is_none() && !has_more {
            return serializer.serialize_str(&pattern);
        }
        Written { pattern, folder, paths, narrowed, not_fewer, baseline }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for WatchedRun {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WatchedVisitor)
    }
}

struct WatchedVisitor;

impl<'de> Visitor<'de> for WatchedVisitor {
    type Value = WatchedRun;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pattern, or an object with one")
    }

    fn visit_str<E: de::Error>(self, pattern: &str) -> Result<WatchedRun, E> {
        Ok(WatchedRun::new(pattern))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<WatchedRun, M::Error> {
        let whole = Written::deserialize(MapAccessDeserializer::new(map))?;
        let Written { pattern, folder, paths, narrowed, not_fewer, baseline } = whole;
        Ok(WatchedRun { pattern, folder, paths, narrowed, not_fewer, baseline })
    }
}

impl WatchedRun {
    /// A whole run, wherever it is.
    pub fn new(pattern: impl Into<String>) -> Self {
        let (pattern, folder, paths) = (pattern.into(), None, None);
        Self { pattern, folder, paths, narrowed: false, not_fewer: false, baseline: false }
    }

    /// What a gate waits for by one of its proofs.
    pub fn of(gate: &Gate, proof: &RanProof) -> Self {
        let RanProof { pattern, folder, narrowed, not_fewer, baseline, .. } = proof.clone();
        let paths = gate.when.paths.clone().filter(|paths| !paths.starts_with('!'));
        let paths = paths.filter(|_| folder.is_none());
        Self { pattern, folder, paths, narrowed, not_fewer, baseline }
    }

    /// How records name it. What gates wait for under the same name is the same.
    pub fn name(&self) -> String {
        let mut name = self.pattern.clone();
        for (word, value) in [(" in ", &self.folder), (" for ", &self.paths)] {
            if let Some(value) = value {
                name.push_str(word);
                name.push_str(value);
            }
        }
        if self.narrowed { name + ", or a part of it" } else { name }
    }
}

impl RanProof {
    /// A whole run at the top of the project.
    pub fn new(pattern: impl Into<String>, fresh: Fresh) -> Self {
        let (pattern, folder) = (pattern.into(), None);
        Self { pattern, fresh, folder, narrowed: false, not_fewer: false, baseline: false }
    }

    /// The step that would satisfy it.
    pub fn next(&self, gate: &Gate) -> NextStep {
        NextStep::Run(Running {
            pattern: self.pattern.clone(),
            folder: self.folder.clone(),
            gate: gate.source.trusted.then(|| gate.id.clone()),
        })
    }

    /// The same where it was tried and did not succeed: `first` something else has to be done. Nobody is to be
    /// held for good by what cannot be put right here, so a human can let it pass.
    fn otherwise(&self, first: &'static str, gate: &Gate) -> NextStep {
        NextStep::Any(vec![amid(first, self.next(gate), ""), NextStep::Approve(gate.id.clone())])
    }

    pub(super) fn needs(&self, input: &GateInput<'_>, needs: &mut Needs) {
        match self.fresh {
            Fresh::Tree if input.action.is_about_commits() => {}
            Fresh::Tree => {
                needs.tree = true;
                if let Some(run) = self.run(input) {
                    let trees = [&run.run.tree_before, &run.run.tree_after];
                    needs
                        .compare
                        .extend(trees.iter().filter_map(|tree| tree.id()).map(str::to_owned));
                }
            }
            Fresh::Within(_) => needs.clock = true,
            Fresh::Once => {}
        }
        let what = self.name(input);
        // Whether a run in another work tree counts here, its content tells.
        needs.tree |= self.run(input).is_none() && input.run_elsewhere(&what).is_some();
        if self.fresh == Fresh::Tree && !input.action.commits.is_empty() {
            let contents = input.contents(&what, self.not_fewer);
            needs.commits.clone_from(&input.action.commits);
            needs.contents.entry(what).or_default().extend(contents);
        }
    }

    fn name(&self, input: &GateInput<'_>) -> String {
        WatchedRun::of(input.gate, self).name()
    }

    fn run<'a>(&self, input: &GateInput<'a>) -> Option<&'a RecordedRun> {
        input.run(&self.name(input))
    }

    /// What is wrong with commits that exist already: it was never seen to pass on their content.
    pub(super) fn find_of_commits(&self, input: &GateInput<'_>) -> Option<Finding> {
        let unproven = input.facts.unproven.get(&self.name(input))?;
        let concerned = unproven.iter().filter(|commit| {
            let when = &input.gate.when;
            when.concerns(&commit.changed) && when.is_on(commit.on.as_deref())
        });
        let concerned: Vec<&UnprovenCommit> = concerned.collect();
        let first = concerned.first()?;
        let short: String = first.sha.chars().take(10).collect();
        let more = match concerned.len() - 1 {
            0 => String::new(),
            more => format!(" (and {})", count(more, "more commit")),
        };
        let why = format!(
            "`{}` was not seen to pass on commit {short}{more}{}",
            self.pattern,
            listed(&first.files)
        );
        let run = self.next(input.gate);
        let away = first.on.as_ref().filter(|_| first.away);
        let next = match (away, first.changed_since) {
            (Some(branch), _) => amid(format!("check out {branch}, then run "), run, ""),
            (None, true) => amid("commit these files as they are now, then run ", run, ""),
            (None, false) => run,
        };
        Some(Finding::new(FindingStatus::Stale, why, next))
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let gate = input.gate;
        if self.fresh == Fresh::Tree && input.action.is_about_commits() {
            let passed = || Finding::met("it passed on what is committed");
            return self.find_of_commits(input).unwrap_or_else(passed);
        }
        let latest = self.run(input);
        // It was run in so many work trees that the run itself is forgotten.
        let is_of_now = |run: &RecordedRun| {
            run.run.tree_after.id() == input.facts.tree.as_ref().and_then(Tree::id)
        };
        if self.fresh == Fresh::Tree
            && !latest.is_some_and(is_of_now)
            && !matches!(input.gate.scope, Scope::SingleUse | Scope::Conversation)
            && input.has_passed_here(&self.name(input), self.not_fewer)
        {
            return Finding::met("it passed on exactly this content");
        }
        let Some(run) = latest else {
            let why = self.why_missing(input);
            return Finding::new(FindingStatus::Missing, why, self.next(gate));
        };
        let Run { tests, .. } = &run.run;
        // Some are told to end well whatever failed.
        if run.run.has_failed()
            && let Err(why) = self.as_before(input, &run.run)
        {
            let next = self.otherwise("fix it, then run ", gate);
            return Finding::new(FindingStatus::Failed, why_failed(&run.run) + &why, next);
        }
        if let Some(tests) = tests.filter(|tests| tests.executed() == 0) {
            let why = match tests.skipped {
                0 => "the last run executed no test".to_owned(),
                skipped => format!("the last run skipped all of its {}", count(skipped, "test")),
            };
            let next = self.otherwise("make it execute at least one test, then run ", gate);
            return Finding::new(FindingStatus::Failed, why, next);
        }
        if let Some(why) = run.run.why_fewer().filter(|_| self.not_fewer) {
            let next = self.otherwise("bring the others back, then run ", gate);
            return Finding::new(FindingStatus::Failed, why, next);
        }
        let found = |(status, why): (FindingStatus, String)| match status {
            FindingStatus::Met => Finding::met(why + &counted(&run.run)),
            _ => Finding::new(status, why, self.next(gate)),
        };
        match self.fresh {
            Fresh::Once => found((FindingStatus::Met, format!("it ran ({})", run.run.provenance))),
            Fresh::Within(limit) => found(within(run, input.facts, limit)),
            Fresh::Tree => match rewritten(&run.run, input.facts) {
                Some(why) => {
                    let first = "have git ignore what it writes, or commit it, then run ";
                    Finding::new(FindingStatus::Stale, why, self.otherwise(first, gate))
                }
                None => found(fresh_tree(run, input.facts)),
            },
        }
    }

    /// Whether nothing failed but what failed before; else what there is to say about it.
    fn as_before(&self, input: &GateInput<'_>, run: &Run) -> Result<(), String> {
        if !self.baseline {
            return Err(String::new());
        }
        let Some(compared) = &run.compared else {
            return Err(
                "; nobody ran it before this conversation's first edit, so old failures are not known"
                    .to_owned(),
            );
        };
        if input.began_on.is_some_and(|began| began != compared.with) {
            return Err("; it was compared with what failed before another conversation".to_owned());
        }
        compared.objection(run).map_or(Ok(()), |why| Err(format!("; {why}")))
    }

    fn why_missing(&self, input: &GateInput<'_>) -> String {
        if let Some(elsewhere) = input.run_elsewhere(&self.name(input)) {
            let at = elsewhere.run.worktree.as_deref().unwrap_or("the main one");
            return format!("it ran in another work tree ({at}), whose content differs");
        }
        if input.has_unaccepted_run(&self.name(input)) {
            return "a run was reported, but by a hook call that the harness did not make"
                .to_owned();
        }
        let since = match input.gate.scope {
            Scope::Conversation => "in this conversation",
            Scope::Session => "in this session",
            Scope::Branch => "on this branch",
            Scope::SingleUse => "since it was last used up",
            Scope::Permanent => "in this project",
        };
        let folder = self.folder.as_deref().map_or_else(String::new, |at| format!(" in {at}"));
        ["no run of `", &self.pattern, "`", &folder, " has been seen ", since].concat()
    }
}

/// How many tests a run executed, and how that compares, for people.
fn counted(run: &Run) -> String {
    let mut told = executed(run);
    if run.has_failed() {
        told.push_str(&format!("; failing as before: {}", shown(&run.failed)));
    }
    if !run.flaky.is_empty() {
        told.push_str(&format!(
            "; flaky, since it failed before on the same content: {}",
            shown(&run.flaky)
        ));
    }
    told
}

fn executed(run: &Run) -> String {
    match (run.tests, run.fewer()) {
        (_, Some((now, before))) => format!(": {}, {before} before", count(now, "test")),
        (Some(tests), None) => format!(": {}", count(tests.executed(), "test")),
        (None, None) => String::new(),
    }
}

fn why_failed(run: &Run) -> String {
    let mut why = match run.status {
        0 => "the last run reported success".to_owned(),
        status => format!("the last run ended with status {status}"),
    };
    if let Some(tests) = run.tests.filter(|tests| tests.failed > 0) {
        let but = if run.status == 0 { "but " } else { "" };
        let executed = count(tests.executed(), "test");
        why.push_str(&format!(", {but}{} of {executed} failed", tests.failed));
    }
    why + &listed(&run.failed)
}

fn within(run: &RecordedRun, facts: &Facts, limit: i64) -> (FindingStatus, String) {
    let age = facts.now.as_millis() - run.time.as_millis();
    let minutes = age / 60_000;
    if (0..=limit).contains(&age) {
        (FindingStatus::Met, format!("it ran {minutes} min ago ({})", run.run.provenance))
    } else {
        (FindingStatus::Stale, format!("the last run was {minutes} min ago"))
    }
}

/// Why a run proves nothing that itself changed files, where nothing else changed since.
fn rewritten(run: &Run, facts: &Facts) -> Option<String> {
    let (before, after) = (run.tree_before.id()?, run.tree_after.id()?);
    let now = facts.tree.as_ref().and_then(Tree::id)?;
    if before == after || after != now {
        return None;
    }
    let files = facts.changed.get(before).map_or_else(String::new, |files| listed(files));
    Some(format!("files changed while it ran{files}"))
}

fn fresh_tree(run: &RecordedRun, facts: &Facts) -> (FindingStatus, String) {
    let after = match (&run.run.tree_before, &run.run.tree_after) {
        (Tree::Id(_), Tree::Id(after)) => after,
        (Tree::Unknown(why), _) | (_, Tree::Unknown(why)) => {
            return (FindingStatus::Unknown, format!("what it ran on is not known: {why}"));
        }
    };
    let now = match &facts.tree {
        Some(Tree::Id(now)) => now,
        Some(Tree::Unknown(why)) => {
            return (FindingStatus::Unknown, format!("the work tree could not be read: {why}"));
        }
        None => {
            return (FindingStatus::Unknown, "the work tree was not looked at".to_owned());
        }
    };
    let told = format!("it passed on exactly this content ({})", run.run.provenance);
    if after != now && facts.is_others(after) {
        let files = facts.changed.get(after).map_or_else(String::new, |files| listed(files));
        return (FindingStatus::Met, format!("{told}, but for what others changed since{files}"));
    }
    if after != now {
        let files = facts.concerning(after).map_or_else(String::new, listed);
        return (FindingStatus::Stale, format!("the work tree changed since the run{files}"));
    }
    (FindingStatus::Met, told)
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(": {}", shown(names)) }
}
