internal import LinkspanCore
internal import PushProvider

/// One rule: whom it selects, and what it does.
extension RulesParser {
  private static let example = "{ token: \"00fc…\", answer: { status: 410, reason: \"Unregistered\" } }"
  private static let effects = ["answer", "latency", "latency_ms", "goaway", "reset", "settings", "loss"]
  /// Ours: the longest latency, ten minutes.
  private static let longestLatencyMilliseconds = 600_000

  mutating func rule(_ node: JSONNode) -> APNsRule? {
    let selectors = ["token", "topic", "push_type", "share", "skip", "count"]
    guard let found = members(node, "a rule", keys: selectors + Self.effects, example: Self.example) else {
      return nil
    }
    var rule = APNsRule()
    if let token = node["token"] {
      rule.tokens = patterns(token, "token", reading: { ASCII.lowercased($0) }).map(APNsRule.Pattern.init)
      checkDigits(token)
    }
    if let topic = node["topic"] { rule.topics = patterns(topic, "topic").map { APNsRule.Pattern($0) } }
    if let types = node["push_type"] { rule.types = pushTypes(types) }
    if let share = node["share"] { rule.share = ratio(share) ?? (1, 1) }
    if let skip = node["skip"] { rule.skippedCount = int(skip, "skip", in: 0...Int.max) ?? 0 }
    if let count = node["count"] { rule.countLimit = int(count, "count", in: 1...Int.max) }
    rule.effect = effect(node)
    for (first, second) in [("latency_ms", "latency"), ("reset", "loss")] {
      if node[first] != nil, let other = node[second] {
        report(
          "contradiction", other, "The rule has '\(first)' and '\(second)'; it can do one of the two.",
          "Keep one, or write two rules that select different pushes.")
      }
    }
    if !found.contains(where: { Self.effects.contains($0.name) }) {
      report(
        "no-effect", at: node.range.lowerBound..<node.range.lowerBound + 1, "The rule does nothing.",
        "Add one of 'answer', 'latency_ms', 'goaway', 'reset', 'settings' and 'loss'.")
    }
    return rule
  }

  private mutating func effect(_ node: JSONNode) -> APNsRule.Effect {
    var effect = APNsRule.Effect()
    if let answer = node["answer"] {
      switch self.answer(answer) {
      case .accepts: effect.accepts = true
      case .refuses(let refusal): effect.answer = refusal
      case nil: break
      }
    }
    if let latency = node["latency_ms"] ?? node["latency"] {
      effect.latencyMilliseconds = self.latency(latency)
    }
    if let goAway = node["goaway"] { effect.goAway = self.goAway(goAway) }
    if let settings = node["settings"] { effect.concurrentStreams = streams(settings) }
    if let reset = node["reset"] { effect.ending = code(reset, "reset", default: 2).map { .reset(code: $0) } }
    if let loss = node["loss"] { effect.ending = self.loss(loss) }
    return effect
  }

  // MARK: - Whom it selects

  /// - Parameter reading: The form in which a text is compared.
  private mutating func patterns(
    _ node: JSONNode, _ name: String, reading: (String) -> String = { $0 }
  ) -> [String] {
    reportEmpty(node, name)
    var seen: Set<String> = []
    return strings(node, name, example: Self.example).map { text, place in
      let read = reading(text)
      reportRepeated(text, place, isNew: seen.insert(read).inserted)
      if text.isEmpty || text.dropLast().contains("*") {
        report(
          "pattern", place,
          text.isEmpty
            ? "An empty \(name) selects no push."
            : "'\(text)' selects no push: a '*' stands at the end only.",
          "Write the whole \(name), its beginning and a '*', or \"*\" for every \(name).")
      }
      return read
    }
  }

  /// The second of two is most likely meant to be another.
  private mutating func reportRepeated(_ text: String, _ place: JSONNode, isNew: Bool) {
    if !isNew { report("repeated", place, "'\(text)' is listed twice.", "Keep one of the two.") }
  }

  /// A list that selects nothing: most likely a script had nothing to fill it with.
  mutating func reportEmpty(_ node: JSONNode, _ name: String) {
    guard node.array?.isEmpty == true else { return }
    report(
      "empty-list", node, "'\(name)' is an empty list.", "Name at least one, or remove '\(name)'.")
  }

  /// Device tokens are hexadecimal, so that anything else is most likely a mistake.
  private mutating func checkDigits(_ node: JSONNode) {
    for element in node.array ?? [node] {
      guard let text = element.string, !text.dropLast().contains("*") else { continue }
      let digits = text.hasSuffix("*") ? text.dropLast() : text[...]
      if !digits.utf8.allSatisfy({ ASCII.hexValue($0) != nil }) {
        report(
          "token", element, "'\(text)' selects no push: device tokens are hexadecimal digits.",
          "Write a token, or its beginning and a '*'.")
      }
    }
  }

