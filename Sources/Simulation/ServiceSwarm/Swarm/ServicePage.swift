internal import LinkspanCore
internal import SimulatedDevices

/// One played story of the service as a report: what came of it, a lane for each party, and every event in a table.
package enum ServicePage {
  /// The page. The same play gives the same bytes.
  ///
  /// - Parameter command: Plays the story again.
  package static func html(_ play: ServicePlay, command: String) -> String {
    let verdict: Markup =
      play.violation.map {
        "The promise \"\($0.invariant.rawValue)\" is broken after step \($0.step + 1): \($0.detail)"
      } ?? "All \(ServiceInvariant.allCases.count) promises held."
    let seconds = Int(play.elapsed.wholeMilliseconds / 1_000)
    var facts: [Markup] = [
      "\(play.story.stepCount) steps, \(play.events.count) events, \(seconds) s of virtual time, digest <code>\(play.digest.text)</code>."
    ]
    if let violation = play.violation { facts.append("The promise: \(violation.invariant.sentence)") }
    let chart = ReportPage.Chart(
      "Events by party, in order of time", wide: chart(play, width: 1_160), narrow: chart(play, width: 360),
      legend: legend, data: events(play))
    let repeated: Markup = "Play it again: <code>\(command)</code>"
    var page = ReportPage(
      "Service story, seed \(play.story.seed)", verdict: verdict, play.violation == nil ? .good : .bad,
      facts: facts, evidence: [.chart(chart)], remedies: [repeated])
    page.style = style
    return page.html
  }

  private static let style = """
    figure svg text { fill: currentColor; font-size: 12px; }
    figure svg line { stroke: var(--line); }
    figure svg circle { fill: var(--accent); }
    figure svg .bad { fill: var(--bad); }
    figure svg .ring { fill: none; stroke: var(--bad); stroke-width: 1.5; }
    .sheet .bad { color: var(--bad); font-weight: 600; }

    """

  private static let legend: Markup =
    "<p class=\"soft\">Each dot is an event; a crash, a power cut, and a broken promise are marked with a ring.</p>"

  private static let bad: Set<String> = ["kill", "power-cut", "broken", "start-failed"]

  private static func chart(_ play: ServicePlay, width: Int) -> Markup {
    let (right, top) = (12, 30)
    // On a narrow screen the name of a lane stands above it.
    let isWide = width > 620
    let (left, lane) = isWide ? (120, 46) : (12, 56)
    var parties: [String] = []
    for event in play.events where !parties.contains(event.party) { parties.append(event.party) }
    let height = top + parties.count * lane
    var pieces: [Markup] = []
    for (index, party) in parties.enumerated() {
      let y = top + index * lane
      pieces.append("<text x=\"4\" y=\"\(isWide ? y + 4 : y - 12)\">\(party)</text>")
      pieces.append("<line x1=\"\(left)\" x2=\"\(width - right)\" y1=\"\(y)\" y2=\"\(y)\"/>")
    }
    // By their order, since a story has moments that are full and hours that are empty.
    let room = width - left - right
    for (index, event) in play.events.enumerated() {
      let x = left + index * room / max(1, play.events.count)
      let y = top + (parties.firstIndex(of: event.party) ?? 0) * lane
      let ring: Markup =
        bad.contains(event.kind)
        ? "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"8\" class=\"ring\"/>" : .none
      pieces.append(
        "<circle class=\"\(bad.contains(event.kind) ? "bad" : "good")\" cx=\"\(x)\" cy=\"\(y)\" r=\"4\"><title>\(event.line)</title></circle>"
          + ring)
    }
    let seconds = Int(play.elapsed.wholeMilliseconds / 1_000)
    return """
      <svg role="img" aria-label="Events by party, in order of time" viewBox="0 0 \(width) \(height)">
      \(pieces)
      <text x="\(left)" y="\(height - 4)">in order of time; \(seconds) s in all</text></svg>
      """
  }

  private static func events(_ play: ServicePlay) -> ReportPage.Table {
    ReportPage.Table(
      "The events as a table", columns: ["Time", "Party", "Event"],
      cells: play.events.map { event in
        let fields = event.fields.map { "\($0.0)=\($0.1.text)" }.joined(separator: " ")
        let text: Markup = "\(event.kind) \(fields)"
        return [
          ReportPage.time(event.wallTime), "\(event.party)",
          bad.contains(event.kind) ? "<span class=\"bad\">\(text)</span>" : text,
        ]
      })
  }
}
