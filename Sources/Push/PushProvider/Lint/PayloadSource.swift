package import LinkspanCore

/// A payload as its author wrote it: the bytes that go out, a simulator's `.apns` file, or a recorded request with
/// `headers` and `payload`.
package struct PayloadSource: Sendable {
  /// A larger file is not read. Ours: many times the largest payload, and room for what a record has beside it.
  package static let sizeLimitBytes = 1 << 18
  static let targetKey = "Simulator Target Bundle"

  package let text: SourceText
  package let document: JSONDocument
  package let headers: PushHeaders
  /// The payload itself; nil when the text holds no value at all.
  let payload: JSONNode?
  /// Where the payload is in the document.
  let pointer: JSONPointer
  /// As it goes out.
  let sizeBytes: Int

  /// - Parameter headers: What is known of the request; those of a recorded one fill the gaps.
  package init(_ text: SourceText, headers: PushHeaders = PushHeaders()) {
    var limits = JSONParser.Limits()
    limits.sizeBytes = Self.sizeLimitBytes
    limits.sizeHelp = "A payload has at most 4096 bytes, one of type voip 5120."
    limits.depthHelp = "Put the values closer to the top, or let the app fetch them."
    self.text = text
    document = JSONParser.parse(text.bytes, limits: limits)
    let root = document.root
    if let root, root["aps"] == nil, let inner = root["payload"], inner.object != nil {
      payload = inner
      pointer = JSONPointer().appending("payload")
      sizeBytes = inner.range.count
      let recorded = root["headers"].map(PushHeaders.init) ?? PushHeaders()
      var all = headers
      all.type = headers.type ?? recorded.type
      all.priority = headers.priority ?? recorded.priority
      all.topic = headers.topic ?? recorded.topic
      all.collapseIdentifier = headers.collapseIdentifier ?? recorded.collapseIdentifier
      all.expiration = headers.expiration ?? recorded.expiration
      self.headers = all
    } else {
      payload = root
      pointer = JSONPointer()
      sizeBytes = text.bytes.count
      self.headers = headers
    }
  }

  /// The members of `aps`.
  var aps: JSONNode? { payload?["aps"].flatMap { $0.object == nil ? nil : $0 } }

  var apsPointer: JSONPointer { pointer.appending("aps") }

  /// Whether Xcode's simulator reads the file.
  var isSimulatorFile: Bool { text.name.hasSuffix(".apns") }

  /// What the headers say; else what the payload looks like.
  package var type: PushType? {
    if let field = headers.type { return PushType(rawValue: field.text) }
    guard let aps else { return payload?["mdm"] == nil ? .alert : .mdm }
    if aps["event"] != nil || aps["content-state"] != nil { return .liveactivity }
    if aps["content-changed"] != nil { return .widgets }
    let isShown = Self.shownKeys.contains { aps[$0] != nil }
    return aps["content-available"] != nil && !isShown ? .background : .alert
  }

  /// The keys that a person sees or hears something of.
  static let shownKeys = ["alert", "badge", "sound"]

  /// The place of a finding about the whole payload: its first byte.
  var start: Range<Int> {
    let start = payload?.range.lowerBound ?? 0
    return start..<min(start + 1, text.bytes.count)
  }
}
