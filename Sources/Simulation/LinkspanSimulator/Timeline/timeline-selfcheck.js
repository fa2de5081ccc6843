"use strict";

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
    expect(document.querySelector("main").textContent.split(story.digest).length === 2, "the story is introduced twice");
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
    // No arrow goes through a mark of another party, and no spot hides one outcome behind another.
    for (const { x, from, to } of routes) {
      const between = spots.filter((spot) => (spot.lane - from) * (spot.lane - to) < 0);
      expect(!between.some((spot) => spot.groups.some((group) => Math.abs(group.x - x) < 9)), "an arrow goes through a mark");
    }
    for (const row of rows) for (let i = 1; i < row.length; i++) {
      expect(row[i].x - row[i - 1].end >= 13, "two spots cover each other");
    }
    for (const spot of spots) {
      const isShown = (event) => isRequest(event) || spot.groups.some((group) => group.name === markOf(event));
      expect(spot.events.every(isShown), "an outcome is hidden");
    }
    for (const event of story.events) expect(meanings[markOf(event)], "the legend lacks " + markOf(event));
    expect(legends.querySelectorAll("canvas").length === new Set(story.events.map(markOf)).size, "the legend lacks a mark");
    expect(document.documentElement.scrollWidth <= innerWidth, "the page is wider than the window");
    const spot = spots[spots.length - 1];
    canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + spot.x, clientY: box.top + laneY(spot.lane) }));
    expect(!card.classList.contains("hidden") && card.textContent.includes(spot.groups[0].events[0].k), "no card appears");
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

// Of several stories the one that is shown is introduced with it.
if (data.stories.length > 1) for (const fact of document.querySelectorAll("main > p:not(.verdict)")) fact.remove();
if (data.stories.length) show(0);
else page.append(make("p", {}, "This page contains no story."));
if (location.hash === "#selfcheck") selfCheck();
