package import LinkspanCore

/// Addresses that a person gives for hosts with `--resolve`, in curl's syntax.
package struct FixedAddresses: Sendable {
  /// By `host:port`, the host as ``IDNA/named(_:)`` has it, which is how it is asked for.
  private var table: [String: [SocketAddress]] = [:]

  /// None.
  package init() {}

  /// - Parameter texts: `HOST:PORT:ADDRESS[,ADDRESS…]`. Beyond curl's syntax an address may have a port of its own
  ///   behind it, `example.com:443:127.0.0.1:8443`, as in curl's `--connect-to`.
  package init(_ texts: [String]) throws(LinkspanError) {
    for text in texts {
      let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, !parts[0].isEmpty, let port = SocketAddress.port(parts[1]), port > 0 else {
        throw Self.error(text)
      }
      var addresses: [SocketAddress] = []
      for part in parts[2].split(separator: ",", omittingEmptySubsequences: false) {
        guard let address = Self.address(part, port: port) else { throw Self.error(text) }
        addresses.append(address)
      }
      table["\(IDNA.named(String(parts[0]))):\(port)", default: []] += addresses
    }
  }

  /// - Parameter origins: `HOST=ADDRESS:PORT`; the host's port 443 is meant.
  package init(origins: [String]) throws(LinkspanError) {
    for text in origins {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, let host = HostName.written(HostName.withoutFinalDot(parts[0])) else {
        throw LinkspanError(
          "is not a value of '--origin'; expected HOST=ADDRESS:PORT", at: text,
          help: "Write example.com=127.0.0.1:8443.")
      }
      table["\(host):443", default: []].append(try SocketAddress.read(parts[1], of: "--origin"))
    }
  }

  package subscript(host: String, port: UInt16) -> [SocketAddress]? { table["\(host):\(port)"] }

  private static func address(_ text: Substring, port: UInt16) -> SocketAddress? {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      let inside = String(text[text.index(after: text.startIndex)..<end])
      let rest = text[text.index(after: end)...]
      if rest.isEmpty { return SocketAddress(inside, port: port) }
      guard rest.hasPrefix(":"), let own = SocketAddress.port(rest.dropFirst()) else { return nil }
      return SocketAddress(inside, port: own)
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return SocketAddress(String(text), port: port) }
    return SocketAddress.port(parts[1]).flatMap { SocketAddress(String(parts[0]), port: $0) }
  }

  private static func error(_ text: String) -> LinkspanError {
    LinkspanError(
      "is not a value of '--resolve'; expected HOST:PORT:ADDRESS", at: text,
      help: "Write example.com:443:127.0.0.1, or with another port example.com:443:127.0.0.1:8443.")
  }
}
