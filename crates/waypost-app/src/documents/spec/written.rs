//! How much of a spec somebody wrote: whether it says anything beyond its template.

use waypost_core::text::one_line;

use crate::documents::markdown::{Block, Kind, blocks};
use crate::documents::plan;

/// What a spec tells of itself: no content.
const ABOUT_ITSELF: &[&str] = &[
    "session",
    "session id",
    "status",
    "created",
    "updated",
    "last updated",
    "date",
    "author",
    "owner",
    "version",
    "project",
    "topic",
    "branch",
    "type",
    "id",
];
/// What stands where nobody has written anything yet.
const STUBS: &[&str] = &["tbd", "todo", "tba", "fixme", "n/a", "none", "to be done", "to do"];

/// Whether `text` says anything that its `template` does not.
pub(super) fn is_written(text: &str, template: &str) -> bool {
    let text = &without_comments(text);
    let draft: Vec<String> = blocks(template).into_iter().map(|block| block.text).collect();
    let found = blocks(text);
    let new = |block: &Block| !draft.contains(&block.text) && block_says(block);
    let row_after_head =
        |pair: &[Block]| pair.iter().all(|block| matches!(block.kind, Kind::Row(_)));
    found.iter().any(new)
        || found.windows(2).any(|pair| row_after_head(pair) && row_says(&pair[1]))
        || hidden_lines(text).any(|line| line_says(line) && !template.contains(line))
}

/// What stands in comments is told to nobody.
fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

fn block_says(block: &Block) -> bool {
    match block.kind {
        Kind::Heading(_) | Kind::Row(_) => false,
        Kind::Paragraph | Kind::Item { .. } => {
            !block.emphasised && block.text.lines().any(line_says)
        }
    }
}

fn row_says(row: &Block) -> bool {
    let Kind::Row(cells) = &row.kind else { return false };
    cells.iter().any(|cell| line_says(cell))
}

/// The lines in fences and quotations, which are no blocks.
fn hidden_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut in_fence = false;
    text.lines().filter_map(move |line| {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_fence = !in_fence;
            return None;
        }
        let quoted = line.strip_prefix('>').map(str::trim);
        if in_fence { Some(line) } else { quoted }
    })
}

/// Whether a line says something that somebody meant.
fn line_says(line: &str) -> bool {
    let line = one_line(&line.replace("**", ""));
    let line = line.trim();
    let bracketed = |open, close| line.starts_with(open) && line.ends_with(close);
    let is_blank = !line.chars().any(char::is_alphanumeric)
        || line.ends_with(':')
        || plan::has_placeholder(line)
        || bracketed('[', ']')
        || bracketed('<', '>');
    !is_blank && !is_stub(line) && !is_about_itself(line)
}

/// Whether it stands where something is still to be written.
pub(super) fn is_stub(line: &str) -> bool {
    let bare = line.trim().trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let begins = |stub: &str| {
        let rest = bare.strip_prefix(stub);
        rest.is_some_and(|rest| rest.is_empty() || rest.trim_start().starts_with([':', '-', '–']))
    };
    STUBS.iter().any(|stub| begins(stub))
}

fn is_about_itself(line: &str) -> bool {
    let label = line.split_once(':').map(|(label, _)| label.trim().to_lowercase());
    label.is_some_and(|label| ABOUT_ITSELF.contains(&label.as_str()))
}

#[cfg(test)]
mod tests {
    use super::is_written;

    const TEMPLATE: &str = "# Topic\n\n> **Status**: Draft\n\n## Goals\n\n### High-Level Goals\n\n\
                            ## Open Questions\n\n<!-- - [ ] A question -->\n";

    #[test]
    fn a_template_says_nothing_however_it_is_dressed_up() {
        for more in [
            "",
            "\n\n   \n",
            "\n## Another heading\n",
            "\nTBD\n",
            "\n- TODO: describe the goal\n",
            "\n- \n- [ ] \n",
            "\n_What should users be able to do?_\n",
            "\n{{GOALS}}\n",
            "\n[Describe the goal]\n",
            "\n<describe the goal>\n",
            "\n**Goal:**\n",
            "\n> **Status**: Final\n> **Author**: Ada\n",
            "\n<!-- build a login page -->\n",
            "\n<!--\n```\nan example\n```\n> quoted\n-->\n",
            "\n| Goal | Why |\n|---|---|\n",
            "\n```\n```\n",
            "\nN/A\n",
        ] {
            assert!(!is_written(&format!("{TEMPLATE}{more}"), TEMPLATE), "{more}");
        }
        assert!(!is_written("", TEMPLATE));
    }

    #[test]
    fn whatever_somebody_meant_counts_in_whatever_form() {
        for more in [
            "Build it.",
            "- Users log in by passkey",
            "1. First\n",
            "- [ ] Which database?",
            "| Goal | Why |\n|---|---|\n| Login | asked for |\n",
            "> As a user I want to log in",
            "```gherkin\nGiven a user\n```",
            "_Note_: users log in",
            "Status: done is what the page shows, says [1]: see below.",
            "none of the old pages stay",
        ] {
            let is_about_itself = more.starts_with("Status");
            let text = format!("{TEMPLATE}\n{more}\n");
            assert_eq!(is_written(&text, TEMPLATE), !is_about_itself, "{more}");
        }
        assert!(is_written("mine", TEMPLATE));
    }
}
