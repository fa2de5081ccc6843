internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import PushProvider

/// What a person asks to be sent, read from the flags and checked.
struct PushDraft {
  let notifications: [PushNotification]

  init(_ arguments: Arguments, _ console: Console) throws(CommandError) {
    let text = try Self.payload(arguments)
    var headers = PushHeaders()
    headers.type = arguments.value("--push-type").map { .init($0) }
    if arguments.has("--silent"), headers.type == nil { headers.type = .init(PushType.background.rawValue) }
    guard let bundle = arguments.value("--topic") else { throw arguments.usage("'--topic' is required") }
    let type = PayloadSource(text, headers: headers).type
    let topic = type.flatMap { type in PushTopic(bundle).map { Self.completed($0, for: type) } }
    headers.topic = .init(topic ?? bundle)
    headers.type = headers.type ?? type.map { .init($0.rawValue) }
    let priorityText = arguments.value("--priority")
    let priority = priorityText.flatMap(PushPriority.init)
    headers.priority = priorityText.map { .init($0) }
    headers.collapseIdentifier = arguments.value("--collapse-id").map { .init($0) }
    headers.expiration = arguments.value("--expiration").map { .init($0) }
    let source = PayloadSource(text, headers: headers)
    let findings = PayloadChecker.findings(in: source)
    for finding in findings { console.note(finding.text()) }
    let isPossible = headers.expiration.map { Int($0.text) != nil } ?? true
    guard let type, let fullTopic = PushTopic(headers.topic?.text ?? bundle),
      priorityText == nil || priority != nil, isPossible,
      findings.count(of: .error) == 0 || arguments.has("--force")
    else {
      throw CommandError(
        "the push has errors, so it was not sent.",
        help: "They are listed above. '--force' sends a payload in spite of errors in it.")
    }
    let tokens = try Self.tokens(arguments)
    notifications = tokens.map { token in
      var push = PushNotification(
        token: token, topic: fullTopic, type: type, priority: priority ?? type.usualPriority,
        payload: text.bytes)
      push.expiration = headers.expiration.flatMap { Int($0.text) }
      push.collapseIdentifier = headers.collapseIdentifier?.text
      return push
    }
  }

  /// A bundle identifier gets the suffix of the push type; a topic that has one keeps it.
  private static func completed(_ topic: PushTopic, for type: PushType) -> String {
    topic.impliedType == nil ? topic.expected(for: type) : topic.text
  }

  private static func payload(_ arguments: Arguments) throws(CommandError) -> SourceText {
    switch (arguments.value("--payload"), arguments.value("--alert"), arguments.has("--silent")) {
    case (let file?, nil, false): return try CommandError.mapping(FileReader.read(file))
    case (nil, let text?, false):
      return SourceText(name: "--alert", bytes: PushPayload.alert(text).json.bytes)
    case (nil, nil, true): return SourceText(name: "--silent", bytes: PushPayload.silent.json.bytes)
    default: throw arguments.usage("exactly one of '--payload', '--alert' and '--silent' is required")
    }
  }

  private static func tokens(_ arguments: Arguments) throws(CommandError) -> [DeviceToken] {
    var tokens: [DeviceToken] = []
    var seen: Set<DeviceToken> = []
    func add(_ text: String, _ place: String) throws(CommandError) {
      do throws(DeviceTokenError) {
        let token = try DeviceToken(text)
        if seen.insert(token).inserted { tokens.append(token) }
      } catch {
        throw CommandError(
          "\(place) is not a device token: \(error.message).", help: "Write it in hexadecimal digits.")
      }
    }
    for text in arguments.all("--token") { try add(text, "'\(text)'") }
    if let file = arguments.value("--tokens") {
      let lines = try CommandError.mapping(FileReader.bytes(file)).split(
        separator: 0x0A, omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() {
        let isBlank = line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        if !isBlank { try add(String(decoding: line, as: UTF8.self), "\(file):\(index + 1)") }
      }
    }
    guard !tokens.isEmpty else {
      throw arguments.usage("no device token; name one with '--token' or '--tokens'")
    }
    return tokens
  }
}
