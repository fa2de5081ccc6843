"use strict";
// Characters that turn the direction of text or have no form of their own are shown as \u{202e}.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const visible = (text) => text.replace(controls, (one) => "\\u{" + one.charCodeAt(0).toString(16) + "}");
const data = JSON.parse(
  document.getElementById("data").textContent, (_, value) => (typeof value === "string" ? visible(value) : value));
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
// In UTC; `localizeTimes` puts the reader's own time before it.
const moment = (ms) =>
  make("time", { datetime: new Date(story.start_ms + ms).toISOString() }, clock(ms).slice(0, 19) + " UTC");
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
let rows = [];
let routes = [];
let changes = [];
let hovered = null;
let selected = null;
let ink = {};
let frame = 0;

const row = 30, font = "12px system-ui, sans-serif";
// Above the times there is a row for what changed, in a story in which something does.
const flagHeight = () => (changes.length ? 24 : 0);
const axis = () => 44 + flagHeight();
const gutter = () => (canvas.clientWidth < 760 ? 104 : 168);
