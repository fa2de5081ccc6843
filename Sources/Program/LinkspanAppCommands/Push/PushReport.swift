internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import PushProvider

/// What is said of pushes: one line each.
enum PushReport {
  /// Says that a push has expired already where no finding says so, as the server does over the API.
  static func warn(ofExpiration expiration: Int?, _ findings: [Finding], _ console: Console) {
    guard let expiration, ExpirationWarning.applies(to: Int64(expiration), at: CurrentTime.now),
      !findings.contains(where: { ["push.past-expiration", "push.expiration"].contains($0.rule) })
    else { return }
    console.note("warning: '--expiration': \(ExpirationWarning.text)")
  }

  /// Why a push with mistakes does not go out.
  ///
  /// - Parameters:
  ///   - kind: `push` or `broadcast`.
  ///   - findings: The mistakes, which were listed already.
  static func refusal(
    of kind: String, _ findings: [Finding], _ arguments: Arguments, _ console: Console
  ) -> LinkspanError {
    let error = LinkspanError(
      "the \(kind) has errors, so it was not sent.",
      help: "They are listed above. '--force' sends a payload in spite of errors in it.")
    return console.refused(error, asJSON: arguments.has("--json"), findings: findings)
  }

  /// A request as it would go out, without what proves the sender.
  static func printPlan(
    of push: PushNotification, to authority: String, _ arguments: Arguments, _ console: Console
  ) {
    printPlan(
      push.request(to: authority, messageIdentifier: "", providerToken: nil),
      [("type", .string("push-plan")), ("token", .string(push.token.text))],
      payloadBytes: push.payload.count, to: authority, arguments, console)
  }

  /// The same of a broadcast.
  ///
  /// - Parameter app: The bundle identifier.
  static func printPlan(
    of broadcast: ChannelRequest.Broadcast, app: String, to authority: String, _ arguments: Arguments,
    _ console: Console
  ) {
    printPlan(
      ChannelRequest.publish(broadcast).request(of: app, to: authority, identifier: "", providerToken: nil),
      [("type", .string("broadcast-plan")), ("channel", .string(broadcast.channel))],
      payloadBytes: broadcast.payload.count, to: authority, arguments, console)
  }

  private static func printPlan(
    _ request: HTTPRequest, _ members: [(String, JSON)], payloadBytes: Int, to authority: String,
    _ arguments: Arguments, _ console: Console
  ) {
    let fields = request.fields.list.filter { !["apns-id", "apns-request-id"].contains($0.name) }
    if arguments.has("--json") {
      let headers: [(String, JSON)] = fields.map { ($0.name, .string($0.value)) }
      let facts: [(String, JSON)] = [
        ("server", .string(authority)), ("path", .string(request.target)), ("headers", .object(headers)),
        ("payload_bytes", .int(payloadBytes)),
      ]
      console.print(.object(members + facts))
    } else {
      console.print("POST \(authority)\(request.target)")
      for field in fields { console.print("  \(field.name): \(field.value)") }
      console.print("  \(payloadBytes.counted("byte")) of payload")
    }
  }

  static func print(_ result: PushResult, asJSON: Bool, _ console: Console) {
    guard asJSON else {
      console.print("\(result.token.text): \(text(result))")
      return
    }
    if case .accepted(nil) = result.outcome {
      console.printRaw(acceptedLine(result), terminator: "\n")
      return
    }
    let (status, reason, next): (Int?, String?, String?) =
      switch result.outcome {
      case .accepted: (200, nil, nil)
      case .rejected(let rejection): (rejection.status, rejection.reason, rejection.step.rawValue)
      case .notNow(let delay):
        (delay.status, delay.reason, (delay.needsFix ? RejectionStep.fix : .retry).rawValue)
      }
    var members: [(String, JSON)] = [
      ("type", .string("push")), ("token", .string(result.token.text)),
      ("apns_id", .string(result.messageIdentifier)), ("outcome", .string(name(result.outcome))),
      ("status", .init(status)), ("reason", .init(reason)), ("next", .init(next)),
      ("attempts", .int(result.attemptCount)), ("possible_duplicate", .bool(result.isPossibleDuplicate)),
    ]
    switch result.outcome {
    case .accepted(let identifier): members.append(("apns_unique_id", .init(identifier)))
    case .rejected(let rejection):
      members.append(("advice", .string(rejection.advice)))
      members.append(("unregistered_at", .init(rejection.timestamp.map { "\($0)" })))
    case .notNow(let delay):
      members.append(("retry_at", delay.needsFix ? .null : .string("\(delay.retryAt)")))
    }
    console.print(.object(members))
  }

  /// About what it has besides the token.
  private static let acceptedBytes = 224

  /// The line of the usual end, written at once: a sender prints a hundred thousand of them in a second. Nothing in it
  /// needs an escape.
  private static func acceptedLine(_ result: PushResult) -> String {
    var line = "{\"type\":\"push\",\"token\":\""
    line.reserveCapacity(acceptedBytes + result.token.text.utf8.count)
    line += result.token.text
    line += "\",\"apns_id\":\""
    line += result.messageIdentifier
    line += "\",\"outcome\":\"accepted\",\"status\":200,\"reason\":null,\"next\":null,\"attempts\":"
    line += String(result.attemptCount)
    line += result.isPossibleDuplicate ? ",\"possible_duplicate\":true" : ",\"possible_duplicate\":false"
    line += ",\"apns_unique_id\":null}"
    return line
  }

  static func name(_ outcome: PushOutcome) -> String {
    switch outcome {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .notNow: "not-now"
    }
  }

  private static func text(_ result: PushResult) -> String {
    let twice =
      result.isPossibleDuplicate ? " An earlier attempt had no answer, so APNs may have it twice." : ""
    switch result.outcome {
    case .accepted: return "accepted, apns-id \(result.messageIdentifier).\(twice)"
    case .rejected(let rejection):
      return
        "rejected: \(rejection.status) \(rejection.reason ?? "without a reason"). \(rejection.advice)\(twice)"
    case .notNow(let delay):
      let maybe = result.isPossibleDuplicate ? " APNs may have accepted it." : ""
      if delay.needsFix { return "deferred: \(delay.reason).\(maybe)" }
      return "deferred: \(delay.reason). Try again from \(delay.retryAt).\(maybe)"
    }
  }
}
