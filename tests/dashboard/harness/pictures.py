"""Pictures of every page: wide and as on a phone, light and dark."""

import re

from .browser import PHONE, WIDE, Browser, expect, follows
from .pages import Pages

SIZES = {"wide": (WIDE, 4000), "phone": (PHONE, 2400)}  # with how much of a long page is in the picture


def take(world, server, folder, words=()):
    """Takes them; with words only of the pages whose name contains one."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        old.unlink()
    browser = Browser()
    for size, (viewport, highest) in SIZES.items():
        with browser.tab(server, size=viewport) as page:
            for name, address in Pages(world, server).everything(page):
                if not words or any(word in name for word in words):
                    page.goto(server.url + address)
                    picture(follows(page), folder / re.sub(r"[^a-z0-9=-]+", "-", name.lower())[:80], size, highest)
    browser.close()
    for fault in dict.fromkeys(browser.faults):
        print(fault)
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


def picture(page, file, size, highest):
    """Two pictures of a page, once it has nothing to find out any more."""
    expect(page.locator("body")).not_to_contain_text(re.compile("(looking|reading)…"))
    height = min(page.evaluate("document.documentElement.scrollHeight"), highest)
    clip = {"x": 0, "y": 0, "width": page.viewport_size["width"], "height": height}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=file.with_name(f"{file.name}.{size}.{scheme}.png"), full_page=True, clip=clip)
    page.emulate_media(color_scheme="light")
