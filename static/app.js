// What the pages cannot do without a script; everything else works with it switched off.
(() => {
  "use strict";

  const root = document.documentElement;

  // Copy buttons are useless without a script, so they are hidden until it runs.
  root.classList.add("js");

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    const label = button.querySelector("span");
    if (!source || !label) return;
    let done = "Copied";
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent);
    } catch {
      // Without https there is no clipboard: select the text, so that one key copies it.
      const range = document.createRange();
      range.selectNodeContents(source);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      done = "Selected";
    }
    const before = label.textContent;
    label.textContent = done;
    setTimeout(() => { label.textContent = before === done ? "Copy" : before; }, 1600);
  });

  // The theme: the same cookie as the server sets, without the round trip.
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-theme-form]");
    if (!form) return;
    event.preventDefault();
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
    root.dataset.theme = theme;
    document.cookie = `theme=${theme}; path=${form.dataset.path || "/"}; max-age=31536000; samesite=lax`;
  });

  // Pointing at a time tells it in the reader's own zone.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
  const tell = (event) => {
    const time = event.target.closest?.("time[datetime]");
    if (!time || time.title) return;
    const moment = new Date(time.dateTime);
    if (!Number.isNaN(moment.getTime())) time.title = `${format.format(moment)} (your time, ${zone})`;
  };
  document.addEventListener("pointerover", tell);
  document.addEventListener("focusin", tell);

  // A new monitor offers the zone that its author is in.
  const tz = document.querySelector("[data-guess-zone]");
  if (tz && !tz.value) {
    tz.value = zone;
    tz.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // What is being mended is no longer marked as wrong; the live check or the server judges it again.
  document.addEventListener("input", (event) => {
    const field = event.target.closest?.(".field.bad");
    if (!field) return;
    field.classList.remove("bad");
    event.target.removeAttribute("aria-invalid");
  });

  // What was opened in a live check stays open when the check is told anew, which leaving a field is enough for.
  for (const check of document.querySelectorAll(".check[id]")) {
    let open = false;
    check.addEventListener("toggle", (event) => { open = event.target.open; }, true);
    new MutationObserver(() => {
      for (const details of check.querySelectorAll("details")) details.open = open;
    }).observe(check, { childList: true });
  }

  // A page that refreshes itself must not look healthy when it cannot: keep what it shows, and say so.
  const stale = (is) => { document.getElementById("stale").hidden = !is; };
  document.addEventListener("htmx:after:request", (event) => {
    const { ctx } = event.detail;
    if (ctx.sourceElement.id !== "live") return;
    const fresh = ctx.response.status < 400 && ctx.text.includes('id="live"');
    stale(!fresh);
    if (!fresh) event.preventDefault();
  });
  document.addEventListener("htmx:error", (event) => {
    if (event.detail.ctx?.sourceElement?.id === "live") stale(true);
  });

  // The menu closes when one looks elsewhere.
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      for (const menu of document.querySelectorAll("details.menu[open]")) {
        menu.open = false;
        menu.querySelector("summary").focus();
      }
    }
    // "/" goes to the search, as in many lists.
    if (event.key === "/" && !event.target.closest("input, textarea, select, [contenteditable]")) {
      const search = document.querySelector("input[type=search]");
      if (search) {
        event.preventDefault();
        search.focus();
      }
    }
  });
})();
