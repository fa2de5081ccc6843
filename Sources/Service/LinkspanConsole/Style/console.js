// Keeps the live parts of a page up to date. Every page works without it.
(() => {
  "use strict";
  const live = document.querySelector("[data-live]");
  if (!live || !window.EventSource) return;
  const state = document.getElementById("live-state");
  let source = null;

  const focusable = () => [...live.querySelectorAll("a[href], button, [tabindex], summary")];

  // A new part must take nobody's focus, nor scroll what was scrolled.
  const show = (part) => {
    const place = focusable().indexOf(document.activeElement);
    const link = place < 0 ? null : document.activeElement.getAttribute("href");
    const scrolled = [...live.querySelectorAll(".wide")].map((sheet) => sheet.scrollLeft);
    // What the server sends is escaped there, as the page itself is.
    live.innerHTML = part;
    live.querySelectorAll(".wide").forEach((sheet, index) => { sheet.scrollLeft = scrolled[index] || 0; });
    if (place < 0) return;
    const now = focusable();
    const again = (link && now.find((other) => other.getAttribute("href") === link)) || now[place];
    if (again) again.focus({ preventScroll: true });
  };

  const stop = () => {
    if (source) source.close();
    source = null;
  };

  const start = () => {
    stop();
    source = new EventSource(live.dataset.live);
    source.addEventListener("open", () => { if (state) state.textContent = "Live"; });
    source.addEventListener("part", (event) => show(event.data));
    source.addEventListener("over", () => {
      stop();
      window.location.reload();
    });
    source.addEventListener("error", () => {
      if (state) state.textContent = "Not live: connecting again";
    });
  };

  // Browsers have six connections to a host: hidden tabs must not hold them all.
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : start()));
  window.addEventListener("pagehide", stop);
  window.addEventListener("pageshow", (event) => { if (event.persisted) start(); });
  if (!document.hidden) start();
})();
