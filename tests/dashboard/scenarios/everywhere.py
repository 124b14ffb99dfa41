"""What holds for every page."""

from harness.browser import PHONE, expect, follows
from harness.pages import Pages, variants
from harness.registry import scenario

# What keeps somebody from using a page. Colours are looked at in both schemes, the rest once.
SERIOUS = ("serious", "critical")


@scenario
def axe_finds_no_serious_fault_on_any_page(t):
    axe, found = t.axe(), []
    with t.tab() as page:
        for address in addresses(t, page):
            page.goto(t.server.url + address)
            page.evaluate(axe)
            for scheme, how in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
                page.emulate_media(color_scheme=scheme)
                found += [f"{address} ({scheme}): {fault}" for fault in faults(page, how)]
            page.emulate_media(color_scheme="light")
    assert not found, "\n".join(dict.fromkeys(found))


def faults(page, how):
    """What axe finds, each in a line."""
    told = page.evaluate("how => axe.run(document, {resultTypes: ['violations'], ...how})", how)
    return [f"{rule['id']}: {rule['nodes'][0]['target'][0]} and {len(rule['nodes']) - 1} more: "
            f"{' '.join(rule['nodes'][0]['failureSummary'].split())[:240]}"
            for rule in told["violations"] if rule["impact"] in SERIOUS]


@scenario
def every_page_fits_on_a_phone_and_reports_no_error(t):
    with t.tab(size=PHONE) as page:
        for address in addresses(t, page):
            assert page.goto(t.server.url + address).status == 200, address
            follows(page)
            wide = page.evaluate("[...document.querySelectorAll('body *')].filter(one => one.getBoundingClientRect().right >"
                                 " innerWidth + 1 && !one.closest('.scroll, pre')).map(one => one.outerHTML.slice(0, 120))")
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["width"], f"{address} is {width} wide: {wide[:3]}"


@scenario
def every_page_tells_its_place_in_headings_and_in_the_title(t):
    with t.tab() as page:
        for address in addresses(t, page):
            page.goto(t.server.url + address)
            levels = page.eval_on_selector_all("h1, h2, h3, h4, h5, h6", "all => all.map(one => +one.tagName[1])")
            assert levels.count(1) == 1 and levels[0] == 1, f"{address}: {levels}"
            assert all(after <= before + 1 for before, after in zip(levels, levels[1:])), f"{address}: {levels}"
            assert page.title().endswith(" · Waypost") and page.title() != " · Waypost", page.title()
            ids = page.eval_on_selector_all("[id]", "all => all.map(one => one.id)")
            assert len(set(ids)) == len(ids), f"{address}: ids twice: {sorted(one for one in ids if ids.count(one) > 1)[:5]}"


@scenario
def every_link_of_every_page_leads_somewhere(t):
    known = {}
    with t.tab() as page:
        for address in addresses(t, page):
            page.goto(t.server.url + address)
            for link in page.eval_on_selector_all("a[href]", "all => all.map(one => one.getAttribute('href'))"):
                assert link.startswith(("/", "?", "#")) or link.startswith("https://"), f"{address}: {link}"
                known.setdefault(page.evaluate("link => new URL(link, location).pathname", link), address)
    for path, address in known.items():
        if not path.startswith("/assets/"):
            status, _, text = t.server.ask(path, Accept="text/html")
            assert status in (200, 422), f"{address} leads to {path}: {status} {text[:300]}"


def addresses(t, page):
    """All addresses, and of the long session and of what costs each form, such as tabs."""
    pages = Pages(t.world, t.server)
    for address in pages.all():
        yield address
        if address in (pages.session("long"), "/cost"):
            page.goto(t.server.url + address)
            yield from variants(page, address)
