"use strict";

// ---- Marks: every kind and outcome has a shape of its own; colour alone never tells two apart.

// What each mark means. A kind whose events end in two ways has two marks.
const meanings = {
  "install": "the app is installed",
  "update": "the app is updated",
  "delete": "the app is deleted",
  "launch": "the app is launched for the first time",
  "skip": "the device ignores one of the app's domains",
  "check": "the device fetched the file and approved the domain",
  "check-failed": "the device requested the file and got none it can use",
  "drop-answer": "an answer came after the app was deleted",
  "crawl": "Apple's CDN fetched the file from the host",
  "crawl-failed": "Apple's CDN got no file from the host",
  "ask": "a request, answered with 200",
  "ask-failed": "a request, answered with an error or not at all",
  "tap": "a tapped link opens the app",
  "tap-outside": "a tapped link opens the browser or nothing",
  "choose": "the user chooses app or browser for a host",
  "reboot": "the device restarts",
  "deploy": "a host publishes a different file",
  "network": "the network treats a host normally",
  "network-changed": "the network treats a host differently",
  "held": "an expectation of the story held",
  "failed": "an expectation of the story failed",
  "fault": "a random fault",
  "crash": "the device's daemon crashes",
  "clock-step": "the device's clock is changed",
  "restart": "Apple's CDN loses its copies",
  "push-accepted": "APNs accepts a push",
  "push-refused": "APNs refuses a push, or there is no token",
  "push-stored": "APNs keeps a push for later",
  "push-discarded": "APNs throws a push away",
  "push-shown": "a push shows a notification, a badge or a sound",
  "push-held": "the device holds a push for later",
  "push-dropped": "the device drops a push",
  "push-delivered": "a push that asks for no wake, or gets none, arrived",
  "push-woke": "a push wakes the app",
  "handler-finished": "the app calls its completion handler",
  "handler-killed": "the app's handler is ended",
  "notification-posted": "the app posts a notification or sets its badge",
  "app-state": "the user or the system changes the state of an app",
  "device-state": "the device's network, power or use changes",
  "advertise": "the device advertises an activity over Bluetooth",
  "hear": "the device receives the advertisement",
  "offer": "the device offers an app for the activity",
  "offer-outside": "the device offers the browser, or nothing",
  "continuation-file": "the device fetched the signed file of iOS 8",
  "continuation-file-failed": "the device refused the signed file of iOS 8",
  "arrive": "something arrives in the app",
  "callback": "the system calls the app",
  "app": "what the app does with what arrived",
  "screen": "the user, or the system, does something on the screen",
  "visible": "what can be seen of the app is its cover",
  "visible-private": "private content of the app can be seen",
  "snapshot": "the picture for the switcher shows the cover",
  "snapshot-private": "the picture for the switcher shows private content",
  "stream": "a continuation stream is opened",
  "error": "an activity failed to continue",
  "warning": "an activity has more than Apple advises",
  "invoke": "a code, a tag or another entrance opens the App Clip or its app",
  "invoke-outside": "an entrance of an App Clip opens the browser or nothing",
  "save": "the App Clip or its app keeps something",
  "save-refused": "the App Clip or its app could not keep something",
  "read": "the App Clip or its app reads what was kept",
  "read-missing": "the App Clip or its app looks for something that is not there",
  "clip-replaced": "the app takes the place of its App Clip",
  "clip-removed": "the App Clip is removed with its data",
};
const markOf = (event) => {
  switch (event.k) {
    case "check": case "crawl": case "ask": return isTrouble(event) ? event.k + "-failed" : event.k;
    case "tap": return isOutside(event) ? "tap-outside" : "tap";
    case "offer": case "invoke": return isOutside(event) ? event.k + "-outside" : event.k;
    case "save": return isTrouble(event) ? "save-refused" : "save";
    case "read": return isTrouble(event) ? "read-missing" : "read";
    case "continuation-file": return isTrouble(event) ? event.k + "-failed" : event.k;
    case "visible": case "snapshot": return isTrouble(event) ? event.k + "-private" : event.k;
    case "network": return event.f.state === "healthy" ? "network" : "network-changed";
    default: return event.k;
  }
};
const icon = (event) => {
  const canvas = make("canvas", { width: "40", height: "40", "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  context.setTransform(2, 0, 0, 2, 0, 0);
  mark(context, event, 10, 10);
  return canvas;
};

const isOfCDN = (event) => story.parties[event.p].role === "cdn";
const isBad = (event) => event.k === "failed";
const isTrouble = (event) =>
  (event.k === "check" && event.f.site !== "approved") || event.k === "drop-answer"
  || (event.k === "crawl" && event.f.answers !== "200") || event.k === "skip"
  || (event.k === "ask" && event.f.answer !== "200") || event.k === "fault" || event.k === "crash"
  || ["push-refused", "push-discarded", "push-dropped", "handler-killed"].includes(event.k)
  || event.k === "error" || event.k === "warning" || (event.k === "continuation-file" && !!event.f.refused)
  || (event.k === "save" && !event.f.kept) || (event.k === "read" && !event.f.found)
  || ((event.k === "visible" || event.k === "snapshot") && event.f.content === "private");
// Where an App Clip is invoked, the name is one that the story gave: any word but 'browser'.
const isOutside = (event) => event.k === "invoke" ? event.f.opens === "browser"
  : ["browser", "web-view", "nothing", "alert"].includes(event.f.opens);
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
// Marks with a letter in a box.
const letters = {
  "advertise": "≫", "hear": "≪", "offer": "H", "offer-outside": "B", "continuation-file": "S",
  "continuation-file-failed": "X", "arrive": "↓", "callback": "ƒ", "app": "=", "screen": "▭", "visible": "C",
  "visible-private": "V", "snapshot": "c", "snapshot-private": "P", "stream": "≈", "error": "E", "warning": "W",
  "invoke": "A", "invoke-outside": "N", "save": "+", "save-refused": "!", "read": "R", "read-missing": "?",
  "clip-replaced": "↑", "clip-removed": "−",
};
const letter = (context, text, x, y, color) => {
  context.beginPath();
  context.rect(x - 7, y - 7, 14, 14);
  context.fillStyle = ink.paper;
  context.strokeStyle = color;
  context.fill();
  context.stroke();
  context.fillStyle = color;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, x, y + 0.5);
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
  const character = letters[markOf(event)];
  if (character) {
    const color = trouble ? ink.warn : isOutside(event) ? ink.browser : ink.app;
    return letter(context, character, x, y, color);
  }
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
    // Pushes: an envelope says that it travels, a bell that it is seen, a bolt that the app runs.
    case "push-accepted": case "push-refused": case "push-stored": case "push-discarded":
      context.beginPath(); context.rect(x - 7, y - 5, 14, 10);
      paint(trouble ? ink.warn : ink.accent, event.k === "push-stored");
      context.strokeStyle = event.k === "push-stored" ? ink.paper : trouble ? ink.warn : ink.accent;
      if (event.k === "push-discarded") return strokes(context, [x - 7, y - 5, x + 7, y + 5], [x - 7, y + 5, x + 7, y - 5]);
      if (event.k === "push-refused") return strokes(context, [x - 7, y + 5, x + 7, y - 5]);
      return strokes(context, [x - 7, y - 5, x, y + 1], [x, y + 1, x + 7, y - 5]);
    case "push-shown": case "notification-posted": case "push-delivered": case "push-dropped":
      context.beginPath(); context.arc(x, y, 6, Math.PI, 0); context.lineTo(x + 7, y + 4); context.lineTo(x - 7, y + 4);
      context.closePath();
      paint(trouble ? ink.warn : ink.app, event.k === "push-shown");
      if (event.k === "notification-posted") return strokes(context, [x - 3, y, x + 3, y], [x, y - 3, x, y + 3]);
      return trouble ? strokes(context, [x - 7, y + 6, x + 7, y - 7]) : undefined;
    case "push-woke": case "push-held":
      context.beginPath(); context.arc(x, y, 7, 0, 7); paint(ink.good, event.k === "push-woke");
      context.strokeStyle = event.k === "push-woke" ? ink.paper : ink.good;
      return event.k === "push-woke" ? strokes(context, [x, y + 4, x, y - 4], [x, y - 4, x - 3, y - 1], [x, y - 4, x + 3, y - 1])
        : strokes(context, [x - 2, y - 3, x - 2, y + 3], [x + 2, y - 3, x + 2, y + 3]);
    case "handler-finished": case "handler-killed":
      context.beginPath(); context.rect(x - 6, y - 6, 12, 12); paint(trouble ? ink.warn : ink.good, !trouble);
      context.strokeStyle = trouble ? ink.warn : ink.paper;
      return trouble ? strokes(context, [x - 3, y - 3, x + 3, y + 3], [x - 3, y + 3, x + 3, y - 3])
        : strokes(context, [x - 3, y, x - 1, y + 3], [x - 1, y + 3, x + 4, y - 3]);
    case "app-state": context.beginPath(); context.rect(x - 4, y - 7, 8, 14); return paint(ink.accent, false);
    case "device-state": context.beginPath(); context.rect(x - 4, y - 7, 8, 14); return paint(ink.accent, true);
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
