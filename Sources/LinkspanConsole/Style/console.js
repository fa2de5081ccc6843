// Keeps the live parts of a page up to date. Every page works without it.
(() => {
  "use strict";
  const live = document.querySelector("[data-live]");
  if (!live || !window.EventSource) return;
  const state = document.getElementById("live-state");
  const source = new EventSource(live.dataset.live);
  source.addEventListener("open", () => { if (state) state.textContent = "Live"; });
  source.addEventListener("part", (event) => {
    // What the server sends is escaped there, as the page itself is.
    live.innerHTML = event.data;
  });
  source.addEventListener("over", () => {
    source.close();
    window.location.reload();
  });
  source.addEventListener("error", () => {
    if (state) state.textContent = "Not live: the connection is being made again";
  });
  window.addEventListener("pagehide", () => source.close());
})();
