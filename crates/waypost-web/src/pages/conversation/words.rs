//! What somebody said, as it is shown: Markdown, as agents write it and clients show it, with what is searched for marked.
//! Nothing in it is ever more than text: whoever speaks here is an agent, or has pasted what others wrote.

use maud::Markup;

use crate::markdown;
use crate::marked::Words;

/// What somebody said.
pub(super) fn words(said: &str, wanted: &Words) -> Markup {
    markdown::said(said, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, query: &str) -> String {
        words(text, &Words::begun(query)).into_string()
    }

    #[test]
    fn what_was_written_as_markdown_is_shown_so() {
        let text = "One\ntwo **three**\n\n- `four`\n- five\n\n```rust\nfn a() {}\n```\n\n| a |\n|---|\n| 1 |\n";
        let page = shown(text, "");
        for part in [
            "<p>One\ntwo <strong>three</strong></p>",
            "<ul><li><code>four</code></li><li>five</li></ul>",
            "<span class=\"hl-word\">fn</span>",
            "<td>1</td>",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
    }

    #[test]
    fn no_heading_of_it_is_one_of_the_page() {
        let page = shown("# Done\n\n## Done\n\n[there](#done) [out](https://example.org)", "");
        assert!(page.contains("<p><strong>Done</strong></p>"), "{page}");
        assert!(
            !page.contains("<h") && !page.contains("id=") && !page.contains("href=\"#"),
            "{page}"
        );
        assert!(
            page.contains("href=\"https://example.org\" rel=\"noopener noreferrer\""),
            "{page}"
        );
    }

    #[test]
    fn what_is_wanted_is_marked_whatever_its_case_and_in_code_too() {
        let page = shown("Add LOGIN, *login* `login` log\n\n```\nlogin <b>\n```", "login");
        assert_eq!(page.matches("<mark class=\"found\">").count(), 4, "{page}");
        assert!(page.contains("&lt;b&gt;") && !page.contains("<b>"), "{page}");
    }

    #[test]
    fn nothing_is_markup() {
        let text = "<script>alert(1)</script> [x](javascript:alert(1)) <svg onload=1> ![i](https://example.org/x.png)\n\n\
            <div onclick=x>\n<style>*{}</style>\n</div>\n\n# <img src=x onerror=y>\n\n[d]\n\n[d]: javascript:x\n\n\
            ```\"><script>\n</code></pre><script>\n```\n\n<https://example.org/\"onmouseover=x> \u{202e}hidden\u{7}";
        for query in ["", "script", "onload svg javascript"] {
            let page = shown(text, query);
            for tag in [
                "<script",
                "<svg",
                "<img",
                "<style",
                "<div onclick",
                "href=\"javascript",
                "\"onmouseover",
                "\u{202e}",
                "\u{7}",
                "</code></pre><script",
            ] {
                assert!(!page.contains(tag), "{tag} with {query:?} in {page}");
            }
        }
    }
}
