extension TimelinePage {
  /// The program of the page: plain JavaScript, run by the browser and never by us.
  static let script = #"""
    "use strict";
    (() => {
      const data = JSON.parse(document.getElementById("data").textContent);
      const page = document.getElementById("page");

      // Text of a story reaches the page through here only, as text.
      const make = (tag, traits = {}, ...children) => {
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(traits)) {
          if (name === "class") element.className = value;
          else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
          else if (value !== undefined && value !== null) element.setAttribute(name, value);
        }
        element.append(...children.filter((child) => child !== null && child !== undefined));
        return element;
      };

      // ---- Words

      const units = [[86400000, "d"], [3600000, "h"], [60000, "min"], [1000, "s"], [1, "ms"]];
      const span = (ms) => {
        const first = units.findIndex(([size]) => size <= ms);
        if (first < 0) return "0";
        const [size, name] = units[first];
        const rest = first < 3 ? Math.floor((ms % size) / units[first + 1][0]) : 0;
        return Math.floor(ms / size) + " " + name + (rest > 0 ? " " + rest + " " + units[first + 1][1] : "");
      };
      const clock = (ms) => new Date(story.start_ms + ms).toISOString().replace("T", " ").replace("Z", "");
      const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));
      const isMoment = (name) => name.endsWith("_check_ms");
      const fieldText = (name, value) =>
        isMoment(name) && value > 0 ? "+" + span(value) + " (" + clock(value).slice(0, 16) + ")" : shown(value);
      const line = (event) => Object.entries(event.f)
        .filter(([, value]) => value !== null).map(([name, value]) => name + ": " + fieldText(name, value)).join("  ");

      // ---- State

      let story = data.stories[0];
      let hiddenKinds = new Set();
      let hiddenParties = new Set();
      let query = "";
      let folded = true;
      let arrows = true;
      let shownEvents = [];
      let lanes = [];
      let laneOf = [];
      let scale;
      let view = { from: 0, to: 1 };
      let spots = [];
      let hovered = null;
      let selected = null;
      let ink = {};
      let frame = 0;

      const row = 30, axis = 44, font = "12px system-ui, sans-serif";
      const gutter = () => (canvas.clientWidth < 760 ? 104 : 168);

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

      // ---- Marks: every kind has a shape of its own, so that none is told by its colour alone.

      const isOfCDN = (event) => story.parties[event.p].role === "cdn";
      const isBad = (event) => event.k === "failed";
      const isTrouble = (event) =>
        (event.k === "check" && event.f.site !== "approved") || event.k === "drop-answer"
        || (event.k === "crawl" && event.f.answers !== "200") || event.k === "skip"
        || (event.k === "ask" && event.f.answer !== "200") || event.k === "fault" || event.k === "crash";
      const isOutside = (event) => ["browser", "web-view", "nothing", "alert"].includes(event.f.opens);
      const polygon = (context, x, y, radius, sides, turn) => {
        context.beginPath();
        for (let i = 0; i < sides; i++) {
          const angle = turn + i * 2 * Math.PI / sides;
          context.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
        }
        context.closePath();
      };
      const strokes = (context, ...points) => {
        context.beginPath();
        for (const [a, b, c, d] of points) { context.moveTo(a, b); context.lineTo(c, d); }
        context.stroke();
      };
      const mark = (context, event, x, y) => {
        const trouble = isTrouble(event);
        const paint = (color, isFull) => {
          context.strokeStyle = color;
          context.fillStyle = isFull ? color : ink.paper;
          context.fill();
          context.stroke();
        };
        context.lineWidth = 2;
        switch (event.k) {
          case "install": polygon(context, x, y + 1, 7, 3, -Math.PI / 2); return paint(ink.accent, true);
          case "update": polygon(context, x, y + 1, 7, 3, -Math.PI / 2); return paint(ink.accent, false);
          case "delete": polygon(context, x, y - 1, 7, 3, Math.PI / 2); return paint(ink.soft, false);
          case "check":
            context.beginPath();
            context.arc(x, y, 5, 0, 7);
            paint(trouble ? ink.warn : ink.good, !trouble);
            if (trouble) strokes(context, [x - 3.4, y + 3.4, x + 3.4, y - 3.4]);
            return;
          case "crawl":
            polygon(context, x, y, 7, 4, 0);
            paint(trouble ? ink.warn : ink.cdn, !trouble);
            if (trouble) strokes(context, [x - 2.5, y + 2.5, x + 2.5, y - 2.5]);
            return;
          case "ask":
            context.strokeStyle = trouble ? ink.warn : isOfCDN(event) ? ink.cdn : ink.good;
            return strokes(context, [x - 3, y - 4, x + 3, y], [x + 3, y, x - 3, y + 4]);
          case "launch":
            context.strokeStyle = ink.accent;
            return strokes(context, [x, y + 6, x, y - 5], [x, y - 5, x - 4, y - 1], [x, y - 5, x + 4, y - 1]);
          case "fault":
            context.strokeStyle = ink.warn;
            return strokes(context, [x + 2, y - 6, x - 3, y + 1], [x - 3, y + 1, x + 3, y - 1], [x + 3, y - 1, x - 2, y + 6]);
          case "crash":
            context.strokeStyle = ink.warn;
            return strokes(context, [x, y - 6, x, y + 2], [x, y + 4, x, y + 6]);
          case "clock-step":
            context.beginPath(); context.arc(x, y, 6, 0, 7); paint(ink.soft, false);
            return strokes(context, [x, y, x, y - 4], [x, y, x + 3, y]);
          case "restart":
            polygon(context, x, y, 7, 4, Math.PI / 4); paint(ink.cdn, false);
            context.beginPath(); context.arc(x, y, 2, 0, 7); return paint(ink.cdn, true);
          case "tap":
            if (!isOutside(event)) { polygon(context, x - 1, y, 7, 3, 0); return paint(ink.app, true); }
            polygon(context, x, y, 7, 4, Math.PI / 4);
            return paint(ink.browser, false);
          case "deploy": polygon(context, x, y, 8, 4, Math.PI / 4); return paint(ink.site, true);
          case "network": polygon(context, x, y, 7, 6, 0); return paint(ink.site, event.f.state === "healthy");
          case "reboot":
            context.beginPath(); context.arc(x, y, 6.5, 0, 7); paint(ink.accent, false);
            context.beginPath(); context.arc(x, y, 2, 0, 7); return paint(ink.accent, true);
          case "choose": polygon(context, x, y, 7, 5, -Math.PI / 2); return paint(ink.accent, true);
          case "held":
            context.strokeStyle = ink.good;
            return strokes(context, [x - 4, y, x - 1, y + 3.5], [x - 1, y + 3.5, x + 5, y - 4]);
          case "failed":
            polygon(context, x, y, 10, 8, Math.PI / 8);
            paint(ink.bad, true);
            context.strokeStyle = ink.paper;
            return strokes(context, [x - 3.5, y - 3.5, x + 3.5, y + 3.5], [x - 3.5, y + 3.5, x + 3.5, y - 3.5]);
          default:
            context.strokeStyle = trouble ? ink.warn : ink.soft;
            return strokes(context, [x - 4, y - 4, x + 4, y + 4], [x - 4, y + 4, x + 4, y - 4]);
        }
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
        const height = lanes.length * row + axis + 6;
        const most = document.documentElement.classList.contains("printing") ? 4000 : Math.max(260, innerHeight * 0.66);
        chart.style.height = Math.min(height, most) + 2 + "px";
        const visible = chart.clientHeight, ratio = devicePixelRatio || 1;
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
      const laneY = (lane) => axis + lane * row + row / 2 - chart.scrollTop;

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
        const last = Math.min(lanes.length - 1, Math.ceil((chart.scrollTop + high - axis) / row));
        context.save();
        context.beginPath();
        context.rect(0, axis, wide, high - axis);
        context.clip();
        for (let lane = first; lane <= last; lane++) drawLane(context, lane, wide);
        context.restore();
        context.save();
        context.beginPath();
        context.rect(left, 0, wide - left, high);
        context.clip();
        drawAxis(context, wide, high);
        context.beginPath();
        context.rect(left, axis, wide - left, high - axis);
        context.clip();
        spots = findSpots(first, last);
        drawFailures(context, high);
        drawArrows(context);
        for (const spot of spots) drawSpot(context, spot);
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
        let free = -1e9;
        const label = (x, text) => {
          const half = context.measureText(text).width / 2 + 8;
          if (x - half < free || x - half < gutter() - 2 || x + half > wide) return false;
          context.fillStyle = ink.text;
          context.textAlign = "center";
          context.fillText(text, x, axis - 13);
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
            strokes(context, [x, axis - 4, x, high]);
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
          context.fillRect(from, 0, to - from, high);
          context.strokeStyle = ink.line;
          context.setLineDash([3, 4]);
          strokes(context, [from, 0, from, high], [to, 0, to, high]);
          context.setLineDash([]);
          const seenFrom = Math.max(from, gutter()), seenTo = Math.min(to, wide);
          const text = span(gap), x = (seenFrom + seenTo) / 2;
          if (context.measureText(text).width + 6 < seenTo - seenFrom) {
            context.fillStyle = ink.soft;
            context.textAlign = "center";
            context.fillText(text, x, 13);
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
            strokes(context, [x, axis - 5, x, axis]);
          }
        }
      };

      // Events that would lie upon each other are one spot with a number.
      const findSpots = (first, last) => {
        const found = new Map();
        // A question says less than what was made of its answer.
        const weight = (event) => (event.k === "ask" ? 0 : isBad(event) ? 4 : isTrouble(event) ? 3 : event.k === "tap" ? 2 : 1);
        for (const event of shownEvents) {
          const lane = laneOf[event.p];
          if (lane === undefined || lane < first || lane > last) continue;
          const x = toX(scale.to(event.t));
          if (x < gutter() - 8 || x > canvas.clientWidth + 8) continue;
          const key = lane * 100000 + Math.round(x / 13);
          const spot = found.get(key);
          if (!spot) found.set(key, { lane, x, event, events: [event] });
          else {
            spot.events.push(event);
            if (weight(event) > weight(spot.event)) spot.event = event;
          }
        }
        return [...found.values()];
      };
      const drawSpot = (context, spot) => {
        const y = laneY(spot.lane);
        const isChosen = spot.events.includes(selected) || (hovered && hovered.events.some((e) => spot.events.includes(e)));
        if (isChosen) {
          context.strokeStyle = ink.focus;
          context.fillStyle = ink.paper;
          context.lineWidth = 2.5;
          context.beginPath();
          context.arc(spot.x, y, 12.5, 0, 7);
          context.fill();
          context.stroke();
        }
        mark(context, spot.events.includes(selected) ? selected : spot.event, spot.x, y);
        if (spot.events.length === 1) return;
        const text = String(spot.events.length);
        context.font = "bold 9.5px system-ui, sans-serif";
        const size = context.measureText(text).width + 6;
        context.fillStyle = ink.text;
        context.beginPath();
        context.roundRect(spot.x + 3, y - 14, size, 12, 6);
        context.fill();
        context.fillStyle = ink.paper;
        context.textAlign = "center";
        context.fillText(text, spot.x + 3 + size / 2, y - 7.5);
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
          strokes(context, [x, axis, x, high]);
        }
        context.setLineDash([]);
      };
      const drawArrows = (context) => {
        const some = spots.flatMap((spot) => spot.events.filter((e) => e.to !== undefined).slice(0, 4).map((e) => [spot, e]));
        const isCrowded = !arrows || some.length > 400;
        for (const [spot, event] of some) {
          const other = laneOf[event.to];
          const isChosen = event === selected || (hovered && hovered.events.includes(event));
          if (other === undefined || (isCrowded && !isChosen)) continue;
          const isDone = event.k === "deploy" || event.k === "network";
          const start = laneY(isDone ? other : spot.lane), end = laneY(isDone ? spot.lane : other);
          const down = Math.sign(end - start);
          if (down === 0) continue;
          const tip = end - down * (isDone ? 10 : 4), from = start + down * 8;
          context.strokeStyle = context.fillStyle = isTrouble(event) ? ink.warn : isDone ? ink.site
            : isOfCDN(event) ? ink.cdn : ink.good;
          context.globalAlpha = isChosen ? 1 : 0.5;
          context.lineWidth = isChosen ? 2 : 1.2;
          strokes(context, [spot.x, from, spot.x, tip]);
          context.beginPath();
          context.moveTo(spot.x, tip);
          context.lineTo(spot.x - 4, tip - down * 7);
          context.lineTo(spot.x + 4, tip - down * 7);
          context.fill();
          context.globalAlpha = 1;
        }
      };

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
        const title = make("h3", {}, (isBad(event) ? "✗ " : "") + event.k + " · " + party.name
          + (party.role === "device" ? " (" + party.note + ")" : ""));
        const time = make("div", { class: "soft" }, "+" + span(event.t) + " · " + clock(event.t) + " UTC");
        return [title, time, list, why(event.r, event.c)].filter((part) => part);
      };
      const many = (spot) => {
        const parts = told(spot.event);
        if (spot.events.length > 1) {
          const others = spot.events.filter((event) => event !== spot.event);
          parts.push(make("p", { class: "soft" }, "and " + others.length + " more here: "
            + others.slice(0, 5).map((event) => event.k + (event.f.url ? " " + event.f.url : "")).join("; ")
            + (others.length > 5 ? "; …" : "") + ". Zoom in, or step through them with → and ←."));
        }
        return parts;
      };

      const showCard = (spot, x, y) => {
        hovered = spot;
        card.classList.toggle("hidden", !spot);
        if (spot) {
          card.replaceChildren(...many(spot));
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
          pinned.replaceChildren(make("span", { class: "soft" }, "Point at a mark, or step through the events with the arrow keys."));
          return redraw();
        }
        pinned.replaceChildren(...told(event));
        if (isMoving) {
          const x = toX(scale.to(event.t)), lane = laneOf[event.p];
          if (x < gutter() + 20 || x > canvas.clientWidth - 20) pan(x - gutter() - width() / 2);
          if (lane !== undefined) {
            const y = laneY(lane);
            if (y < axis + row || y > canvas.clientHeight - row) chart.scrollTop += y - canvas.clientHeight / 2;
          }
        }
        redraw();
      };

      // ---- Hands

      const spotAt = (x, y) => {
        let best = null, distance = 14;
        for (const spot of spots) {
          const away = Math.max(Math.abs(spot.x - x), Math.abs(laneY(spot.lane) - y) * 0.9);
          if (away < distance) { best = spot; distance = away; }
        }
        return y < axis ? null : best;
      };
      let drag = null;
      canvas.addEventListener("pointerdown", (event) => {
        drag = { x: event.offsetX, moved: 0 };
        if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
      });
      canvas.addEventListener("pointermove", (event) => {
        if (drag) {
          const by = drag.x - event.offsetX;
          drag = { x: event.offsetX, moved: drag.moved + Math.abs(by) };
          return pan(by);
        }
        showCard(spotAt(event.offsetX, event.offsetY), event.clientX, event.clientY);
      });
      canvas.addEventListener("pointerup", (event) => {
        const wasClick = drag && drag.moved < 5;
        drag = null;
        const spot = spotAt(event.offsetX, event.offsetY);
        if (wasClick && spot) select(spot.event, false);
      });
      canvas.addEventListener("pointerleave", () => { drag = null; showCard(null); });
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
          const icon = make("canvas", { width: "40", height: "40", "aria-hidden": "true" });
          const sample = story.events.find((event) => event.k === kind && !isTrouble(event)
              && !isOutside(event))
            || story.events.find((event) => event.k === kind);
          const context = icon.getContext("2d");
          context.setTransform(2, 0, 0, 2, 0, 0);
          mark(context, sample, 10, 10);
          const button = make("button", { type: "button", "aria-pressed": "true" }, icon, kind + " " + number);
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
            const cell = make("td", {});
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
        return [make("h2", {}, "What each link opens in the end"),
          make("p", { class: "soft" }, "The last tap of each link on each device; choose one to read why."),
          make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), body)), more, reasons];
      };
      const reasons = make("div", { class: "event", "aria-live": "polite" });
      const explain = (link, device, verdict) => {
        const list = make("dl");
        const add = (name, text) => text && list.append(make("dt", {}, name), make("dd", {}, text));
        add("step", verdict.step);
        add("rule", verdict.rule);
        add("reason", verdict.reason);
        add("change", verdict.change);
        reasons.replaceChildren(make("h3", {}, link.url + " on " + device.name + " opens "
          + (verdict.app === null ? verdict.words : verdict.app)), list, why(verdict.r, verdict.c) || "");
        const taps = story.events.filter((event) => event.k === "tap" && event.f.url === link.url
          && story.parties[event.p].name === device.name);
        if (taps.length && shownEvents.includes(taps[taps.length - 1])) select(taps[taps.length - 1]);
      };

      const historyTables = () => {
        if (!story.histories.length) return [];
        const parts = [make("h2", {}, "Who sees what, and when")];
        for (const history of story.histories) {
          const head = make("tr", {}, make("th", {}, "device"),
            ...history.t_ms.map((t) => make("th", { scope: "col" }, t ? "+" + span(t) : "start")),
            make("th", {}, "first opens the app"), make("th", {}, "has its file since"));
          const body = make("tbody");
          for (const device of history.devices.slice(0, 500)) {
            const moment = (t) => make("td", { class: "nowrap" }, t === null ? "–" : "+" + span(t));
            body.append(make("tr", {}, make("th", { scope: "row" }, device.device),
              ...device.opens.map((opens) => make("td", { class: opens && opens !== "app" ? "browser" : opens || "" },
                opens === "app" ? "▶ app" : opens ? "□ " + opens : "–")),
              moment(device.first_opening_t_ms), moment(device.file_since_t_ms)));
          }
          parts.push(make("h3", {}, history.url), make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), body)));
        }
        return parts;
      };

      const tableBody = make("tbody");
      const tableMore = make("button", { type: "button" }, "Show 200 more");
      const eventTable = make("details", { class: "all" }, make("summary", {}, "All events as a table"),
        make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {},
          ...["after", "UTC", "who", "what", "fields", "rules", "certainty"].map((text) => make("th", { scope: "col" }, text)))),
        tableBody)), make("p", {}, tableMore));
      const addRows = () => {
        const from = tableBody.rows.length;
        for (const event of shownEvents.slice(from, from + 200)) {
          tableBody.append(make("tr", {}, make("td", { class: "nowrap" }, "+" + span(event.t)),
            make("td", { class: "nowrap" }, clock(event.t)), make("td", {}, story.parties[event.p].name),
            make("td", {}, (isBad(event) ? "✗ " : "") + event.k), make("td", { class: "url" }, line(event)),
            make("td", {}, (event.r || []).join(", ")), make("td", {}, event.c ? certainty(event.c) : "")));
        }
        tableMore.classList.toggle("hidden", tableBody.rows.length >= shownEvents.length);
      };
      const fillTable = () => {
        tableBody.replaceChildren();
        if (eventTable.open) addRows();
      };
      tableMore.addEventListener("click", addRows);
      eventTable.addEventListener("toggle", fillTable);

      // ---- The page

      const count = (number, one, some) => number + " " + (number === 1 ? one : some);
      const summary = () => make("ul", { class: "facts" },
        make("li", {}, make("span", { class: "badge " + (story.failed ? "failed" : "held") }, story.failed
          ? "✗ " + story.failed + " of " + count(story.held + story.failed, "expectation", "expectations") + " failed"
          : "✓ " + (story.held === 1 ? "the expectation held" : "all " + story.held + " expectations held"))),
        make("li", {}, make("b", {}, "seed"), make("code", {}, story.seed)),
        make("li", {}, make("b", {}, "digest"), make("code", {}, story.digest)),
        make("li", {}, make("b", {}, "lasts"), span(story.elapsed_ms)),
        make("li", {}, make("b", {}, "from"), clock(0).slice(0, 19) + " UTC"),
        make("li", {}, make("b", {}, "again"), make("code", {}, story.command)));
      const failures = () => {
        const failed = story.events.filter(isBad);
        if (!failed.length) return null;
        return make("section", { class: "failures" }, make("strong", {}, "✗ Expected, and did not happen"),
          make("ul", {}, ...failed.slice(0, 50).map((event) => make("li", {}, make("button", {
            type: "button", onclick: () => { select(event); canvas.focus(); },
          }, "line " + event.f.line + ": " + event.f.url + " on " + event.f.device + ": expected " + event.f.expected
            + "; it " + event.f.actual)))), failed.length > 50 ? "… and " + (failed.length - 50) + " more" : "");
      };
      const mode = (text, isOn, title, action) => {
        const button = make("button", { type: "button", class: "mode", "aria-pressed": String(isOn()), title }, text);
        button.addEventListener("click", () => {
          action();
          button.setAttribute("aria-pressed", String(isOn()));
        });
        return button;
      };
      const useAxis = () => {
        scale = makeScale();
        fit();
        redraw();
      };

      const show = (place) => {
        story = data.stories[place];
        hiddenKinds = new Set();
        hiddenParties = new Set();
        query = "";
        selected = hovered = null;
        reasons.replaceChildren();
        document.title = story.name + " · Linkspan timeline";
        const search = make("input", { type: "search", placeholder: "Filter by text, rule, host…", "aria-label": "Filter events by text" });
        search.addEventListener("input", () => { query = search.value; applyFilter(); });
        const chooser = make("select", { "aria-label": "Story" }, ...data.stories.map((other, at) =>
          make("option", { value: at }, (other.failed ? "✗ " : "✓ ") + other.name)));
        chooser.value = place;
        chooser.addEventListener("change", () => { show(Number(chooser.value)); });
        const button = (text, title, action) => make("button", { type: "button", title, "aria-label": title, onclick: action }, text);
        const kinds = make("div", { class: "kinds", role: "group", "aria-label": "Kinds of events" });
        const failedStories = data.stories.filter((other) => other.failed).length;
        page.replaceChildren(
          make("header", {}, make("h1", {}, story.name.split("/").pop()), ...(data.stories.length > 1 ? [chooser, make("span", { class: "soft" },
            count(data.stories.length, "story", "stories") + (failedStories ? ", " + failedStories + " failed" : ", all held"))] : [])),
          summary(), ...[failures()].filter((part) => part),
          make("div", { class: "tools" },
            make("div", { class: "group" }, button("−", "Zoom out", () => zoom(1.6)), button("+", "Zoom in", () => zoom(0.6)),
              button("Fit", "Show the whole story", () => { fit(); redraw(); })),
            make("div", { class: "group" },
              mode("Folded pauses", () => folded, "Fold long pauses, or draw time to scale", () => { folded = !folded; useAxis(); }),
              mode("Arrows", () => arrows, "Draw who asked whom", () => { arrows = !arrows; redraw(); })),
            search, partyChoice()),
          kinds, chart,
          make("div", { class: "status" }, counts, make("span", { id: "keys" }, "wheel or ", make("kbd", {}, "+"), " ",
            make("kbd", {}, "−"), " zoom · drag pans · ", make("kbd", {}, "←"), " ", make("kbd", {}, "→"), " ",
            make("kbd", {}, "↑"), " ", make("kbd", {}, "↓"), " step through events · ", make("kbd", {}, "0"), " fits")),
          pinned, ...verdictTable().filter((part) => part), ...historyTables(), eventTable, card);
        scale = makeScale();
        fit();
        select(null);
        applyFilter();
        kinds.append(...kindButtons());
      };

      addEventListener("resize", layout);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(data.stories.indexOf(story)));
      addEventListener("beforeprint", () => {
        document.documentElement.classList.add("printing");
        layout();
      });
      addEventListener("afterprint", () => {
        document.documentElement.classList.remove("printing");
        layout();
      });

      // ---- With #selfcheck the page tries itself and writes what it found; a test reads that.

      const troubles = [];
      addEventListener("error", (event) => troubles.push("error: " + event.message));
      addEventListener("securitypolicyviolation", (event) => troubles.push("policy: " + event.violatedDirective));
      const selfCheck = () => {
        const told = [];
        const expect = (isTrue, what) => { if (!isTrue) troubles.push(story.name + ": " + what); };
        const key = (name) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
        data.stories.forEach((_, place) => {
          show(place);
          draw();
          expect(spots.length > 0, "nothing is drawn");
          const copy = make("canvas", { width: canvas.width, height: canvas.height });
          const context = copy.getContext("2d", { willReadFrequently: true });
          context.drawImage(canvas, 0, 0);
          const pixels = context.getImageData(0, 0, copy.width, copy.height).data;
          expect(new Set(new Uint32Array(pixels.buffer)).size > 4, "the canvas is empty");
          const size = view.to - view.from, box = canvas.getBoundingClientRect();
          canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -300, clientX: box.left + 400, clientY: box.top + 90, cancelable: true }));
          expect(view.to - view.from < size, "the wheel does not zoom");
          key("0");
          expect(view.to - view.from === size, "0 does not fit");
          draw();
          const spot = spots[spots.length - 1];
          canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + spot.x, clientY: box.top + laneY(spot.lane) }));
          expect(!card.classList.contains("hidden") && card.textContent.includes(spot.event.k), "no card appears");
          canvas.dispatchEvent(new PointerEvent("pointerleave"));
          expect(card.classList.contains("hidden"), "the card stays");
          expect(document.activeElement !== canvas, "the page takes the keyboard");
          key("ArrowRight");
          expect(selected === shownEvents[0] && pinned.textContent.includes(selected.k), "no key selects an event");
          query = "a text that is nowhere";
          applyFilter();
          expect(shownEvents.length === 0, "the text filters nothing");
          query = "";
          hiddenParties.add(story.events[0].p);
          applyFilter();
          expect(shownEvents.length < story.events.length && lanes.length === story.parties.length - 1, "no lane goes");
          hiddenParties.clear();
          const chip = page.querySelector(".kinds button");
          chip.click();
          expect(shownEvents.length < story.events.length, "no kind goes");
          chip.click();
          expect(shownEvents.length === story.events.length, "the events do not come back");
          folded = false;
          useAxis();
          draw();
          expect(spots.length > 0, "nothing is drawn to scale");
          folded = true;
          useAxis();
          eventTable.open = true;
          addRows();
          expect(tableBody.rows.length > 0, "the table is empty");
          eventTable.open = false;
          told.push(story.name + " " + story.events.length);
        });
        show(0);
        draw();
        const requests = performance.getEntriesByType("resource").length;
        if (requests) troubles.push(requests + " requests");
        page.append(make("pre", { id: "selfcheck" }, (troubles.length ? troubles.join("\n") : "all well") + "\n" + told.join("\n")));
      };

      if (data.stories.length) show(0);
      else page.append(make("p", {}, "There is no story here."));
      if (location.hash === "#selfcheck") selfCheck();
    })();
    """#
}
