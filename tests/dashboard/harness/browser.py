"""A real browser. Whatever a page reports as an error is kept, and is a fault unless the scenario expected it."""

import shutil
from contextlib import contextmanager

from playwright.sync_api import expect, sync_playwright

from .place import NOW

# Nothing of these looks for a network: there is none.
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars")
LIMIT = 120_000  # in milliseconds, for what hangs, not for what is slow: machines are busy
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 375, "height": 800}

ERRORS = ("error", "warning", "assert")

expect.set_options(timeout=LIMIT)


class Browser:
    """A browser that a process starts once; each tab that is asked for has cookies of its own."""

    def __init__(self):
        self._playwright = sync_playwright().start()
        self._chromium = self._playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
        self.faults = []

    def close(self):
        """Ends it."""
        self._chromium.close()
        self._playwright.stop()

    @contextmanager
    def tab(self, server=None, scripts=True, size=None, expected=()):
        """A page of a new window, opened with the server's link where one is given. What it reports as an error is a
        fault, unless it contains one of the `expected` words."""
        context = self._chromium.new_context(viewport=size or WIDE, java_script_enabled=scripts, service_workers="block")
        context.set_default_timeout(LIMIT)
        context.clock.set_fixed_time(NOW)
        page = context.new_page()

        def heard(text):
            if not any(word in text for word in expected):
                self.faults.append(f"{page.url}: {text}")

        page.on("console", lambda told: heard(f"{told.text} ({told.location['url']})") if told.type in ERRORS else None)
        page.on("pageerror", lambda error: heard(str(error)))
        page.on("dialog", lambda dialog: (heard(f"a dialog: {dialog.message}"), dialog.dismiss()))
        try:
            if server:
                page.goto(server.link)
            yield page
        finally:
            context.close()


def follows(page):
    """Waits until the page hears of what changes."""
    page.wait_for_selector("html[data-live=on]")
    return page
