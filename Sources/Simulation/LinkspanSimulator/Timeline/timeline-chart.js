"use strict";

// ---- Time to place: a folded axis gives a pause of days little more room than one of seconds.

const makeScale = () => {
  const end = Math.max(1, story.elapsed_ms);
  if (!folded) return { end, times: [], places: [], to: (t) => t, from: (u) => u, least: 2 };
  const times = [...new Set([0, ...story.events.map((event) => event.t), end])].sort((a, b) => a - b);
  const places = [0];
  for (let i = 1; i < times.length; i++) {
    places.push(places[i - 1] + 0.25 + Math.log10(1 + times[i] - times[i - 1]));
  }
  const between = (value, known, wanted) => {
    let low = 0, high = known.length - 1;
    if (value <= known[0]) return wanted[0];
    if (value >= known[high]) return wanted[high];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (known[middle] <= value) low = middle; else high = middle;
    }
    return wanted[low] + (wanted[high] - wanted[low]) * (value - known[low]) / (known[high] - known[low]);
  };
  return {
    end: places[places.length - 1] || 1, times, places, least: 0.5,
    to: (t) => between(t, times, places), from: (u) => between(u, places, times),
  };
};

const fit = () => {
  const margin = scale.end * 0.03 + (folded ? 0.3 : 1);
  view = { from: -margin, to: scale.end + margin };
};
const width = () => Math.max(50, canvas.clientWidth - gutter() - 12);
const toX = (u) => gutter() + (u - view.from) / (view.to - view.from) * width();
const toU = (x) => view.from + (x - gutter()) / width() * (view.to - view.from);

const zoom = (factor, x = gutter() + width() / 2) => {
  const middle = toU(x), size = view.to - view.from;
  const margin = scale.end * 0.03 + (folded ? 0.3 : 1);
  const next = Math.min(Math.max(size * factor, Math.min(scale.least, size)), scale.end + 2 * margin);
  const left = (middle - view.from) / size;
  view = { from: middle - next * left, to: middle + next * (1 - left) };
  pan(0);
};
const pan = (pixels) => {
  const size = view.to - view.from, by = pixels / width() * size;
  const margin = scale.end * 0.03 + (folded ? 0.3 : 1);
  const from = Math.min(Math.max(view.from + by, -margin), Math.max(-margin, scale.end + margin - size));
  view = { from, to: from + size };
  redraw();
};

// ---- The chart

const canvas = make("canvas", {
  tabindex: "0", role: "application", "aria-describedby": "keys",
  "aria-label": "Timeline. Arrow keys move from event to event; the table of all events below has the same.",
});
const filler = make("div");
const chart = make("div", { class: "chart" }, canvas, filler);
const card = make("div", { class: "card event hidden", role: "tooltip" });
const pinned = make("div", { class: "pinned event", "aria-live": "polite" });
const counts = make("span");

const layout = () => {
  const height = lanes.length * row + axis() + 6;
  const isPaper = document.documentElement.classList.contains("printing");
  const most = Math.min(height, isPaper ? 4000 : Math.max(260, innerHeight * 0.66));
  chart.style.height = most + 2 + "px";
  // On paper the chart is as high as the canvas is shown, which shrinks with the paper: nothing to draw by.
  const visible = isPaper ? most : chart.clientHeight, ratio = devicePixelRatio || 1;
  canvas.style.height = visible + "px";
  canvas.style.width = chart.clientWidth + "px";
  canvas.width = Math.round(chart.clientWidth * ratio);
  canvas.height = Math.round(visible * ratio);
  filler.style.height = Math.max(0, height - visible) + "px";
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "sheet", "line", "text", "soft", "accent", "app", "browser", "good", "warn", "bad",
    "cdn", "site", "fold", "focus"]) ink[name] = style.getPropertyValue("--" + name).trim();
  draw();
};
const redraw = () => {
  if (!frame) frame = requestAnimationFrame(draw);
};
const laneY = (lane) => axis() + lane * row + row / 2 - chart.scrollTop;

