//! What documents look like, and that nothing in them does anything.

use super::*;

fn shown(source: &str) -> String {
    render(source, &Marks::default()).into_string()
}

#[test]
fn what_markdown_knows_is_shown_and_headings_begin_below_the_title() {
    let page = shown(
        "# One\n\n## One\n\nA *b* **c** ~~d~~ `e`\n\n- [ ] f\n- [x] g\n  1. h\n\n> q\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn x() {}\n```\n",
    );
    for part in [
        "<h2 id=\"s-one\">One</h2>",
        "<h3 id=\"s-one-1\">One</h3>",
        "A <em>b</em> <strong>c</strong> <s>d</s> <code>e</code>",
        "aria-label=\"to do\"",
        "aria-label=\"done\"",
        "<ol start=\"1\"><li>h</li></ol>",
        "<blockquote><p>q</p></blockquote>",
        "<hr>",
        "<th scope=\"col\">a</th>",
        "<td>1</td>",
        "<span class=\"hl-word\">fn</span>",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

#[test]
fn nothing_in_a_document_does_anything() {
    let page = shown(
        "<script>alert(1)</script>\n\n<b onclick=x>b</b> <svg onload=alert(1)>\n\n\
         [a](javascript:alert(1)) [b](https://example.org/\"onmouseover=x) ![c](https://example.org/x.png \"t\")\n\n\
         <div>\n<style>*{}</style>\n</div>\n\n# <img src=x onerror=y>\n\n[d]: javascript:x\n[d] <javascript:alert(1)>\n\n\
         ```\"><script>\n</pre><script>\n```\n\n\u{202e}hidden\u{7}\n",
    );
    for tag in [
        "<script",
        "<svg",
        "<img",
        "<b ",
        "<style",
        "<div>\n",
        "href=\"javascript",
        "\u{202e}",
        "\u{7}",
    ] {
        assert!(!page.contains(tag), "{tag} is in {page}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert!(
        page.contains("rel=\"noopener noreferrer\"") && !page.contains("\"onmouseover"),
        "{page}"
    );
    assert!(page.contains("Image: c"), "{page}");
}

#[test]
fn diagrams_are_shown_as_their_source() {
    let page = shown("```mermaid\ngraph TD; A-->B\n```\n");
    assert!(page.contains("Mermaid diagram, as its source") && page.contains("A--&gt;B"), "{page}");
}

#[test]
fn questions_and_decisions_are_marked_where_they_stand() {
    let marks = Marks {
        open: BTreeSet::from(["Which port?".to_owned()]),
        blocking: BTreeSet::from(["[BLOCKING] Which database?".to_owned()]),
        answered: BTreeSet::from(["Which name?".to_owned()]),
        decisions: BTreeSet::from(["Use SQLite".to_owned()]),
    };
    let source = "- [ ] Which\n  port?\n  - 80\n- [BLOCKING] Which database?\n- [x] Which name? → Waypost\n- other\n\n### 1. Use SQLite\n";
    let page = render(source, &marks).into_string();
    for mark in ["open question", "blocking question", "answered", "decision"] {
        assert_eq!(page.matches(&format!(">{mark}</span>")).count(), 1, "{mark} in {page}");
    }
}

#[test]
fn what_is_nested_without_end_is_shown_in_time() {
    let deep = shown(&(">".repeat(50_000) + " inside"));
    assert!(deep.contains("inside") && deep.len() < 10_000, "{}", deep.len());
    let lists: Vec<String> =
        (0..500).map(|depth| format!("{}- {depth}", " ".repeat(depth * 2))).collect();
    assert!(shown(&lists.join("\n")).contains("499"));
}
