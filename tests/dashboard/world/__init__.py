"""A world to look at: three projects and forty sessions, made by the real binary, with something of everything."""

from concurrent.futures import ThreadPoolExecutor

from harness.place import Home

from . import billing, handbook, shop


class World:
    """What was made, and who is still at work in it."""

    def __init__(self, folder, waypost):
        self.home = Home(folder / "home", waypost)
        with ThreadPoolExecutor(2) as pool:
            parts = [pool.submit(make, self.home) for make in (shop.make, billing.make, handbook.make)]
            self.shop, self.billing, self.handbook = (part.result() for part in parts)
        # It says that one session cannot be read.
        self.home.run(self.home.binary, "onboard", str(self.home.folder / "src"), status=1)

    def close(self):
        """Those who are still at work leave."""
        for part in (self.shop, self.billing, self.handbook):
            for client in part.clients:
                client.close()
