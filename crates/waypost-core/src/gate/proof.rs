//! What satisfies a gate. A new kind of proof is a variant here and a file beside `ran.rs`.

mod alone;
pub mod approval;
pub mod called;
pub mod changed;
pub mod check;
pub mod fields;
pub mod file;
pub mod git;
mod handoff;
mod plan;
pub mod ran;
pub mod read;
pub mod report;
pub mod several;
pub mod skill;
pub mod ticked;
pub mod verdict;
pub mod work;

use serde::{Deserialize, Serialize};

use super::action::NewCommit;
use super::facts::Needs;
use super::facts::plan::WantedPlan;
use super::facts::work::Work;
use super::input::GateInput;
use super::{Before, Gate};
use crate::evidence::Provenance;
use crate::next_step::NextStep;

/// What satisfies a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// A command ran and succeeded.
    Ran(ran::RanProof),
    /// A file was read.
    Read(read::ReadProof),
    /// A tool was called.
    Called(called::CalledProof),
    /// A skill was used.
    Skill(skill::SkillProof),
    /// A file is there.
    File(file::FileProof),
    /// A file was changed since the work began.
    Changed(changed::ChangedProof),
    /// A log's checklists have no must left open.
    Ticked(ticked::TickedProof),
    /// A plan is there that says what it has to.
    Plan(WantedPlan),
    /// Git says so.
    Git(git::GitProof),
    /// A report says so in its front matter.
    Report(report::ReportProof),
    /// Fields were filled in.
    Fields(fields::FieldsProof),
    /// Another agent's verdict.
    Verdict(verdict::VerdictProof),
    /// A human approved.
    Approval(approval::ApprovalProof),
    /// A part of the work that the session's workflow is about is done.
    Work(Work),
    /// No other conversation is at work in the work tree.
    Alone,
    /// No other conversation changed the files minutes ago that are to be changed.
    AlonePaths,
    /// No handoff waits that somebody else made: whoever goes on has accepted it.
    Handoff,
    /// An expression over facts holds.
    Check(check::CheckProof),
    /// All of them hold.
    All(Vec<Proof>),
    /// One of them holds.
    Any(Vec<Proof>),
    /// Nothing satisfies it: it goes away by the step that it names.
    Never(String),
}

/// How far a finding is from what the gate wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    /// It holds.
    Met,
    /// It held for something older.
    Stale,
    /// It was tried and did not succeed.
    Failed,
    /// Nothing that would prove it has happened.
    Missing,
    /// It could not be found out.
    Unknown,
}

/// What a proof was found to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How far it is from what the gate wants.
    pub status: FindingStatus,
    /// Why, in words.
    pub why: String,
    /// The exact step that would satisfy it.
    pub next: NextStep,
}

impl Finding {
    fn new(status: FindingStatus, why: impl Into<String>, next: NextStep) -> Self {
        Self { status, why: why.into(), next }
    }

    pub(crate) fn met(why: impl Into<String>) -> Self {
        Self { status: FindingStatus::Met, why: why.into(), next: NextStep::Nothing }
    }
}

impl Proof {
    /// Whether it holds. What somebody said of the gate itself counts like any proof, if the gate
    /// accepts who said it.
    pub fn find(&self, input: &GateInput<'_>) -> Finding {
        let said = input.mark().filter(|_| self.accepts_marks());
        if let Some(mark) = said.filter(|mark| input.gate.accepts(mark.mark.provenance)) {
            let who = match mark.mark.provenance {
                Provenance::Approved if mark.mark.signature.is_none() => approval::LOCAL,
                Provenance::Approved => approval::SIGNED,
                _ => "an agent said so",
            };
            let reach = if mark.mark.tree.is_some() { " for this content" } else { "" };
            return Finding::met(format!("{who}{reach}"));
        }
        let mut finding = self.find_itself(input);
        if finding.status != FindingStatus::Met && said.is_some() {
            finding.why.push_str("; an agent said that it is satisfied, which proves nothing here");
        }
        finding
    }

    /// What is wrong with commits that exist already, where a turn ends: their content was never proven, or no gate
    /// was asked before them.
    pub fn find_of_commits(&self, input: &GateInput<'_>) -> Option<Finding> {
        let lasting = input.mark().filter(|mark| mark.mark.tree.is_none() && self.accepts_marks());
        if lasting.is_some_and(|mark| input.gate.accepts(mark.mark.provenance)) {
            return None;
        }
        self.commits_itself(input)
    }

    fn commits_itself(&self, input: &GateInput<'_>) -> Option<Finding> {
        let on_branch = |commit: &NewCommit| input.gate.when.is_on(commit.branch.as_deref());
        let is_asked = input.action.unruled
            && !input.gate.before.contains(&Before::Stop)
            && input.action.commits.iter().any(on_branch);
        match self {
            Self::Ran(proof) if proof.fresh == ran::Fresh::Tree => proof.find_of_commits(input),
            Self::All(proofs) => proofs.iter().find_map(|proof| proof.commits_itself(input)),
            Self::Any(proofs) => {
                let found: Option<Vec<_>> =
                    proofs.iter().map(|proof| proof.commits_itself(input)).collect();
                found.and_then(|found| found.into_iter().next())
            }
            _ if is_asked => {
                let found = self.find_itself(input);
                (found.status != FindingStatus::Met).then_some(found)
            }
            _ => None,
        }
    }

