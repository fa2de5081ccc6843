"use strict";

// ---- An event in words

const certainty = (word) => make("span", { class: "certainty " + word }, word);
const why = (rules, word) => {
  if (!rules || !rules.length) return null;
  const list = make("dl", { class: "why" });
  list.append(make("dt", {}, "because"), make("dd", {}, certainty(word)));
  for (const rule of rules) {
    list.append(make("dt", {}, rule), make("dd", {}, data.rules[rule] || ""));
  }
  return list;
};
const told = (event) => {
  const party = story.parties[event.p];
  const list = make("dl");
  for (const [name, value] of Object.entries(event.f)) {
    if (value !== null) list.append(make("dt", {}, (isMoment(name) ? name.slice(0, -3) : name).replace(/_/g, " ")), make("dd", {}, fieldText(name, value)));
  }
  const title = make("h4", {}, (isBad(event) ? "✗ " : "") + event.k + " · " + party.name
    + (party.role === "device" ? " (" + party.note + ")" : ""));
  const time = make("div", { class: "soft" }, "+" + span(event.t) + " · ", moment(event.t));
  const meaning = meanings[markOf(event)];
  const what = event.n ? change(event).text : meaning;
  return [title, time, what ? make("p", {}, what[0].toUpperCase() + what.slice(1) + ".") : null, list,
    why(event.r, event.c)].filter((part) => part);
};
// A change in words, for its flag and its line in the list.
const change = (event) => ({
  event, text: event.f.host + (event.n ? " " + event.n : ": " + (event.f.state === "healthy" ? "network back to normal" : event.f.state)),
});
const many = (group) => {
  const parts = told(group.events[0]);
  if (group.events.length > 1) {
    const others = group.events.slice(1);
    parts.push(make("p", { class: "soft" }, "and " + others.length + " more here: "
      + others.slice(0, 5).map((event) => event.k + (event.f.url ? " " + event.f.url : "")).join("; ")
      + (others.length > 5 ? "; …" : "") + ". Zoom in, or step through them with → and ←."));
  }
  return parts;
};

const showCard = (group, x, y) => {
  hovered = group;
  card.classList.toggle("hidden", !group);
  if (group) {
    card.replaceChildren(...many(group));
    localizeTimes(card);
    const box = card.getBoundingClientRect();
    card.style.left = Math.max(8, Math.min(x + 18, innerWidth - box.width - 8)) + "px";
    const below = y + 18 + box.height < innerHeight;
    card.style.top = Math.max(8, below ? y + 18 : y - box.height - 14) + "px";
  }
  redraw();
};
const select = (event, isMoving = true) => {
  selected = event;
  if (!event) {
    pinned.replaceChildren(make("span", { class: "soft" }, "Point at a mark or step through the events with the arrow keys."));
    return redraw();
  }
  pinned.replaceChildren(...told(event));
  localizeTimes(pinned);
  if (isMoving) {
    const x = toX(scale.to(event.t)), lane = laneOf[event.p];
    if (x < gutter() + 20 || x > canvas.clientWidth - 20) pan(x - gutter() - width() / 2);
    if (lane !== undefined) {
      const y = laneY(lane);
      if (y < axis() + row || y > canvas.clientHeight - row) chart.scrollTop += y - canvas.clientHeight / 2;
    }
  }
  redraw();
};

// ---- Tables

