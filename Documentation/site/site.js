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
  // A link into a closed section opens it.
  const open = () => {
    const target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
    const section = target && target.closest("details.section");
    if (section) { section.open = true; target.scrollIntoView(); }
  };
  window.addEventListener("hashchange", open);
  open();
  const lay = () => { if (wide.matches) pages.open = true; };
  wide.addEventListener("change", lay);
  lay();
  // What people call by another word here.
  const synonyms = { parameter: "item", argument: "flag", deeplink: "link", notification: "push", certificate: "tls" };
  const vocabulary = new Set();
  for (const [, , title, heading, text] of list) {
    for (const word of (title + " " + heading + " " + text).toLowerCase().match(/[a-z0-9-]{3,}/g) || []) vocabulary.add(word);
  }
  // Whether one letter is missing, added, changed, or two neighbours are swapped.
  const isNear = (one, other) => {
    if (Math.abs(one.length - other.length) > 1) return false;
    let start = 0;
    while (start < one.length && one[start] === other[start]) start += 1;
    let end = 0;
    const rest = Math.min(one.length, other.length) - start;
    while (end < rest && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
    const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
    if (left.length <= 1 && right.length <= 1) return true;
    return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
  };
  // The forms of a word to look for: itself, without its plural, another word for it; and where nobody writes any of them,
  // words that differ by a slip of the finger.
  const forms = (word) => {
    const plain = word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word;
    const all = [word, plain, synonyms[plain]].filter(Boolean);
    const isWritten = all.some((form) => [...vocabulary].some((known) => known.includes(form)));
    if (isWritten || word.length < 4) return [...new Set(all)];
    return [...vocabulary].filter((known) => isNear(word, known));
  };
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
    const wanted = words.map(forms);
    const hits = [];
    for (const [page, anchor, title, heading, text] of list) {
      const head = (title + " " + heading).toLowerCase();
      const body = text.toLowerCase();
      let score = 0;
      for (const all of wanted) {
        const value = (all.some((form) => head.includes(form)) ? 5 : 0) + (all.some((form) => body.includes(form)) ? 1 : 0);
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
