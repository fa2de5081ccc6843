package import LinkspanCore

/// Something that happened in a simulation.
package struct Event: Sendable {
  /// Virtual time since the story began, in whole milliseconds.
  package var time: Duration
  /// The story's start plus ``time``.
  package var wallTime: WallTime
  /// Whoever it happened to: a device, `cdn`, `story`.
  package var party: String
  package var what: any Happening
  /// Why it happened so; no part of the line, and so of the digest.
  package var provenance: Provenance?

  package init(
    time: Duration, wallTime: WallTime, party: String, what: any Happening, provenance: Provenance? = nil
  ) {
    self.time = time
    self.wallTime = wallTime
    self.party = party
    self.what = what
    self.provenance = provenance
  }

  package var kind: String { what.kind }
  package var fields: [(String, JSON)] { what.fields }

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

  private static func shown(_ value: JSON) -> String {
    guard case .string(let text) = value else { return value.text }
    let isPlain =
      !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") }
    return isPlain ? text : value.text
  }
}