const draw = () => {
  frame = 0;
  const context = canvas.getContext("2d"), ratio = devicePixelRatio || 1;
  const wide = canvas.clientWidth, high = canvas.clientHeight, left = gutter();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = ink.paper;
  context.fillRect(0, 0, wide, high);
  context.font = font;
  context.textBaseline = "middle";
  const first = Math.max(0, Math.floor(chart.scrollTop / row));
  const last = Math.min(lanes.length - 1, Math.ceil((chart.scrollTop + high - axis()) / row));
  context.save();
  context.beginPath();
  context.rect(0, axis(), wide, high - axis());
  context.clip();
  for (let lane = first; lane <= last; lane++) drawLane(context, lane, wide);
  context.restore();
  context.save();
  context.beginPath();
  context.rect(left, 0, wide - left, high);
  context.clip();
  drawAxis(context, wide, high);
  drawChanges(context, high);
  context.beginPath();
  context.rect(left, axis(), wide - left, high - axis());
  context.clip();
  rows = findSpots(first, last);
  spots = rows.flat();
  drawFailures(context, high);
  drawArrows(context);
  for (const spot of spots) for (const group of spot.groups) drawGroup(context, group);
  context.restore();
};

const roles = { story: "text", host: "site", cdn: "cdn", device: "accent" };
const drawLane = (context, lane, wide) => {
  const party = lanes[lane].party, y = laneY(lane), left = gutter();
  if (lane % 2 === 0) {
    context.fillStyle = ink.sheet;
    context.fillRect(0, y - row / 2, wide, row);
  }
  context.strokeStyle = ink.line;
  context.lineWidth = 1;
  strokes(context, [left, y, wide, y]);
  context.fillStyle = ink[roles[party.role]];
  context.fillRect(0, y - row / 2 + 3, 4, row - 6);
  context.fillStyle = ink.text;
  context.textAlign = "left";
  const note = wide < 760 ? "" : party.note;
  const room = left - 22 - (note ? context.measureText(note).width + 8 : 0);
  context.fillText(shortened(context, party.name, room), 12, y);
  if (!note || party.name === note) return;
  context.fillStyle = ink.soft;
  context.textAlign = "right";
  context.fillText(note, left - 8, y);
};
const shortened = (context, text, room) => {
  if (context.measureText(text).width <= room) return text;
  let end = text.length;
  while (end > 1 && context.measureText(text.slice(0, end) + "…").width > room) end--;
  return text.slice(0, end) + "…";
};

const drawAxis = (context, wide, high) => {
  context.lineWidth = 1;
  const top = flagHeight(), base = axis();
  let free = -1e9;
  const label = (x, text) => {
    const half = context.measureText(text).width / 2 + 8;
    if (x - half < free || x - half < gutter() - 2 || x + half > wide) return false;
    context.fillStyle = ink.text;
    context.textAlign = "center";
    context.fillText(text, x, base - 13);
    free = x + half;
    return true;
  };
  if (!folded) {
    const perPixel = (view.to - view.from) / width();
    const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5,
      108e5, 216e5, 432e5, 864e5, 1728e5, 6048e5, 12096e5, 24192e5];
    const step = steps.find((size) => size / perPixel > 90) || 48384e5;
    for (let t = Math.max(0, Math.ceil(view.from / step) * step); t <= view.to; t += step) {
      const x = toX(t);
      context.strokeStyle = ink.line;
      strokes(context, [x, base - 4, x, high]);
      label(x, t === 0 ? "start" : "+" + span(t));
    }
    return;
  }
  const { times, places } = scale;
  for (let i = 1; i < times.length; i++) {
    const gap = times[i] - times[i - 1], a = toX(places[i - 1]), b = toX(places[i]);
    if (gap < 60000 || b - a < 26 || b < gutter() || a > wide) continue;
    const from = a + 9, to = b - 9;
    context.fillStyle = ink.fold;
    context.fillRect(from, top, to - from, high);
    context.strokeStyle = ink.line;
    context.setLineDash([3, 4]);
    strokes(context, [from, top, from, high], [to, top, to, high]);
    context.setLineDash([]);
    const seenFrom = Math.max(from, gutter()), seenTo = Math.min(to, wide);
    const text = span(gap), x = (seenFrom + seenTo) / 2;
    if (context.measureText(text).width + 6 < seenTo - seenFrom) {
      context.fillStyle = ink.soft;
      context.textAlign = "center";
      context.fillText(text, x, top + 13);
    }
  }
  // What would read like its neighbour says how much later it is.
  let before = null;
  for (let i = 0; i < times.length; i++) {
    const x = toX(places[i]);
    if (x < gutter() || x > wide) continue;
    const isAlike = before !== null && span(times[i]) === span(before);
    const text = times[i] === 0 ? "start" : isAlike ? "then " + span(times[i] - before) : "+" + span(times[i]);
    if (label(x, text)) {
      before = times[i];
      context.strokeStyle = ink.soft;
      strokes(context, [x, base - 5, x, base]);
    }
  }
};

