internal import HTTPEngine
internal import LinkspanCore

/// Finds the client behind proxies that the operator trusts, from `Forwarded` (RFC 7239) or else `X-Forwarded-For`.
///
/// Each proxy adds the address it was asked from on the right. So the list is read from there, as long as whoever wrote
/// the next address is trusted: what stands further left anybody may have made up.
struct ForwardedClient: Sendable {
  let trusted: [AddressRange]

  /// Fields by which a proxy shows itself.
  private static let marks = [
    "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via",
  ]

  /// The address of whoever asked first, as far as it can be trusted.
  func client(of request: HTTPRequest, peer: SocketAddress?) -> SocketAddress? {
    guard var client = peer, !trusted.isEmpty, isTrusted(client) else { return peer }
    for node in Self.nodes(request.fields).reversed() {
      // Hidden or unreadable: what is behind it nobody can know.
      guard let address = Self.address(node) else { return client }
      client = address
      guard isTrusted(client) else { return client }
    }
    return client
  }

  /// Whether a request comes from this machine itself and not through a proxy on it.
  func isLocal(_ request: HTTPRequest, peer: SocketAddress?) -> Bool {
    guard let peer, peer.isLoopback, !isTrusted(peer) else { return false }
    return Self.marks.allSatisfy { request.fields[$0] == nil }
  }

  private func isTrusted(_ address: SocketAddress) -> Bool { trusted.contains { $0.contains(address) } }

  /// One for each proxy on the way, the last one at the end.
  private static func nodes(_ fields: HTTPFields) -> [String] {
    let forwarded = fields.values(of: "Forwarded")
    guard forwarded.isEmpty else {
      return forwarded.flatMap { parts(of: $0, at: ",") }.map { element in
        for pair in parts(of: element, at: ";") {
          let sides = pair.split(separator: "=", maxSplits: 1)
          guard sides.count == 2, ASCII.lowercased(trimmed(String(sides[0]))) == "for" else { continue }
          return unquoted(trimmed(String(sides[1])))
        }
        return ""
      }
    }
    return fields.values(of: "X-Forwarded-For").flatMap { parts(of: $0, at: ",") }.map(trimmed)
  }

  /// `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]`, `[2001:db8::1]:80`, and without brackets as X-Forwarded-For has it.
  private static func address(_ node: String) -> SocketAddress? {
    if let address = SocketAddress(node, port: 0) { return address }
    if node.hasPrefix("["), let end = node.firstIndex(of: "]") {
      return SocketAddress(String(node[node.index(after: node.startIndex)..<end]), port: 0)
    }
    return node.firstIndex(of: ":").flatMap { SocketAddress(String(node[..<$0]), port: 0) }
  }

  /// Splits at a mark that stands outside of quotation marks.
  private static func parts(of text: String, at mark: Character) -> [String] {
    var parts = [""]
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if character == mark, !isQuoted {
        parts.append("")
        continue
      }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = character == "\\" && isQuoted && !isEscaped
      parts[parts.count - 1].append(character)
    }
    return parts
  }

  private static func trimmed(_ text: String) -> String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }

  private static func unquoted(_ text: String) -> String {
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    return text.dropFirst().dropLast().filter { $0 != "\\" }
  }
}
