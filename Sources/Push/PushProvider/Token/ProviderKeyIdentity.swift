internal import LinkspanCore

/// Which key signs for which team: the pair that APNs counts new tokens by.
package struct ProviderKeyIdentity: Hashable, Sendable {
  /// Of both identifiers.
  private static let length = 10

  package let team: String
  package let key: String

  /// - Throws: ``ProviderTokenError/identifier(_:_:)`` when one of them is not ten letters and digits.
  package init(team: String, key: String) throws(ProviderTokenError) {
    for (name, text) in [("team", team), ("key", key)] {
      let isPlain = text.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) }
      guard isPlain, text.utf8.count == Self.length else { throw .identifier(name, text) }
    }
    self.team = team
    self.key = key
  }
}

/// Why there is no provider token. A key never appears in it.
package enum ProviderTokenError: Error, Hashable, Sendable {
  /// An identifier that Apple's have not the shape of: what it is for, and the text.
  case identifier(String, String)
  /// The key cannot sign; the reason.
  case unusableKey(String)

  package var message: String {
    switch self {
    case .identifier(let name, let text):
      "'\(text)' is not a \(name) identifier; expected ten letters and digits, as in A1B2C3D4E5"
    case .unusableKey(let reason): "the key cannot sign: \(reason)"
    }
  }
}
