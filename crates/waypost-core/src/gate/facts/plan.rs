//! A plan that a gate asks for: what it has to say.

use serde::{Deserialize, Serialize};

/// A file that says what it has to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WantedPlan {
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

impl WantedPlan {
    /// What tells it apart from others.
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

    fn plan(texts: &[&str], verdict: Option<&str>) -> WantedPlan {
        WantedPlan {
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
