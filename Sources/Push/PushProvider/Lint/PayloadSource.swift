package import LinkspanCore

/// A payload as its author wrote it: the bytes that go out, a simulator's `.apns` file, or a recorded request with
/// `headers` and `payload`.
package struct PayloadSource: Sendable {
  /// A larger file is not read. Ours: many times the largest payload, and room for what a record has beside it.
  package static let sizeLimitBytes = 1 << 18

  package let text: SourceText
  package let document: JSONDocument
  package let headers: PushHeaders
  /// What APNs answers with an error, for the headers and the size alone.
  package let refusals: [PushRefusal]
  /// What a device reads in it, as far as it can be read.
  package let content: ReceivedPayload
  /// The payload itself; nil when the text holds no value at all.
  let payload: JSONNode?
  /// Where the payload is in the document.
  let pointer: JSONPointer

  /// - Parameters:
  ///   - headers: What is known of the request; those of a recorded one fill the gaps.
  ///   - isBody: Whether the text goes out as it is, and so is no recorded request.
  package init(_ text: SourceText, headers: PushHeaders = PushHeaders(), isBody: Bool = false) {
    var limits = JSONParser.Limits()
    limits.sizeBytes = Self.sizeLimitBytes
    limits.sizeHelp = "A payload has at most 4096 bytes, one of type voip 5120."
    limits.depthHelp = "Put the values closer to the top, or let the app fetch them."
    self.text = text
    document = JSONParser.parse(text.bytes, limits: limits)
    let root = document.root
    if let root, !isBody, root["aps"] == nil, let inner = root["payload"], inner.object != nil {
      payload = inner
      pointer = JSONPointer().appending("payload")
      content = ReceivedPayload(inner, Array(text.bytes[inner.range]))
      self.headers =
        root["headers"].map { headers.filled(from: PushHeaders($0, at: Self.headersPointer)) } ?? headers
    } else {
      payload = root
      pointer = JSONPointer()
      content = ReceivedPayload(root, Array(text.bytes))
      self.headers = headers
    }
    refusals =
      self.headers.refusals() + (self.headers.payloadRefusal(bytes: content.sizeBytes).map { [$0] } ?? [])
  }

  /// As it goes out.
  var sizeBytes: Int { content.sizeBytes }

  /// The members of `aps`.
  var aps: JSONNode? { payload?["aps"].flatMap { $0.object == nil ? nil : $0 } }

  var apsPointer: JSONPointer { pointer.appending("aps") }

  /// Where a recorded request has its headers.
  static let headersPointer = JSONPointer().appending("headers")

  /// Whether Xcode's simulator reads the file.
  var isSimulatorFile: Bool { text.name.hasSuffix(".apns") }

  /// What the header says; else what the payload looks like. Nil for a header that is none of Apple's types.
  package var type: PushType? { headers.type == nil ? content.type : headers.namedType }

  /// The keys that a person sees or hears something of.
  static let shownKeys = ["alert", "badge", "sound"]

  /// The place of a finding about the whole payload: its first byte.
  var start: Range<Int> {
    let start = payload?.range.lowerBound ?? 0
    return start..<min(start + 1, text.bytes.count)
  }
}
