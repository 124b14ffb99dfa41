"""Texts of people, agents and files that would like to be more than text, where they stand out most."""

from harness.browser import expect, follows
from harness.pages import Pages
from harness.registry import scenario
from world import hostile


@scenario
def titles_are_texts_too(t):
    with t.tab() as page:
        page.goto(t.server.url + Pages(t.world, t.server).session("hostile"))
        follows(page)
        expect(page.locator("h1")).to_contain_text(hostile.SCRIPT)
        assert hostile.SCRIPT in page.title(), page.title()


@scenario
def what_is_searched_for_is_text_too(t):
    with t.tab() as page:
        page.keyboard.press("/")
        page.keyboard.type(hostile.IMAGE)
        page.keyboard.press("Enter")
        page.wait_for_url("**/search?q=*")
        expect(page.locator("main")).to_contain_text(hostile.IMAGE)
        expect(page.locator("main img")).to_have_count(0)
        expect(page.locator("main input[name=q]")).to_have_value(hostile.IMAGE)
