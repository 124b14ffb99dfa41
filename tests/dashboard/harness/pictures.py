"""Pictures of every page: wide and as on a phone, light and dark."""

import re

from .browser import PHONE, WIDE, Browser, follows
from .pages import Pages, variants

SIZES = {"wide": WIDE, "phone": PHONE}
HIGHEST = 6000  # of a picture, in pixels


def take(world, server, folder, words=()):
    """Takes them; with words only of the pages whose address contains one."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        old.unlink()
    browser = Browser()
    for name, size in SIZES.items():
        with browser.tab(server, size=size) as page:
            for address in everything(page, server, Pages(world, server)):
                if not words or any(word in address for word in words):
                    picture(page, server, address, folder, name)
    browser.close()
    for fault in browser.faults:
        print(fault)
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


def everything(page, server, pages):
    """Every address, and the other forms of the pages there."""
    for address in pages.all():
        yield address
        page.goto(server.url + address)
        yield from variants(page, address)


def picture(page, server, address, folder, size):
    """Two pictures of a page."""
    page.goto(server.url + address)
    follows(page)
    name = re.sub(r"[^a-zA-Z0-9=]+", "-", address).strip("-") or "inbox"
    height = min(page.evaluate("document.documentElement.scrollHeight"), HIGHEST)
    clip = {"x": 0, "y": 0, "width": page.viewport_size["width"], "height": height}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=folder / f"{name[:100]}.{size}.{scheme}.png", full_page=True, clip=clip)
