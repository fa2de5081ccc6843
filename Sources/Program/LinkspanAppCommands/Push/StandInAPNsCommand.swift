package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
internal import LinkspanStandIns
internal import PushProvider
internal import PushStandIn
internal import PushTerms

extension Command {
  package static let standInAPNs = Command(
    name: "stand-in apns", summary: "Apple's push service, with all of its responses", operands: "",
    discussion: """
      Serves HTTP/2 over TLS as APNs does, with and without ALPN, and checks every request: provider tokens against the
      given keys, client certificates against their topics, and headers, topics, sizes and tokens against Apple's
      documentation. Broadcast channels are managed and published to on the same port.

      --rules names a JSON5 file that makes some requests fail: by token, topic or share, with any status and reason,
      latency, GOAWAY, reset, loss or fewer streams. --record writes one JSON object a line for each request. Device
      tokens are accepted unless --known-tokens or a rule says otherwise. The profile strict is Apple's documentation,
      field is what was observed where it differs. Documentation/testing-pushes.md has the format and examples.

      Admin calls, in JSON5: GET /clock, POST /clock {"advance_s": 1260}, POST /rules {"rules": […]},
      POST /tokens {"token": "00fc…", "state": "unregistered"}, POST /drain {"drain": true}.
      """,
    flags: StandInAddress.flags + [
      Flag(
        "--auth-key", "FILE", repeats: true,
        "A key that provider tokens may be signed with: its .p8 file, or its public half as PEM"),
      Flag("--auth-key-id", "ID", repeats: true, "The key's identifier, one for each --auth-key"),
      Flag("--team-id", "ID", repeats: true, "The team's identifier, one for all keys or one for each"),
      Flag("--topic", "BUNDLE", repeats: true, "A bundle identifier of the team (every topic)"),
      Flag("--rules", "FILE", "Failing requests, and the state of keys and tokens"),
      Flag("--record", "FILE", "Write one JSON object a line for each request"),
      Flag(
        "--known-tokens", "FILE", "The device tokens that exist; any other one is answered 410 Unregistered"),
      Flag(
        "--profile", "NAME", choices: APNsProfile.allCases.map(\.rawValue), "strict or field (strict)"),
      Flag(
        "--environment", "NAME", choices: PushEnvironment.names,
        "sandbox or production (sandbox)"),
      Flag(
        "--seed", "N",
        "The random seed (1); without it the identifiers of channels are new at each start"),
      Flag(
        "--idle", "SECONDS",
        "Close a connection with IdleTimeout after this long without a request, 86400 at most (3600)"),
      Flag("--allow-http1", "Also serve HTTP/1.1, which APNs refuses"),
      Flag("--manual-clock", "Advance time only when an admin call moves the clock"),
    ],
    examples: [
      "linkspan stand-in apns --listen 127.0.0.1:0 --write-certificate ca.pem --auth-key AuthKey_A1B2C3D4E5.p8 "
        + "--auth-key-id A1B2C3D4E5 --team-id F6G7H8I9J0 --topic com.example.app --record pushes.jsonl",
      "linkspan stand-in apns --auth-key key.pem --auth-key-id A1B2C3D4E5 --team-id F6G7H8I9J0 "
        + "--topic com.example.app --rules rules.json5 --admin 127.0.0.1:8081",
    ],
    commonFlags: [
      "--listen", "--plain", "--auth-key", "--auth-key-id", "--team-id", "--topic", "--rules", "--record",
      "--json", "--help",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    var options = StandInAPNs.Options()
    options.service = try StandInAPNsInput.configuration(arguments, console)
    options.record = try arguments.outputFile("--record", StandInAPNs.recordKind)
    options.allowsHTTP1 = arguments.has("--allow-http1")
    options.clockStands = arguments.has("--manual-clock")
    if let seconds = try arguments.number("--idle", in: 1...86_400) { options.idle = .seconds(seconds) }
    let place = try StandInAddress(arguments)
    let standIn = try StandInAPNs(place, options)
    try standIn.run { address, admin in
      place.announce("a stand-in for APNs", address, admin, [], arguments, console)
    }
    return .yes
  }
}

/// What `stand-in apns` is told by flags and files.
private enum StandInAPNsInput {
  static func configuration(
    _ arguments: Arguments, _ console: Console
  ) throws(LinkspanError) -> APNsConfiguration {
    var configuration = APNsConfiguration()
    configuration.keys = try keys(arguments)
    for topic in arguments.all("--topic") { configuration.topics.append(try arguments.topic(topic).text) }
    configuration.profile = arguments.choice("--profile") ?? .strict
    configuration.environment = arguments.choice("--environment") ?? .sandbox
    if let seed: UInt64 = try arguments.number("--seed", atLeast: 0) {
      configuration.seed = seed
    } else {
      configuration.channelSeed = .random(in: .min ... .max)
    }
    if let file = arguments.value("--rules") {
      let source = try FileReader.read(file)
      switch RulesDocument.parse(source) {
      case .document(let document):
        let given = configuration.keys.map(\.identifier)
        if let unknown = document.keys.keys.sorted().first(where: { !given.contains($0) }) {
          throw LinkspanError(
            "'\(file)' limits the key '\(unknown)', which no '--auth-key-id' gives.",
            help: given.isEmpty
              ? "Give the key with '--auth-key', '--auth-key-id' and '--team-id', or remove it from 'keys'."
              : "The keys are \(given.joined(separator: ", ")). Correct the 'id', or remove it from 'keys'.")
        }
        document.apply(to: &configuration)
      case .findings(let findings): throw refusal(findings, "'\(file)' is not a rules file", console)
      }
    }
    if let file = arguments.value("--known-tokens") {
      let source = try FileReader.read(file)
      switch DeviceTokens.parse(source) {
      case .tokens(let tokens): configuration.tokens = tokens
      case .findings(let findings): throw refusal(findings, "'\(file)' is not a list of tokens", console)
      }
    }
    return configuration
  }

