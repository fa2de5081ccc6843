internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import PushProvider

/// What a person asks to be sent, read from the flags and checked.
struct PushDraft {
  /// The push without its token.
  private let template: PushNotification
  /// To whom it goes.
  let tokens: PushTokens

  init(_ arguments: Arguments, _ console: Console) throws(LinkspanError) {
    let (type, collapseIdentifier) = (arguments.value("--push-type"), arguments.value("--collapse-id"))
    // No header can carry it, so it would be tried again until the patience ends.
    if let text = collapseIdentifier, text.isEmpty || text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      throw arguments.usage("'--collapse-id': expected text of 1 to 64 bytes without control characters")
    }
    let silentType = arguments.has("--silent") ? PushType.background.rawValue : nil
    try self.init(
      arguments, console, payload: try arguments.payload(), type: type ?? silentType,
      collapseIdentifier: collapseIdentifier)
  }

  /// - Parameter type: The value of `apns-push-type`; nil for what the payload looks like.
  init(
    _ arguments: Arguments, _ console: Console, payload text: SourceText, type named: String?,
    collapseIdentifier: String? = nil
  ) throws(LinkspanError) {
    let expiration: Int? = try arguments.number("--expiration", atLeast: 0)
    var headers = PushHeaders()
    headers.type = named.map { .init($0) }
    guard let bundle = arguments.value("--topic") else { throw arguments.usage("'--topic' is required") }
    let type = PayloadSource(text, headers: headers, isBody: true).type
    let topic = type.flatMap { type in PushTopic(bundle).map { Self.completed($0, for: type) } }
    headers.topic = .init(topic ?? bundle)
    headers.type = headers.type ?? type.map { .init($0.rawValue) }
    let priorityText = arguments.value("--priority")
    let priority = priorityText.flatMap(PushPriority.init)
    headers.priority = (priorityText ?? type.map { "\($0.usualPriority.rawValue)" }).map { .init($0) }
    headers.collapseIdentifier = collapseIdentifier.map { .init($0) }
    headers.expiration = expiration.map { .init("\($0)") }
    let source = PayloadSource(text, headers: headers, isBody: true)
    let findings = PushDecision(source).findings
    for finding in findings { console.note(finding.text()) }
    PushReport.warn(ofExpiration: expiration, findings, console)
    // No header can carry it, whatever '--force' says.
    let fullTopic = try arguments.topic(headers.topic?.text ?? bundle)
    guard let type, priorityText == nil || priority != nil,
      findings.count(of: .error) == 0 || arguments.has("--force")
    else {
      throw PushReport.refusal(of: "push", findings, arguments, console)
    }
    tokens = try PushTokens(arguments)
    var push = PushNotification(
      token: DeviceToken.none, topic: fullTopic, type: type, priority: priority ?? type.usualPriority,
      payload: text.bytes)
    push.expiration = expiration
    push.collapseIdentifier = headers.collapseIdentifier?.text
    template = push
  }

  /// The push to the next device, or nil at the end.
  ///
  /// - Throws: What is wrong with a token.
  func next() throws(LinkspanError) -> PushNotification? {
    guard let token = try tokens.next() else { return nil }
    var push = template
    push.token = token
    return push
  }

  /// A bundle identifier gets the suffix of the push type; a topic that has one keeps it.
  private static func completed(_ topic: PushTopic, for type: PushType) -> String {
    topic.impliedType == nil ? topic.expected(for: type) : topic.text
  }
}

extension Arguments {
  /// What a person named as a push's topic.
  ///
  /// - Throws: That no push can have it.
  func topic(_ text: String) throws(LinkspanError) -> PushTopic {
    guard let topic = PushTopic(text) else {
      throw usage("'\(text)' is not a topic; expected a bundle identifier such as com.example.app")
    }
    return topic
  }
}
