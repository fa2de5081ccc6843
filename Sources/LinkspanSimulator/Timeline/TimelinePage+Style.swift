extension TimelinePage {
  /// The look of the page, by day, by night and on paper.
  static let style = #"""
    :root {
      --paper: #ffffff; --sheet: #f6f7f9; --line: #dfe3e8; --text: #1b2430; --soft: #5c6878;
      --accent: #1f5fd0; --app: #0b7d6c; --browser: #5c6878; --good: #2c7a2f; --warn: #b45a00;
      --bad: #c4161c; --cdn: #7a3fb5; --site: #8a6400; --fold: #eef0f4; --focus: #1f5fd0;
    }
    @media (prefers-color-scheme: dark) {
      :root:not(.printing) {
        --paper: #12161c; --sheet: #1a2028; --line: #2e3742; --text: #e7ebf0; --soft: #9aa7b6;
        --accent: #7cb0ff; --app: #4fd1b8; --browser: #a3b0c0; --good: #7fd082; --warn: #ffab57;
        --bad: #ff7a7a; --cdn: #c79bff; --site: #e0bb55; --fold: #1d242d; --focus: #7cb0ff;
      }
    }
    * { box-sizing: border-box; }
    html { color-scheme: light dark; }
    body {
      margin: 0; background: var(--paper); color: var(--text);
      font: 15px/1.45 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
    }
    main { max-width: 1600px; margin: 0 auto; padding: 20px 24px 48px; }
    header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 6px 20px; }
    h1 { font-size: 20px; margin: 0; }
    h2 { font-size: 16px; margin: 30px 0 8px; }
    h3 { font-size: 14px; margin: 18px 0 6px; font-weight: 600; overflow-wrap: anywhere; }
    p { margin: 6px 0; }
    code, .number { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 13px; }
    .soft { color: var(--soft); }
    .facts { display: flex; flex-wrap: wrap; gap: 4px 22px; margin: 10px 0 0; padding: 0; list-style: none; }
    .facts b { font-weight: 500; color: var(--soft); margin-right: 6px; }
    .facts code { user-select: all; overflow-wrap: anywhere; }
    .badge { border-radius: 999px; padding: 2px 10px; font-weight: 600; font-size: 13px; border: 1.5px solid; }
    .badge.held { color: var(--good); }
    .badge.failed { color: var(--paper); background: var(--bad); border-color: var(--bad); }
    select, button, input[type="search"] {
      font: inherit; font-size: 13.5px; color: var(--text); background: var(--paper);
      border: 1px solid var(--line); border-radius: 7px; padding: 4px 10px; min-height: 30px;
    }
    button { cursor: pointer; }
    button:hover { border-color: var(--soft); }
    button[aria-pressed="false"] { opacity: .45; text-decoration: line-through; }
    :focus-visible { outline: 2.5px solid var(--focus); outline-offset: 2px; }
    .failures { border: 1.5px solid var(--bad); border-left-width: 7px; border-radius: 8px; padding: 8px 14px; margin: 16px 0 0; }
    .failures ul { list-style: none; margin: 4px 0; padding: 0; }
    .failures button { text-align: left; border: 0; padding: 3px 0; background: none; overflow-wrap: anywhere; }
    .tools { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 18px 0 8px; }
    .tools .group { display: flex; gap: 4px; }
    .tools button.mode { text-decoration: none; opacity: 1; }
    .tools button.mode[aria-pressed="true"] { background: var(--accent); color: var(--paper); border-color: var(--accent); }
    .kinds { display: flex; flex-wrap: wrap; gap: 6px; margin: 0 0 10px; }
    .kinds button { display: inline-flex; align-items: center; gap: 5px; padding: 2px 10px 2px 5px; border-radius: 999px; }
    .kinds canvas { width: 20px; height: 20px; }
    .parties { position: relative; }
    .parties summary { cursor: pointer; font-size: 13.5px; border: 1px solid var(--line); border-radius: 7px; padding: 4px 10px; }
    .parties div {
      position: absolute; z-index: 5; max-height: 320px; min-width: 240px; overflow: auto; background: var(--paper);
      border: 1px solid var(--line); border-radius: 8px; padding: 8px 12px; box-shadow: 0 8px 24px #0003;
    }
    .parties label { display: block; padding: 2px 0; white-space: nowrap; font-size: 13.5px; }
    .chart { border: 1px solid var(--line); border-radius: 10px; overflow-y: auto; overflow-x: hidden; background: var(--paper); }
    .chart canvas { position: sticky; top: 0; display: block; touch-action: pan-y; cursor: crosshair; border-radius: 9px; }
    .chart canvas:focus-visible { outline-offset: -3px; }
    .status { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 4px 20px; font-size: 13px; color: var(--soft); margin: 6px 2px; }
    .card {
      position: fixed; z-index: 9; max-width: min(520px, 92vw); background: var(--paper); border: 1px solid var(--soft);
      border-radius: 10px; padding: 10px 14px; box-shadow: 0 10px 30px #0004; font-size: 13.5px; pointer-events: none;
    }
    .pinned { border: 1px solid var(--line); border-radius: 10px; background: var(--sheet); padding: 10px 14px; font-size: 13.5px; min-height: 48px; }
    .event h3 { margin: 0 0 4px; font-size: 14px; }
    .event dl { display: grid; grid-template-columns: max-content 1fr; gap: 1px 14px; margin: 4px 0; }
    .event dt { color: var(--soft); }
    .event dd { margin: 0; overflow-wrap: anywhere; }
    .event .why { border-top: 1px solid var(--line); margin-top: 6px; padding-top: 5px; }
    .certainty { display: inline-block; border-radius: 5px; padding: 0 7px; font-size: 12px; font-weight: 600; border: 1px solid currentColor; }
    .certainty.documented { color: var(--good); }
    .certainty.observed { color: var(--accent); border-style: dashed; }
    .certainty.inferred { color: var(--warn); border-style: dotted; }
    .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; }
    table { border-collapse: collapse; font-size: 13.5px; min-width: 100%; }
    th, td { padding: 5px 12px; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
    tr:last-child > * { border-bottom: 0; }
    thead th { background: var(--sheet); font-weight: 600; white-space: nowrap; }
    tbody th { font-weight: 500; }
    td.url, th.url { max-width: 460px; overflow-wrap: anywhere; }
    td button.verdict { border: 0; background: none; padding: 0; min-height: 0; white-space: nowrap; font-weight: 600; }
    .app { color: var(--app); }
    .browser { color: var(--browser); }
    td.wrong { outline: 2.5px solid var(--bad); outline-offset: -3px; }
    .nowrap { white-space: nowrap; }
    details.all > summary { cursor: pointer; font-size: 16px; font-weight: 600; margin: 30px 0 8px; }
    kbd { border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 4px; padding: 0 5px; font-size: 12px; }
    .hidden { display: none; }
    @media (max-width: 760px) { main { padding: 14px 12px 40px; } h1 { font-size: 18px; } }
    @media print {
      .tools, .kinds, .card, .status, .pinned { display: none; }
      main { padding: 0; max-width: none; }
      .scroll, .chart { overflow: visible; border-radius: 0; }
    }
    """#
}
