"""Pages that change while somebody looks at them."""

from harness.browser import expect, follows
from harness.client import Client
from harness.registry import alone


@alone
def a_page_changes_as_hooks_fire_without_being_loaded_again(t):
    with t.own() as own, t.browser.tab(own.server) as page, Client(own.project, "live-1") as client:
        follows(page)
        page.evaluate("window.same = true")
        rows = page.locator("[data-row]")
        expect(rows).to_have_count(0)
        client.begin("Water them.")
        client.edit("src/water.txt", "watered\n")
        assert client.stop().held
        expect(rows).to_contain_text("its stop is held by tests-pass")
        expect(page.locator("header .badge")).to_have_text("1")
        client.bash("./check.sh")
        assert not client.stop().held
        expect(rows).to_have_count(0)
        client.before("AskUserQuestion", {"questions": []})
        expect(rows).to_contain_text("asks you a question")
        assert page.evaluate("window.same") is True


@alone
def what_somebody_closed_or_types_stays_while_the_page_changes(t):
    with t.own() as own, t.browser.tab(own.server) as page, Client(own.project, "live-2") as client:
        client.begin("Ship it.")
        assert client.bash("./deploy").denied
        follows(page)
        offer = page.locator("details.offer").first
        expect(offer.locator("pre")).to_be_visible()
        offer.locator("summary").click()
        expect(offer.locator("pre")).to_be_hidden()
        page.locator("input[type=search]").press_sequentially("half a wo")
        other = own.project.worktree("shed")
        session = other.start("Paint the shed")
        other.waypost("handoff", "create", "--from", "painter", "--to", "owner", "--reason", "Dry", "--context", "All",
                      "--session", session)
        expect(page.locator("[data-row]")).to_have_count(2)
        expect(offer.locator("pre")).to_be_hidden()
        expect(page.locator("input[type=search]")).to_have_value("half a wo")
        expect(page.locator("input[type=search]")).to_be_focused()


@alone
def what_somebody_typed_and_chose_in_a_filter_stays_while_the_page_changes(t):
    with t.own() as own:
        own.project.start("Prune the roses", "--workflow", "quick")
        own.home.run(own.home.binary, "index", "scan")
        with t.browser.tab(own.server) as page:
            page.goto(own.server.url + own.project.address)
            follows(page)
            words, workflow = page.locator("main input[name=q]"), page.locator("main select[name=workflow]")
            words.fill("half a wo")
            workflow.select_option("quick")
            page.locator("h1").click()
            expect(words).not_to_be_focused()
            own.project.start("Sow the seeds")
            expect(page.locator("main")).to_contain_text("Sow the seeds")
            expect(words).to_have_value("half a wo")
            expect(workflow).to_have_value("quick")