  private mutating func pushTypes(_ node: JSONNode) -> [String] {
    reportEmpty(node, "push_type")
    let known = PushType.allCases.map(\.rawValue)
    var types: [String] = []
    for (text, place) in strings(node, "push_type", example: "push_type: \"background\"") {
      if known.contains(text) {
        reportRepeated(text, place, isNew: !types.contains(text))
        types.append(text)
      } else {
        let near = Spelling.nearest(to: text, among: known).map { "Did you mean '\($0)'?" }
        report(
          "unknown-word", place, "'\(text)' is not a push type.", near ?? "Expected \(Self.list(known)).")
      }
    }
    return types
  }

  /// A share: `0.25`, `"1/4"` or `"25%"`.
  private mutating func ratio(_ node: JSONNode) -> (Int64, Int64)? {
    let text: String
    switch node.value {
    case .number(let number), .string(let number): text = number
    default:
      wrongType(node, "share", wanted: "a number from 0 to 1", example: "share: 0.25")
      return nil
    }
    let ratio: (Int64, Int64)?
    if let slash = text.firstIndex(of: "/") {
      let parts = (Int64(text[..<slash]), Int64(text[text.index(after: slash)...]))
      ratio = parts.0.flatMap { part in parts.1.map { (part, $0) } }
    } else if text.hasSuffix("%") {
      ratio = Self.decimal(text.dropLast()).flatMap { $0.1 <= 1_000_000_000_000 ? ($0.0, $0.1 * 100) : nil }
    } else {
      ratio = Self.decimal(text[...])
    }
    guard let ratio, ratio.1 > 0, (0...ratio.1).contains(ratio.0) else {
      report(
        "share", node, "'\(text)' is not a share from 0 to 1.",
        "Write it as 0.25, as \"1/4\" or as \"25%\".")
      return nil
    }
    return ratio
  }

