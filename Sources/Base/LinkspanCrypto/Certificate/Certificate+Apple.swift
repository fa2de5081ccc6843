internal import LinkspanCore

extension Certificate {
  /// Why Apple's systems refuse it, or nil when they don't.
  ///
  /// - Parameter isForName: Whether a host's name was asked for; an address needs none.
  package func refusalByApple(isForName: Bool) -> String? {
    let facts = ServerCertificateFacts(
      namesHosts: !hostNames.isEmpty,
      rsaBits: keyText.hasPrefix("RSA ") ? Int(keyText.dropFirst(4)) : nil, begins: begins, ends: ends,
      hasExtendedKeyUsage: extensionValue("2.5.29.37") != nil)
    return facts.refusalByApple(isForName: isForName)
  }
}
