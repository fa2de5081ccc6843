internal import LinkspanCommand
internal import LinkspanCore
internal import PushProvider
internal import PushTerms

extension Command {
  static let pushSend = Command(
    name: "push send", summary: "Send a push to one device or to many", operands: "",
    discussion: """
      The payload is a file's bytes, an alert's text, or with --silent a background push of priority 5 that wakes the app
      and shows nothing. It is checked first; --force sends it despite errors.
      The topic is the bundle identifier; the suffix of the push type is added.

      Every push ends accepted, rejected or deferred. What APNs may accept later is sent again within --patience, with
      the same apns-id. The key is read from a file, never from an argument. The first Ctrl-C sends nothing more, and waits
      up to 5 seconds for answers.

      A list of tokens may have any length; a token that comes again within half a million lines gets one push. Without an
      auth key a push certificate proves the sender (--p12, or --cert); its passphrase comes from a file, from the
      environment, or from the terminal.
      """,
    flags: [
      Flag("--token", "HEX", repeats: true, "A device token"),
      Flag("--tokens", "FILE", "A file with one device token a line, or '-' for standard input"),
      Flag("--topic", "BUNDLE", "The app's bundle identifier"),
      Flag("--payload", "FILE", "The payload, sent byte for byte"), Flag("--alert", "TEXT", "Show this text"),
      Flag("--silent", "Wake the app in the background"), .pushType,
      Flag("--priority", "N", choices: PushPriority.names, "1, 5 or 10 (10; 5 for a background push)"),
      Flag("--expiration", "SECONDS", "When APNs discards it, in Unix seconds; 0 for one attempt"),
      Flag(
        "--collapse-id", "TEXT", "A later push with the same identifier replaces this one; at most 64 bytes"),
    ] + PushCredential.flags + PushServer.flags + [
      Flag("--connections", "N", "Connections to send over, at most 64 (1)"),
      PushSendRun.patienceFlag,
      Flag("--dry-run", "Print the requests and send nothing"),
      Flag("--force", "Send a payload that has errors"),
    ],
    examples: [
      "linkspan push send --token 00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0 "
        + "--topic com.example.app --alert Hello --auth-key AuthKey_A1B2C3D4E5.p8 --auth-key-id A1B2C3D4E5 "
        + "--team-id F6G7H8I9J0"
    ],
    commonFlags: [
      "--token", "--tokens", "--topic", "--payload", "--alert", "--silent", "--auth-key", "--auth-key-id",
      "--team-id", "--environment", "--dry-run", "--json", "--help",
    ], exitStatus: "0 all accepted, 1 some rejected, 2 could not send"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let draft = try PushDraft(arguments, console)
    let server = try PushServer(arguments)
    if arguments.has("--dry-run") { return try PushSendRun.plan(draft, server, arguments, console) }
    let run = try PushSendRun(draft, server, arguments)
    return try run.run(console)
  }
}

/// Where pushes go.
struct PushServer {
  var scheme = "https"
  /// Host and, where it is not the scheme's own, port.
  var authority: String

  static let flags = [
    Flag(
      "--environment", "NAME", choices: PushEnvironment.names,
      "production or development (development)"),
    Flag.address("--server", "URL", "A server instead of Apple's, such as https://127.0.0.1:2197"),
    Flag("--ca", "FILE", "Trust the certificates in this PEM file instead of the system's"),
  ]

  init(_ arguments: Arguments) throws(LinkspanError) {
    try self.init(Self.environment(arguments), arguments)
  }

  static func environment(_ arguments: Arguments) -> PushEnvironment {
    arguments.choice("--environment") ?? .sandbox
  }

  /// Apple's, unless `--server` names the one that stands for it.
  ///
  /// - Throws: That what it names is not the URL of a server.
  init(_ environment: PushEnvironment, _ arguments: Arguments) throws(LinkspanError) {
    if let address = arguments.address("--server") {
      let server = try LinkspanError.server(address, of: "--server", example: "https://127.0.0.1:2197")
      (scheme, authority) = (server.scheme, server.authority)
    } else {
      authority = environment.host
    }
  }
}