  /// A decimal number as a ratio of integers, so that a share is exact.
  private static func decimal(_ text: Substring) -> (Int64, Int64)? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count > 1 ? parts[1] : ""
    guard fraction.utf8.count <= 12, (parts[0] + fraction).utf8.allSatisfy(ASCII.isDigit),
      let number = Int64(parts[0] + fraction)
    else { return nil }
    return (number, fraction.utf8.reduce(Int64(1)) { product, _ in product * 10 })
  }

  // MARK: - What it does

  private enum Answer {
    case accepts
    case refuses(APNsRefusal)
  }

  /// An object with `status` and `reason`, or one of the two by itself.
  private mutating func answer(_ node: JSONNode) -> Answer? {
    switch node.value {
    case .number: return answer(node, status: node, reason: nil)
    case .string: return answer(node, status: nil, reason: node)
    default: break
    }
    let keys = ["status", "reason", "timestamp", "retry_after_s"]
    guard members(node, "an answer", keys: keys, example: Self.example) != nil,
      let answer = answer(node, status: node["status"], reason: node["reason"])
    else { return nil }
    let status = if case .refuses(let refusal) = answer { refusal.status } else { 200 }
    if let timestamp = node["timestamp"], status != 410 {
      report(
        "contradiction", timestamp, "A 'timestamp' comes with status 410, not \(status).",
        "Remove 'timestamp', or answer 410: it says since when the app is gone.")
    }
    guard case .refuses(var refusal) = answer else { return answer }
    if let timestamp = node["timestamp"] {
      refusal.timestamp = int(timestamp, "timestamp", in: 0...253_402_300_799_999).map {
        WallTime(milliseconds: Int64($0))
      }
    }
    if let seconds = node["retry_after_s"] {
      refusal.retryAfterSeconds = int(seconds, "retry_after_s", in: 0...86_400)
    }
    return .refuses(refusal)
  }

  private mutating func answer(_ node: JSONNode, status: JSONNode?, reason: JSONNode?) -> Answer? {
    let known = APNsReason.allCases.map(\.rawValue)
    var named: APNsReason?
    // "reason": null is what a client's own log may say of an accepted push.
    if let reason, reason.string != nil || status == nil {
      guard let word = word(reason, "reason", APNsReason.allCases) else { return nil }
      named = word
    }
    guard let status else {
      guard let named else {
        report(
          "missing-key", node, "The answer has no 'status'.", "For example: answer: { status: 503 }.")
        return nil
      }
      return .refuses(APNsRefusal(named))
    }
    guard let number = int(status, "status", in: 200...599) else { return nil }
    if let named {
      guard named.status == number else {
        report(
          "status", status, "'\(named.rawValue)' comes with status \(named.status), not \(number).",
          "Write status \(named.status), or leave 'status' out.")
        return nil
      }
      return .refuses(APNsRefusal(named))
    }
    if number == 200 { return .accepts }
    guard number >= 300 else {
      report(
        "status", status, "APNs accepts a push with status 200, not \(number).",
        "Write status 200, or one from 300 to 599 for a refusal.")
      return nil
    }
    if number == 400 || number == 403 {
      let reasons = known.filter { APNsReason(rawValue: $0)?.status == number }
      report(
        "missing-key", node, "Status \(number) has several reasons, and the answer names none.",
        "Add 'reason', one of \(Self.list(reasons)).")
      return nil
    }
    return .refuses(APNsRefusal(status: number, reason: Self.usualReason(number)))
  }

  private static func usualReason(_ status: Int) -> APNsReason? {
    switch status {
    case 410: .unregistered
    case 429: .tooManyRequests
    case 503: .serviceUnavailable
    default: APNsReason.allCases.first { $0.status == status }
    }
  }

  /// Milliseconds, a range of them, or a text with its unit: `"200ms"`, `"1s"`.
  private mutating func latency(_ node: JSONNode) -> ClosedRange<Int64>? {
    let example = "latency_ms: 200"
    if let text = node.string {
      let (digits, factor) =
        text.hasSuffix("ms")
        ? (text.dropLast(2), 1) : text.hasSuffix("s") ? (text.dropLast(), 1_000) : ("", 1)
      guard let number = Int64(digits), (0...Int64(Self.longestLatencyMilliseconds / factor)).contains(number)
      else {
        report("latency", node, "'\(text)' is not a latency.", "Write it as \"200ms\" or as \"2s\".")
        return nil
      }
      return number * Int64(factor)...number * Int64(factor)
    }
    let bounds = node.array ?? [node, node]
    guard bounds.count == 2 else {
      wrongType(
        node, "latency_ms", wanted: "milliseconds, or a lowest and a highest number", example: example)
      return nil
    }
    guard let low = int(bounds[0], "latency_ms", in: 0...Self.longestLatencyMilliseconds),
      let high = int(bounds[1], "latency_ms", in: 0...Self.longestLatencyMilliseconds)
    else { return nil }
    guard low <= high else {
      report(
        "latency", node, "'latency_ms' has the higher number first.",
        "Write the lower one first: latency_ms: [\(high), \(low)].")
      return nil
    }
    return Int64(low)...Int64(high)
  }

  /// `true`, a reason, or an object with `reason` and `code`.
  private mutating func goAway(_ node: JSONNode) -> APNsReply.GoAway? {
    if let flag = node.bool { return flag ? .init(reason: APNsReason.shutdown.rawValue) : nil }
    if let reason = node.string { return .init(reason: reason) }
    let example = "goaway: { reason: \"Shutdown\", code: \"NO_ERROR\" }"
    guard members(node, "goaway", keys: ["reason", "code"], example: example) != nil else { return nil }
    var goAway = APNsReply.GoAway(reason: nil)
    if let reason = node["reason"] { goAway.reason = string(reason, "reason", example: example) }
    if let code = node["code"] { goAway.code = self.code(code, "code", default: 0) ?? 0 }
    return goAway
  }

  private mutating func streams(_ node: JSONNode) -> Int? {
    let name = "max_concurrent_streams"
    let example = "settings: { \(name): 1 }"
    guard members(node, "settings", keys: [name], example: example) != nil else { return nil }
    guard let streams = node[name] else {
      report("missing-key", node, "The settings have no '\(name)'.", "For example: \(example).")
      return nil
    }
    return int(streams, name, in: 0...1_000_000)
  }

  private enum Loss: String, CaseIterable {
    case request, answer, silence

    var ending: APNsReply.Ending {
      switch self {
      case .request: .requestLost
      case .answer: .answerLost
      case .silence: .silence
      }
    }
  }

  /// `true` stands for `"answer"`, the loss that leaves a client in doubt.
  private mutating func loss(_ node: JSONNode) -> APNsReply.Ending? {
    if let flag = node.bool { return flag ? .answerLost : nil }
    return word(node, "loss", Loss.allCases)?.ending
  }

  /// The name or the number of an error code (RFC 9113, 7).
  private mutating func code(_ node: JSONNode, _ name: String, default usual: UInt32) -> UInt32? {
    if node.bool == true { return usual }
    if node.bool == false { return nil }
    if node.int != nil { return int(node, name, in: 0...Self.codes.count - 1).map { UInt32($0) } }
    guard let text = string(node, name, example: "\(name): \"REFUSED_STREAM\"") else { return nil }
    if let index = Self.codes.firstIndex(of: text) { return UInt32(index) }
    let near = Spelling.nearest(to: text, among: Self.codes).map { "Did you mean '\($0)'?" }
    report(
      "unknown-word", node, "'\(text)' is not an error code of HTTP/2.",
      near ?? "Expected \(Self.list(Self.codes)).")
    return nil
  }

  private static let codes = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
    "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]
}
