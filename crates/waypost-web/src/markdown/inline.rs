//! Links: only those to the web and within the page can be followed.

use maud::{Markup, html};
use waypost_core::text::slug;

use crate::parts::text;

/// Where a link leads, if it may be followed.
fn followed(to: &str) -> Option<String> {
    if let Some(place) = to.strip_prefix('#') {
        return Some(format!("#s-{}", slug(place)));
    }
    let is_plain = !to.chars().any(|c| c.is_control() || c.is_whitespace());
    let scheme = to.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    let is_web = matches!(scheme.as_deref(), Some("http" | "https"));
    (is_plain && is_web).then(|| to.to_owned())
}

/// A link, or its words and where it would lead.
pub(super) fn link(to: &str, inside: &Markup) -> Markup {
    match followed(to) {
        Some(to) if to.starts_with('#') => html! { a href=(to) { (inside) } },
        Some(to) => html! { a href=(to) rel="noopener noreferrer" { (inside) } },
        None => html! { (inside) " " code.to { (text(to)) } },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_and_the_page_itself_can_be_followed() {
        for to in ["http://example.org/a?b=c", "https://example.org", "HTTPS://example.org/x"] {
            assert_eq!(followed(to).as_deref(), Some(to));
        }
        assert_eq!(followed("#Open Questions").as_deref(), Some("#s-open-questions"));
        for to in [
            "javascript:alert(1)",
            "JavaScript://example.org/%0aalert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "//example.org",
            "/do/approve",
            "plan.md",
            "http:example.org",
            "https://example.org/\u{a}x",
            " https://example.org",
        ] {
            assert_eq!(followed(to), None, "{to}");
        }
    }
}
