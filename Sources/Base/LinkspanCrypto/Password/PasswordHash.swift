internal import CCrypto
internal import LinkspanCore

/// A password as it is stored: scrypt (RFC 7914) with a salt of its own.
package struct PasswordHash: Hashable, Sendable {
  package static let saltBytes = 16
  private static let keyBytes = 32
  /// 32 MB and about a tenth of a second for each try.
  ///
  /// - Source: OWASP, "Password Storage Cheat Sheet": N = 2^15 with r = 8, p = 3 or more memory; ours takes N = 2^16, p = 1.
  private static let usualCost: UInt64 = 1 << 16
  private static let blockSize: UInt64 = 8
  private static let memoryLimit: UInt64 = 128 << 20

  private let cost: UInt64
  private let salt: [UInt8]
  private let key: [UInt8]

  /// - Parameters:
  ///   - password: At most 1,024 bytes.
  ///   - salt: ``saltBytes`` bytes from the system's generator for secrets.
  package init(_ password: [UInt8], salt: [UInt8]) {
    precondition(salt.count == Self.saltBytes, "a salt has \(Self.saltBytes) bytes")
    cost = Self.usualCost
    self.salt = salt
    key = Self.derived(password, salt: salt, cost: cost)
  }

  /// Reads what ``text`` wrote.
  ///
  /// - Returns: nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "scrypt", let cost = UInt64(parts[1]),
      (1 << 14...1 << 17).contains(cost), cost.nonzeroBitCount == 1,
      let salt = Self.bytes(parts[2], Self.saltBytes), let key = Self.bytes(parts[3], Self.keyBytes)
    else { return nil }
    (self.cost, self.salt, self.key) = (cost, salt, key)
  }

  /// `scrypt$COST$SALT$KEY`, the last two in hexadecimal digits.
  package var text: String { "scrypt$\(cost)$\(ASCII.hexText(salt))$\(ASCII.hexText(key))" }

  /// Whether it is this password's. Takes the same time wherever two keys differ.
  package func matches(_ password: [UInt8]) -> Bool {
    let other = Self.derived(password, salt: salt, cost: cost)
    var difference: UInt8 = 0
    for index in key.indices { difference |= key[index] ^ other[index] }
    return difference == 0
  }

  private static func bytes(_ text: Substring, _ count: Int) -> [UInt8]? {
    let digits = text.utf8.compactMap { ASCII.hexValue($0) }
    guard digits.count == text.utf8.count, digits.count == 2 * count else { return nil }
    return (0..<count).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
  }

  private static func derived(_ password: [UInt8], salt: [UInt8], cost: UInt64) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: keyBytes)
    let done = password.withUnsafeBytes { bytes in
      EVP_PBE_scrypt(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, salt, salt.count, cost,
        blockSize, 1,
        memoryLimit, &key, key.count)
    }
    precondition(done > 0, "libcrypto has scrypt, and memory for it")
    return key
  }
}
