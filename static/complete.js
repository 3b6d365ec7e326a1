// Completes names in a rule as one types. Without a script the field's own list offers them while it is empty.
(() => {
  "use strict";

  const most = 8;
  let open = null;

  const close = () => {
    if (!open) return;
    open.box.remove();
    open.field.setAttribute("aria-expanded", "false");
    open.field.removeAttribute("aria-activedescendant");
    open = null;
  };

  // The word that ends at the caret: where it begins, and what of it is there.
  const word = (field) => {
    const before = field.value.slice(0, field.selectionStart);
    const found = before.match(/[\p{L}_][\p{L}\p{N}_.]*$/u);
    const quoted = (before.match(/["/]/g) || []).length % 2 === 1;
    return found && !quoted ? { text: found[0], from: before.length - found[0].length } : null;
  };

  // Names that runs have reported, and those that the extractors above are about to find.
  const names = (field) => {
    const known = [...document.getElementById(field.dataset.completes).options]
      .map((option) => ({ name: option.value, about: option.label === option.value ? "" : option.label }));
    const extracted = [...document.querySelectorAll("[data-names]")]
      .map((input) => input.value.trim())
      .filter((name) => /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) && known.every((other) => other.name !== name));
    return [...extracted.map((name) => ({ name, about: "by an extractor" })), ...known];
  };

  const fitting = (field, typed) => {
    const small = typed.toLowerCase();
    const all = names(field).filter(({ name }) => name.toLowerCase().includes(small) && name !== typed);
    return all.sort((a, b) => b.name.toLowerCase().startsWith(small) - a.name.toLowerCase().startsWith(small)).slice(0, most);
  };

  const take = (name) => {
    const { field, from } = open;
    const rest = field.value.slice(field.selectionStart);
    const space = rest.startsWith(" ") ? "" : " ";
    field.value = field.value.slice(0, from) + name + space + rest;
    const caret = from + name.length + 1;
    field.setSelectionRange(caret, caret);
    close();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    close();
  };

  const offer = (field) => {
    close();
    const typed = word(field);
    const found = typed ? fitting(field, typed.text) : [];
    if (!found.length) return;
    const box = document.createElement("ul");
    box.className = "completions";
    box.id = `${field.id}-names`;
    box.setAttribute("role", "listbox");
    box.setAttribute("aria-label", "Names");
    found.forEach(({ name, about }, at) => {
      const line = document.createElement("li");
      line.id = `${box.id}-${at}`;
      line.setAttribute("role", "option");
      line.setAttribute("aria-selected", "false");
      const code = document.createElement("code");
      code.textContent = name;
      const hint = document.createElement("span");
      hint.textContent = about;
      line.append(code, hint);
      // before the field loses the focus
      line.addEventListener("mousedown", (event) => { event.preventDefault(); take(name); });
      box.append(line);
    });
    field.parentElement.append(box);
    field.setAttribute("aria-expanded", "true");
    field.setAttribute("aria-controls", box.id);
    open = { field, box, from: typed.from, at: -1, found };
  };

  const move = (step) => {
    const lines = [...open.box.children];
    open.at = (open.at + step + lines.length + (open.at < 0 && step < 0 ? 1 : 0)) % lines.length;
    lines.forEach((line, at) => line.setAttribute("aria-selected", String(at === open.at)));
    open.field.setAttribute("aria-activedescendant", lines[open.at].id);
  };

  for (const field of document.querySelectorAll("[data-completes]")) {
    // The list would cover the completions, and fits only an empty field.
    field.dataset.completes = field.getAttribute("list");
    field.removeAttribute("list");
    field.setAttribute("role", "combobox");
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-expanded", "false");
    field.addEventListener("input", () => offer(field));
    field.addEventListener("blur", close);
    field.addEventListener("keydown", (event) => {
      if (!open || event.isComposing) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
      else if (event.key === "Escape") close();
      else if ((event.key === "Enter" || event.key === "Tab") && open.at >= 0) take(open.found[open.at].name);
      else return;
      event.preventDefault();
    });
  }
})();
