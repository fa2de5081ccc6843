internal import CLinkspanResources
internal import LinkspanCore
internal import LinkspanSpecification
import LinkspanStories
import SimulatedDevices

/// Played stories as a report: without a script tables of what failed, what opened and what happened; with one the timeline in
/// their place.
///
/// What a story says is data: it stands in a block that no browser runs, and reaches the page as text only. The
/// page's policy lets its own script and style in by their hashes and nothing besides.
package enum TimelinePage {
  /// Ours: a browser draws that many without delay, and the page stays below some 100 MB.
  package static let eventLimit = 200_000
  /// Ours: events of one story that the table has for readers without a script.
  private static let listedEvents = 500

  /// Why a page can't be made.
  package struct TooManyEvents: Error, Hashable, Sendable, CustomStringConvertible {
    package var events: Int

    /// The reason, as one line.
    package var description: String {
      "the page would have \(events) events; the limit is \(eventLimit)."
    }
  }

  /// The page. The same stories give the same bytes.
  package static func html(_ stories: [TimelineStory]) throws(TooManyEvents) -> [UInt8] {
    let events = stories.reduce(0) { $0 + $1.result.events.count }
    guard events <= eventLimit else { throw TooManyEvents(events: events) }
    var page = ReportPage(
      stories.count == 1
        ? "Story \(stories[0].name.split(separator: "/").last ?? "")" : "\(stories.count) stories",
      verdict: verdict(stories),
      stories.allSatisfy { $0.result.allHeld } ? .good : .bad, facts: facts(stories),
      evidence: stories.flatMap { evidence(of: $0, named: stories.count > 1 ? ": \($0.name)" : "") },
      remedies: remedies(stories))
    page.style = text(linkspan_timeline_css())
    page.interactive = (data(stories).bytes, text(linkspan_timeline_js()))
    return Array(page.html.utf8)
  }

  private static func text(_ resource: linkspan_resource) -> String {
    String(decoding: UnsafeBufferPointer(start: resource.bytes, count: resource.count), as: UTF8.self)
  }

  private static func data(_ stories: [TimelineStory]) -> JSON {
    let rules = Set(stories.flatMap { $0.result.events.flatMap { $0.provenance?.rules ?? [] } }).sorted()
    return .object([
      ("stories", .array(stories.map(\.json))),
      (
        "rules",
        .object(
          rules.compactMap { rule in
            SpecificationRule.named(rule).map { (rule, .string($0.sentence)) }
          })
      ),
    ])
  }

  // MARK: - Without a script

  private static func verdict(_ stories: [TimelineStory]) -> Markup {
    let checks = stories.reduce(0) { $0 + $1.result.checks.count }
    let failed = stories.reduce(0) { $0 + $1.result.failures.count }
    let broken = stories.flatMap(\.result.violations)
    if let first = broken.first { return "An invariant does not hold: \(first.finding.message)" }
    if failed > 0 { return "\(failed) of \(checks) expectations failed." }
    switch checks {
    case 0: return "The story was played; it expects nothing."
    case 1: return "The expectation held."
    default: return "All \(checks) expectations held."
    }
  }

  private static func facts(_ stories: [TimelineStory]) -> [Markup] {
    stories.prefix(20).map { story in
      let comment = story.result.comment.map { $0 + " " } ?? ""
      return """
        \(stories.count > 1 ? story.name + ": " : "")\(comment)Starts at \(ReportPage.time(story.result.start)), \
        ends after \(String(story.result.elapsed.sinceStart.dropFirst())), seed <code>\(String(story.result.seed))</code>, digest <code>\(story.result.digest.text)</code>.
        """
    }
  }

  /// - Parameter name: What its tables are called beside, where there are several stories.
  private static func evidence(of story: TimelineStory, named name: String) -> [ReportPage.Evidence] {
    let result = story.result
    let failed = result.failures.map { check in
      ["\(check.location.start?.line ?? 0)", check.link, check.device, check.expected, check.actual]
    }
    let opened = result.rows.map { row in
      [
        row.shownLink, row.way.title, row.device.name, row.appName ?? row.verdict.destination.words,
        row.verdict.reason,
      ]
    }
    let events = result.events.prefix(listedEvents).map { event -> [Markup] in
      let fields = event.fields.map { "\($0.0): \($0.1.text)" }.joined(separator: "  ")
      let rules = event.provenance.map { $0.text } ?? ""
      return [
        ReportPage.time(event.wallTime), "\(event.party)", "\(event.kind)", "\(fields)", "\(rules)",
      ]
    }
    let caption =
      result.events.count > listedEvents
      ? "The first \(listedEvents) of \(result.events.count) events; 'linkspan simulate --events' prints all"
      : "Events"
    return [
      .table(
        ReportPage.Table(
          "Expected, and did not happen\(name)",
          columns: ["Line", "Link", "Device", "Expected", "It"],
          counts: [0], rows: failed)),
      .table(
        ReportPage.Table(
          "What each link opens at the end\(name)",
          columns: ["Link", "From", "Device", "Opens", "Why"],
          rows: opened)),
      .table(
        ReportPage.Table(
          "\(caption)\(name)", columns: ["Time", "Who", "What", "Fields", "Rules"], cells: events)),
    ]
  }

  /// What would make the failed expectations hold, then how to play the stories again.
  private static func remedies(_ stories: [TimelineStory]) -> [Markup] {
    var steps: [String] = []
    for check in stories.flatMap(\.result.failures) {
      if let change = check.change, !steps.contains(change) { steps.append(change) }
    }
    return steps.map { "\($0)" } + stories.prefix(20).map { "Play it again: <code>\($0.command)</code>" }
  }
}
