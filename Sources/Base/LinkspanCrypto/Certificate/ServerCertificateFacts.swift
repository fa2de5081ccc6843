internal import LinkspanCore

/// What Apple's systems look at in a server's certificate, whoever issued it.
package struct ServerCertificateFacts: Sendable {
  /// Whether a DNS name is among the subject's alternative names.
  let namesHosts: Bool
  /// nil for a key of another kind.
  let rsaBits: Int?
  let begins: WallTime
  let ends: WallTime
  let hasExtendedKeyUsage: Bool

  init(namesHosts: Bool, rsaBits: Int?, begins: WallTime, ends: WallTime, hasExtendedKeyUsage: Bool) {
    self.namesHosts = namesHosts
    self.rsaBits = rsaBits
    self.begins = begins
    self.ends = ends
    self.hasExtendedKeyUsage = hasExtendedKeyUsage
  }

  /// Why iOS 13 and later refuse it, or nil when they don't.
  ///
  /// - Parameter isForName: Whether a host's name was asked for; an address needs none.
  /// - Source: Apple, "Requirements for trusted certificates in iOS 13 and macOS 10.15" (T11).
  package func refusalByApple(isForName: Bool) -> String? {
    if isForName, !namesHosts { return "it names its host in the common name only (T11)" }
    if let rsaBits, rsaBits < 2_048 {
      return "its RSA key has \(rsaBits) bits, fewer than 2048 (T11)"
    }
    guard begins >= Self.stricterSince else { return nil }
    if !hasExtendedKeyUsage {
      return "it has no extended key usage, which has to name TLS servers (T11)"
    }
    let days = (ends.milliseconds - begins.milliseconds) / 86_400_000
    return days > 825 ? "it is valid for \(days) days, more than 825 (T11)" : nil
  }

  /// 1 July 2019.
  private static let stricterSince = WallTime(milliseconds: 1_561_939_200_000)
}
