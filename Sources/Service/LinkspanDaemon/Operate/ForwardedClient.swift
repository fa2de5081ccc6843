internal import LinkspanCore

/// Finds the client behind proxies that the operator trusts, from `Forwarded` (RFC 7239) or `X-Forwarded-For`.
///
/// A proxy writes one of the two and may hand on the other as a client made it up. Where they tell different stories
/// neither is believed.
///
/// Each proxy adds the address it was asked from on the right. So the list is read from there, as long as whoever wrote
/// the next address is trusted: what stands further left anybody may have made up.
struct ForwardedClient: Sendable {
  let trusted: [AddressBlock]

  /// Fields by which a proxy shows itself.
  private static let marks = [
    "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via",
  ]

  /// The address of whoever asked first, as far as it can be trusted.
  func client(of request: HTTPRequest, peer: SocketAddress?) -> SocketAddress? {
    guard let peer, !trusted.isEmpty, isTrusted(peer) else { return peer }
    let lists = [Self.forwarded(request.fields), Self.xForwardedFor(request.fields)].filter { !$0.isEmpty }
    let clients = lists.map { client(by: $0, behind: peer) }
    guard let client = clients.first, clients.allSatisfy({ $0.host == client.host }) else { return peer }
    return client
  }

  /// - Parameter nodes: One for each proxy on the way, the last one at the end.
  private func client(by nodes: [String], behind proxy: SocketAddress) -> SocketAddress {
    var client = proxy
    for node in nodes.reversed() {
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

  private static func forwarded(_ fields: HTTPFields) -> [String] {
    fields.values(of: "Forwarded").flatMap { value -> [String] in
      // With a quotation mark left open, a client would have what the next proxy adds read as its own words.
      guard let elements = parts(of: value, at: UInt8(ascii: ",")) else { return [""] }
      return elements.map(node)
    }
  }

  private static func xForwardedFor(_ fields: HTTPFields) -> [String] {
    fields.values(of: "X-Forwarded-For").flatMap { value in
      value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
        ASCII.trimmed(String($0) ?? "")
      }
    }
  }

  /// What an element of `Forwarded` says of the client; nothing is no address.
  private static func node(_ element: String) -> String {
    for pair in parts(of: element, at: UInt8(ascii: ";")) ?? [] {
      let sides = pair.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, ASCII.lowercased(ASCII.trimmed(sides[0])) == "for" else { continue }
      return unquoted(ASCII.trimmed(sides[1]))
    }
    return ""
  }

  /// `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]`, `[2001:db8::1]:80`, and without brackets as X-Forwarded-For has it.
  private static func address(_ node: String) -> SocketAddress? {
    if let address = SocketAddress(node, port: 0) { return address }
    var host = node[...]
    if let colon = host.utf8.lastIndex(of: UInt8(ascii: ":")),
      isPort(host.utf8[host.utf8.index(after: colon)...])
    {
      host = host[..<colon]
    }
    guard host.hasPrefix("["), host.hasSuffix("]") else {
      return SocketAddress(String(host), port: 0).flatMap { $0.isIPv6 ? nil : $0 }
    }
    return SocketAddress(String(host.dropFirst().dropLast()), port: 0)
  }

  /// RFC 7239, 6: digits, or a name that hides them.
  private static func isPort(_ bytes: Substring.UTF8View) -> Bool {
    guard bytes.first == UInt8(ascii: "_") else {
      return (1...5).contains(bytes.count) && bytes.allSatisfy(ASCII.isDigit)
    }
    return bytes.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) || "._-".utf8.contains($0) }
  }

  /// Splits at a mark that stands outside of quotation marks, byte by byte: a character may be made of a mark and what
  /// a client has put before it. Nil when a quotation mark is left open.
  private static func parts(of text: String, at mark: UInt8) -> [String]? {
    var parts: [[UInt8]] = [[]]
    var isQuoted = false
    var isEscaped = false
    for byte in text.utf8 {
      if byte == mark, !isQuoted {
        parts.append([])
        continue
      }
      if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
      isEscaped = byte == UInt8(ascii: "\\") && isQuoted && !isEscaped
      parts[parts.count - 1].append(byte)
    }
    return isQuoted ? nil : parts.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func unquoted(_ text: String) -> String {
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    return text.dropFirst().dropLast().filter { $0 != "\\" }
  }
}
