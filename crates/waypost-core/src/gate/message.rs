//! What a gate's message stands for at the time when it is told.

use super::action::Action;
use super::facts::Facts;
use crate::text::spoken::count;

/// A message in which names in braces are replaced by what they are now. Whatever is not known stays as it is written.
pub(crate) fn filled(message: &str, facts: &Facts, action: &Action) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        text.push_str(before);
        let name = from[1..].split_once('}').map(|(name, _)| name);
        if let Some((name, value)) = name.and_then(|name| Some((name, value(name, facts, action)?)))
        {
            text.push_str(&value);
            rest = &from[name.len() + 2..];
        } else {
            text.push('{');
            rest = &from[1..];
        }
    }
    text + rest
}

fn value(name: &str, facts: &Facts, action: &Action) -> Option<String> {
    let size = || facts.dynamic.get("branch")?.get("size")?.as_u64();
    match name {
        "branch" => facts.branch.clone(),
        "session_id" => Some(action.conversation.as_str().chars().take(8).collect()),
        "total" | "value" => size().map(|size| size.to_string()),
        "summary" => size().map(|size| format!("{} changed", count(size, "line"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::id::ConversationId;
    use crate::time::Timestamp;

    fn told(message: &str) -> String {
        let conversation = "cad0ac4d-3933-45ad".parse::<ConversationId>().unwrap();
        let branch = Some("feature/é".to_owned());
        let mut facts = Facts::at(Timestamp::saturating_from_millis(0), branch);
        facts.dynamic.insert("branch".to_owned(), json!({"size": 512}));
        filled(message, &facts, &Action::new(Vec::new(), conversation))
    }

    #[test]
    fn what_is_known_is_filled_in_and_everything_else_stays() {
        assert_eq!(told("{branch}: {total} ({summary})"), "feature/é: 512 (512 lines changed)");
        assert_eq!(
            told("req satisfy x --session {session_id}"),
            "req satisfy x --session cad0ac4d"
        );
        for text in ["", "{", "}", "{}", "@{u}", "{other} {", "a{b{branch", "{{branch"] {
            assert_eq!(told(text), text);
        }
        assert_eq!(told("{{branch}}"), "{feature/é}");
    }
}
