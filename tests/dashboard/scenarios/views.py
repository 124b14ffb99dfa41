"""Ways through the pages: every view has an address, and comes back by it."""

import re

from harness.browser import expect, follows
from harness.pages import Pages
from harness.registry import scenario


@scenario
def from_a_project_to_a_session_to_a_phase_and_back(t):
    with t.tab() as page:
        page.goto(t.server.url + t.world.shop.project.address)
        page.locator("main a", has_text="Add login by passkey").first.click()
        expect(page.locator("h1")).to_have_text("Add login by passkey")
        page.locator("main a[href*='phase=spec']").first.click()
        expect(page.locator("main")).to_contain_text("Users log in by passkey on every device")
        address = page.url
        page.reload()
        expect(page.locator("main")).to_contain_text("Users log in by passkey on every device")
        page.locator("main a[href*='phase=plan']").first.click()
        expect(page.locator("main")).to_contain_text("The page of the account")
        page.go_back()
        expect(page).to_have_url(address)
        expect(page.locator("main")).to_contain_text("Users log in by passkey on every device")
        page.go_back()
        page.go_back()
        expect(page.locator("h1")).to_contain_text("shop")


@scenario
def a_search_finds_sessions_and_what_was_said_and_leads_there(t):
    with t.tab() as page:
        page.goto(t.server.url + "/projects")
        field = page.locator("header input[type=search]")
        field.fill("passkey")
        field.press("Enter")
        page.wait_for_url("**/search?q=passkey")
        expect(page.locator("main")).to_contain_text("Add login by passkey")
        page.locator("main a", has_text="Add login by passkey").first.click()
        expect(page.locator("h1")).to_have_text("Add login by passkey")
        page.go_back()
        expect(page.locator("main input[name=q]")).to_have_value("passkey")


@scenario
def a_filter_leaves_what_was_asked_for_and_stands_in_the_address(t):
    with t.tab() as page:
        page.goto(t.server.url + t.world.shop.project.address)
        expect(page.locator("main")).to_contain_text("Search by picture")
        page.locator("main a[href*='status=failed']").first.click()
        expect(page).to_have_url(re.compile("status=failed"))
        expect(page.locator("main")).to_contain_text("Search by picture")
        expect(page.locator("main")).not_to_contain_text("Gift cards")
        page.reload()
        expect(page.locator("main")).not_to_contain_text("Gift cards")
        page.go_back()
        expect(page.locator("main")).to_contain_text("Gift cards")


@scenario
def a_conversation_tells_what_was_said_and_what_was_held(t):
    client = t.world.shop.known["long"]
    with t.tab() as page:
        page.goto(t.server.url + Pages(t.world, t.server).session("long"))
        page.locator(f"main a[href*='/conversations/{client}']").first.click()
        expect(page.locator("main")).to_contain_text("Go on with the page of the account.")
        expect(page.locator("main")).to_contain_text("claude-opus-5-5")
        expect(page.locator("main")).to_contain_text(f"claude --resume {client}")
        page.goto(t.server.url + f"/conversations/{t.world.shop.known['denied']}")
        expect(page.locator("main")).to_contain_text("A person says when.")


@scenario
def everything_is_readable_without_scripts(t):
    with t.tab(scripts=False) as page:
        expect(page.locator("[data-row]").first).to_be_visible()
        page.locator("header nav a", has_text="Projects").click()
        page.locator("main a", has_text="shop").first.click()
        page.locator("main a", has_text="Add login by passkey").first.click()
        page.locator("main a[href*='phase=plan']").first.click()
        expect(page.locator("main")).to_contain_text("The page of the account")
        page.locator("header input[type=search]").fill("gift cards")
        page.locator("header input[type=search]").press("Enter")
        expect(page.locator("main")).to_contain_text("Gift cards")


@scenario
def as_many_agents_are_at_work_in_every_room(t):
    at_work = re.compile(r"(\d+) at work")
    with t.tab() as page:
        page.goto(t.server.url + "/projects")
        expect(page.locator("main")).to_contain_text(at_work)
        told = sum(int(number) for number in at_work.findall(page.locator("main").inner_text()))
        assert told > 0
        for room in ("/", "/live-agents"):
            page.goto(t.server.url + room)
            expect(page.locator("main .lead")).to_contain_text(f"{told} at work")
        marks = page.locator("main li.row .mark", has_text=re.compile("^at work$"))
        working = [mark for mark in marks.all() if mark.evaluate("one => one.parentElement.matches('.what')")]
        assert len(working) == told, (len(working), told)


@scenario
def a_copy_that_nobody_here_can_vouch_for_says_so_first(t):
    with t.tab() as page:
        page.goto(t.server.url + Pages(t.world, t.server).session("unverified"))
        banner = page.locator("#kept")
        expect(banner).to_be_in_viewport()
        expect(banner).to_contain_text("Nobody here can vouch for it")
        expect(banner).to_contain_text("waypost trust copy")


@scenario
def what_an_agent_wrote_as_markdown_is_shown_so_in_its_conversation(t):
    with t.tab() as page:
        page.goto(t.server.url + f"/conversations/{t.world.shop.known['hostile']}")
        said = page.locator("main .talk .said").filter(has=page.locator(".prose"))
        expect(said.first).to_be_visible()
        expect(page.locator("main .talk .prose h2, main .talk .prose h3")).to_have_count(0)
