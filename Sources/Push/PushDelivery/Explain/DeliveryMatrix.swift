package import LinkspanCore
internal import PushProvider
internal import PushTerms

/// What happens to each usual push in each state of an app that is set up right.
package struct DeliveryMatrix: Sendable {
  /// A push of the table.
  package struct Column: Sendable {
    package var name: String
    package var push: SentPush
  }

  /// What came of one push in one state.
  package struct Cell: Sendable {
    package var life: PushApp.Life
    package var column: String
    package var wakes: PushExplanation.Outcome
    package var shows: PushExplanation.Outcome

    /// `wakes`, `shows`, `wakes and shows`, or the reason.
    package var words: String {
      var parts: [String] = []
      if wakes.verdict == .yes { parts.append("wakes") }
      if shows.verdict == .yes { parts.append("shows") }
      if !parts.isEmpty { return parts.joined(separator: " and ") }
      let isAsked = wakes.reason != .notAskedFor
      return (isAsked ? wakes.reason : shows.reason)?.rawValue ?? "nothing"
    }
  }

  package let profile: DeliveryProfile
  package let columns: [Column]
  /// State by state, in the order of ``columns``.
  package let cells: [Cell]

  package init(profile: DeliveryProfile = .strict) {
    self.profile = profile
    columns = Self.columns()
    var cells: [Cell] = []
    let traits = PushAppTraits(
      bundleIdentifier: "com.example.app", environment: .production,
      backgroundModes: [PushAppTraits.remoteNotificationMode])
    for life in PushApp.Life.allCases {
      for column in columns {
        var situation = PushSituation(column.push, to: traits, life: life, at: WallTime(milliseconds: 0))
        situation.profile = profile
        let explanation = situation.explained
        cells.append(
          Cell(life: life, column: column.name, wakes: explanation.wakes, shows: explanation.shows))
      }
    }
    self.cells = cells
  }

  private static func columns() -> [Column] {
    func payload(_ aps: String) -> ReceivedPayload {
      guard let payload = try? ReceivedPayload(Array("{\"aps\":{\(aps)}}".utf8)) else {
        preconditionFailure("the table's own payloads can be read")
      }
      return payload
    }
    let silent = payload(#""content-available":1"#)
    return [
      Column(name: "silent", push: SentPush(silent)),
      Column(name: "silent, priority 10", push: SentPush(silent, priority: .immediate)),
      Column(name: "silent, type alert", push: SentPush(silent, kind: .alert)),
      Column(name: "alert", push: SentPush(payload(#""alert":"Hello""#))),
      Column(
        name: "alert + content-available", push: SentPush(payload(#""alert":"Hello","content-available":1"#))),
      Column(name: "badge only", push: SentPush(payload(#""badge":1"#))),
      Column(
        name: "content-available: 0", push: SentPush(payload(#""content-available":0"#), kind: .background)),
    ]
  }

  /// `{"type":"delivery",…}`, one for each cell.
  package var json: [JSON] {
    cells.map { cell in
      .object([
        ("type", .string("delivery")), ("profile", .string(profile.rawValue)),
        ("state", .string(cell.life.rawValue)), ("push", .string(cell.column)),
        ("wakes", .string(cell.wakes.verdict.rawValue)), ("wakes_reason", .init(cell.wakes.reason?.rawValue)),
        ("shows", .string(cell.shows.verdict.rawValue)), ("shows_reason", .init(cell.shows.reason?.rawValue)),
        ("result", .string(cell.words)),
        ("certainty", .string(cell.wakes.certainty.and(cell.shows.certainty).rawValue)),
      ])
    }
  }
}
