internal import LinkspanCore
internal import PushTerms

/// Reads a rules file: every error is a finding with its place.
struct RulesParser: DocumentReading {
  /// Ours: far more than anybody writes by hand.
  private static let sizeLimitBytes = 8 << 20
  private static let ruleLimit = 10_000

  let source: SourceText
  private(set) var findings: [Finding] = []

  init(_ source: SourceText) { self.source = source }

  mutating func report(_ rule: String, at range: Range<Int>, _ message: String, _ help: String) {
    findings.append(
      Finding(
        rule: "apns-rules." + rule, severity: .error, at: .init(source, range), message: message, help: help))
  }

  /// The root of the text; nil, with findings, where it is no JSON5.
  mutating func root() -> JSONNode? {
    var limits = JSONParser.Limits()
    limits.sizeBytes = Self.sizeLimitBytes
    guard source.bytes.count <= limits.sizeBytes else {
      report(
        "too-large", at: 0..<0,
        "The file is \(source.bytes.count) bytes long; the limit is \(limits.sizeBytes).",
        "Match many tokens by a prefix such as \"00fc*\", or by 'share'.")
      return nil
    }
    let document = JSONParser.parse(source.bytes, dialect: .json5, limits: limits)
    for error in document.errors {
      // What the parser says of an empty text is about association files.
      report(error.kind.rawValue, at: error.range, error.message + ".", error.help)
    }
    return document.errors.isEmpty ? document.root : nil
  }

  mutating func document() -> RulesDocument? {
    guard let root = root(),
      members(
        root, "a rules file", keys: ["rules", "keys", "tokens", "unlisted_tokens", "limits", "broadcast"],
        example: "{ rules: [ { share: 0.01, answer: { status: 503 } } ] }") != nil
    else { return nil }
    var document = RulesDocument()
    if let node = root["rules"] { document.rules = rules(node) }
    if let node = root["keys"] { document.keys = keyScopes(node) }
    if let node = root["tokens"] { readTokens(node, into: &document.tokens) }
    if let node = root["unlisted_tokens"],
      let unlisted = word(node, "unlisted_tokens", DeviceTokens.Unlisted.allCases)
    {
      document.tokens.unlisted = unlisted
    }
    if let node = root["limits"] { readLimits(node, into: &document.limits) }
    if let node = root["broadcast"], let flag = bool(node, "broadcast") { document.hasBroadcast = flag }
    return document
  }

  /// The elements of an array; any other type is reported.
  mutating func elements(_ node: JSONNode, _ name: String, example: String) -> [JSONNode] {
    if let elements = node.array { return elements }
    wrongType(node, name, wanted: "an array", example: example)
    return []
  }

  private mutating func rules(_ node: JSONNode) -> [APNsRule] {
    let all = elements(node, "rules", example: "rules: [ { share: 0.01, answer: { status: 503 } } ]")
    guard all.count <= Self.ruleLimit else {
      report(
        "too-many", node, "There are \(all.count) rules; the limit is \(Self.ruleLimit).",
        "Name several tokens in one rule: token: [\"…\", \"…\"].")
      return []
    }
    return all.compactMap { rule($0) }
  }

  private mutating func keyScopes(_ node: JSONNode) -> [String: RulesDocument.KeyScope] {
    var scopes: [String: RulesDocument.KeyScope] = [:]
    let example = "{ id: \"A1B2C3D4E5\", topics: [\"com.example.app\"], environment: \"production\" }"
    for element in elements(node, "keys", example: "keys: [ \(example) ]") {
      guard members(element, "a key", keys: ["id", "topics", "environment"], example: example) != nil else {
        continue
      }
      guard let name = element["id"] else {
        report("missing-key", element, "The key has no 'id'.", "Add the key's identifier: \(example).")
        continue
      }
      guard let identifier = string(name, "id", example: example) else { continue }
      var scope = RulesDocument.KeyScope()
      if let topics = element["topics"] {
        reportEmpty(topics, "topics")
        scope.topics = Set(strings(topics, "topics", example: example).map(\.0))
      }
      if let environment = element["environment"] {
        scope.environment = word(environment, "environment", PushEnvironment.allCases)
      }
      if scopes.updateValue(scope, forKey: identifier) != nil {
        report("repeated-key", name, "The key '\(identifier)' is listed twice.", "Keep one of the two.")
      }
    }
    return scopes
  }

  private mutating func readLimits(_ node: JSONNode, into limits: inout APNsConfiguration.Limits) {
    let keys = [
      "initial_streams", "streams", "errors", "bad_device_token_weight", "per_token_per_s", "channels",
      "unregister_lag_s",
    ]
    guard let found = members(node, "limits", keys: keys, example: "limits: { streams: 100 }") else { return }
    for member in found {
      let range = member.name == "unregister_lag_s" ? 0...31_536_000 : 1...1_000_000
      guard keys.contains(member.name), let number = int(member.value, member.name, in: range) else {
        continue
      }
      switch member.name {
      case "initial_streams": limits.initialStreams = number
      case "streams": limits.streams = number
      case "errors": limits.errors = number
      case "bad_device_token_weight": limits.badDeviceTokenWeight = number
      case "per_token_per_s": limits.pushesPerTokenPerSecond = number
      case "channels": limits.channels = number
      default: limits.unregisterLag = .seconds(number)
      }
    }
    guard limits.initialStreams > limits.streams else { return }
    if node["streams"] == nil {
      limits.streams = limits.initialStreams
    } else if let place = node["initial_streams"] {
      report(
        "contradiction", place,
        "'initial_streams' is \(limits.initialStreams) and 'streams' is \(limits.streams): the first accepted push would "
          + "take streams away.",
        "APNs gives more streams then. Write an 'initial_streams' of at most 'streams'.")
    }
  }
}
