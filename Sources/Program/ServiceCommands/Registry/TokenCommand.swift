internal import DeviceRegistry
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanFiles
internal import PushSending
internal import RegistryRequests

extension Command {
  package static let token = Command(
    name: "token", summary: "Make, list and revoke credentials of the device registry's API",
    operands: "COMMAND",
    discussion: "Works on the registry's store itself, while 'linkspan serve' uses it or before.",
    flags: [],
    examples: ["linkspan token create --registry sqlite:registry.db --scope devices:read,devices:write"],
    subcommands: [.tokenCreate, .tokenList, .tokenRevoke]
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }

  static let registryFlag = Flag.address(
    "--registry", "STORE", "sqlite:FILE, or postgres://… (its password in PGPASSWORD or ~/.pgpass)")

  private static let tokenCreate = Command(
    name: "token create", summary: "Make a credential and print it once", operands: "",
    discussion: """
      Prints the credential, which clients send as 'Authorization: Bearer TOKEN'. The store keeps a hash of it only, so it
      cannot be shown again.

      Scopes: \(AccessScope.allCases.map(\.rawValue).joined(separator: ", ")).
      """,
    flags: [
      registryFlag,
      Flag("--scope", "SCOPE", repeats: true, "What it allows; several with commas between them")
        .offering(AccessScope.allCases.map(\.rawValue)),
      Flag(
        "--topic", "BUNDLE", repeats: true, "The app it is for, with each suffix of its topics (every app)"),
      Flag("--host", "HOST", repeats: true, "A host whose files it may publish, for sites:write"),
      Flag(
        "--expires", "WHEN", "Until when: 30d, 12h, 2027-01-31 or 2027-01-31T12:00:00Z (until it is revoked)"),
      Flag("--name", "TEXT", "What it is for, for the list"),
    ],
    examples: [
      "linkspan token create --registry sqlite:registry.db --scope devices:write --topic com.example.app --expires 90d"
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let now = CurrentTime.now
    let token = try TokenRequest(arguments, at: now)
    let text = AccessTokenText(
      random: try SystemRandom.bytes(AccessTokenText.randomCount))
    let stored = token.token(text)
    let registry = try arguments.registry(makesFile: true)
    defer { registry.stop() }
    try rehearse(stored, in: registry, at: now)
    // Printed before it is stored: what nobody could read must not be valid.
    if arguments.has("--json"), case .object(let members) = stored.json {
      console.print(.object([("type", .string("access-token")), ("token", .string(text.text))] + members))
    } else {
      console.printRaw(text.text, terminator: "\n")
    }
    console.flush()
    do throws(LinkspanError) {
      try registry.changeNow { store throws(RegistryError) in try add(stored, to: store, at: now) }
    } catch {
      throw error.sayingVoid(of: stored.identifier)
    }
    return .yes
  }

  private static func add(
    _ token: AccessToken, to store: RegistryStore, at now: WallTime
  ) throws(RegistryError) {
    try store.add(token)
    try store.audit([
      AuditEntry(time: now, actor: "operator", action: "token.create", subject: token.identifier)
    ])
  }

  /// Stores a credential and takes that back, so that what a store refuses is told before anything is printed.
  private static func rehearse(
    _ token: AccessToken, in registry: Registry, at now: WallTime
  ) throws(LinkspanError) {
    let isTaken = LockedState(false)
    do throws(LinkspanError) {
      try registry.changeNow { store throws(RegistryError) in
        try add(token, to: store, at: now)
        isTaken.withLock { $0 = true }
        throw RegistryError(.refused, "Only a rehearsal.")
      }
    } catch {
      guard isTaken.withLock({ $0 }) else { throw error }
    }
  }

  private static let tokenList = Command(
    name: "token list", summary: "List the credentials, without their secrets", operands: "", discussion: "",
    flags: [registryFlag], examples: ["linkspan token list --registry sqlite:registry.db"]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let registry = try arguments.registry(for: .questions)
    defer { registry.stop() }
    let tokens = try registry.askNow { store throws(RegistryError) in try store.accessTokens() }
    let now = CurrentTime.now
    for token in tokens {
      if arguments.has("--json") {
        guard case .object(let members) = token.json else { continue }
        console.print(
          .object(
            [("type", .string("access-token"))] + members + [("valid", .bool(token.isValid(at: now)))]))
      } else {
        let named = token.topics + (token.hosts ?? [])
        let topics = named.isEmpty ? "every topic" : named.joined(separator: ", ")
        let end =
          token.revokedAt.map { "revoked \($0)" }
          ?? token.expiresAt.map { (now < $0 ? "expires " : "expired ") + "\($0)" } ?? "does not expire"
        let scopes = token.scopes.map(\.rawValue).sorted().joined(separator: ",")
        console.print(
          "\(token.identifier)  \(scopes)  \(topics)  \(end)" + (token.name.map { "  \($0.onOneLine)" } ?? "")
        )
      }
    }
    return .yes
  }

  private static let tokenRevoke = Command(
    name: "token revoke", summary: "Revoke a credential", operands: "IDENTIFIER",
    discussion: """
      IDENTIFIER is the part of the credential between 'lsp_' and the next '_', as 'linkspan token list' shows it; of a whole
      credential only that part is used. A running server refuses the credential within 5 seconds.
      """,
    flags: [registryFlag],
    examples: ["linkspan token revoke --registry sqlite:registry.db 0123456789abcdef"],
    exitStatus: "0 revoked, 1 there is no such valid credential, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    // An identifier is hexadecimal, so capitals are the same.
    let (typed, now) = (ASCII.lowercased(arguments.operands[0]), CurrentTime.now)
    // Who has a whole credential at hand means its identifier; the secret goes no further.
    let prefix = "lsp_"
    let identifier =
      typed.hasPrefix(prefix) ? String(typed.dropFirst(prefix.count).prefix { $0 != "_" }) : typed
    let registry = try arguments.registry()
    defer { registry.stop() }
    let isRevoked = try registry.changeNow { store throws(RegistryError) in
      guard try store.revoke(identifier, at: now) else { return false }
      try store.audit([
        AuditEntry(time: now, actor: "operator", action: "token.revoke", subject: identifier)
      ])
      return true
    }
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("token-revoked")), ("id", .string(identifier)), ("revoked", .bool(isRevoked)),
        ]))
    } else {
      console.print(isRevoked ? "revoked" : "there is no such credential, or it is revoked already")
    }
    return isRevoked ? .yes : .no
  }
}