    fn find_itself(&self, input: &GateInput<'_>) -> Finding {
        match self {
            Self::Ran(proof) => proof.find(input),
            Self::Read(proof) => proof.find(input),
            Self::Called(proof) => proof.find(input),
            Self::Skill(proof) => proof.find(input),
            Self::File(proof) => proof.find(input),
            Self::Changed(proof) => proof.find(input),
            Self::Ticked(proof) => proof.find(input),
            Self::Plan(wanted) => plan::find(wanted, input),
            Self::Git(proof) => proof.find(input),
            Self::Report(proof) => proof.find(input),
            Self::Fields(proof) => proof.find(input),
            Self::Verdict(proof) => proof.find(input),
            Self::Approval(proof) => proof.find(input),
            Self::Work(part) => work::find(*part, input),
            Self::Alone => alone::find(input),
            Self::AlonePaths => alone::find_of_paths(input),
            Self::Handoff => handoff::find(input),
            Self::Check(proof) => proof.find(input),
            Self::All(proofs) => several::all(proofs, input),
            Self::Any(proofs) => several::any(proofs, input),
            Self::Never(_) => {
                let next = self.next(input.gate);
                Finding::new(FindingStatus::Missing, "it is not allowed now", next)
            }
        }
    }

    /// Says what has to be found out about the world before it can be judged.
    pub fn needs(&self, input: &GateInput<'_>, needs: &mut Needs) {
        needs.clock |= input.has_limited_mark();
        for tree in input.marked_trees() {
            needs.tree = true;
            needs.compare.push(tree.clone());
        }
        match self {
            Self::Ran(proof) => proof.needs(input, needs),
            Self::Read(proof) => proof.needs(needs),
            Self::File(proof) => proof.needs(needs),
            Self::Changed(proof) => proof.needs(input, needs),
            Self::Ticked(proof) => proof.needs(needs),
            Self::Plan(wanted) => plan::needs(wanted, needs),
            Self::Git(proof) => proof.needs(needs),
            Self::Report(proof) => proof.needs(needs),
            Self::Work(part) => work::needs(*part, needs),
            Self::Check(proof) => proof.needs(needs),
            Self::Approval(proof) => proof.needs(needs),
            Self::All(proofs) | Self::Any(proofs) => {
                for proof in proofs {
                    proof.needs(input, needs);
                }
            }
            Self::Skill(proof) => proof.needs(needs),
            Self::Alone => {
                needs.others = true;
                // Others come and go without any file changing.
                needs.clock = true;
            }
            Self::AlonePaths => {
                needs.alongside = true;
                needs.clock = true;
            }
            Self::Verdict(proof) => proof.needs(input, needs),
            Self::Called(_) | Self::Fields(_) | Self::Handoff | Self::Never(_) => {}
        }
    }

    /// Visits it and everything that it is made of.
    pub fn each<'p>(&'p self, visit: &mut dyn FnMut(&'p Self)) {
        visit(self);
        if let Self::All(proofs) | Self::Any(proofs) = self {
            for proof in proofs {
                proof.each(visit);
            }
        }
    }

    /// Whether it, or a part of it, rests on what is recorded in a session: before one has begun, it cannot hold.
    pub fn rests_on_records(&self) -> bool {
        let mut rests = false;
        self.each(&mut |proof| {
            rests |= matches!(
                proof,
                Self::Ran(_)
                    | Self::Read(_)
                    | Self::Called(_)
                    | Self::Skill(_)
                    | Self::Fields(_)
                    | Self::Verdict(_)
                    | Self::Approval(_)
            );
        });
        rests
    }

    /// The step that would satisfy it, if nothing of it holds yet, as the proof of a gate.
    pub fn next(&self, gate: &Gate) -> NextStep {
        let steps = |proofs: &[Self]| proofs.iter().map(|proof| proof.next(gate)).collect();
        match self {
            Self::Ran(proof) => proof.next(gate),
            Self::Read(proof) => NextStep::Read(proof.file.clone()),
            Self::Called(proof) => NextStep::Call(proof.tool.clone()),
            Self::Skill(proof) => NextStep::UseSkill(proof.name.clone()),
            Self::File(proof) => NextStep::Write { file: proof.pattern.clone(), with: None },
            Self::Changed(proof) => proof.next(),
            Self::Ticked(proof) => NextStep::Tick(proof.pattern.clone()),
            Self::Plan(wanted) => plan::next(wanted),
            Self::Git(proof) => proof.next(),
            Self::Report(proof) => proof.next(),
            Self::Fields(proof) => proof.next(&gate.id),
            Self::Verdict(proof) => proof.next(gate),
            Self::Approval(_) => NextStep::Approve(gate.id.clone()),
            Self::Work(part) => work::next(*part),
            Self::Alone => alone::next(&gate.id),
            Self::AlonePaths => alone::next_of_paths(&gate.id),
            Self::Handoff => handoff::next(None),
            Self::Check(proof) => proof.next(gate),
            Self::All(proofs) => several::all_of(steps(proofs)),
            Self::Any(proofs) => several::any_of(steps(proofs)),
            Self::Never(next) => NextStep::Said(next.clone()),
        }
    }

    /// Where a human's approval is part of the proof, approving is that part and not all of it.
    fn accepts_marks(&self) -> bool {
        let mut accepts = true;
        self.each(&mut |proof| accepts &= !matches!(proof, Self::Approval(_) | Self::Never(_)));
        accepts
    }
}
