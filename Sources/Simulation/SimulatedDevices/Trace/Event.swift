package import LinkspanCore

/// Something that happened in a simulation.
package struct Event: Sendable {
  /// Virtual time since the story began, in whole milliseconds.
  package var time: Duration
  /// The story's start plus ``time``.
  package var wallTime: WallTime
  /// Whoever it happened to: a device, `cdn`, `story`.
  package var party: String
  /// `install`, `check`, `tap` and the like; part of the line, and so of the digest.
  package var kind: String
  /// In the order they are shown; the names `type`, `t_ms`, `time`, `party`, `kind`, `rules`
  /// and `certainty` are taken.
  package var fields: [(String, JSON)]
  /// Why it happened so; no part of the line, and so of the digest.
  package var provenance: Provenance?

  package init(
    time: Duration, wallTime: WallTime, party: String, kind: String, fields: [(String, JSON)],
    provenance: Provenance? = nil
  ) {
    self.time = time
    self.wallTime = wallTime
    self.party = party
    self.kind = kind
    self.fields = fields
    self.provenance = provenance
  }

  /// The event on one line. Values that hold a blank or a quotation mark are written as JSON strings.
  package var line: String {
    var line = "\(wallTime) \(party) \(kind)"
    for (name, value) in fields { line += " \(name)=\(Self.shown(value))" }
    return line
  }

  /// `{"type":"event",…}`, with the fields as members and the provenance as `rules` and `certainty`.
  package var json: JSON {
    let head: [(String, JSON)] = [
      ("type", .string("event")), ("t_ms", .int(Int(time.wholeMilliseconds))),
      ("time", .string(wallTime.description)), ("party", .string(party)), ("kind", .string(kind)),
    ]
    return .object(head + fields + (provenance?.members ?? []))
  }

  /// The text of a field; nil when it is absent or no string.
  package func text(_ name: String) -> String? {
    guard case .string(let text)? = fields.first(where: { $0.0 == name })?.1 else { return nil }
    return text
  }

  /// The number of a field; nil when it is absent or none.
  package func number(_ name: String) -> Int? {
    guard case .int(let number)? = fields.first(where: { $0.0 == name })?.1 else { return nil }
    return number
  }

  private static func shown(_ value: JSON) -> String {
    guard case .string(let text) = value else { return value.text }
    let isPlain =
      !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") }
    return isPlain ? text : value.text
  }
}