/// What a person asks a new credential to be.
struct TokenRequest {
  private var token: AccessToken

  /// - Throws: What is missing or cannot be understood.
  init(_ arguments: Arguments, at now: WallTime) throws(LinkspanError) {
    token = AccessToken(
      identifier: "", secretHash: "", name: arguments.value("--name"), scopes: [], topics: [], createdAt: now)
    if let name = token.name,
      !DeviceReader.isPlain(name, limit: DeviceReader.textLimit) || !DeviceReader.isStorable(name)
    {
      throw arguments.usage(
        "'--name': expected 1 to \(DeviceReader.textLimit) characters without control characters, bidirectional "
          + "controls and U+FFFD")
    }
    let words = arguments.all("--scope").flatMap { $0.split(separator: ",").map(String.init) }
    let known = AccessScope.allCases.map(\.rawValue)
    for word in words {
      if let refusal = Flag.refusal(of: word, among: known) { throw arguments.usage("'--scope': \(refusal)") }
      if let scope = AccessScope(rawValue: word) { token.scopes.insert(scope) }
    }
    guard !token.scopes.isEmpty else {
      throw arguments.usage("'--scope' is missing: one or more of \(known.joined(separator: ", "))")
    }
    let topics = arguments.all("--topic").flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    for topic in topics {
      guard !topic.isEmpty else {
        throw arguments.usage("'--topic' names no app. Without '--topic' the credential is for every app")
      }
      guard DeviceReader.isTopic(topic) else {
        throw arguments.usage("'--topic': '\(topic)' is not a bundle identifier")
      }
      if !token.topics.contains(topic) { token.topics.append(topic) }
    }
    token.hosts = try Self.hosts(arguments)
    guard token.scopes.contains(.writeSites) == !(token.hosts ?? []).isEmpty else {
      throw arguments.usage(
        "the scope 'sites:write' needs '--host' for each host whose files the credential may publish, and no other scope does"
      )
    }
    if let text = arguments.value("--expires") {
      guard let time = Self.time(text, from: now), now < time else {
        throw arguments.usage(
          "'--expires': expected a time to come, such as 90d (at most 36500d) or 2027-01-31, got '\(text)'")
      }
      token.expiresAt = time
    }
  }

