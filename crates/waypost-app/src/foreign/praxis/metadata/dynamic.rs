//! Phases that a tasks file will name: where it is, and the texts that tell of them.

use waypost_core::text::{one_line, shortened};
use waypost_core::track::{Definition, Templates};

use super::WorkflowReader;
use crate::foreign::yaml::Node;

/// The parser of tasks files, and the file that it looks for in a folder.
const PARSER: (&str, &str) = ("spec_tasks_parser", "tasks.md");
/// The option that names where the file is, unless the workflow says another.
const OPTION: &str = "spec_path";

/// Whether more phases follow than those that are listed.
pub(super) fn is_so(root: &Node) -> bool {
    let said = root.get("dynamic_phases").and_then(Node::as_bool);
    said.unwrap_or_else(|| root.get("total_phases").and_then(Node::as_str) == Some("dynamic"))
}

impl WorkflowReader<'_> {
    /// Says in the definition where the phases that follow are to be found, and what tells of them.
    pub(super) fn follow(&mut self, root: &Node, definition: &mut Definition) {
        let config = root.get("dynamic_config").filter(|config| config.as_map().is_some());
        let said = |key: &str| config.and_then(|config| config.get(key));
        if let Some((parser, line)) = said("parser").and_then(|it| Some((it.as_str()?, it.line)))
            && parser != PARSER.0
        {
            let shown = shortened(&one_line(parser), 60);
            let message = format!(
                "phases that `{shown}` reads are not known here: only those of a tasks file are \
                 (`{}`); list the phases, and say `\"dynamic_phases\": false`",
                PARSER.0
            );
            self.refuse(line, message);
        }
        let option = said("source_path_key").and_then(Node::as_str).unwrap_or(OPTION);
        definition.phases_from = Some(PARSER.1.to_owned());
        definition.target_option = Some(option.to_owned());
        let templates = said("templates");
        let phase = self.template(templates, "phase");
        let task = self.template(templates, "task");
        let after = definition.phases.len();
        definition.templates = Some(Templates { after, phase, task });
    }

    fn template(&mut self, templates: Option<&Node>, of: &str) -> String {
        let said =
            templates.and_then(|all| all.get(of)).and_then(|it| Some((it.as_str()?, it.line)));
        let usual = format!("phases/dynamic/{of}-template.md");
        let (path, line) = said.map_or((usual.as_str(), None), |(path, line)| (path, Some(line)));
        self.text(path, line).unwrap_or_default()
    }
}
