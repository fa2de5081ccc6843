internal import CNGHTTP2
package import LinkspanCore

/// The client's side of an HTTP/2 connection (RFC 9113): nghttp2 reads and writes frames, this class keeps what each
/// request has got, tells requests that a server did not act upon from those it may have, and bounds what the server
/// may cost.
package final class HTTP2ClientSession: HTTP2Session, ClientSession {
  enum State {
    case open
    /// One of the two sides has said that nothing new begins.
    case leaving
    /// The server broke the protocol or asked too much; it is told so.
    case refused
    /// The connection, or the library's memory, has ended.
    case broken
  }

  let settings: HTTP2ClientSettings
  var state = State.open
  var hasServerSettings = false
  var streams = HTTP2Streams<HTTP2ClientStream>()
  /// Streams that have closed and carry later requests.
  private var spares: [HTTP2ClientStream] = []
  let section: HTTP2AnswerSection
  var outcomes: [ClientOutcome] = []
  var bodyBytes = 0
  var controlFrames = 0
  var creditBytes = 0
  var idleBytes = 0
  var isCalm = true
  /// Of the fields that are indexed once, those that have been.
  var indexed: UInt32 = 0
  var news: [ClientSessionNews] = []

  /// What the server said when it left.
  package private(set) var goAway: HTTP2GoAway?
  /// Requests without an outcome.
  package internal(set) var inFlightCount = 0

  package init(_ settings: HTTP2ClientSettings) {
    self.settings = settings
    section = HTTP2AnswerSection(settings.messages)
    super.init()
    let entries = settings.entries
    let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
    var memory = settings.memory.functions
    guard
      nghttp2_session_client_new3(
        &session, settings.library.callbacks, user, settings.library.options, &memory) == 0,
      nghttp2_submit_settings(session, none, entries, entries.count) == 0,
      nghttp2_session_set_local_window_size(
        session, none, 0, Int32(clamping: settings.limits.connectionWindowBytes)) == 0
    else {
      state = .broken
      return
    }
  }

  package var version: HTTPAnswer.Version { .http2 }

  /// Streams that are open, those with an outcome included.
  package var streamCount: Int { streams.count }

  /// Bytes of answers under way; tests look whether they come back.
  package var heldBytes: Int { bodyBytes }

  package var room: Int {
    guard state == .open else { return 0 }
    return max(0, streamLimit - streams.count)
  }

  var streamLimit: Int {
    let theirs =
      hasServerSettings
      ? Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
      : settings.limits.streamsBeforeSettings
    return min(theirs, settings.limits.concurrentStreams)
  }

  package var isLeaving: Bool { state != .open }

  package var isFinished: Bool {
    switch state {
    case .open: false
    case .leaving: streams.isEmpty
    case .refused, .broken: true
    }
  }

  // MARK: - Requests

  package func submit(_ request: HTTPRequest, as number: Int) {
    precondition(room > 0, "the server allows no further stream")
    let id = settings.withPairs(of: request, indexed: &indexed) { pairs in
      guard !request.body.isEmpty else {
        return nghttp2_submit_request(session, nil, pairs.baseAddress, pairs.count, nil, nil)
      }
      var provider = nghttp2_data_provider()
      provider.read_callback = HTTP2Library.readBody
      return nghttp2_submit_request(session, nil, pairs.baseAddress, pairs.count, &provider, nil)
    }
    guard id > 0 else {
      // Every stream number is used up, or all memory.
      state = nghttp2_is_fatal(id) == 0 ? .leaving : .broken
      let reason = "no further request fits on the connection"
      outcomes.append(
        ClientOutcome(number: number, result: .failure(ClientFailure(kind: .notProcessed, reason: reason))))
      return
    }
    let stream = spares.popLast() ?? HTTP2ClientStream()
    stream.begin(id: id, number: number, request)
    streams.insert(stream)
    inFlightCount += 1
  }

  package func cancel(_ number: Int) {
    guard let stream = stream(number) else { return }
    conclude(stream)
    stream.drop()
    reset(stream)
  }

  package func receivedBytes(of number: Int) -> Int { stream(number).map(receivedBytes) ?? 0 }

  /// The part of a header section that has come counts as well.
  func receivedBytes(_ stream: HTTP2ClientStream) -> Int {
    stream.receivedBytes + (section.id == stream.id ? section.messageBytes : 0)
  }

  func stream(_ number: Int) -> HTTP2ClientStream? {
    streams.all.first { $0.number == number && !$0.isConcluded }
  }

  package func takeOutcomes() -> [ClientOutcome] {
    // Moved out, so that neither the list nor an outcome is copied.
    var taken: [ClientOutcome] = []
    swap(&taken, &outcomes)
    return taken
  }

  package func takeNews() -> [ClientSessionNews] {
    guard !news.isEmpty else { return [] }
    defer { news = [] }
    return news
  }

  package func ping() -> Bool {
    guard state == .open else { return false }
    check(nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil))
    return true
  }

  package func end() {
    guard state == .open else { return }
    state = .leaving
    check(nghttp2_session_terminate_session(session, NGHTTP2_NO_ERROR.rawValue))
  }

  // MARK: - What the library tells

  /// - Returns: False when the server has used up what it may cost.
  override func begins(_ frame: nghttp2_frame_hd) -> Bool {
    switch nghttp2_frame_type(UInt32(frame.type)) {
    case NGHTTP2_HEADERS:
      section.drop()
      if let stream = streams[frame.stream_id], !stream.isConcluded {
        section.begin(stream.id, isTrailer: stream.hasHead)
        idleBytes = 0
      } else {
        controlFrames += 1
      }
    case NGHTTP2_CONTINUATION: break
    case NGHTTP2_RST_STREAM where isAwaited(frame.stream_id): break
    case NGHTTP2_DATA where isAwaited(frame.stream_id):
      let ends = frame.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
      if frame.length == 0, !ends { controlFrames += 1 } else { idleBytes = 0 }
    default: controlFrames += 1
    }
    isCalm = controlFrames <= settings.limits.controlFrames
    return isCalm
  }

  func isAwaited(_ id: Int32) -> Bool { streams[id]?.isConcluded == false }

  override func receives(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, in frame: nghttp2_headers
  ) -> Bool {
    guard section.id != 0, let failure = section.add(name, value) else { return true }
    let stream = streams[section.id]
    section.drop()
    guard let stream, !stream.isConcluded else { return true }
    fail(stream, failure)
    reset(stream)
    return true
  }

  /// A piece of a body.
  override func receives(_ bytes: UnsafeBufferPointer<UInt8>, on id: Int32) {
    guard let stream = streams[id], !stream.isConcluded else { return }
    credit(bytes.count)
    let left = settings.messages.bodyBytes - stream.response.count
    if settings.cutsBody, bytes.count >= left {
      append(bytes.prefix(left), to: stream)
      answer(stream)
      reset(stream)
    } else if bytes.count > left {
      fail(stream, HTTP2ClientStream.bodyTooLarge(settings.messages))
      reset(stream)
    } else if bodyBytes + bytes.count > settings.limits.bodyBytes {
      let limit = settings.limits.bodyBytes
      fail(
        stream,
        ClientFailure(
          kind: .tooLarge(isHeader: false),
          reason: "the answers under way on the connection are larger than \(limit) bytes"))
      reset(stream)
    } else {
      append(bytes, to: stream)
    }
  }

  func append(_ bytes: some Collection<UInt8>, to stream: HTTP2ClientStream) {
    stream.append(bytes)
    bodyBytes += bytes.count
  }

  /// A frame has come whole and is right.
  override func received(_ frame: nghttp2_frame) {
    switch nghttp2_frame_type(UInt32(frame.hd.type)) {
    case NGHTTP2_HEADERS:
      guard let stream = streams[frame.hd.stream_id], !stream.isConcluded else { return }
      if let failure = stream.finish(section, settings.messages, cutsBody: settings.cutsBody) {
        fail(stream, failure)
        reset(stream)
      }
      finish(stream, frame.hd)
    case NGHTTP2_DATA:
      if let stream = streams[frame.hd.stream_id] { finish(stream, frame.hd) }
    case NGHTTP2_RST_STREAM: streams[frame.hd.stream_id]?.reset = frame.rst_stream.error_code
    case NGHTTP2_SETTINGS:
      if frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 {
        hasServerSettings = true
        news.append(.streamLimit(streamLimit))
      }
    case NGHTTP2_GOAWAY: leave(frame.goaway)
    default: break
    }
  }

  func finish(_ stream: HTTP2ClientStream, _ frame: nghttp2_frame_hd) {
    guard frame.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0, !stream.isConcluded else { return }
    answer(stream)
    // An answer that came before the end of its request: nobody wants the rest.
    if stream.sentBytes < stream.content.count { reset(stream) }
  }

  func leave(_ frame: nghttp2_goaway) {
    if state == .open { state = .leaving }
    let debug = UnsafeBufferPointer(start: frame.opaque_data, count: frame.opaque_data_len)
    let goAway = HTTP2GoAway(
      code: frame.error_code, lastStream: frame.last_stream_id,
      debugData: Array(debug.prefix(HTTP2GoAway.debugLimitBytes)))
    self.goAway = goAway
    news.append(.leaving(goAway))
  }

  /// A frame was handed over to be sent.
  override func sent(_ frame: nghttp2_frame) {
    switch nghttp2_frame_type(UInt32(frame.hd.type)) {
    case NGHTTP2_HEADERS: streams[frame.hd.stream_id]?.isHeadSent = true
    case NGHTTP2_GOAWAY where frame.goaway.error_code != NGHTTP2_NO_ERROR.rawValue:
      let name = String(cString: nghttp2_http2_strerror(frame.goaway.error_code))
      let debug = UnsafeBufferPointer(start: frame.goaway.opaque_data, count: frame.goaway.opaque_data_len)
      refuse(debug.isEmpty ? name : "\(name), \(HTTPSyntax.text(debug))")
    default: break
    }
  }

  /// A stream is over, whatever the reason.
  override func closed(_ id: Int32, code: UInt32) {
    guard let stream = streams.remove(id) else { return }
    defer { recycle(stream) }
    guard !stream.isConcluded else { return }
    let name = String(cString: nghttp2_http2_strerror(code))
    if code == NGHTTP2_REFUSED_STREAM.rawValue || !stream.isHeadSent {
      let reason =
        goAway.map { "the server left and did not act upon the request\($0.words)" }
        ?? "the server refused the request without acting upon it"
      fail(stream, ClientFailure(kind: .notProcessed, reason: reason))
    } else if stream.reset != nil {
      fail(
        stream,
        ClientFailure(kind: .streamReset(code: code), reason: "the server reset the request: \(name)"))
    } else {
      fail(stream, ClientFailure(kind: .malformedAnswer, reason: "the answer breaks HTTP/2: \(name)"))
    }
  }

  /// Keeps as many as a sender usually has in flight.
  private func recycle(_ stream: HTTP2ClientStream) {
    guard spares.count < 128 else { return }
    stream.dropAll()
    spares.append(stream)
  }

  override func read(into buffer: UnsafeMutableRawBufferPointer, on id: Int32) -> BodyPiece {
    guard let stream = streams[id], !stream.isConcluded else { return .failed }
    let count = min(buffer.count, stream.content.count - stream.sentBytes)
    stream.content.withUnsafeBytes {
      buffer.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: $0[stream.sentBytes..<(stream.sentBytes + count)]))
    }
    stream.sentBytes += count
    credit(count)
    return .bytes(count, isLast: stream.sentBytes == stream.content.count)
  }

  func credit(_ bytes: Int) {
    creditBytes += bytes
    controlFrames = max(0, controlFrames - creditBytes / 1_024)
    creditBytes %= 1_024
  }
}
