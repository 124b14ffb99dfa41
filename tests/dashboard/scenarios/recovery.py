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


@alone
def a_record_that_somebody_forged_is_told_first_on_every_part_of_the_session(t):
    with t.own() as own, t.browser.tab(own.server) as page:
        own.project.waypost("note", "add", "The gate is shut", "--session", own.session)
        page.goto(own.server.url + own.page)
        follows(page)
        expect(page.locator("main")).to_contain_text("The gate is shut")
        expect(page.locator("#kept")).to_have_count(0)
        log = own.project.store / "sessions" / own.session / "events.jsonl"
        log.write_text(log.read_text().replace("The gate is shut", "The gate is open"))
        banner = page.locator("#kept")
        expect(banner).to_contain_text("damaged")
        expect(banner).to_contain_text("waypost repair")
        tabs = page.eval_on_selector_all("nav.tabs a", "all => all.map(one => one.href)")
        assert len(tabs) > 9, tabs
        for tab in tabs:
            page.goto(tab)
            expect(banner).to_be_in_viewport()
            expect(banner).to_contain_text("Its records cannot be read as a whole.")
        page.goto(own.server.url)
        expect(page.locator("[data-row]").first).to_contain_text("damaged")
