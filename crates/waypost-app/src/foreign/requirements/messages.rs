//! What is told while a requirement is not satisfied: the text of its own file, else what stands with it, else that of
//! its type, else ours.

use super::cascade::Given;
use super::fields::Fields;
use super::files;
use super::places::Places;
use crate::config::Problem;
use crate::foreign::yaml::Node;

/// The field that holds it in files of messages.
const FIELD: &str = "blocking_message";
/// The file of texts by type.
const BY_TYPE: &str = "_templates.yaml";

/// The text, with what is known beforehand filled in. What is wrong with a file of messages is noted.
pub(super) fn of(fields: &Fields<'_>, places: &Places, notes: &mut Vec<Problem>) -> String {
    let text = of_its_file(fields, places, notes)
        .or_else(|| inline(fields).map(str::to_owned))
        .or_else(|| of_its_type(fields, places, notes))
        .unwrap_or_else(|| ours(fields));
    let text = filled(fields, places, text.trim());
    checklist(fields).fold(text, |text, item| format!("{text}\n- {item}"))
}

fn inline<'f>(fields: &Fields<'f>) -> Option<&'f str> {
    let computed = (fields.kind() == "dynamic").then(|| fields.text(FIELD)).flatten();
    computed.or_else(|| fields.text("message"))
}

fn of_its_file(fields: &Fields<'_>, places: &Places, notes: &mut Vec<Problem>) -> Option<String> {
    // A name that leads elsewhere names no file of messages.
    if fields.name.contains(['/', '\0']) || fields.name.starts_with(['.', '_']) {
        return None;
    }
    let all = places.messages(&format!("{}.yaml", fields.name));
    // Only the nearest that is there counts.
    let root = all.iter().rev().find_map(|place| files::read(place, notes))?;
    text_in(&root)
}

fn of_its_type(fields: &Fields<'_>, places: &Places, notes: &mut Vec<Problem>) -> Option<String> {
    let all = places.messages(BY_TYPE);
    let mut of_type = all.iter().rev().filter_map(|place| {
        let root = files::read(place, notes)?;
        text_in(root.get(fields.kind())?)
    });
    of_type.next()
}

fn text_in(node: &Node) -> Option<String> {
    let text = node.get(FIELD)?.as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

fn ours(fields: &Fields<'_>) -> String {
    match (fields.kind(), fields.text("guard_type")) {
        ("guard", Some("protected_branch")) => {
            "Files are not changed on the protected branch `{branch}`; make a branch for the change.".to_owned()
        }
        ("guard", _) => "Another conversation is at work in this project.".to_owned(),
        ("dynamic", _) => {
            "The branch differs by {total} lines; from {block_threshold} on that is too many.".to_owned()
        }
        _ => match fields.text("description") {
            Some(description) => description.to_owned(),
            None => "The requirement `{req_name}` has to be satisfied first.".to_owned(),
        },
    }
}

/// Fills in what does not change from call to call.
fn filled(fields: &Fields<'_>, places: &Places, text: &str) -> String {
    let threshold = |key: &str| {
        let given = fields.get("thresholds").and_then(|thresholds| thresholds.get(key));
        given
            .and_then(Given::plain)
            .map_or_else(|| "0".to_owned(), |node| node.to_json().to_string())
    };
    let skill = fields.text("auto_resolve_skill").unwrap_or_default();
    let mut text = text.replace("{auto_resolve_skill}", skill.trim_start_matches('/'));
    text = text.replace("{req_name}", fields.name);
    text = text.replace("{block_threshold}", &threshold("block"));
    text = text.replace("{warn_threshold}", &threshold("warn"));
    text = text.replace("{base_branch}", "the main branch");
    text.replace("{project_dir}", &places.root())
}

fn checklist<'f>(fields: &Fields<'f>) -> impl Iterator<Item = &'f str> {
    let items = fields.get("checklist").and_then(Given::plain).and_then(Node::as_list);
    items.unwrap_or_default().iter().filter_map(Node::as_str)
}