const maximumColumns = 60;
const verdictTable = () => {
  const devices = story.parties.filter((party) => party.role === "device");
  const used = devices.filter((device) =>
    story.links.some((link) => link.verdicts.some((verdict) => verdict.device === device.name)));
  if (!used.length) return [];
  const columns = used.slice(0, maximumColumns);
  const failed = new Set(story.events.filter(isBad).map((event) => event.f.url + " " + event.f.device));
  const body = make("tbody");
  for (const link of story.links) {
    const cells = new Map(link.verdicts.map((verdict) => [verdict.device, verdict]));
    const from = link.from === "messages" ? "" : " (from " + link.from + ")";
    const line = make("tr", {}, make("th", { class: "url", scope: "row" }, link.url + from));
    for (const device of columns) {
      const verdict = cells.get(device.name);
      const cell = make("td", { "data-device": device.name + (device.note ? " · " + device.note : "") });
      if (verdict) {
        const isWrong = failed.has(link.url + " " + device.name);
        if (isWrong) cell.className = "wrong";
        const text = (isWrong ? "✗ " : "") + (verdict.app === null ? "□ " + verdict.opens : "▶ " + verdict.app);
        cell.append(make("button", {
          type: "button", class: "verdict " + (verdict.app === null ? "browser" : "app"), title: verdict.reason,
          onclick: () => explain(link, device, verdict),
        }, text));
      } else cell.append("–");
      line.append(cell);
    }
    body.append(line);
  }
  const head = make("tr", {}, make("th", {}, "link"),
    ...columns.map((device) => make("th", { scope: "col" }, device.name, make("br"), make("span", { class: "soft" }, device.note))));
  const more = used.length > columns.length
    ? make("p", { class: "soft" }, "The first " + columns.length + " of " + used.length + " devices are shown.") : null;
  return [make("h3", {}, "What each link opens at the end"),
    make("p", { class: "soft" }, "The last tap of each link on each device. Select one to see why."),
    make("div", { class: "scroll", tabindex: "0" }, make("table", { class: "verdicts" }, make("thead", {}, head), body)), more, reasons];
};
const reasons = make("div", { class: "event", "aria-live": "polite" });
const explain = (link, device, verdict) => {
  const list = make("dl");
  const add = (name, text) => text && list.append(make("dt", {}, name), make("dd", {}, text));
  add("step", verdict.step);
  add("rule", verdict.rule);
  add("reason", verdict.reason);
  add("change", verdict.change);
  reasons.replaceChildren(make("h4", {}, link.url + " on " + device.name + " opens "
    + (verdict.app === null ? verdict.words : verdict.app)), list, why(verdict.r, verdict.c) || "");
  const taps = story.events.filter((event) => event.k === "tap" && event.f.url === link.url
    && story.parties[event.p].name === device.name);
  if (taps.length && shownEvents.includes(taps[taps.length - 1])) select(taps[taps.length - 1]);
};

const historyTables = () => {
  if (!story.histories.length) return [];
  const parts = [make("h3", {}, "When each device opens the app")];
  for (const history of story.histories) {
    const head = make("tr", {}, make("th", {}, "device"),
      ...history.t_ms.map((t) => make("th", { scope: "col" }, t ? "+" + span(t) : "start")),
      make("th", {}, "first opens the app"), make("th", {}, "has its file since"));
    const body = make("tbody");
    for (const device of history.devices.slice(0, 500)) {
      const after = (t) => make("td", { class: "nowrap" }, t === null ? "–" : "+" + span(t));
      body.append(make("tr", {}, make("th", { scope: "row" }, device.device),
        ...device.opens.map((opens) => make("td", { class: opens && opens !== "app" ? "browser" : opens || "" },
          opens === "app" ? "▶ app" : opens ? "□ " + opens : "–")),
        after(device.first_opening_t_ms), after(device.file_since_t_ms)));
    }
    parts.push(make("h4", {}, history.url), make("div", { class: "scroll", tabindex: "0" }, make("table", {}, make("thead", {}, head), body)));
  }
  return parts;
};

const tableBody = make("tbody");
const tableMore = make("button", { type: "button" }, "Show 200 more");
const eventTable = make("details", { class: "all" }, make("summary", {}, "All events as a table"),
  make("div", { class: "scroll", tabindex: "0" }, make("table", {}, make("thead", {}, make("tr", {},
    ...["after", "time", "who", "what", "fields", "rules", "certainty"].map((text) => make("th", { scope: "col" }, text)))),
  tableBody)), make("p", {}, tableMore));
const addRows = () => {
  const from = tableBody.rows.length;
  for (const event of shownEvents.slice(from, from + 200)) {
    tableBody.append(make("tr", {}, make("td", { class: "nowrap" }, "+" + span(event.t)),
      make("td", { class: "nowrap" }, moment(event.t)), make("td", {}, story.parties[event.p].name),
      make("td", {}, (isBad(event) ? "✗ " : "") + event.k), make("td", { class: "url" }, line(event)),
      make("td", {}, (event.r || []).join(", ")), make("td", {}, event.c ? certainty(event.c) : "")));
  }
  localizeTimes(tableBody);
  tableMore.classList.toggle("hidden", tableBody.rows.length >= shownEvents.length);
};
const fillTable = () => {
  tableBody.replaceChildren();
  if (eventTable.open) addRows();
};
tableMore.addEventListener("click", addRows);
eventTable.addEventListener("toggle", fillTable);
