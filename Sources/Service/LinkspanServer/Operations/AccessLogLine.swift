package import LinkspanCore

/// One answered request, as a line of the access log.
///
/// Queries are left out: they may hold secrets, and no association request needs one. Of the referring page the origin
/// and the path are kept, if it is one of http or https. A device token in a path is replaced by its keyed hash. A client decides about none of the line's structure: everything it sent is escaped, and cut at a limit.
package struct AccessLogLine: Sendable {
  package enum Format: String, CaseIterable, Sendable {
    /// Apache's, with the host in front: a server has many.
    case vhostCombined = "vhost_combined"
    case combined, json
  }

  /// Of one text a client sent, in bytes; ours.
  package static let textLimitBytes = 2_048

  package var time: WallTime
  package var request: HTTPRequest
  package var status: Int
  package var bodyBytes: Int
  /// From the whole request to its answer.
  package var durationMicroseconds: Int
  /// `HTTP/1.0`, `HTTP/1.1` or `HTTP/2`.
  package var version: String
  /// The client's address; nil when nobody knows.
  package var peer: String?
  /// What stands for device tokens.
  package var hash: KeyedHash

  package init(
    time: WallTime, request: HTTPRequest, status: Int, bodyBytes: Int, durationMicroseconds: Int,
    version: String, peer: String?, hash: KeyedHash
  ) {
    self.time = time
    self.request = request
    self.status = status
    self.bodyBytes = bodyBytes
    self.durationMicroseconds = durationMicroseconds
    self.version = version
    self.peer = peer
    self.hash = hash
  }

  /// Adds the line and its end.
  package func write(to bytes: inout [UInt8], _ format: Format) {
    switch format {
    case .vhostCombined:
      writeHost(to: &bytes)
      writeCombined(to: &bytes)
    case .combined: writeCombined(to: &bytes)
    case .json: writeJSON(to: &bytes)
    }
    bytes.append(0x0A)
  }

  private func writeJSON(to bytes: inout [UInt8]) {
    let agent = request.fields["User-Agent"]
    func readable(_ text: String) -> JSON { .string(Self.cut(text)) }
    JSON.object([
      ("type", .string("access")), ("time", .string(time.description)), ("host", readable(request.host)),
      ("method", readable(request.method)), ("path", readable(withoutQuery(request.target))),
      ("protocol", .string(version)), ("status", .int(status)), ("body_bytes", .int(bodyBytes)),
      ("duration_us", .int(durationMicroseconds)), ("peer", .init(peer)),
      ("user_agent", agent.map(readable) ?? .null),
      ("client", .string(ClientClass(userAgent: agent).rawValue)),
    ]).write(to: &bytes)
  }

  /// `example.com:443 `; an address in brackets, which no reader of this format knows, is left out.
  private func writeHost(to bytes: inout [UInt8]) {
    let host = request.host
    guard !host.isEmpty, !host.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: ":") })
    else {
      bytes += "-:443 ".utf8
      return
    }
    Self.escape(host, spaces: true, to: &bytes)
    let port = request.authority.split(separator: ":").dropFirst().last.flatMap { UInt16($0) }
    bytes += ":\(port ?? 443) ".utf8
  }

  private func writeCombined(to bytes: inout [UInt8]) {
    func quoted(_ text: String?) {
      bytes.append(UInt8(ascii: "\""))
      if let text, !text.isEmpty { Self.escape(text, spaces: false, to: &bytes) } else { bytes += "-".utf8 }
      bytes.append(UInt8(ascii: "\""))
    }
    bytes += "\(peer ?? "-") - - [\(Self.day(time))] \"".utf8
    Self.escape(request.method, spaces: true, to: &bytes)
    bytes.append(0x20)
    Self.escape(withoutQuery(request.target), spaces: true, to: &bytes)
    bytes += " \(version)\" \(status) \(bodyBytes) ".utf8
    quoted(request.fields["Referer"].flatMap(originAndPath))
    bytes.append(0x20)
    quoted(request.fields["User-Agent"])
  }

  /// What a query says stays out; that there was one is told.
  private func withoutQuery(_ target: String) -> String {
    guard let end = target.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") })
    else { return LoggedPath.text(target, hash) }
    return LoggedPath.text(target[..<end], hash) + "?..."
  }

  /// Origin and path of the page that refers: no name and password, no query, no fragment; nil for any other scheme, such as
  /// `android-app:` or `file:`.
  private func originAndPath(_ referer: String) -> String? {
    let start = ASCII.lowercased(referer.prefix(8))
    guard let scheme = ["https://", "http://"].first(where: { start.hasPrefix($0) }) else { return nil }
    // Browsers read a backslash as a slash (WHATWG URL, 4.4).
    let rest = referer.utf8.dropFirst(scheme.utf8.count)
    let end = rest.firstIndex { "/\\?#".utf8.contains($0) } ?? rest.endIndex
    let authority = rest[..<end]
    let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] }
    let path = rest[end...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard !(host ?? authority).isEmpty else { return nil }
    return scheme + String(decoding: host ?? authority, as: UTF8.self)
      + LoggedPath.text(String(decoding: path, as: UTF8.self), hash)
  }

  /// Quotation marks, backslashes, controls, what is not ASCII and number signs, with which ``WorkflowCommands`` begin,
  /// become `\xHH`.
  private static func escape(_ text: String, spaces: Bool, to bytes: inout [UInt8]) {
    for byte in text.utf8.prefix(textLimitBytes) {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "#"), 0..<0x20, 0x7F...0xFF:
        bytes += "\\x".utf8
        ASCII.appendHex(byte, isUpperCase: true, to: &bytes)
      case 0x20 where spaces: bytes += "\\x20".utf8
      default: bytes.append(byte)
      }
    }
  }

  /// At most ``textLimitBytes`` bytes, cut between characters.
  private static func cut(_ text: String) -> String {
    guard text.utf8.count > textLimitBytes else { return text }
    return String(decoding: Array(text.utf8.prefix(textLimitBytes)), as: UTF8.self)
  }

  /// `14/Sep/2026:08:00:00 +0000`, from `2026-09-14T08:00:00.000Z`.
  private static func day(_ time: WallTime) -> String {
    let text = Array(time.description.utf8)
    func part(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
    let month = Int(part(5..<7)).map { WallTime.monthNames[$0 - 1] } ?? "-"
    return "\(part(8..<10))/\(month)/\(part(0..<4)):\(part(11..<19)) +0000"
  }
}
