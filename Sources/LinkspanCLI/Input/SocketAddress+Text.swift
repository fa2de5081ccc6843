internal import HTTPEngine
internal import LinkspanCore

extension SocketAddress {
  /// Reads `ADDRESS:PORT`, where the address is an IP address or `localhost`.
  ///
  /// - Throws: What is wrong with it, with an example.
  static func read(_ text: String) throws(CommandError) -> SocketAddress {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      throw CommandError(
        "'\(text)' is no address and port.", help: "Write ADDRESS:PORT, such as 127.0.0.1:8443.")
    }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard let address = SocketAddress(host == "localhost" ? "127.0.0.1" : host, port: port) else {
      throw CommandError(
        "'\(host)' is no IP address.",
        help: "Write one such as 127.0.0.1 or [::1]; 0.0.0.0 means every one of this machine.")
    }
    return address
  }
}
