"""What holds for every page and every form of one, whatever is on it: each is opened once, and looked at in all ways."""

from harness.browser import PHONE, WIDE, follows
from harness.pages import Pages
from harness.registry import scenario
from world import hostile

# What a page of ours never has, whoever wrote its texts.
FOREIGN = "iframe, object, embed, base, #injected, [onclick], [onerror], [onload], [onmouseover], [style], [srcdoc], " \
          "a[href^='javascript' i], a[href^='data:' i], img:not([src^='/assets/']), script:not([src^='/assets/'])"
MOST = 10  # links that are told of
HEADINGS = "all => all.map(one => +one.tagName[1])"
BEYOND = """[...document.querySelectorAll('body *')].filter(one => one.getBoundingClientRect().right > innerWidth + 1
            && !one.closest('.scroll, pre')).map(one => one.outerHTML.slice(0, 90))"""


@scenario
def pages_of_sessions_are_sound_and_show_hostile_texts_as_text(t):
    sound(t, lambda name: name.startswith("session"))


@scenario
def all_other_pages_are_sound_and_show_hostile_texts_as_text(t):
    sound(t, lambda name: not name.startswith("session"))


def sound(t, wanted):
    """Looks at what is wanted. All that is wrong is told, each thing in a line."""
    wrong, links, harmless = [], {}, 0
    with t.tab() as page:
        page.add_init_script(t.axe())
        chosen = [(name, address) for name, address in Pages(t.world, t.server).everything(page) if wanted(name)]
        for name, address in chosen:
            status = page.goto(t.server.url + address).status
            follows(page)
            found = [f"answers with {status}"] if status != 200 else []
            for look in (texts, headings, widths, axe):
                found += look(page)
            wrong += [f"{name} ({address}): {what}" for what in found]
            harmless += hostile.SCRIPT in page.locator("body").inner_text()
            for link in page.eval_on_selector_all("a[href]", "all => all.map(one => one.href)"):
                links.setdefault(link.partition("#")[0], name)
    lost = [problem for link, name in links.items() for problem in leads(t.server, name, link)]
    wrong += [*lost[:MOST], *([f"and {len(lost) - MOST} more links"] if len(lost) > MOST else [])]
    assert not wrong, f"{len(wrong)} things on {len(chosen)} pages:\n" + "\n".join(wrong)
    assert harmless > 2, f"hostile texts are on {harmless} pages only: they are not where they should be"


def texts(page):
    """Nothing that somebody wrote became more than text."""
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    if page.evaluate("window.harmed") is not None:
        yield "a text ran"
    for element in page.locator(FOREIGN).all()[:3]:
        yield f"has {element.evaluate('one => one.outerHTML')[:200]}"
    text = page.locator("body").inner_text()
    yield from (f"holds {unseen!r}" for unseen in "\u202e\u200b\x1b" if unseen in text)


def headings(page):
    """Whoever hears the page is told what is where."""
    levels = page.eval_on_selector_all("h1, h2, h3, h4, h5, h6", HEADINGS)
    if levels.count(1) != 1 or levels[0] != 1 or any(after > before + 1 for before, after in zip(levels, levels[1:])):
        yield f"headings are of the levels {levels}"
    if not page.title().removesuffix(" · Waypost") or not page.title().endswith(" · Waypost"):
        yield f"is called {page.title()!r}"
    ids = page.eval_on_selector_all("[id]", "all => all.map(one => one.id)")
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        yield f"has ids twice: {twice[:5]}"


def widths(page):
    """It fits, also on a phone."""
    for size in (PHONE, WIDE):
        page.set_viewport_size(size)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > size["width"]:
            yield f"is {width} wide on {size['width']}: {page.evaluate(BEYOND)[:3]}"


def axe(page):
    """Nothing keeps anybody from using it; colours are looked at in both schemes, the rest once."""
    for scheme, how in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=scheme)
        told = page.evaluate("how => axe.run(document, {resultTypes: ['violations'], ...how})", how)
        for rule in told["violations"]:
            if rule["impact"] in ("serious", "critical"):
                first, more = rule["nodes"][0], len(rule["nodes"]) - 1
                yield (f"{scheme}: {rule['id']}: {first['target'][0]} and {more} more: "
                       f"{' '.join(first['failureSummary'].split())[:240]}")
    page.emulate_media(color_scheme="light")


def leads(server, name, link):
    """Whether a link leads somewhere."""
    if not link.startswith(server.url):
        if not link.startswith(("https://", "http://")):
            yield f"{name}: links to {link}"
        return
    status = server.ask(link.removeprefix(server.url), Accept="text/html")[0]
    if status != 200:
        yield f"{name}: leads to {link}: {status}"
