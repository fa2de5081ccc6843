internal import LinkspanCore
internal import SimulatedDevices

/// One played story of the service as a page: what came of it, a lane for each party, and every event in a table. It needs no
/// script, no network and no other file.
package enum ServicePage {
  private static let (left, right, top, lane) = (120, 20, 30, 46)
  private static let width = 1_160

  /// The page. The same play gives the same bytes.
  ///
  /// - Parameter command: Plays the story again.
  package static func html(_ play: ServicePlay, command: String) -> String {
    let verdict: Markup =
      play.violation.map {
        "The promise <b>\($0.invariant.rawValue)</b> is broken after step \($0.step + 1): \($0.detail)"
      } ?? "All \(ServiceInvariant.allCases.count) promises held."
    let page: Markup = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark"><title>Linkspan service story \("\(play.story.seed)")</title>
      <style>\(style)</style></head><body>
      <h1>Service story, seed \("\(play.story.seed)")</h1>
      <p class="verdict">\(verdict)</p>
      <p>\(play.story.stepCount) steps, \(play.events.count) events, \(Int(play.elapsed.wholeMilliseconds / 1_000)) s of
      virtual time, digest <code>\(play.digest.text)</code>. Repeat it with <code>\(command)</code></p>
      <div class="chart">\(chart(play))</div>
      <h2>Events</h2>
      <table><thead><tr><th>Time</th><th>Party</th><th>Event</th></tr></thead><tbody>
      \(Markup(play.events.map(row)))
      </tbody></table></body></html>

      """
    return page.text
  }

  private static let style: Markup = """
    :root{color-scheme:light dark;--ink:#1c1c1e;--line:#d1d1d6;--mark:#0a63c9;--bad:#c4271b}
    @media(prefers-color-scheme:dark){:root{--ink:#f2f2f7;--line:#48484a;--mark:#6cb2ff;--bad:#ff7a70}}
    body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);max-width:72rem;margin:2rem auto;padding:0 1rem}
    .verdict{font-size:1.2rem}.chart{overflow-x:auto}
    table{border-collapse:collapse;width:100%;font-size:.85rem}td,th{text-align:left;padding:.2rem .6rem;
    border-bottom:1px solid var(--line);overflow-wrap:anywhere}td:first-child{white-space:nowrap}
    svg text{fill:currentColor;font-size:12px}svg line{stroke:var(--line)}svg circle{fill:var(--mark)}
    svg .bad{fill:var(--bad)}tr.bad td{color:var(--bad);font-weight:600}
    """

  private static let bad: Set<String> = ["kill", "power-cut", "broken", "start-failed"]

  private static func chart(_ play: ServicePlay) -> Markup {
    var parties: [String] = []
    for event in play.events where !parties.contains(event.party) { parties.append(event.party) }
    let height = top + parties.count * lane
    var pieces: [Markup] = []
    for (index, party) in parties.enumerated() {
      let y = top + index * lane
      pieces.append("<text x=\"4\" y=\"\(y + 4)\">\(party)</text>")
      pieces.append("<line x1=\"\(left)\" x2=\"\(width - right)\" y1=\"\(y)\" y2=\"\(y)\"/>")
    }
    // By their order, since a story has moments that are full and hours that are empty.
    let room = width - left - right
    for (index, event) in play.events.enumerated() {
      let x = left + index * room / max(1, play.events.count)
      let y = top + (parties.firstIndex(of: event.party) ?? 0) * lane
      pieces.append(
        "<circle class=\"\(bad.contains(event.kind) ? "bad" : "good")\" cx=\"\(x)\" cy=\"\(y)\" r=\"4\"><title>\(event.line)</title></circle>"
      )
    }
    let seconds = Int(play.elapsed.wholeMilliseconds / 1_000)
    return """
      <svg role="img" aria-label="Events by party, in order of time" viewBox="0 0 \(width) \(height)" width="\(width)">
      \(Markup(pieces))
      <text x="\(left)" y="\(height - 4)">in order of time; \(seconds) s in all</text></svg>
      """
  }

  private static func row(_ event: Event) -> Markup {
    let fields = event.fields.map { "\($0.0)=\($0.1.text)" }.joined(separator: " ")
    return """
      <tr class="\(bad.contains(event.kind) ? "bad" : "good")"><td>\("\(event.wallTime)")</td><td>\(event.party)</td>\
      <td>\(event.kind) \(fields)</td></tr>

      """
  }
}
