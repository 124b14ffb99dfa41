"""Approving a gate from a page, by somebody who sees what that is."""

import json
from contextlib import contextmanager

from harness.browser import expect, follows
from harness.client import Client
from harness.registry import alone
from harness.server import until


# What an agent runs that found the token.
ASK = """import urllib.error, urllib.request
told = {{"Authorization": "Bearer {token}", "Content-Type": "application/json"}}
try:
    answer = urllib.request.urlopen(urllib.request.Request("{url}/api/do/approve", open("asked.json", "rb").read(), told))
except urllib.error.HTTPError as refused:
    answer = refused
print(answer.status, answer.read().decode())
"""


@contextmanager
def denied(t, **how):
    """An agent was denied a deployment, and somebody looks at the inbox."""
    with t.own() as own, Client(own.project, "approved") as client:
        client.begin("Ship it.")
        assert "A person says when." in client.bash("./deploy").denied
        until(lambda: own.server.value("/api")["waiting"])
        with t.browser.tab(own.server, **how) as page:
            yield own, client, page


def approved(own, client):
    """The agent's next call passes, and the record says who approved what."""
    assert not client.bash("./deploy").denied
    events = [entry["event"] for entry in own.project.told("history", own.session)["events"]]
    marked = next(event for event in events if event["type"] == "gate_marked")
    assert (marked["gate"], marked["provenance"]) == ("deploy", "approved"), marked
    return marked


@alone
def what_is_approved_is_what_was_shown_and_the_next_call_of_the_agent_passes(t):
    with denied(t) as (own, client, page):
        follows(page)
        offer = page.locator("details.offer").first
        for told in ("A person says when.", own.session, "Water the plants", str(own.project.root), "for 1 hour"):
            expect(offer.locator("pre")).to_contain_text(told)
        offer.locator("[data-approve]").first.click()
        expect(page.locator("[data-row]")).to_have_count(0)
        assert page.url == f"{own.server.url}/", page.url
        approved(own, client)


@alone
def a_gate_is_approved_with_keys_alone(t):
    with denied(t) as (own, client, page):
        follows(page)
        expect(page.locator("[data-row]")).to_have_count(1)
        for key in ("j", "a", "Enter"):
            page.keyboard.press(key)
        expect(page.locator("[data-row]")).to_have_count(0)
        approved(own, client)


@alone
def a_gate_is_approved_without_scripts(t):
    with denied(t, scripts=False) as (own, client, page):
        expect(page.locator("[data-row]")).to_have_count(1)
        page.locator("[data-approve]").first.click()
        expect(page.locator("h1")).to_have_text("Inbox")
        approved(own, client)


@alone
def what_changed_since_it_was_shown_is_not_approved(t):
    with denied(t, scripts=False, expected=("404",)) as (own, client, page):
        own.project.write("waypost.toml", own.project.root.joinpath("waypost.toml").read_text().replace(
            "A person says when.", "Two persons say when."))
        own.project.waypost("init", "--harness", "claude-code")
        page.locator("[data-approve]").first.click()
        expect(page.locator("main")).to_contain_text("what would be approved is not what was shown any more")
        assert client.bash("./deploy").denied


@alone
def a_form_of_another_page_approves_nothing_and_that_is_told(t):
    with denied(t, expected=("403", "favicon")) as (own, client, page):
        form = "document.querySelector('[data-approve]').form"
        page.evaluate(f"{form}.elements.form.value = 'made up'")
        page.evaluate(f"{form}.submit()")
        refused = "this was asked by no form of these pages"
        expect(page.locator("body")).to_contain_text(refused)
        assert client.bash("./deploy").denied
        expect(page.locator("body")).to_contain_text(refused)
        follows(page.goto(own.server.url) and page)
        expect(page.locator("details.offer").first).to_be_visible()


@alone
def an_agent_that_has_the_token_approves_nothing(t):
    with denied(t) as (own, client, _):
        told = own.server.value("/api")["waiting"][0]
        asked = {"project": told["project_id"], "session": own.session, "gate": "deploy", "shown": told["offers"][0]["hash"]}
        (t.out / "asked.json").write_text(json.dumps(asked))
        (t.out / "ask.py").write_text(ASK.format(url=own.server.url, token=own.server.token))
        said = client.prints(f"cd {t.out} && python3 ask.py")
        assert said.startswith("404 ") and "for people" in said, said
        assert client.bash("./deploy").denied