  private static func hosts(_ arguments: Arguments) throws(LinkspanError) -> [String] {
    let words = arguments.all("--host").flatMap { $0.split(separator: ",").map(String.init) }
    var hosts: [String] = []
    for word in words {
      let host = IDNA.named(word)
      if let fault = ServedHost.fault(of: host) { throw arguments.usage("'--host': \(fault)") }
      if !hosts.contains(host) { hosts.append(host) }
    }
    return hosts
  }

  func token(_ text: AccessTokenText) -> AccessToken {
    var token = token
    token.identifier = text.identifier
    token.secretHash = text.secretHash
    return token
  }

  private static func time(_ text: String, from now: WallTime) -> WallTime? {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    // A hundred years are enough.
    if let unit = text.last.flatMap({ units[$0] }), !text.hasPrefix("+"), let count = Int64(text.dropLast()),
      (1...3_153_600_000 / unit).contains(count)
    {
      return now.advanced(by: .seconds(count * unit))
    }
    return WallTime(text) ?? WallTime(text + "T00:00:00Z")
  }
}

extension LinkspanError {
  /// The same of a credential that was printed and then not stored.
  fileprivate func sayingVoid(of identifier: String) -> LinkspanError {
    let words =
      kind == .uncertain
      ? "The credential that was printed is void unless 'linkspan token list' shows \(identifier)."
      : "The credential that was printed is void: it was not stored."
    let what = "\(message) \(words)"
    switch kind {
    case .unavailable, .uncertain:
      return .temporary(what, isUncertain: kind == .uncertain, help: help)
    case .usage, .failure: return LinkspanError(what, help: help)
    }
  }
}

extension AccessToken {
  /// Everything but secrets.
  var json: JSON {
    .object([
      ("id", .string(identifier)), ("name", JSON(name)),
      ("scopes", .array(scopes.map(\.rawValue).sorted().map(JSON.string))),
      ("topics", .array(topics.map(JSON.string))), ("hosts", .array((hosts ?? []).map(JSON.string))),
      ("created_at", .string("\(createdAt)")),
      ("expires_at", JSON(expiresAt.map { "\($0)" })), ("revoked_at", JSON(revokedAt.map { "\($0)" })),
    ])
  }
}

extension Arguments {
  /// The registry that `--registry` names, opened.
  ///
  /// - Parameters:
  ///   - makesFile: Whether a new one is made where there is none.
  ///   - use: What for; it says whether an older registry is brought to this program's version.
  func registry(makesFile: Bool = false, for use: Registry.Use = .changes) throws(LinkspanError) -> Registry {
    try Registry.open(registryAddress(), makesFile: makesFile, for: use)
  }

  /// What `--registry` names.
  func registryAddress() throws(LinkspanError) -> ServiceAddress {
    guard let address = address("--registry") else {
      throw usage("'--registry' is missing: sqlite:FILE or postgres://…")
    }
    return address
  }
}
