//! What sessions are asked for again and again, and how each is shown to be done: by what hooks see, by a look at
//! files, or by asking git. The built-in protocol is made of these, and so is what a project wrote down itself.

use std::collections::BTreeMap;

use super::sessions::ANY_SESSION;
use super::{ChecklistStep, Part, StepSubject};
use crate::gate::facts::AskedReport;
use crate::gate::proof::called::CalledProof;
use crate::gate::proof::changed::ChangedProof;
use crate::gate::proof::file::FileProof;
use crate::gate::proof::git::GitProof;
use crate::gate::proof::ran::{Fresh, RanProof};
use crate::gate::proof::read::ReadProof;
use crate::gate::proof::report::ReportProof;
use crate::gate::proof::skill::SkillProof;
use crate::gate::proof::ticked::TickedProof;
use crate::gate::{Gate, Proof, Scope};

const LINT_RULES: &str = ".markdownlint*";
const RETROSPECTIVES: &str = ".agents/retrospective/**";
const MEMORIES: &str = ".serena/memories/**";

/// Something that Waypost can see or look up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KnownStep {
    /// A tool of an MCP server is called.
    Call {
        /// The server.
        server: String,
        /// Its tool.
        tool: String,
    },
    /// A file is read.
    Read(String),
    /// Files that fit are known to be there.
    ListFiles(String),
    /// Serena is asked for memories.
    SearchMemories,
    /// Something is written into Serena's memories.
    WriteMemory,
    /// A skill is used; the pattern of its files.
    UseSkill(String, String),
    /// The session's log is there.
    CreateLog(String),
    /// No must is left open in the session's log.
    CompleteLog(String),
    /// A file that fits is there.
    Write(String),
    /// A file that fits is changed.
    Change(String),
    /// No file that fits is changed.
    Keep(String),
    /// Markdown is linted, by these commands too.
    LintMarkdown(Vec<String>),
    /// One of these commands is run; the script that it needs.
    Run(Vec<String>, Option<String>),
    /// Somebody else looked at the work, and a report says so.
    Report,
    /// Everything is committed.
    Commit,
    /// Nothing is uncommitted.
    Clean,
    /// Somebody looked what git says, with one of these commands.
    LookAtGit(Vec<String>),
    /// None of these branches is checked out.
    OffBranches(Vec<String>),
    /// Somebody looked back on the work.
    Retrospective,
}

impl KnownStep {
    /// The step of that name. `gate` says how much it insists, and what it says.
    pub fn step(&self, name: &str, part: Part, gate: Gate) -> ChecklistStep {
        let subject = self.subject(part);
        let mut gate = Gate { proof: self.proof(part), ..gate };
        let is_seen = matches!(
            self,
            Self::Call { .. }
                | Self::Read(_)
                | Self::SearchMemories
                | Self::UseSkill(..)
                | Self::LookAtGit(_)
        );
        if is_seen || (part == Part::Start && matches!(self, Self::Run(..))) {
            gate.scope = Scope::Conversation;
        }
        if matches!(self, Self::Retrospective | Self::WriteMemory) {
            gate.accept_claimed = true;
        }
        ChecklistStep { name: name.to_owned(), subject, gate }
    }

