"""Keys, and what somebody sees who uses nothing else."""

from harness.browser import expect, follows
from harness.registry import scenario


@scenario
def rows_are_chosen_and_opened_with_keys(t):
    with t.tab() as page:
        follows(page)
        rows = page.locator("[data-row]")
        page.keyboard.press("j")
        expect(rows.nth(0)).to_have_class("row here")
        page.keyboard.press("j")
        expect(rows.nth(1)).to_have_class("row here")
        page.keyboard.press("k")
        expect(rows.nth(0)).to_have_class("row here")
        address = rows.nth(0).locator("[data-open]").get_attribute("href")
        page.keyboard.press("Enter")
        page.wait_for_url(t.server.url + address)
        page.keyboard.press("g")
        page.keyboard.press("i")
        page.wait_for_url(t.server.url + "/")


@scenario
def a_slash_goes_to_the_search_and_escape_leaves_it(t):
    with t.tab() as page:
        follows(page)
        page.keyboard.press("/")
        field = page.locator("input[type=search]").first
        expect(field).to_be_focused()
        page.keyboard.type("jjj")
        expect(field).to_have_value("jjj")
        expect(page.locator(".here")).to_have_count(0)
        page.keyboard.press("Escape")
        expect(field).not_to_be_focused()


@scenario
def every_place_is_reached_with_a_letter_after_g(t):
    with t.tab() as page:
        follows(page)
        places = page.eval_on_selector_all("nav [data-key]", "all => all.map(one => [one.dataset.key, one.pathname])")
        assert len({key for key, _ in places}) == len(places), places
        for key, path in places:
            page.keyboard.press("g")
            page.keyboard.press(key)
            page.wait_for_url(t.server.url + path)
            expect(page.locator("nav [aria-current=page]").first).to_be_visible()
            follows(page)


@scenario
def the_first_tab_skips_to_the_content(t):
    with t.tab() as page:
        page.keyboard.press("Tab")
        expect(page.locator("a.skip")).to_be_focused()
        expect(page.locator("a.skip")).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()
