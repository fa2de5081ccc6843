/// Stands for a device token or an alias where the text itself must not stand: in the journal of pushes and in the access
/// log. The same text has the same hash in one registry, so a person who knows a token finds its lines; without the key a
/// hash names nobody.
package struct KeyedHash: Sendable {
  /// Tells a hash from a token, which has hexadecimal digits alone.
  package static let prefix = "hmac-"
  /// Of HMAC-SHA-256's 32. Ours: no two of 2⁵⁰ tokens share the first 16, and an index of them is half as large.
  package static let hashBytes = 16

  private let key: [UInt8]

  package init(key: [UInt8]) { self.key = key }

  /// The hash of a token in its usual form, 37 characters.
  package func token(_ token: String) -> String { hash(token) }

  /// The hash of an alias. No token has it, also where an alias looks like one.
  package func alias(_ alias: String) -> String { hash("alias " + alias) }

  /// Tells the registry that has the key from others. It is no hash of a token or an alias.
  package var name: String { hash("registry") }

  /// A number that chance seems to have drawn for a person in one matter, and that is the same each time. It is no hash of a
  /// token or an alias.
  package func draw(_ matter: String, for person: String) -> UInt64 {
    let digest = HMAC.digest(of: Array("draw \(matter) \(person)".utf8), key: key)
    return digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func hash(_ text: String) -> String {
    Self.prefix + ASCII.hexText(HMAC.digest(of: Array(text.utf8), key: key).prefix(Self.hashBytes))
  }

  /// Whether a text has the form of a hash.
  package static func isHash(_ text: some StringProtocol) -> Bool {
    text.hasPrefix(prefix) && text.utf8.count == prefix.utf8.count + 2 * hashBytes
      && text.utf8.dropFirst(prefix.utf8.count).allSatisfy {
        ASCII.isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
