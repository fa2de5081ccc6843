// Keeps the live parts of a page up to date. Every page works without it. The server puts `ReaderTimes` before it, which defines
// localizeTimes.
(() => {
  "use strict";

  // A form counts once: the answer to a second click would be shown instead of the answer to the first.
  const sent = new Map();
  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post") return;
    if (performance.now() - (sent.get(event.target) || -Infinity) < 2000) event.preventDefault();
    else sent.set(event.target, performance.now());
  });

  const parts = [...document.querySelectorAll("[data-part]")];
  if (!parts.length || !window.EventSource) return;
  const state = document.getElementById("live-state");
  let source = null;

  const focusable = (part) => [...part.querySelectorAll("a[href], button, [tabindex], summary")];
  // What a link or a button does; nothing for whatever else has the focus.
  const deed = (one) => one.getAttribute("href") || (one.formAction && one.matches("button") ? `${one.formAction} ${one.value}` : "");

  // What changes must take nobody's focus, nor scroll what was scrolled, nor give another button to who presses one.
  const change = (part, body) => {
    const place = focusable(part).indexOf(document.activeElement);
    const before = place < 0 ? null : document.activeElement;
    const own = before && deed(before);
    const scrolled = [...part.querySelectorAll(".wide")].map((sheet) => sheet.scrollLeft);
    body();
    localizeTimes(part);
    part.querySelectorAll(".wide").forEach((sheet, index) => { sheet.scrollLeft = scrolled[index] || 0; });
    if (place < 0 || part.contains(document.activeElement)) return;
    const now = focusable(part);
    const again = (own && now.find((other) => deed(other) === own)) || (before.matches("button") ? part : now[place]);
    if (!again) return;
    if (again === part) part.tabIndex = -1;
    again.focus({ preventScroll: true });
  };

  // A button that has come under the pointer just now is not what was meant. A key has no pointer, and no 'detail'.
  const changes = new Map();
  document.addEventListener("click", (event) => {
    const button = event.detail > 0 && event.target.closest("button");
    const part = button && button.closest("[data-part]");
    if (part && performance.now() - (changes.get(part) || -Infinity) < 700) event.preventDefault();
  });

  const there = (part, path) => path.reduce((place, index) => place.children[index], part);
  // What the server sends is escaped there, as the page itself is.
  const made = (html) => {
    const sheet = document.createElement("template");
    sheet.innerHTML = html;
    return sheet.content;
  };

  // LiveDifference.swift says what a step is.
  const step = (part, one) => {
    if (one.inner !== undefined) {
      there(part, one.at).innerHTML = one.inner;
      return;
    }
    const parent = there(part, one.at.slice(0, -1));
    const place = one.at[one.at.length - 1];
    for (let left = one.cut || 0; left > 0; left -= 1) parent.children[place].remove();
    if (one.html !== undefined) parent.insertBefore(made(one.html), parent.children[place] || null);
  };

  const show = (news) => {
    const part = parts.find((other) => other.dataset.part === news.part);
    if (!part) return;
    change(part, () => news.steps.forEach((one) => step(part, one)));
    changes.set(part, performance.now());
    part.dataset.version = news.version;
  };

  const stop = () => {
    if (source) source.close();
    source = null;
  };

  // The session has ended. What somebody has written is not thrown away; a form that is sent comes back after the login.
  const end = () => {
    stop();
    const fields = document.querySelectorAll("main form[method=post] :is(textarea, input:not([type=hidden], [type=checkbox]))");
    if ([...fields].every((field) => field.value === "")) {
      window.location.reload();
      return;
    }
    const notice = document.createElement("p");
    notice.className = "notice warn";
    notice.setAttribute("role", "alert");
    const login = document.createElement("a");
    Object.assign(login, { href: "/login", target: "_blank", rel: "noopener", textContent: "log in in another window" });
    notice.append("Your session has ended. What you have written stays here: ", login, ", then send the form.");
    document.querySelector("main").prepend(notice);
    if (state) state.textContent = "The session has ended";
    document.removeEventListener("visibilitychange", look);
  };

  const start = () => {
    stop();
    const query = parts.map((part) => `part=${encodeURIComponent(`${part.dataset.part}@${part.dataset.version}`)}`);
    source = new EventSource(`/live?${query.join("&")}`);
    source.addEventListener("open", () => { if (state) state.textContent = "Live"; });
    source.addEventListener("part", (event) => {
      try {
        show(JSON.parse(event.data));
      } catch (problem) {
        // The page shows something else than the server thinks: all of it is read again.
        window.location.reload();
      }
    });
    source.addEventListener("over", end);
    source.addEventListener("error", () => {
      if (state) state.textContent = "Not live: connecting again";
      // The address names the versions of a while ago; another one names those of now.
      if (source && source.readyState === EventSource.CLOSED) window.setTimeout(start, 3000);
    });
  };

  // Browsers have six connections to a host: hidden tabs must not hold them all.
  const look = () => (document.hidden ? stop() : start());
  document.addEventListener("visibilitychange", look);
  window.addEventListener("pagehide", stop);
  window.addEventListener("pageshow", (event) => { if (event.persisted) start(); });
  if (!document.hidden) start();
})();
