internal import LinkspanCommand
internal import LinkspanCore
internal import PushConnections
internal import PushProvider
internal import PushTerms

/// One request about a broadcast channel, from the flags to what is printed.
struct ChannelRun {
  static let exitStatus = "0 done, 1 APNs refuses it, 2 could not ask"
  static let priorityFlag = Flag(
    "--priority", "N", choices: PushPriority.names, "1, 5 or 10; 10 counts against a budget (10)")
  static let expirationFlag = Flag(
    "--expiration", "SECONDS",
    "Until when APNs stores it, in Unix seconds; 0 for not at all, as for a broadcast without it")

  private let arguments: Arguments
  private let console: Console
  private let app: String
  private let environment: PushEnvironment
  private let server: PushServer
  /// nil where a dry run names no key.
  private let client: ChannelClient?
  /// Whether requests are printed, and nothing is sent.
  private let isDryRun: Bool

  /// - Parameter namesKey: Whether a dry run has a key to read.
  init(
    _ arguments: Arguments, _ console: Console, isDryRun: Bool = false, namesKey: Bool = true
  ) throws(LinkspanError) {
    try arguments.expectOperands(0...0)
    guard let bundle = arguments.value("--topic") else { throw arguments.usage("'--topic' is required") }
    guard let topic = PushTopic(bundle), topic.impliedType == nil || topic.impliedType == .liveactivity else {
      throw arguments.usage("'--topic': '\(bundle)' is not a bundle identifier")
    }
    self.arguments = arguments
    self.console = console
    app = topic.bundleIdentifier
    environment = PushServer.environment(arguments)
    server = try PushServer(environment, arguments)
    self.isDryRun = isDryRun
    let trust = try arguments.trust()
    guard !isDryRun || namesKey else {
      client = nil
      return
    }
    let isNamed = arguments.address("--server") != nil
    client = ChannelClient(
      try AuthKeyReader.signer(arguments), trust: trust,
      server: isNamed ? .init(scheme: server.scheme, authority: server.authority) : nil)
  }

  /// The channel that '--channel' names.
  func channel() throws(LinkspanError) -> String {
    guard let channel = try Self.channel(arguments) else {
      throw arguments.usage("'--channel' is required")
    }
    return channel
  }

  static func channel(_ arguments: Arguments) throws(LinkspanError) -> String? {
    guard let channel = arguments.value("--channel") else { return nil }
    guard ChannelIdentifier.isOne(channel) else {
      throw arguments.usage("'--channel': '\(channel)' is not an identifier in Base64")
    }
    return channel
  }

  /// Sends a payload to the channel, once it was checked.
  func publish(_ payload: SourceText) throws(LinkspanError) -> ExitStatus {
    let channel = try channel()
    let priority = arguments.value("--priority").flatMap(PushPriority.init) ?? .immediate
    let expiration = try arguments.number("--expiration", atLeast: 0) ?? 0
    let findings = BroadcastCheck.findings(in: payload, priority: priority, expiration: expiration)
    for finding in findings { console.note(finding.text()) }
    PushReport.warn(ofExpiration: expiration, findings, console)
    guard findings.count(of: .error) == 0 || arguments.has("--force") else {
      throw PushReport.refusal(of: "broadcast", findings, arguments, console)
    }
    let broadcast = ChannelRequest.Broadcast(
      channel: channel, priority: priority, expiration: expiration, payload: payload.bytes)
    guard !isDryRun else {
      PushReport.printPlan(of: broadcast, app: app, to: server.authority, arguments, console)
      return .yes
    }
    return try perform(.publish(broadcast))
  }

  func perform(_ request: ChannelRequest) throws(LinkspanError) -> ExitStatus {
    guard let client, !isDryRun else { preconditionFailure("a dry run asks nothing") }
    let answer = try client.answer(to: request, of: app, in: environment)
    let place: [(String, JSON)] = [("topic", .string(app)), ("environment", .string(environment.rawValue))]
    func say(_ text: String, _ type: String, _ members: [(String, JSON)]) {
      if arguments.has("--json") {
        console.print(.object([("type", .string(type))] + members + place))
      } else {
        console.print(text)
      }
    }
    switch (request, answer) {
    case (.create(let storage), .created(let channel)):
      say(channel, "channel", [("id", .string(channel)), ("storage", .string(storage.rawValue))])
    case (.read(let channel), .storage(let storage)):
      say(
        "\(channel): stores \(storage == .none ? "nothing" : "the newest broadcast, up to 8 hours")",
        "channel",
        [("id", .string(channel)), ("storage", .string(storage.rawValue))])
    case (_, .channels(let channels)):
      say(channels.joined(separator: "\n"), "channels", [("channels", .array(channels.map(JSON.string)))])
    case (.delete(let channel), .deleted):
      say("deleted \(channel)", "channel-deleted", [("id", .string(channel))])
    case (.publish(let broadcast), .published(let identifier)):
      say(
        "accepted" + (identifier.map { ", apns-request-id \($0)" } ?? ""), "broadcast",
        [
          ("channel", .string(broadcast.channel)), ("outcome", .string("accepted")),
          ("request_id", JSON(identifier)), ("payload_bytes", .int(broadcast.payload.count)),
        ])
    case (_, .refused(let refusal)):
      say(
        "refused: \(refusal.status) \(refusal.words). \(refusal.channelAdvice)", "refused",
        [
          ("status", .int(refusal.status)), ("reason", JSON(refusal.reasonText)),
          ("advice", .string(refusal.channelAdvice)),
        ])
      return refusal.isForeign || refusal.status >= 500 ? .failed : .no
    default: preconditionFailure("an answer belongs to its request")
    }
    return .yes
  }
}
