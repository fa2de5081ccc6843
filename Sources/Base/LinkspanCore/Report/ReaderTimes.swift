/// Times on pages as their readers know them.
package enum ReaderTimes {
  /// Defines `localizeTimes(root)`, which puts the reader's own zone before the UTC of each `time` element, and calls it for
  /// the whole page. Without it the page shows UTC.
  package static let script = """
    "use strict";
    const localizeTimes = (root) => {
      for (const time of root.querySelectorAll("time[datetime]")) {
        if (time.dataset.utc) continue;
        const moment = new Date(time.getAttribute("datetime"));
        if (Number.isNaN(moment.getTime()) || moment.getTimezoneOffset() === 0) continue;
        time.dataset.utc = time.textContent;
        const own = document.createElement("span");
        // Sweden writes times as ISO 8601 does: 2026-09-14 04:00:00.
        own.textContent = moment.toLocaleString("sv-SE");
        const utc = document.createElement("span");
        utc.className = "soft utc";
        utc.textContent = ` (${time.dataset.utc})`;
        time.replaceChildren(own, utc);
      }
    };
    localizeTimes(document);

    """
}
