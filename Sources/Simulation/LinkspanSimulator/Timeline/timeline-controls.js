"use strict";

// ---- Hands

const groupAt = (x, y) => {
  let best = null, distance = 14;
  for (const spot of spots) for (const group of spot.groups) {
    const away = Math.max(Math.abs(group.x - x), Math.abs(laneY(group.lane) - y) * 0.9);
    if (away < distance) { best = group; distance = away; }
  }
  return y < axis() ? null : best;
};
let drag = null;
// Where each finger is; two of them zoom.
const fingers = new Map();
const spread = () => {
  const [a, b] = [...fingers.values()];
  return { size: Math.max(20, Math.abs(a - b)), middle: (a + b) / 2 };
};
canvas.addEventListener("pointerdown", (event) => {
  fingers.set(event.pointerId, event.offsetX);
  drag = fingers.size > 1 ? null : { x: event.offsetX, moved: 0 };
  if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", (event) => {
  if (fingers.size === 2 && fingers.has(event.pointerId)) {
    const before = spread();
    fingers.set(event.pointerId, event.offsetX);
    const after = spread();
    return zoom(before.size / after.size, after.middle);
  }
  if (drag) {
    const by = drag.x - event.offsetX;
    drag = { x: event.offsetX, moved: drag.moved + Math.abs(by) };
    return pan(by);
  }
  showCard(groupAt(event.offsetX, event.offsetY), event.clientX, event.clientY);
});
canvas.addEventListener("pointerup", (event) => {
  const wasClick = drag && drag.moved < 5;
  drag = null;
  fingers.delete(event.pointerId);
  const group = groupAt(event.offsetX, event.offsetY);
  if (wasClick && group) select(group.events[0], false);
});
canvas.addEventListener("pointercancel", (event) => { drag = null; fingers.delete(event.pointerId); });
canvas.addEventListener("pointerleave", (event) => {
  drag = null;
  fingers.delete(event.pointerId);
  showCard(null);
});
canvas.addEventListener("dblclick", (event) => zoom(0.4, event.offsetX));
canvas.addEventListener("wheel", (event) => {
  // Over the names the wheel scrolls the lanes.
  if (event.offsetX < gutter() && !event.ctrlKey) return;
  event.preventDefault();
  showCard(null);
  const pixels = event.deltaMode === 1 ? 16 : 1;
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    return pan((event.deltaX || event.deltaY) * pixels);
  }
  zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY * pixels)) * 0.004), event.offsetX);
}, { passive: false });
chart.addEventListener("scroll", redraw);

const step = (by) => {
  const at = shownEvents.indexOf(selected);
  const next = at < 0 ? (by > 0 ? 0 : shownEvents.length - 1) : at + by;
  if (shownEvents[next]) select(shownEvents[next]);
};
const stepLane = (by) => {
  if (!selected) return step(1);
  let lane = laneOf[selected.p] + by;
  while (lanes[lane]) {
    const near = shownEvents.filter((event) => laneOf[event.p] === lane)
      .reduce((best, event) => (!best || Math.abs(event.t - selected.t) < Math.abs(best.t - selected.t) ? event : best), null);
    if (near) return select(near);
    lane += by;
  }
};
canvas.addEventListener("keydown", (event) => {
  const actions = {
    ArrowRight: () => (event.shiftKey ? pan(80) : step(1)), ArrowLeft: () => (event.shiftKey ? pan(-80) : step(-1)),
    ArrowDown: () => stepLane(1), ArrowUp: () => stepLane(-1), "+": () => zoom(0.7), "=": () => zoom(0.7),
    "-": () => zoom(1.4), 0: () => { fit(); redraw(); }, Home: () => shownEvents[0] && select(shownEvents[0]),
    End: () => shownEvents.length && select(shownEvents[shownEvents.length - 1]), Escape: () => select(null),
  };
  if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  actions[event.key]();
});

// ---- Filters

const applyFilter = () => {
  const wanted = query.trim().toLowerCase();
  lanes = [];
  laneOf = [];
  story.parties.forEach((party, place) => {
    if (hiddenParties.has(place)) return;
    laneOf[place] = lanes.length;
    lanes.push({ party, place });
  });
  shownEvents = story.events.filter((event) =>
    !hiddenKinds.has(event.k) && laneOf[event.p] !== undefined
    && (!wanted || textOf(event).includes(wanted)));
  if (selected && !shownEvents.includes(selected)) select(null);
  showCard(null);
  counts.textContent = shownEvents.length + " of " + story.events.length + " events, "
    + lanes.length + " of " + story.parties.length + " lanes";
  fillTable();
  layout();
};
const texts = new WeakMap();
const textOf = (event) => {
  if (!texts.has(event)) {
    texts.set(event, (story.parties[event.p].name + " " + event.k + " " + line(event) + " "
      + (event.r || []).join(" ") + " " + (event.c || "")).toLowerCase());
  }
  return texts.get(event);
};

const toggle = (button, set, value) => {
  const isShown = set.has(value);
  if (isShown) set.delete(value); else set.add(value);
  button.setAttribute("aria-pressed", String(isShown));
  applyFilter();
};
const kindButtons = () => {
  const numbers = new Map();
  for (const event of story.events) numbers.set(event.k, (numbers.get(event.k) || 0) + 1);
  return [...numbers].map(([kind, number]) => {
    const sample = story.events.find((event) => event.k === kind && !isTrouble(event) && !isOutside(event))
      || story.events.find((event) => event.k === kind);
    const button = make("button", { type: "button", "aria-pressed": "true" }, icon(sample), kind + " " + number);
    button.addEventListener("click", () => toggle(button, hiddenKinds, kind));
    return button;
  });
};
const partyChoice = () => {
  const list = make("div");
  const all = (isShown) => {
    hiddenParties = new Set(isShown ? [] : story.parties.keys());
    for (const box of list.querySelectorAll("input")) box.checked = isShown;
    applyFilter();
  };
  list.append(make("p", {}, make("button", { type: "button", onclick: () => all(true) }, "All"), " ",
    make("button", { type: "button", onclick: () => all(false) }, "None")));
  story.parties.forEach((party, place) => {
    const box = make("input", { type: "checkbox" });
    box.checked = true;
    box.addEventListener("change", () => {
      if (box.checked) hiddenParties.delete(place); else hiddenParties.add(place);
      applyFilter();
    });
    list.append(make("label", {}, box, " " + party.name));
  });
  return make("details", { class: "parties" }, make("summary", {}, "Lanes"), list);
};
