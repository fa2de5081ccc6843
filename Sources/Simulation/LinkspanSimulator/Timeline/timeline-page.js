"use strict";

// ---- The page

const count = (number, one, some) => number + " " + (number === 1 ? one : some);
const summary = () => make("ul", { class: "facts" },
  make("li", {}, make("span", { class: "badge " + (story.failed ? "failed" : "held") }, story.failed
    ? "✗ " + story.failed + " of " + count(story.held + story.failed, "expectation", "expectations") + " failed"
    : "✓ " + (story.held === 1 ? "the expectation held" : "all " + story.held + " expectations held"))),
  make("li", {}, make("b", {}, "story"), story.name.split("/").pop()),
  make("li", {}, make("b", {}, "seed"), make("code", {}, story.seed)),
  make("li", {}, make("b", {}, "digest"), make("code", {}, story.digest)),
  make("li", {}, make("b", {}, "duration"), span(story.elapsed_ms)),
  make("li", {}, make("b", {}, "starts at"), moment(0)),
  make("li", {}, make("b", {}, "reproduce"), make("code", {}, story.command)));
// The first sentence of the story's comment is the title; the rest stands beneath it.
const heading = () => {
  const comment = story.comment || "";
  const first = /^.*?[.?!](?=\s|$)/.exec(comment);
  const title = first ? first[0].replace(/\.$/, "") : comment;
  const rest = first ? comment.slice(first[0].length).trim() : "";
  return { title: title || story.name.split("/").pop(), rest };
};
const longestList = 12;
const changeList = () => {
  if (!changes.length) return null;
  return make("section", { class: "changes" }, make("h3", {}, "What changed"),
    make("ol", {}, ...changes.slice(0, longestList).map((change) => make("li", {}, make("button", {
      type: "button", onclick: () => { select(change.event); canvas.focus(); },
    }, make("b", {}, "+" + span(change.event.t)), " " + change.text)))),
    changes.length > longestList ? make("p", { class: "soft" }, "… and " + (changes.length - longestList) + " more") : null);
};
const legend = () => {
  const samples = new Map();
  for (const event of story.events) if (!samples.has(markOf(event))) samples.set(markOf(event), event);
  const order = Object.keys(meanings).filter((name) => samples.has(name));
  for (const name of samples.keys()) if (!order.includes(name)) order.push(name);
  const sign = (kind, text) => make("span", { class: "sign " + kind, "aria-hidden": "true" }, text);
  const item = (picture, text) => make("li", {}, picture, make("span", {}, text));
  return make("section", { class: "legend", "aria-label": "Legend" }, make("h3", {}, "What the marks mean"), make("ul", {},
    ...order.map((name) => item(icon(samples.get(name)), meanings[name] || name)),
    item(sign("number", "3"), "number of events, where marks would overlap"),
    item(sign("arrow", "↑"), "a request and its direction; a short arrow where other marks are in the way"),
    ...(folded && story.elapsed_ms >= 60000 ? [item(sign("pause", ""), "a folded pause; its length is shown at the top")] : []),
    ...(changes.length ? [item(sign("flag", "1"), "a change: see the list")] : []),
    ...(story.failed ? [item(sign("wrong", ""), "the time of a failed expectation")] : [])));
};
const failures = () => {
  const failed = story.events.filter(isBad);
  if (!failed.length) return null;
  return make("section", { class: "failures" }, make("strong", {}, "✗ Expected, and did not happen"),
    make("ul", {}, ...failed.slice(0, longestList).map((event) => make("li", {}, make("button", {
      type: "button", onclick: () => { select(event); canvas.focus(); },
    }, "line " + event.f.line + ": " + (event.f.url || event.f.push) + " on " + event.f.device + ": expected " + event.f.expected
      + "; it " + event.f.actual)))), failed.length > longestList ? "… and " + (failed.length - longestList) + " more" : "");
};
const mode = (text, isOn, title, action) => {
  const button = make("button", { type: "button", class: "mode", "aria-pressed": String(isOn()), title }, text);
  button.addEventListener("click", () => {
    action();
    button.setAttribute("aria-pressed", String(isOn()));
  });
  return button;
};
const legends = make("div");
const useAxis = () => {
  scale = makeScale();
  fit();
  redraw();
  legends.replaceChildren(legend());
};

const show = (place) => {
  story = data.stories[place];
  hiddenKinds = new Set();
  hiddenParties = new Set();
  query = "";
  selected = hovered = null;
  // What the network is like when the story begins is no change.
  changes = story.events.filter((event) => event.k === "deploy" || (event.k === "network" && event.t > 0)).map(change);
  const { title, rest } = heading();
  reasons.replaceChildren();
  document.title = title + " · Linkspan timeline";
  const search = make("input", { type: "search", placeholder: "Filter by text, rule, host…", "aria-label": "Filter events by text" });
  search.addEventListener("input", () => { query = search.value; applyFilter(); });
  const chooser = make("select", { "aria-label": "Story" }, ...data.stories.map((other, at) =>
    make("option", { value: at }, (other.failed ? "✗ " : "✓ ") + other.name)));
  chooser.value = place;
  chooser.addEventListener("change", () => { show(Number(chooser.value)); });
  const button = (text, title, action) => make("button", { type: "button", title, "aria-label": title, onclick: action }, text);
  const kinds = make("div", { class: "kinds", role: "group", "aria-label": "Kinds of events" });
  const failedStories = data.stories.filter((other) => other.failed).length;
  // What a single story is about, and whether it held, the report says above.
  const introduction = data.stories.length === 1 ? [] : [
    make("header", {}, make("h3", {}, title), chooser, make("span", { class: "soft" },
      count(data.stories.length, "story", "stories") + (failedStories ? ", " + failedStories + " failed" : ", all held"))),
    rest ? make("p", { class: "rest" }, rest) : null, summary()];
  page.replaceChildren(
    ...[...introduction, failures(), changeList()].filter((part) => part),
    make("div", { class: "tools" },
      make("div", { class: "group" }, button("−", "Zoom out", () => zoom(1.6)), button("+", "Zoom in", () => zoom(0.6)),
        button("Fit", "Show the whole story", () => { fit(); redraw(); })),
      make("div", { class: "group" },
        mode("Folded pauses", () => folded, "Fold long pauses or draw time to scale", () => { folded = !folded; useAxis(); }),
        mode("Arrows", () => arrows, "Draw requests as arrows", () => { arrows = !arrows; redraw(); })),
      search, partyChoice()),
    kinds, chart,
    make("div", { class: "status" }, counts, make("span", { id: "keys" }, "wheel, pinch or ", make("kbd", {}, "+"), " ",
      make("kbd", {}, "−"), " zoom · drag pans · ", make("kbd", {}, "←"), " ", make("kbd", {}, "→"), " ",
      make("kbd", {}, "↑"), " ", make("kbd", {}, "↓"), " step through events · ", make("kbd", {}, "0"), " fits")),
    pinned, legends, ...verdictTable().filter((part) => part), ...historyTables(), eventTable, card);
  scale = makeScale();
  fit();
  select(null);
  applyFilter();
  kinds.append(...kindButtons());
  legends.replaceChildren(legend());
  localizeTimes(page);
};

addEventListener("resize", layout);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(data.stories.indexOf(story)));
const usePaper = (isPaper) => {
  document.documentElement.classList.toggle("printing", isPaper);
  if (isPaper && !tableBody.rows.length) addRows();
  layout();
  legends.replaceChildren(legend());
};
addEventListener("beforeprint", () => usePaper(true));
addEventListener("afterprint", () => usePaper(false));
