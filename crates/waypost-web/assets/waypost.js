// Keeps an open page as it is now, and lets keys do what links do. Everything works without it.
(() => {
  "use strict";
  const page = document.getElementById("page");
  if (!page) return;

  // Times are told as ages, and grow.
  const ages = [[86400 * 2, "days", 86400], [86400, "yesterday", 0], [3600, "h", 3600], [60, "min", 60]];
  const age = (then) => {
    const seconds = Math.max(0, (Date.now() - then) / 1000);
    const found = ages.find(([least]) => seconds >= least);
    if (!found) return "just now";
    return found[2] ? `${Math.floor(seconds / found[2])} ${found[1]} ago` : found[1];
  };
  const tellAges = () => {
    for (const time of document.querySelectorAll("time[data-ago]")) {
      const told = age(Date.parse(time.dateTime));
      if (time.textContent !== told) time.textContent = told;
    }
  };

  // Whether somebody typed or chose something that was not sent yet.
  const changed = (field) => {
    if (field.matches?.("select")) {
      const usual = [...field.options].findLast((one) => one.defaultSelected) || field.options[0];
      return usual !== field.selectedOptions[0];
    }
    if (field.matches?.("input[type=checkbox], input[type=radio]")) return field.checked !== field.defaultChecked;
    return Boolean(field.matches?.("input:not([type=hidden]), textarea")) && field.value !== field.defaultValue;
  };

  // What somebody has opened, typed or chosen stays as it is.
  const show = (inside) => {
    const chosen = rows()[at]?.id;
    Idiomorph.morph(page, inside, {
      morphStyle: "innerHTML",
      callbacks: {
        // Whoever clicks on a text has the whole page in focus: only a field is left alone for that.
        beforeNodeMorphed: (old) => !changed(old) && !(old === document.activeElement && old.matches("input, textarea, select")),
        beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS"),
      },
    });
    tellAges();
    at = chosen ? rows().findIndex((row) => row.id === chosen) : -1;
    point(false);
  };

  // The stream is open only while somebody looks: browsers allow few at once.
  let stream = null;
  let tries = 0;
  const follow = () => {
    // Without a mark it is shown once, and no address gives it again.
    if (stream || document.hidden || !page.dataset.mark) return;
    const at = location.pathname + location.search;
    stream = new EventSource(`/live?at=${encodeURIComponent(at)}&mark=${page.dataset.mark || ""}`);
    stream.onopen = () => {
      tries = 0;
      document.documentElement.dataset.live = "on";
      document.getElementById("live").textContent = "";
    };
    stream.addEventListener("page", (event) => {
      const end = event.data.indexOf("\n");
      document.title = `${event.data.slice(0, end)} · Waypost`;
      page.dataset.mark = event.lastEventId;
      show(event.data.slice(end + 1));
    });
    stream.onerror = () => {
      leave();
      document.documentElement.dataset.live = "off";
      document.getElementById("live").textContent = "Not connected; trying again.";
      tries += 1;
      setTimeout(follow, Math.min(10000, 250 * 2 ** Math.min(tries, 6)));
    };
  };
  const leave = () => {
    if (stream) stream.close();
    stream = null;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? leave() : follow()));
  addEventListener("pagehide", leave);
  addEventListener("pageshow", follow);

  // Keys: j and k choose a row, Enter or o opens it, a approves, / searches, g and a letter goes to a page.
  let at = -1;
  let going = false;
  const rows = () => [...document.querySelectorAll("[data-row]")];
  const point = (scroll) => {
    rows().forEach((row, place) => row.classList.toggle("here", place === at));
    if (scroll) rows()[at]?.scrollIntoView({ block: "nearest" });
  };
  const keys = {
    j: () => { at = Math.min(at + 1, rows().length - 1); point(true); },
    k: () => { at = Math.max(at - 1, 0); point(true); },
    o: () => rows()[at]?.querySelector("[data-open][href]")?.click(),
    Enter: () => keys.o(),
    a: () => {
      const offer = (rows()[at] || document).querySelector("details.offer");
      if (!offer) return;
      offer.open = true;
      offer.querySelector("[data-approve]")?.focus();
    },
    "/": () => document.querySelector("input[type=search]")?.focus(),
    g: () => { going = true; setTimeout(() => (going = false), 1500); },
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, button, a, summary, [contenteditable]");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { document.activeElement?.blur(); return; }
    if (typing && (event.key === "Enter" || typing.matches("input, textarea, select"))) return;
    if (going) {
      going = false;
      const link = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
      if (link) { event.preventDefault(); link.click(); }
      return;
    }
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  tellAges();
  setInterval(tellAges, 20000);
  follow();
})();