// Events that would cover each other share a spot, where each mark stands once, side by side, with its number.
// A mark with a number needs more room.
const roomOf = (group) => (group.events.length > 1 ? 24 : 16);
const isRequest = (event) => event.k === "ask";
const results = ["check", "check-failed", "crawl", "crawl-failed"];
// Adds events to a spot; only the first of a mark changes which marks are drawn.
const join = (spot, events) => {
  const known = spot.marks.size;
  for (const event of events) {
    const name = markOf(event), group = spot.marks.get(name);
    if (group) group.events.push(event); else spot.marks.set(name, { name, events: [event] });
    spot.events.push(event);
  }
  if (spot.marks.size !== known) spot.groups = drawnOf([...spot.marks.values()]);
  spot.end = endOf(spot);
};
const drawnOf = (all) => {
  const answered = all.filter((group) => results.includes(group.name));
  if (!answered.length) return all;
  // A request adds nothing beside the mark of what came of it, unless it failed and that did not.
  const hasFailure = answered.some((group) => group.name.endsWith("-failed"));
  return all.filter((group) => group.name !== "ask" && (group.name !== "ask-failed" || !hasFailure));
};
const endOf = (spot) => spot.x + spot.groups.slice(0, -1).reduce((sum, group) => sum + roomOf(group), 0);
const findSpots = (first, last) => {
  const found = lanes.map(() => []);
  for (const event of shownEvents) {
    const lane = laneOf[event.p];
    if (lane === undefined || lane < first || lane > last) continue;
    const x = toX(scale.to(event.t));
    if (x < gutter() - 8 || x > canvas.clientWidth + 8) continue;
    const row = found[lane];
    let spot = row[row.length - 1];
    if (!spot || x > spot.end + 14) row.push(spot = { lane, x, end: x, events: [], marks: new Map(), groups: [] });
    join(spot, [event]);
  }
  for (const row of found) {
    // A spot that would reach beyond the edge moves to the left, and takes in what is there.
    while (row.length) {
      const spot = row[row.length - 1], before = row[row.length - 2];
      const over = spot.groups.length < 2 ? 0 : Math.max(0, spot.end - (canvas.clientWidth - 20));
      spot.x -= over;
      spot.end -= over;
      if (!over || !before || before.end + 14 < spot.x) break;
      join(before, spot.events);
      row.pop();
    }
  }
  for (const row of found) for (const spot of row) {
    let x = spot.x;
    for (const group of spot.groups) {
      Object.assign(group, { x, lane: spot.lane });
      x += roomOf(group);
    }
  }
  return found;
};
const drawGroup = (context, group) => {
  const y = laneY(group.lane), x = group.x;
  if (group.events.includes(selected) || (hovered && group.events.includes(hovered.events[0]))) {
    context.strokeStyle = ink.focus;
    context.fillStyle = ink.paper;
    context.lineWidth = 2.5;
    context.beginPath();
    context.arc(x, y, 12.5, 0, 7);
    context.fill();
    context.stroke();
  }
  mark(context, group.events[0], x, y);
  if (group.events.length === 1) return;
  const text = String(group.events.length);
  context.font = "bold 9.5px system-ui, sans-serif";
  const size = context.measureText(text).width + 6;
  context.fillStyle = ink.text;
  context.beginPath();
  context.roundRect(x + 2, y - 14, size, 12, 6);
  context.fill();
  context.fillStyle = ink.paper;
  context.textAlign = "center";
  context.fillText(text, x + 2 + size / 2, y - 7.5);
  context.font = font;
};
const drawFailures = (context, high) => {
  context.strokeStyle = ink.bad;
  context.lineWidth = 1.5;
  context.setLineDash([6, 4]);
  const drawn = new Set();
  for (const event of shownEvents) {
    if (!isBad(event) || drawn.has(event.t)) continue;
    drawn.add(event.t);
    const x = toX(scale.to(event.t));
    strokes(context, [x, axis(), x, high]);
  }
  context.setLineDash([]);
};
// An arrow goes up or down where no mark of a lane between is in its way: if need be it makes a bend, and where
// there is no room it is a stub that shows the direction.
const isFree = (lane, x) => !(rows[lane] || []).some((spot) => x > spot.x - 12 && x < spot.end + 17);
const routeOf = (x, from, to) => {
  const down = Math.sign(to - from);
  const isOpen = (x) => {
    for (let lane = from + down; lane !== to; lane += down) if (!isFree(lane, x)) return false;
    return x > gutter() + 6 && x < canvas.clientWidth - 6;
  };
  if (isOpen(x)) return x;
  for (let by = 4; by <= 72; by += 4) {
    if (isOpen(x + by)) return x + by;
    if (isOpen(x - by)) return x - by;
  }
  return null;
};
const drawArrows = (context) => {
  routes = [];
  const some = spots.flatMap((spot) =>
    spot.events.filter((event) => event.to !== undefined).slice(0, 4).map((event) => [spot, event]));
  const isCrowded = !arrows || some.length > 400;
  for (const [spot, event] of some) {
    const other = laneOf[event.to];
    const isChosen = event === selected || (hovered && hovered.events.includes(event));
    if (other === undefined || other === spot.lane || (isCrowded && !isChosen)) continue;
    // What the story does to a host comes from the story; a request goes out from who asks.
    const isDone = event.k === "deploy" || event.k === "network";
    const [from, to] = isDone ? [other, spot.lane] : [spot.lane, other];
    const x = (spot.groups.find((group) => group.events.includes(event))
      || spot.groups.find((group) => results.includes(group.name)) || spot.groups[0]).x;
    const down = Math.sign(to - from), route = routeOf(x, from, to);
    context.strokeStyle = context.fillStyle = isTrouble(event) ? ink.warn : isDone ? ink.site
      : isOfCDN(event) ? ink.cdn : ink.good;
    context.globalAlpha = isChosen ? 1 : 0.55;
    context.lineWidth = isChosen ? 2 : 1.2;
    const start = laneY(from) + down * 8, edge = laneY(from) + down * row / 2;
    let tip = edge + down * 3, end = x;
    if (route !== null) {
      tip = laneY(to) - down * (isFree(to, route) ? 4 : 11);
      end = route;
      if (end !== x) strokes(context, [x, start, x, edge], [x, edge, end, edge], [end, edge, end, tip]);
      else strokes(context, [x, start, x, tip]);
      routes.push({ x: end, from, to });
    } else strokes(context, [x, start, x, tip]);
    context.beginPath();
    context.moveTo(end, tip + down);
    context.lineTo(end - 4, tip - down * 6);
    context.lineTo(end + 4, tip - down * 6);
    context.fill();
    context.globalAlpha = 1;
  }
};

