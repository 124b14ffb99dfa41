//! The proof `plan`: a Markdown file lies in one of some folders that says what it has to, and is not too old.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::gate::facts::Needs;
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// A file that says what it has to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlanProof {
    /// The folders of the project in or below which it lies.
    pub folders: Vec<String>,
    /// All of these stand in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
    /// This stands in its section `## Verdict`; the size of letters does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// It was changed within so many milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<i64>,
}

impl PlanProof {
    /// What is told apart from others by.
    pub fn key(&self) -> String {
        let Self { folders, texts, verdict, within } = self;
        format!("{folders:?} {texts:?} {verdict:?} {within:?}")
    }

    /// Whether a file's text says what it has to.
    pub fn is_said_by(&self, text: &str) -> bool {
        let is_said = |verdict: &String| gives_verdict(text, verdict);
        self.texts.iter().all(|wanted| text.contains(wanted))
            && self.verdict.as_ref().is_none_or(is_said)
    }

    pub(super) fn needs(&self, needs: &mut Needs) {
        needs.plans.insert(self.clone());
        needs.clock |= self.within.is_some();
    }

    pub(super) fn next(&self) -> NextStep {
        let verdict = self.verdict.iter().map(|verdict| format!("## Verdict {verdict}"));
        let with: Vec<String> = self.texts.iter().cloned().chain(verdict).collect();
        let folder = self.folders.first().map_or(".", String::as_str);
        let with = (!with.is_empty()).then(|| with.join(", "));
        NextStep::Write { file: format!("{}/*.md", folder.trim_end_matches('/')), with }
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let unmet = |status, why: String| Finding::new(status, why, self.next());
        match input.facts.plans.get(&self.key()) {
            Some(Some(path)) => Finding::met(format!("{path} is there")),
            Some(None) => {
                let age = if self.within.is_some() { " and is young enough" } else { "" };
                let folders = self.folders.join(", ");
                let why = format!("no file in {folders} says what it has to{age}");
                unmet(FindingStatus::Missing, why)
            }
            None => unmet(FindingStatus::Unknown, "the work tree was not looked at".to_owned()),
        }
    }
}

/// Whether a section `## Verdict` of a Markdown file holds a word, in its heading or below.
fn gives_verdict(text: &str, verdict: &str) -> bool {
    let verdict = verdict.to_lowercase();
    let mut is_inside = false;
    text.lines().any(|line| {
        if let Some(heading) = line.trim().strip_prefix("## ") {
            is_inside = heading.trim().to_lowercase().starts_with("verdict");
        }
        is_inside && line.to_lowercase().contains(&verdict)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(texts: &[&str], verdict: Option<&str>) -> PlanProof {
        PlanProof {
            folders: vec!["plans".to_owned()],
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
            verdict: verdict.map(str::to_owned),
            within: None,
        }
    }

    #[test]
    fn all_texts_have_to_stand_there_and_the_verdict_in_its_own_section() {
        let text = "# Plan\n## Commit Plan\n1. x\n## Verdict\n### by two\nApproved by all\n## Notes\nrejected\n";
        assert!(plan(&["## Commit Plan", "1. x"], Some("APPROVED")).is_said_by(text));
        assert!(plan(&[], None).is_said_by(""));
        assert!(plan(&[], Some("ok")).is_said_by("## Verdict: OK"));
        assert!(!plan(&["## Other"], None).is_said_by(text));
        assert!(!plan(&[], Some("rejected")).is_said_by(text), "another section");
        assert!(!plan(&[], Some("approved")).is_said_by("### Verdict\napproved"));
    }
}
