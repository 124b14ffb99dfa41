"""Texts of people, agents and files that would like to be more than text."""

from harness.browser import expect, follows
from harness.pages import Pages, variants
from harness.registry import scenario

# What a page of ours never has, whoever wrote its texts.
FOREIGN = "iframe, object, embed, base, #injected, [onclick], [onerror], [onload], [onmouseover], [style], [srcdoc], " \
          "a[href^='javascript' i], a[href^='data:' i], img:not([src^='/assets/']), script:not([src^='/assets/'])"


@scenario
def hostile_texts_are_shown_as_text_on_every_page(t):
    """And no page reports an error: nothing was fetched that may not be, nothing ran that the policy forbids."""
    pages, shown = Pages(t.world, t.server), 0
    with t.tab() as page:
        for address in pages.all():
            shown += looked_at(page, t.server, address)
            if address in (pages.session("hostile"), pages.session("long")):
                shown += sum(looked_at(page, t.server, tab) for tab in variants(page, address))
    assert shown >= 5, f"the hostile texts are on {shown} pages only"


def looked_at(page, server, address):
    """Looks at a page; whether a hostile text is on it."""
    page.goto(server.url + address)
    follows(page)
    for details in page.locator("details:not([open])").all():
        details.evaluate("details => details.open = true")
    found = page.locator(FOREIGN)
    assert found.count() == 0, f"{address}: {found.first.evaluate('element => element.outerHTML')[:300]}"
    assert page.evaluate("window.harmed") is None, f"{address}: a text ran"
    text = page.locator("body").inner_text()
    for unseen in "\u202e\u200b\x1b":
        assert unseen not in text, f"{address} holds {unseen!r}"
    width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1], f"{address} is {width[0]} wide"
    return "<script>" in text


@scenario
def titles_are_texts_too(t):
    with t.tab() as page:
        page.goto(t.server.url + Pages(t.world, t.server).session("hostile"))
        follows(page)
        expect(page.locator("h1")).to_contain_text("<script>window.harmed=1</script>")
        assert "<script>window.harmed=1</script>" in page.title(), page.title()