  private static func refusal(
    _ findings: [Finding], _ what: String, _ console: Console
  ) -> LinkspanError {
    for finding in findings { console.note(finding.text()) }
    return LinkspanError("\(what); the errors are listed above.")
  }

  private static func keys(_ arguments: Arguments) throws(LinkspanError) -> [ProviderKey] {
    let files = arguments.all("--auth-key")
    let identifiers = arguments.all("--auth-key-id")
    let teams = arguments.all("--team-id")
    guard files.count == identifiers.count, teams.count == files.count || teams.count == 1 || files.isEmpty
    else {
      throw arguments.usage(
        "each '--auth-key' needs its own '--auth-key-id'; give one '--team-id' for all keys, or one for each")
    }
    var keys: [ProviderKey] = []
    for (index, file) in files.enumerated() {
      keys.append(
        ProviderKey(
          identifier: identifiers[index], team: teams.count == 1 ? teams[0] : teams[index],
          publicKey: try publicKey(file)))
    }
    return keys
  }

  /// The public half of a key: of a .p8 file, or of a PEM file that has no other half.
  private static func publicKey(_ file: String) throws(LinkspanError) -> P256PublicKey {
    var bytes = try SecretFile.bytes(file)
    defer { Passphrase.wipe(&bytes) }
    do throws(IdentityError) {
      return try P256PublicKey(bytes)
    } catch {}
    SecretFile.warn(of: file, secret: "key")
    do throws(IdentityError) {
      return try P256PrivateKey(bytes).publicKey
    } catch {
      throw LinkspanError(
        "'\(file)' holds no key that provider tokens are verified with: \(error.message).",
        help: "Give the .p8 file of the key, or its public half: openssl ec -in KEY.p8 -pubout.")
    }
  }
}
