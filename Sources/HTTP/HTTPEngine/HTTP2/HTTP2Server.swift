internal import CNGHTTP2
package import LinkspanCore

/// The server's side of an HTTP/2 connection (RFC 9113): nghttp2 reads and writes frames, this class decides what they
/// may cost and asks the handler.
///
/// Frames are read as they come; requests that are whole are answered in ``produce(into:date:limitBytes:)``, so that
/// one that is reset in the same breath costs no answer.
package final class HTTP2Server: HTTP2Session {
  enum State {
    case open
    /// Told the peer that the end is near, and waits for its answer: requests on the way still count (RFC 9113, 6.8).
    case noticed
    /// Told the peer which request is the last.
    case leaving
    /// Told the peer what it did wrong.
    case refused
    /// The library is out of memory.
    case broken
  }

  let settings: HTTP2Settings
  let scheme: String
  let service: LoopService
  let origin: ConnectionOrigin
  var closing: ServerClosing?
  var state = State.open
  var isStopped = false
  /// GOAWAY was said because a stand-in wanted it (``HTTPDisturbance``).
  var isDisturbed = false
  var peerEnded = false
  var streams = HTTP2Streams<HTTP2Stream>()
  /// Requests that the responder has to be asked about, in the order they came to that: at their heads, where a body
  /// follows, and when they are whole.
  var ready: [Int32] = []
  /// Streams that wait for the handler: for its answer, or for the next piece of one.
  var pendingCount = 0
  /// The header section that is coming in; never two at the same time (RFC 9113, 4.3).
  var section: [UInt8] = []
  /// Fields that are in the peer's table, one bit for each of ``HTTP2Limits/indexedOnce``.
  var indexed: UInt32 = 0
  var completedCount = 0
  /// Of requests, as far as they are kept.
  var bodyBytes = 0
  var scanner = FrameScanner()
  var closedStreams = ClosedStreams()
  /// The highest stream that the peer has begun, and whether the library has taken it on.
  var last: (id: Int32, isOpen: Bool) = (0, true)
  /// Of answers that wait for the peer's windows.
  var queuedBytes = 0
  /// Of them, as they were counted last.
  var notedBytes = 0
  var sentBytes = 0
  /// The first frame, where it is not the library's.
  var opening: [UInt8] = []
  var budget: HTTP2Budget
  /// Why a callback gave up.
  var offence: nghttp2_error_code?

  package convenience init(
    scheme: String, limits: HTTPLimits = HTTPLimits(), http2: HTTP2Limits = HTTP2Limits(),
    handler: @escaping HTTPHandler
  ) {
    self.init(
      scheme: scheme, HTTP2Settings(messages: limits, limits: http2),
      LoopService(HTTPReply.responder(handler)),
      origin: ConnectionOrigin())
  }

  init(scheme: String, _ settings: HTTP2Settings, _ service: LoopService, origin: ConnectionOrigin) {
    self.scheme = scheme
    self.settings = settings
    self.service = service
    self.origin = origin
    budget = HTTP2Budget(settings.limits)
    super.init()
    let entries = settings.entries
    let library = settings.library
    var memory = settings.memory.functions
    guard nghttp2_session_server_new3(&session, library.callbacks, user, library.options, &memory) == 0,
      nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count) == 0
    else {
      state = .broken
      return
    }
    if let announced = settings.limits.announcedStreams { announce(announced) }
  }

  /// Bytes of bodies and of answers held; tests look whether they come back.
  package var heldBytes: Int { bodyBytes + queuedBytes }

  /// Streams that are open.
  package var streamCount: Int { streams.count }

  // MARK: - What the library tells

  /// A frame has begun; its cost is counted before anything is done for it.
  ///
  /// - Returns: False to read no further.
  override func begins(_ frame: nghttp2_frame_hd) -> Bool {
    guard allows(nghttp2_frame_type(UInt32(frame.type)), on: frame.stream_id) else {
      closing = closing ?? .http2Malformed
      return false
    }
    switch nghttp2_frame_type(UInt32(frame.type)) {
    case NGHTTP2_DATA:
      if frame.length == 0, frame.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) == 0 {
        budget.noteControlFrame()
      }
    case NGHTTP2_RST_STREAM: budget.noteReset()
    case NGHTTP2_HEADERS, NGHTTP2_CONTINUATION: break
    case NGHTTP2_PRIORITY where frame.stream_id == 0:
      // The library, which we keep from looking at priorities, reads over it (RFC 9113, 6.3).
      offence = NGHTTP2_PROTOCOL_ERROR
      closing = closing ?? .http2Malformed
      return false
    default: budget.noteControlFrame()
    }
    return isCalm
  }

  /// Whether the state of a frame's stream allows it. The library knows open streams; this is about the others.
  func allows(_ type: nghttp2_frame_type, on id: Int32) -> Bool {
    guard type == NGHTTP2_HEADERS || type == NGHTTP2_DATA, id & 1 == 1 else { return true }
    if id > last.id {
      guard type == NGHTTP2_HEADERS else { return true }
      // Refused by the library, which says so behind what came with it.
      if !last.isOpen { closedStreams.add(last.id, endedByPeer: false) }
      last = (id, false)
      return true
    }
    guard streams[id] == nil, id != last.id || last.isOpen else { return true }
    switch closedStreams.verdict(on: id) {
    case .ended: offence = NGHTTP2_STREAM_CLOSED
    case .cut: return true
    case .skipped: offence = NGHTTP2_PROTOCOL_ERROR
    }
    return false
  }

  private var isCalm: Bool {
    guard let exceeded = budget.exceeded else { return true }
    offence = NGHTTP2_ENHANCE_YOUR_CALM
    closing = closing ?? exceeded
    return false
  }

  /// A header section has begun.
  override func beginsHeader(_ frame: nghttp2_headers) {
    guard frame.cat == NGHTTP2_HCAT_REQUEST else { return }
    // Not for every HEADERS frame: one of a stream that is over begins nothing.
    budget.noteProgress()
    last.isOpen = true
    streams.insert(HTTP2Stream(id: frame.hd.stream_id))
    service.counters.add(to: .streamsNow)
    section.removeAll(keepingCapacity: section.capacity <= KnownRequests.limitBytes)
  }

  /// - Returns: False to give the stream up.
  override func receives(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, in frame: nghttp2_headers
  ) -> Bool {
    guard let stream = streams[frame.hd.stream_id] else { return true }
    let isRead = stream.add(
      name, value, isTrailer: frame.cat != NGHTTP2_HCAT_REQUEST, settings.messages, into: &section)
    // A trailer too many refuses the request, and its body goes.
    if stream.rejection != nil { releaseBody(of: stream) }
    return isRead
  }

  override func receivesInvalid(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, in frame: nghttp2_headers
  ) -> Bool {
    // The library has not read such a field, so one that it reads itself could be read in two ways.
    guard settings.limits.takesBlanksAroundValues, HTTPSyntax.isToken(name),
      !name.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
      !name.elementsEqual("content-length".utf8), !name.elementsEqual("host".utf8),
      value.allSatisfy(HTTPSyntax.isFieldValue)
    else { return false }
    return receives(name, value, in: frame)
  }

  /// A piece of a body.
  override func receives(_ bytes: UnsafeBufferPointer<UInt8>, on id: Int32) {
    budget.credit(bytes.count)
    guard let stream = streams[id] else { return consume(bytes.count, on: id) }
    guard stream.incoming == nil else {
      budget.noteProgress()
      return takeIncoming(Array(bytes), of: stream)
    }
    consume(bytes.count, on: id)
    guard stream.phase == .body else { return drop(bytes.count, of: stream) }
    budget.noteProgress()
    if stream.body.count + bytes.count > bodyLimit(of: stream) {
      reject(stream, .bodyTooLarge(bodyLimit(of: stream)))
    } else if bodyBytes + bytes.count > settings.limits.bodyBytes {
      reject(stream, HTTPRejection(503, "too much is being sent on this connection"))
    } else if !service.keepBody(bytes.count) {
      reject(stream, .tooManyBodies)
    } else {
      stream.body.append(contentsOf: bytes)
      stream.keptBytes += bytes.count
      bodyBytes += bytes.count
    }
  }

  /// The peer may send as much again.
  private func consume(_ bytes: Int, on id: Int32) {
    check(nghttp2_session_consume(session, id, bytes))
  }

  /// A frame has come whole and is right.
  override func received(_ frame: nghttp2_frame) {
    let ends = frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    switch nghttp2_frame_type(UInt32(frame.hd.type)) {
    case NGHTTP2_HEADERS:
      guard let stream = streams[frame.hd.stream_id] else { return }
      if ends { stream.isRequestComplete = true }
      if frame.headers.cat == NGHTTP2_HCAT_REQUEST { finishHeader(stream) } else { finish(stream) }
    case NGHTTP2_DATA:
      guard ends, let stream = streams[frame.hd.stream_id] else { return }
      stream.isRequestComplete = true
      finish(stream)
    case NGHTTP2_RST_STREAM: streams[frame.hd.stream_id]?.isResetByPeer = true
    case NGHTTP2_PING:
      if frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0, state == .noticed {
        leave(debugData: settings.limits.stopDebugData)
      }
    default: break
    }
  }

  func finishHeader(_ stream: HTTP2Stream) {
    stream.phase = .body
    switch stream.finishHeader(section, settings.messages, scheme: scheme, known: service.knownHeaders) {
    case .refused: finish(stream)
    case .body where stream.isRequestComplete, .continueExpected where stream.isRequestComplete:
      finish(stream)
    case .body: ready.append(stream.id)
    case .continueExpected:
      stream.expectsContinue = true
      ready.append(stream.id)
    }
  }

  /// Puts a request that is whole, or refused, in the queue for its answer.
  func finish(_ stream: HTTP2Stream) {
    guard stream.phase == .body, state != .refused else { return }
    if stream.incoming != nil, stream.rejection == nil { return finishIncoming(of: stream) }
    stream.phase = .ready
    ready.append(stream.id)
  }

  func reject(_ stream: HTTP2Stream, _ rejection: HTTPRejection) {
    if stream.incoming != nil { forgetAnswer(of: stream) }
    failIncoming(of: stream)
    releaseBody(of: stream)
    stream.reject(rejection)
    finish(stream)
  }

  /// A frame was handed over to be sent.
  override func sent(_ frame: nghttp2_frame) {
    let ends = frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    switch nghttp2_frame_type(UInt32(frame.hd.type)) {
    case NGHTTP2_HEADERS, NGHTTP2_DATA:
      guard ends, let stream = streams[frame.hd.stream_id] else { return }
      stream.isAnswered = true
      if !stream.isRequestComplete { awaitEnd(of: stream) }
    case NGHTTP2_RST_STREAM:
      guard frame.rst_stream.error_code != NGHTTP2_NO_ERROR.rawValue else { return }
      if frame.rst_stream.error_code == NGHTTP2_REFUSED_STREAM.rawValue {
        budget.noteControlFrame()
      } else {
        budget.noteReset()
      }
      if !isCalm { refuse(NGHTTP2_ENHANCE_YOUR_CALM, .resets) }
    case NGHTTP2_GOAWAY:
      service.counters.add(to: .goawaysSent)
      guard frame.goaway.error_code != NGHTTP2_NO_ERROR.rawValue, !isDisturbed else { return }
      state = .refused
      forgetAnswers()
      // Said by the library itself, which counts the settings of a frame and knows the rest of RFC 9113.
      let isCalm = frame.goaway.error_code != NGHTTP2_ENHANCE_YOUR_CALM.rawValue
      closing = closing ?? (isCalm ? .http2Malformed : .settings)
    default: break
    }
  }

  /// A stream is over, whatever the reason.
  override func closed(_ id: Int32, code: UInt32) {
    guard let stream = streams.remove(id) else { return }
    forgetAnswer(of: stream)
    releaseBody(of: stream)
    failIncoming(of: stream)
    endOutgoing(of: stream)
    closedStreams.add(id, endedByPeer: stream.isRequestComplete || stream.isResetByPeer)
    service.counters.add(-1, to: .streamsNow)
    queuedBytes -= stream.queuedBytes
    if code != NGHTTP2_NO_ERROR.rawValue { service.counters.add(to: .streamsReset) }
    // A peer may reset with NO_ERROR too, which gives nothing back while the answer is under way. Once it has the answer it
    // may also give up the rest of its request.
    let ends = [NGHTTP2_NO_ERROR.rawValue, NGHTTP2_CANCEL.rawValue]
    guard stream.isAnswered, ends.contains(code) else { return }
    completedCount += 1
    budget.creditAnswer()
  }

  override func read(into buffer: UnsafeMutableRawBufferPointer, on id: Int32) -> BodyPiece {
    guard let stream = streams[id] else { return .failed }
    guard let body = stream.outgoing else {
      let count = stream.readAnswer(into: buffer)
      queuedBytes -= count
      return sent(count, isLast: stream.sentBytes == stream.answer.count)
    }
    switch body.read(limitBytes: buffer.count) {
    case .bytes(let bytes):
      buffer.copyBytes(from: bytes)
      stream.sentBytes += bytes.count
      return sent(bytes.count, isLast: false)
    case .none:
      stream.phase = .handler
      pendingCount += 1
      return .awaited
    case .end: return .bytes(0, isLast: true)
    case .failed: return .failed
    }
  }

  private func sent(_ count: Int, isLast: Bool) -> BodyPiece {
    sentBytes += count
    budget.credit(count)
    return .bytes(count, isLast: isLast)
  }
}
