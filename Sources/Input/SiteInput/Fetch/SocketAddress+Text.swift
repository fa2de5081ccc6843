package import LinkspanCore

extension SocketAddress {
  /// Reads `ADDRESS:PORT`, where the address is an IP address or `localhost`.
  ///
  /// - Throws: What is wrong with it, with an example.
  package static func read(_ text: String) throws(LinkspanError) -> SocketAddress {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      throw LinkspanError(
        "is not an address and port", at: text, help: "Write ADDRESS:PORT, such as 127.0.0.1:8443.")
    }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard let address = SocketAddress(host == "localhost" ? "127.0.0.1" : host, port: port) else {
      throw LinkspanError(
        "is no IP address", at: host,
        help: "Write one such as 127.0.0.1 or [::1]; 0.0.0.0 means every address of this machine.")
    }
    return address
  }
}
