"""What happens when things that a page is made of go away while it is open."""

import shutil

from harness.browser import expect, follows
from harness.client import Client
from harness.registry import alone


@alone
def a_page_connects_again_when_its_server_was_killed_and_started(t):
    with t.own() as own, t.browser.tab(own.server, expected=("ERR_",)) as page, Client(own.project, "again") as client:
        follows(page)
        page.evaluate("window.same = true")
        own.server.end(kill=True)
        page.wait_for_selector("html[data-live=off]")
        expect(page.locator("#live")).to_have_text("Not connected; trying again.")
        client.begin("Water them.")
        client.edit("src/water.txt", "watered\n")
        assert client.stop().held
        own.server.start()
        expect(page.locator("[data-row]")).to_contain_text("its stop is held by tests-pass")
        follows(page)
        expect(page.locator("#live")).to_have_text("")
        assert page.evaluate("window.same") is True


@alone
def the_database_comes_back_when_it_was_deleted_while_serving(t):
    with t.own() as own, t.browser.tab(own.server) as page:
        project = own.project.address
        page.goto(own.server.url + own.page)
        expect(page.locator("h1")).to_contain_text("Water the plants")
        shutil.rmtree(own.home.folder / ".local/state/waypost/index")
        own.project.start("Sow the seeds")
        page.goto(own.server.url + project)
        expect(page.locator("main")).to_contain_text("Sow the seeds")
        expect(page.locator("main")).to_contain_text("Water the plants")
        assert list((own.home.folder / ".local/state/waypost/index").glob("*.db"))