// ---- What changed: a flag over the moment, a line through all lanes, and the words where there is room.

const drawChanges = (context, high) => {
  const flags = [];
  changes.forEach((change, place) => {
    const x = toX(scale.to(change.event.t));
    if (x < gutter() - 4 || x > canvas.clientWidth + 4) return;
    const last = flags[flags.length - 1];
    if (last && x - last.x < 26) last.places.push(place); else flags.push({ x, places: [place] });
  });
  context.font = "600 12px system-ui, sans-serif";
  flags.forEach(({ x, places }, at) => {
    context.strokeStyle = context.fillStyle = ink.site;
    context.lineWidth = 1;
    context.globalAlpha = 0.7;
    context.setLineDash([2, 3]);
    strokes(context, [x, 20, x, high]);
    context.setLineDash([]);
    context.globalAlpha = 1;
    const first = places[0], number = first + 1 + (places.length > 1 ? "–" + (first + places.length) : "");
    const size = context.measureText(number).width + 12;
    const left = Math.min(Math.max(x - 9, gutter() + 2), canvas.clientWidth - size - 2);
    context.beginPath();
    context.roundRect(left, 3, size, 18, 9);
    context.fill();
    context.fillStyle = ink.paper;
    context.textAlign = "center";
    context.fillText(number, left + size / 2, 12.5);
    const room = (flags[at + 1] ? flags[at + 1].x - 12 : canvas.clientWidth) - left - size - 8;
    const text = places.length > 1 ? places.length + " changes" : changes[first].text;
    if (room < 60) return;
    context.fillStyle = ink.site;
    context.textAlign = "left";
    context.fillText(shortened(context, text, room), left + size + 5, 12.5);
  });
  context.font = font;
};
