package import LinkspanCore
package import LinkspanCrypto

/// Somebody who may use the console.
package struct ConsoleUser: Hashable, Sendable {
  /// Ours: enough for an address of mail.
  package static let nameLimit = 64
  package static let passwordLimitBytes = 1_024
  /// - Source: NIST SP 800-63B, 3.1.1.2: at least 15 characters where a password is the only factor; 8 at the least.
  package static let passwordLeast = 12
  /// Ours: users in one file.
  package static let countLimit = 1_000

  package let name: String
  package let password: PasswordHash
  package let createdAt: WallTime

  package init(name: String, password: PasswordHash, createdAt: WallTime) {
    self.name = name
    self.password = password
    self.createdAt = createdAt
  }

  /// What is wrong with a name; nil for a good one.
  package static func fault(ofName name: String) -> String? {
    let isPlain = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "@")].contains(byte)
    }
    guard isPlain, (1...nameLimit).contains(name.utf8.count) else {
      return "a name has 1 to \(nameLimit) letters, digits, '.', '-', '_' or '@'"
    }
    return nil
  }

  /// What is wrong with a password; nil for a good one. Never quotes it.
  package static func fault(ofPassword password: [UInt8]) -> String? {
    if password.count > passwordLimitBytes { return "a password has at most \(passwordLimitBytes) bytes" }
    let text = String(decoding: password, as: UTF8.self)
    // As another encoding of a file would have it; a user with such a password could never log in.
    let isTyped =
      text.utf8.elementsEqual(password)
      && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0.value == 0xFEFF }
    if !isTyped {
      return "the password is not plain text in UTF-8, without a byte order mark, so no browser would send it"
    }
    let characters = text.count
    if characters < passwordLeast {
      return "the password has \(characters.counted("character")); expected at least \(passwordLeast)"
    }
    return nil
  }

  /// The users of a file.
  ///
  /// - Returns: nil for what is no such file.
  package static func all(in bytes: [UInt8]) -> [ConsoleUser]? {
    let document = JSONParser.parse(bytes)
    guard document.errors.isEmpty, let root = document.root, DuplicateKeys.problem(in: root) == nil,
      let list = root["users"]?.array, list.count <= countLimit
    else { return nil }
    var users: [ConsoleUser] = []
    for node in list {
      guard let name = node["name"]?.string, fault(ofName: name) == nil,
        let password = node["password"]?.string.flatMap({ PasswordHash($0) }),
        let created = node["created_at"]?.string.flatMap({ WallTime($0) })
      else { return nil }
      users.append(ConsoleUser(name: name, password: password, createdAt: created))
    }
    return users
  }

  /// A file of users.
  package static func file(of users: [ConsoleUser]) -> JSON {
    .object([
      (
        "users",
        .array(
          users.map { user in
            .object([
              ("name", .string(user.name)), ("password", .string(user.password.text)),
              ("created_at", .string(user.createdAt.description)),
            ])
          })
      )
    ])
  }
}