    /// What shows it.
    fn proof(&self, part: Part) -> Proof {
        match self {
            Self::Call { server, tool } => called(&format!("mcp__*{server}__{tool}")),
            Self::Read(file) => Proof::Read(ReadProof { file: file.clone(), unchanged: false }),
            Self::ListFiles(pattern) | Self::CreateLog(pattern) | Self::Write(pattern) => {
                Proof::File(FileProof { pattern: pattern.clone() })
            }
            Self::SearchMemories => called("mcp__*serena__*memor*"),
            Self::WriteMemory => Proof::Any(vec![
                called("mcp__*serena__write_memory"),
                called("mcp__*serena__edit_memory"),
                changed_proof(MEMORIES, false),
            ]),
            Self::UseSkill(name, _) => Proof::Skill(SkillProof::new(name)),
            Self::CompleteLog(pattern) => Proof::Ticked(TickedProof { pattern: pattern.clone() }),
            Self::Change(pattern) => changed_proof(pattern, false),
            Self::Keep(pattern) => changed_proof(pattern, true),
            Self::LintMarkdown(own) => {
                let usual = ["npx markdownlint*", "markdownlint*"].map(str::to_owned);
                any_ran(own.iter().chain(&usual), Fresh::Tree)
            }
            Self::Run(patterns, _) => {
                let fresh = if part == Part::Start { Fresh::Once } else { Fresh::Tree };
                any_ran(patterns.iter(), fresh)
            }
            Self::Report => report(),
            Self::Commit => {
                Proof::All(vec![Proof::Git(GitProof::Commit), Proof::Git(GitProof::Clean)])
            }
            Self::Clean => Proof::Git(GitProof::Clean),
            Self::LookAtGit(patterns) => any_ran(patterns.iter(), Fresh::Once),
            Self::OffBranches(branches) => {
                let off = |branch: &String| Proof::Git(GitProof::Off(branch.clone()));
                several(branches.iter().map(off).collect(), Proof::All)
            }
            Self::Retrospective => changed_proof(RETROSPECTIVES, false),
        }
    }

    /// What has to be there for it to make sense.
    fn subject(&self, part: Part) -> StepSubject {
        let file = |pattern: &str| StepSubject::File(pattern.to_owned());
        let changed = |pattern: &str| StepSubject::Changed(pattern.to_owned());
        let serena = || StepSubject::Server("serena".to_owned());
        match self {
            Self::Call { server, .. } => StepSubject::Server(server.clone()),
            Self::Read(read) => file(read),
            Self::ListFiles(pattern) | Self::UseSkill(_, pattern) => file(pattern),
            Self::SearchMemories => serena(),
            Self::WriteMemory => StepSubject::All(vec![serena(), changed("**")]),
            Self::CreateLog(_) | Self::CompleteLog(_) | Self::Write(_) | Self::Keep(_) => {
                StepSubject::Always
            }
            Self::Change(pattern) => StepSubject::All(vec![file(pattern), changed("**")]),
            Self::LintMarkdown(own) => {
                // A wrapper knows itself which rules hold.
                let usual = own.iter().all(|command| command.contains("markdownlint"));
                let rules = usual.then(|| file(LINT_RULES));
                let subjects = rules.into_iter().chain([changed("**/*.md")]).collect();
                StepSubject::All(subjects)
            }
            Self::Run(_, script) => {
                let script = script.iter().map(|script| file(script));
                let work = (part == Part::End).then(|| changed("**"));
                let subjects: Vec<StepSubject> = script.chain(work).collect();
                if subjects.is_empty() { StepSubject::Always } else { StepSubject::All(subjects) }
            }
            Self::Report => StepSubject::Code,
            Self::Commit | Self::Clean => StepSubject::All(vec![StepSubject::Git, changed("**")]),
            Self::LookAtGit(_) | Self::OffBranches(_) => StepSubject::Git,
            Self::Retrospective => file(RETROSPECTIVES),
        }
    }
}

fn called(tool: &str) -> Proof {
    Proof::Called(CalledProof { tool: tool.to_owned() })
}

fn changed_proof(pattern: &str, kept: bool) -> Proof {
    Proof::Changed(ChangedProof { pattern: pattern.to_owned(), kept })
}

fn any_ran<'p>(patterns: impl Iterator<Item = &'p String>, fresh: Fresh) -> Proof {
    let ran = |pattern: &String| Proof::Ran(RanProof::new(pattern, fresh));
    several(patterns.map(ran).collect(), Proof::Any)
}

/// One proof as it is, several as one.
fn several(mut proofs: Vec<Proof>, join: fn(Vec<Proof>) -> Proof) -> Proof {
    match proofs.pop() {
        Some(only) if proofs.is_empty() => only,
        Some(last) => {
            proofs.push(last);
            join(proofs)
        }
        None => join(proofs),
    }
}

/// A report of somebody else that says that the work passed, and names the session.
fn report() -> Proof {
    let asked = AskedReport { with: BTreeMap::new(), passes: Some(ANY_SESSION.to_owned()) };
    Proof::Report(ReportProof { pattern: ".agents/qa/*.md".to_owned(), asked })
}
