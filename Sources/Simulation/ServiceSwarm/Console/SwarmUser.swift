internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanCrypto

/// Somebody who may use the console: two passwords, of which one counts at a time.
struct SwarmUser {
  static let names = ["ada", "bob"]

  let index: Int
  /// How often the password was set.
  var version = 0
  var setAt: WallTime

  var name: String { Self.names[index] }

  /// The password that counts.
  var password: String { Self.password(index, version) }

  static func password(_ index: Int, _ version: Int) -> String {
    "\(names[index]) has a password \(version % 2)"
  }

  /// What the users' file has.
  var stored: ConsoleUser {
    ConsoleUser(name: name, password: Self.hashes[index][version % 2], createdAt: setAt)
  }

  /// Of the passwords, with the least cost that is read.
  private static let hashes = [
    [
      hash("61", "00", "6427500cdfee6248d9a9966ff39625bab5effccd7911619d1afc59807111896b"),
      hash("61", "01", "8d7dad6cfe4441798ef55394c80de5a8f61d8bc3563cb21ca696133a5ec5cb03"),
    ],
    [
      hash("62", "00", "7fb962dc00a3aa6f043b305bcdbc3cc34c7422e6b38cf336568ced7913df8c62"),
      hash("62", "01", "656a39eefc24102f21373879ad6f3976052c0e929419c8b3bdfc521fe63cfd15"),
    ],
  ]

  private static func hash(_ salt: String, _ end: String, _ key: String) -> PasswordHash {
    let text = "scrypt$16384$" + String(repeating: salt, count: PasswordHash.saltBytes - 1) + end + "$" + key
    guard let hash = PasswordHash(text) else { preconditionFailure("the hash is of the form that is read") }
    return hash
  }

  /// Whether a password is right, as ``PasswordHash`` says. Each pair is hashed once in a process: it takes as long as a story.
  static func proves(_ hash: PasswordHash, _ password: [UInt8]) -> Bool {
    let pair = Pair(hash: hash, password: password)
    if let known = verdicts.withLock({ $0[pair] }) { return known }
    let verdict = hash.matches(password)
    verdicts.withLock { $0[pair] = verdict }
    return verdict
  }

  private struct Pair: Hashable {
    var hash: PasswordHash
    var password: [UInt8]
  }

  private static let verdicts = LockedState<[Pair: Bool]>([:])
}
