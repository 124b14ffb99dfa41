"""Getting in, and not getting in."""

from harness.browser import expect, follows
from harness.registry import scenario


@scenario
def the_link_opens_the_inbox_and_leaves_no_token_in_the_address(t):
    with t.tab() as page:
        assert page.url == f"{t.server.url}/", page.url
        expect(page.locator("h1")).to_have_text("Inbox")
        page.reload()
        expect(page.locator("h1")).to_have_text("Inbox")


@scenario
def without_the_token_no_page_and_no_value_is_given(t):
    with t.browser.tab(expected=("401",)) as page:
        for address in ("/", "/projects", "/search?q=passkey", "/?token=wrong"):
            assert page.goto(t.server.url + address).status == 401
            expect(page.locator("h1")).to_have_text("Open the link with the token")
            assert "passkey" not in page.content().replace("q=passkey", "")
    for address in ("/api", "/api/openapi.json", "/live", "/do/approve", "/mcp"):
        status, headers, text = t.server.ask(address, Authorization="Bearer wrong")
        assert (status, "error" in text) == (401, True), (address, status, text)


@scenario
def what_waits_for_a_person_is_in_the_inbox_oldest_first(t):
    told = t.server.value("/api")["waiting"]
    states = {row["state"] for row in told}
    assert {"damaged", "question", "approval", "handoff", "unenforced", "held"} <= states, states
    since = [row["since"] for row in told if row["since"]]
    assert since == sorted(since), since
    with t.tab() as page:
        follows(page)
        expect(page.locator("[data-row]")).to_have_count(len(told))
        shown = page.locator("[data-row] .title").all_inner_texts()
        assert shown == [" ".join((row["objective"] or row["project"]).split()) for row in told], shown
