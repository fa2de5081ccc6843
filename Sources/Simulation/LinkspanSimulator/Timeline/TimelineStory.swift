internal import AppSiteAssociation
internal import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// One played story as the timeline page wants it: who took part, what happened to whom, and what came of it.
package struct TimelineStory: Sendable {
  /// The story's file name, shown on the page.
  package var name: String
  package var result: SimulationResult
  /// The command that plays it again.
  package var command: String

  package init(name: String, result: SimulationResult, command: String) {
    self.name = name
    self.result = result
    self.command = command
  }

  private struct Party {
    var name: String
    var role: String
    var note: String
  }

  /// The lanes from top to bottom: the story, the hosts by name, Apple's CDN, the devices.
  private var parties: [Party] {
    var hosts: Set<String> = []
    var hasCDN = false
    for event in result.events {
      if let host = Self.changedHost(event) { hosts.insert(host) }
      if let host = Self.askedHost(event) {
        if host == ContentDeliveryNetwork.host { hasCDN = true } else { hosts.insert(host) }
      }
    }
    var parties = [Party(name: "story", role: "story", note: "script")]
    parties += hosts.sorted().map { Party(name: $0, role: "host", note: "host") }
    if hasCDN { parties.append(Party(name: "cdn", role: "cdn", note: "Apple's CDN")) }
    parties += result.states.map { Party(name: $0.device.name, role: "device", note: $0.device.os.name) }
    return parties
  }

  /// The host that the story did something to.
  private static func changedHost(_ event: Event) -> String? {
    switch event.what as? StoryHappening {
    case .deployed(let change)?: change.host
    case .changedNetwork(let host, _)?: host
    default: nil
    }
  }

  /// The host that a question went to.
  private static func askedHost(_ event: Event) -> String? {
    (event.what as? AskedQuestion)?.exchange.request.authority
  }

  // MARK: - JSON

  var json: JSON {
    let parties = parties
    // A device may be called like a host, which has a lane of its own.
    let places = Dictionary(
      parties.enumerated().map { ($0.element.role + " " + $0.element.name, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    return .object([
      ("name", .string(name)), ("comment", .init(result.comment)), ("command", .string(command)),
      ("seed", .string(String(result.seed))),
      ("digest", .string(result.digest.text)), ("start_ms", .int(Int(result.start.milliseconds))),
      ("elapsed_ms", .int(Int(result.elapsed.wholeMilliseconds))),
      ("held", .int(result.checks.count - result.failures.count)), ("failed", .int(result.failures.count)),
      (
        "parties",
        .array(
          parties.map {
            .object([("name", .string($0.name)), ("role", .string($0.role)), ("note", .string($0.note))])
          })
      ), ("events", events(places)), ("links", links),
      ("histories", .array(OpeningHistory.all(in: result).map(\.json))),
    ])
  }

  private func events(_ places: [String: Int]) -> JSON { .array(result.events.map { json($0, places) }) }

  /// `{"t":…,"p":…,"k":…,"f":{…}}`: milliseconds, party, kind and fields; `to` is the party it went to, `r` and
  /// `c` are its rules and their certainty, `n` what it changed, in words.
  private func json(_ event: Event, _ places: [String: Int]) -> JSON {
    var party = places[(event.party == "story" || event.party == "cdn" ? "" : "device ") + event.party]
    var other: Int?
    if let host = Self.changedHost(event) {
      // What the story does to a host is seen at the host.
      party = places["host " + host]
      other = places["story story"]
    } else if let host = Self.askedHost(event) {
      other = host == ContentDeliveryNetwork.host ? places["cdn cdn"] : places["host " + host]
    }
    if event.party == FetchClient.crawler.name { party = places["cdn cdn"] }
    var members: [(String, JSON)] = [
      ("t", .int(Int(event.time.wholeMilliseconds))), ("p", .int(party ?? 0)), ("k", .string(event.kind)),
      ("f", .object(event.fields)),
    ]
    if let other { members.append(("to", .int(other))) }
    if case .deployed(let change)? = event.what as? StoryHappening {
      members.append(("n", .string(change.words)))
    }
    if let provenance = event.provenance {
      members.append(("r", .array(provenance.rules.map(JSON.string))))
      members.append(("c", .string(provenance.certainty.rawValue)))
    }
    return .object(members)
  }

  /// The last verdict about each link, followed in each way, on each device, as `linkspan simulate` prints it.
  private var links: JSON {
    var order: [SimulationResult.FollowedLink] = []
    var rows: [SimulationResult.FollowedLink: [SimulationResult.Row]] = [:]
    for row in result.rows {
      let key = row.followed
      if rows[key] == nil { order.append(key) }
      rows[key, default: []].append(row)
    }
    return .array(
      order.compactMap { key in
        guard let rows = rows[key], let first = rows.first else { return nil }
        return .object([
          ("url", .string(first.shownLink)), ("from", .string(first.way.title)),
          ("verdicts", .array(rows.map(Self.verdict))),
        ])
      })
  }

  private static func verdict(_ row: SimulationResult.Row) -> JSON {
    .object([
      ("device", .string(row.device.name)), ("app", .init(row.appName)),
      ("opens", .string(row.verdict.opens)), ("words", .string(row.verdict.destination.words)),
      ("step", .string(row.verdict.step.rawValue)), ("rule", .init(row.verdict.ruleName)),
      ("reason", .string(row.verdict.reason)), ("change", .init(row.verdict.change)),
      ("r", .array(row.verdict.rules.map(JSON.string))), ("c", .string(row.verdict.certainty.rawValue)),
    ])
  }
}
