internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import PushProvider

/// A push to Live Activities, from the flags to where it goes.
struct ActivityDraft {
  static let channelFlag = Flag("--channel", "ID", "Broadcast to this channel instead of tokens")

  static let flags =
    [
      Flag("--token", "HEX", repeats: true, "A token of an activity, or to start one"),
      Flag("--tokens", "FILE", "A file with one token a line, or '-' for standard input"),
      Flag("--topic", "BUNDLE", "The app's bundle identifier"),
      Flag("--content-state", "JSON", "What the activity shows, or a file with it"),
      Flag("--alert-title", "TEXT", "The title of the alert that comes with it"),
      Flag("--alert", "TEXT", "The text of the alert that comes with it"),
      Flag("--stale-at", "SECONDS", "From when on the state is out of date, in Unix seconds"),
      Flag("--relevance", "NUMBER", "Which activity of several is shown first; larger ones are"),
      Flag("--timestamp", "SECONDS", "The state's time in Unix seconds; the newest wins (now)"),
      ChannelRun.priorityFlag, ChannelRun.expirationFlag,
    ] + PushCredential.flags + PushServer.flags + [
      Flag("--connections", "N", "Connections to send over, at most 64 (1)"),
      PushSendRun.patienceFlag,
      Flag("--dry-run", "Print the requests and send nothing"),
      Flag("--force", "Send a payload that has errors"),
    ]

  private let arguments: Arguments
  private let event: Aps.ActivityEvent
  private let payload: SourceText

  init(_ event: Aps.ActivityEvent, _ arguments: Arguments) throws(LinkspanError) {
    try arguments.expectOperands(0...0)
    self.arguments = arguments
    self.event = event
    let now = Int(CurrentTime.now.milliseconds / 1_000)
    var push = LiveActivityPush(event, timestamp: try arguments.number("--timestamp", atLeast: 0) ?? now)
    push.contentState = try Self.json("--content-state", arguments)
    var alert = PushAlert.Parts()
    alert.title = arguments.value("--alert-title").map(PushText.plain)
    alert.body = arguments.value("--alert").map(PushText.plain)
    if alert.title != nil || alert.body != nil { push.alert = alert }
    push.staleDate = try arguments.number("--stale-at", atLeast: 0)
    if let text = arguments.value("--relevance") {
      guard let score = Double(text), score.isFinite else {
        throw arguments.usage("'--relevance': expected a number, got '\(text)'")
      }
      push.relevanceScore = score
    }
    switch event {
    case .start:
      push.attributesType = arguments.value("--attributes-type")
      push.attributes = try Self.json("--attributes", arguments)
      push.channel = try ChannelRun.channel(arguments)
      push.asksForToken = arguments.has("--ask-token")
    case .end: push.dismissalDate = try arguments.number("--dismiss-at", atLeast: 0)
    case .update: break
    }
    payload = SourceText(name: "push activity \(event.rawValue)", bytes: push.payload.json.bytes)
  }

  func send(_ console: Console) throws(LinkspanError) -> ExitStatus {
    let isBroadcast = event != .start && arguments.value("--channel") != nil
    let hasTokens = !arguments.all("--token").isEmpty || arguments.value("--tokens") != nil
    if isBroadcast {
      guard !hasTokens else {
        throw arguments.usage("'--channel' and tokens exclude each other: a broadcast goes to a channel")
      }
      return try ChannelRun(
        arguments, console, isDryRun: arguments.has("--dry-run"), namesKey: PushCredential.isNamed(arguments)
      ).publish(payload)
    }
    let draft = try PushDraft(
      arguments, console, payload: payload, type: PushType.liveactivity.rawValue)
    let server = try PushServer(arguments)
    if arguments.has("--dry-run") { return try PushSendRun.plan(draft, server, arguments, console) }
    return try PushSendRun(draft, server, arguments).run(console)
  }

  /// The object that a flag has, or names a file of.
  private static func json(_ flag: String, _ arguments: Arguments) throws(LinkspanError) -> JSON? {
    guard let text = arguments.value(flag) else { return nil }
    let first = text.drop { $0.isWhitespace }.first
    let source =
      first == "{" || first == "["
      ? SourceText(name: flag, bytes: Array(text.utf8)) : try FileReader.read(text)
    return try source.json(
      "an object", help: "Write \(flag) '{\"score\":1}', or the name of a file with such an object."
    ).json
  }
}
