// The search, over an index that lies beside the pages: no server, no other host.
(() => {
  "use strict";
  const up = document.currentScript.dataset.up;
  const form = document.querySelector("form[role=search]");
  const input = document.getElementById("search");
  const found = document.getElementById("found");
  const list = window.searchIndex || [];
  form.hidden = false;
  // Wide enough for a column, the list of pages is open.
  const wide = window.matchMedia("(min-width: 900px)");
  const pages = document.querySelector("nav details");
  const lay = () => { if (wide.matches) pages.open = true; };
  wide.addEventListener("change", lay);
  lay();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = found.querySelector("a");
    if (first) window.location.href = first.href;
  });
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
    found.replaceChildren();
    found.hidden = words.length === 0;
    if (words.length === 0) return;
    const hits = [];
    for (const [page, anchor, title, heading, text] of list) {
      const head = (title + " " + heading).toLowerCase();
      const body = text.toLowerCase();
      let score = 0;
      for (const word of words) {
        const value = (head.includes(word) ? 5 : 0) + (body.includes(word) ? 1 : 0);
        if (value === 0) { score = 0; break; }
        score += value;
      }
      if (score > 0) hits.push({ page, anchor, title, heading, text, score });
    }
    hits.sort((left, right) => right.score - left.score);
    for (const hit of hits.slice(0, 12)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = up + hit.page + "#" + hit.anchor;
      link.textContent = hit.heading === hit.title ? hit.title : hit.title + ": " + hit.heading;
      const rest = document.createElement("span");
      rest.textContent = " " + hit.text.slice(0, 120);
      item.append(link, rest);
      found.append(item);
    }
    if (hits.length === 0) {
      const item = document.createElement("li");
      item.textContent = "Nothing was found.";
      found.append(item);
    }
  });
})();
