package import LinkspanCore

extension SocketAddress {
  /// A port in digits alone, without a sign.
  static func port(_ text: Substring) -> UInt16? { text.utf8.allSatisfy(ASCII.isDigit) ? UInt16(text) : nil }

  /// Reads `ADDRESS:PORT`, where the address is an IP address or `localhost`.
  ///
  /// - Parameter flag: Where a person wrote it.
  /// - Throws: What is wrong with it, with an example.
  package static func read(_ text: String, of flag: String) throws(LinkspanError) -> SocketAddress {
    let colon = text.lastIndex(of: ":")
    guard let colon, let port = Self.port(text[text.index(after: colon)...]) else {
      throw LinkspanError(
        "'\(flag)': '\(text)' is not an address and port.",
        help: "Write ADDRESS:PORT, such as 127.0.0.1:8443.")
    }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard let address = SocketAddress(host == "localhost" ? "127.0.0.1" : host, port: port) else {
      throw LinkspanError(
        "'\(flag)': '\(host)' is no IP address.",
        help: "Write one such as 127.0.0.1 or [::1]; 0.0.0.0 means every address of this machine.")
    }
    return address
  }
}
