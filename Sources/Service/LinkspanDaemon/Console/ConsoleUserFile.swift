package import LinkspanConsole
package import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles

/// The users of the console: `STATE/console-users.json`, which only its owner may read.
package struct ConsoleUserFile: Sendable {
  private let state: String
  private static let name = "console-users.json"
  /// Ours: a thousand users take a fifth of it.
  private static let limitBytes = 1 << 20

  /// - Parameter state: The folder that `serve --state` was given.
  package init(state: String) { self.state = state }

  /// The users as they are stored now; none without a file.
  ///
  /// - Throws: That the file cannot be read, or is not such a file.
  package func users() throws(LinkspanError) -> [ConsoleUser] {
    guard try FileReader.kind(of: state) == .folder else { return [] }
    let folder = try OpenFolder(state)
    return try Privileges.asOwner(of: folder) { () throws(LinkspanError) in try users(in: folder) }
  }

  private func users(in folder: OpenFolder) throws(LinkspanError) -> [ConsoleUser] {
    guard try folder.kind(of: Self.name) != .missing else { return [] }
    try SecretFile.refuseOpen(
      "\(state)/\(Self.name)", holding: "the hashes of passwords",
      remedy: "give its users new passwords with 'linkspan console user add NAME'")
    let bytes = try SecretFile.reading("\(state)/\(Self.name)") { () throws(LinkspanError) in
      try folder.bytes(of: Self.name, limitBytes: Self.limitBytes)
    }
    guard let users = ConsoleUser.all(in: bytes) else {
      throw LinkspanError(
        "is not a file of the console's users", at: "\(state)/\(Self.name)",
        help: "Move it away, and add the users again with 'linkspan console user add NAME'.")
    }
    return users
  }

  /// Adds a user, or gives one a new password.
  ///
  /// - Returns: Whether the user is new.
  /// - Throws: What is wrong with name or password, which is never quoted, or why the file cannot be written.
  package func add(_ name: String, password: [UInt8]) throws(LinkspanError) -> Bool {
    if let fault = ConsoleUser.fault(ofName: name) { throw LinkspanError("'\(name)': \(fault).") }
    if let fault = ConsoleUser.fault(ofPassword: password) {
      throw LinkspanError("\(fault).", help: "Give the password on standard input, in one line.")
    }
    let salt = try SystemRandom.bytes(PasswordHash.saltBytes)
    let user = ConsoleUser(
      name: name, password: PasswordHash(password, salt: salt), createdAt: CurrentTime.now)
    return try change { users in
      let isNew = !users.contains { $0.name == name }
      users = users.filter { $0.name != name } + [user]
      return isNew
    }
  }

  /// Removes a user, whose sessions end.
  ///
  /// - Returns: Whether there was one.
  package func remove(_ name: String) throws(LinkspanError) -> Bool {
    try change { users in
      let count = users.count
      users.removeAll { $0.name == name }
      return users.count < count
    }
  }

  /// Changes the file as the owner of the state, when this is root.
  private func change(_ body: (inout [ConsoleUser]) -> Bool) throws(LinkspanError) -> Bool {
    let folder = try SiteWriter.madeFolder(state)
    return try Privileges.asOwner(of: folder) { () throws(LinkspanError) in
      var users = try users(in: folder)
      let isChanged = body(&users)
      guard users.count <= ConsoleUser.countLimit else {
        throw LinkspanError("'\(state)' has \(ConsoleUser.countLimit) users, the most there may be.")
      }
      try folder.replace(Self.name, by: ConsoleUser.file(of: users).bytes + [0x0A], mode: 0o600)
      return isChanged
    }
  }
}
