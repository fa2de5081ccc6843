/// The style of every report.
enum ReportStyle {
  /// From the text columns of a table on, it takes a wider screen to keep words whole.
  static let broadColumns = 4

  /// Colours are those of the console. What is printed is always light: a printer has white paper.
  static let text = """
    :root {
      --paper: #ffffff; --sheet: #f5f7fa; --line: #d9dfe7; --text: #1b2430; --soft: #566273;
      --accent: #1c58c4; --good: #23682a; --warn: #8a4b00; --bad: #b3141a; --focus: #1c58c4;
    }
    @media screen and (prefers-color-scheme: dark) {
      :root:not(.printing) {
        --paper: #12161c; --sheet: #1a2028; --line: #323c48; --text: #e7ebf0; --soft: #a3b0bf;
        --accent: #8ab8ff; --good: #86d48a; --warn: #ffb46b; --bad: #ff8b8b; --focus: #8ab8ff;
      }
    }
    * { box-sizing: border-box; }
    :root { color-scheme: light dark; }
    body { margin: 0; background: var(--paper); color: var(--text); font: 1rem/1.5 system-ui, "Segoe UI", Roboto, sans-serif; }
    main { max-width: 80rem; margin: 0 auto; padding: 1.2rem 1.5rem 3rem; }
    h1 { font-size: 1.5rem; margin: 0 0 .6rem; overflow-wrap: anywhere; }
    h2 { font-size: 1.15rem; margin: 1.6rem 0 .4rem; overflow-wrap: anywhere; }
    p { margin: .4rem 0; max-width: 90ch; overflow-wrap: anywhere; }
    li { margin: .3rem 0; max-width: 90ch; overflow-wrap: anywhere; }
    code, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .85rem; }
    code { overflow-wrap: anywhere; }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--sheet); border: 1px solid var(--line); padding: .5rem .7rem; }
    :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
    p.verdict { border-left: 4px solid var(--warn); background: var(--sheet); padding: .6rem .9rem; font-size: 1.1rem; max-width: none; }
    p.verdict.good { border-color: var(--good); }
    p.verdict.bad { border-color: var(--bad); }
    p.verdict > span { font-weight: 700; color: var(--warn); }
    p.verdict.good > span { color: var(--good); }
    p.verdict.bad > span { color: var(--bad); }
    .soft { color: var(--soft); }
    time > span { white-space: nowrap; }
    figure { margin: .8rem 0 1.4rem; }
    figcaption, caption, summary { overflow-wrap: anywhere; }
    figcaption { font-weight: 600; padding: .3rem 0; }
    figure svg { display: block; width: 100%; height: auto; }
    summary { cursor: pointer; padding: .3rem 0; color: var(--accent); }
    .narrow { display: none; }
    table.sheet { border-collapse: collapse; width: 100%; margin: .8rem 0 1.4rem; }
    .sheet caption { text-align: left; font-weight: 600; padding: .3rem 0; }
    .sheet th, .sheet td { border-bottom: 1px solid var(--line); padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top; }
    /* Where one column has long texts, the words of the others stay whole. */
    .sheet td { overflow-wrap: anywhere; max-width: 36rem; }
    .sheet th { color: var(--soft); font-weight: 600; }
    .sheet .count { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; padding-right: 1.6rem; }
    .sheet .count:last-child { padding-right: 0; }
    details .sheet caption { display: none; }
    @media (max-width: 620px) {
      main { padding: .9rem .9rem 2.5rem; }
      .wide { display: none; }
      .narrow { display: block; }
    }
    @media (max-width: 620px) {
    \(blocks("sheet"))
    }
    @media screen and (max-width: 760px) {
    \(blocks("broad"))
    }
    @media print {
      :root { color-scheme: light; }
      body { background: none; font-size: 11pt; }
      .broad { font-size: 8.5pt; }
      main { max-width: none; padding: 0; }
      tr, figure > div, p.verdict { break-inside: avoid; }
      h2, figcaption, caption { break-after: avoid; }
      details::details-content { content-visibility: visible; block-size: auto; }
      summary { color: inherit; }
    }

    """

  /// Each row of a table of this class is a block, and each cell has its column's name before it; one column needs no name.
  private static func blocks(_ kind: String) -> String {
    """
      .\(kind), .\(kind) tbody, .\(kind) tr, .\(kind) td, .\(kind) caption { display: block; }
      .\(kind) thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
      .\(kind) tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
      /* The label floats inside, so that a long one makes the row higher. */
      .\(kind) td, .\(kind) td.count { display: flow-root; border: 0; max-width: none; padding: 0 0 0 7.5rem; text-align: left; white-space: normal; }
      .\(kind) td::before { content: attr(data-label); float: left; width: 7.1rem; margin-left: -7.5rem; color: var(--soft); font-size: .95rem; }
      .\(kind) td:only-child { padding-left: 0; }
      .\(kind) td:only-child::before { content: none; }
      .\(kind) td:empty { display: none; }
    """
  }
}
