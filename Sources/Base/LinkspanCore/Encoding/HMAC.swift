/// A keyed hash with SHA-256 (RFC 2104; FIPS 198-1): only a holder of the key can make it.
package enum HMAC {
  /// Of SHA-256, in bytes (RFC 2104, 2: B).
  private static let blockBytes = 64

  /// The keyed hash of a message, 32 bytes.
  package static func digest(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > blockBytes ? SHA256.digest(of: key) : key
    let block = short + [UInt8](repeating: 0, count: blockBytes - short.count)
    let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + message)
    return SHA256.digest(of: block.map { $0 ^ 0x5C } + inner)
  }

  /// Whether these are the digits of ``digest(of:key:)`` in lower case. Takes the same time wherever they differ.
  package static func proves(_ digits: some StringProtocol, _ message: [UInt8], key: [UInt8]) -> Bool {
    let expected = Array(ASCII.hexText(digest(of: message, key: key)).utf8)
    let given = Array(digits.utf8)
    guard given.count == expected.count else { return false }
    var difference: UInt8 = 0
    for index in expected.indices { difference |= expected[index] ^ given[index] }
    return difference == 0
  }
}
