extension HostName {
  /// A name as a person writes it, in lower case and Punycode; nil for what no host is named like.
  package static func written(_ text: some StringProtocol) -> String? {
    guard let host = try? IDNA.ascii(text), !host.isEmpty, fault(in: Array(host.utf8)) == nil else {
      return nil
    }
    return host
  }
}
