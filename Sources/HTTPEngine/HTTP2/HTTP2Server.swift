internal import CNGHTTP2
package import LinkspanCore

/// The server's side of an HTTP/2 connection (RFC 9113): nghttp2 reads and writes frames, this class decides what they
/// may cost and asks the handler.
///
/// Frames are read as they come; requests that are whole are answered in ``produce(into:date:limitBytes:)``, so that
/// one that is reset in the same breath costs no answer.
package final class HTTP2Server: ServerProtocol {
  private enum State {
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
  private let scheme: String
  private let service: LoopService
  private let origin: RequestOrigin
  private(set) var closing: ServerClosing?
  private var session: OpaquePointer?
  private var state = State.open
  private var isStopped = false
  private var peerEnded = false
  private var streams: [Int32: HTTP2Stream] = [:]
  /// Requests that the responder has to be asked about, in the order they came to that: at their heads, where a body
  /// follows, and when they are whole.
  private var ready: [Int32] = []
  /// Streams whose answer is worked for.
  private var pendingCount = 0
  /// The header section that is coming in; never two at the same time (RFC 9113, 4.3).
  private var section: [UInt8] = []
  private var completedCount = 0
  private var bodyBytes = 0
  private var scanner = FrameScanner()
  private var closedStreams = ClosedStreams()
  /// The highest stream that the peer has begun, and whether the library has taken it on.
  private var last: (id: Int32, isOpen: Bool) = (0, true)
  private var queuedBytes = 0
  /// Of them, as they were counted last.
  private var notedBytes = 0
  private var sentBytes = 0
  private var idleBytes = 0
  private var creditBytes = 0
  private var controlFrames = 0
  private var resets = 0
  /// Why a callback gave up.
  private var offence: nghttp2_error_code?

  package convenience init(
    scheme: String, limits: HTTPLimits = HTTPLimits(), http2: HTTP2Limits = HTTP2Limits(),
    handler: @escaping HTTPHandler
  ) {
    self.init(
      scheme: scheme, HTTP2Settings(messages: limits, limits: http2),
      LoopService(HTTPReply.responder(handler)),
      origin: RequestOrigin())
  }

  init(scheme: String, _ settings: HTTP2Settings, _ service: LoopService, origin: RequestOrigin) {
    self.scheme = scheme
    self.settings = settings
    self.service = service
    self.origin = origin
    // Unretained: the session is freed in `deinit` and calls back only from within our own calls.
    let user = Unmanaged.passUnretained(self).toOpaque()
    let entries = settings.entries
    guard nghttp2_session_server_new2(&session, settings.callbacks, user, settings.options) == 0,
      nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count) == 0
    else {
      state = .broken
      return
    }
  }

  deinit { nghttp2_session_del(session) }

  /// Bytes of bodies and of answers held; tests look whether they come back.
  package var heldBytes: Int { bodyBytes + queuedBytes }

  /// Streams that are open.
  package var streamCount: Int { streams.count }

  // MARK: - What the connection asks

  package var waiting: ServerWait {
    if state == .broken { return .nothing }
    if nghttp2_session_want_read(session) == 0, nghttp2_session_want_write(session) == 0 {
      // One that is stopped while it reads its answers still opens windows for them.
      let mayBeSending = state == .refused || isStopped && state == .leaving
      return mayBeSending && !peerEnded ? .nothingYetSending : .nothing
    }
    // What could be sent has been; a peer that has ended opens no window any more.
    if peerEnded { return pendingCount > 0 ? .handler(isReading: false) : .nothing }
    guard let oldest else {
      if pendingCount > 0 { return .handler(isReading: true) }
      return state == .noticed ? .close : .request
    }
    switch oldest.phase {
    case .header: return .header
    case .body: return .body
    case .ready, .handler, .answering: return .write
    }
  }

  /// The oldest stream has to get on: others that do cannot lengthen its time.
  package var progress: Int {
    guard let oldest else { return completedCount }
    let sent = oldest.phase == .ready ? sentBytes : oldest.sentBytes
    return Int(oldest.id) << 32 + sent / ServerConnection.writeProgressBytes
  }

  /// Of those the peer has to do something for.
  private var oldest: HTTP2Stream? {
    guard pendingCount > 0 else { return streams.min { $0.key < $1.key }?.value }
    return streams.values.filter { $0.phase != .handler }.min { $0.id < $1.id }
  }

  // MARK: - Bytes in

  package func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard state != .broken, state != .refused else { return }
    idleBytes += bytes.count
    var (start, next) = (0, 0)
    while let (headEnd, id) = scanner.nextData(in: bytes, from: next) {
      next = headEnd
      guard streams[id] == nil else { continue }
      // Its stream may begin in these bytes: what is before the frame counts first.
      guard read(bytes[start..<(headEnd - 1)]) else { return }
      start = headEnd - 1
      guard streams[id] != nil || allows(NGHTTP2_DATA, on: id) else {
        return refuse(offence ?? NGHTTP2_STREAM_CLOSED, .http2Malformed)
      }
    }
    guard read(bytes[start...]) else { return }
    if idleBytes > settings.limits.idleBytes { refuse(NGHTTP2_ENHANCE_YOUR_CALM, .idleBytes) }
  }

  /// - Returns: False when nothing more is to be read.
  private func read(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard !bytes.isEmpty else { return true }
    let bytes = UnsafeBufferPointer(rebasing: bytes)
    let count = nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
    if count < 0 { refuse(offence ?? Self.code(for: CInt(count)), Self.closing(for: CInt(count))) }
    return state != .refused && state != .broken
  }

  package func receiveEnd() { peerEnded = true }

  private static func code(for error: CInt) -> nghttp2_error_code {
    switch nghttp2_error(error) {
    case NGHTTP2_ERR_FLOODED, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS: NGHTTP2_ENHANCE_YOUR_CALM
    case NGHTTP2_ERR_NOMEM, NGHTTP2_ERR_CALLBACK_FAILURE: NGHTTP2_INTERNAL_ERROR
    default: NGHTTP2_PROTOCOL_ERROR
    }
  }

  private static func closing(for error: CInt) -> ServerClosing {
    switch nghttp2_error(error) {
    case NGHTTP2_ERR_FLOODED: .acknowledgements
    case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS: .continuations
    case NGHTTP2_ERR_NOMEM: .memory
    default: .http2Malformed
    }
  }

  /// Ends the connection for something the peer did; the first reason counts.
  private func refuse(_ code: nghttp2_error_code, _ reason: ServerClosing) {
    guard state != .broken else { return }
    closing = closing ?? reason
    state = .refused
    ready = []
    forgetAnswers()
    check(nghttp2_session_terminate_session(session, code.rawValue))
  }

  /// The library fails only for want of memory; then the connection is dropped.
  private func check(_ result: CInt) {
    if result != 0 { state = .broken }
  }

  // MARK: - Bytes out

  package func produce(into output: inout OutputQueue, date: String, limitBytes: Int) -> Bool {
    defer { noteQueued() }
    while state != .broken {
      answerReady(date: date)
      guard send(into: &output, limitBytes: limitBytes) else { return false }
      // Sending may have made room for the next answer.
      if ready.isEmpty || queuedBytes >= settings.limits.queuedBytes { return true }
    }
    return true
  }

  private func answerReady(date: String) {
    var count = 0
    while count < ready.count, queuedBytes < settings.limits.queuedBytes {
      // One that was reset meanwhile is gone.
      if let stream = streams[ready[count]] { answer(stream, date: date) }
      count += 1
    }
    ready.removeFirst(count)
  }

  /// - Returns: False when it stopped at the limit.
  private func send(into output: inout OutputQueue, limitBytes: Int) -> Bool {
    while state != .broken {
      guard output.count < limitBytes else { return false }
      var bytes: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &bytes)
      if count == 0 { return true }
      guard count > 0 else {
        state = .broken
        break
      }
      output.append(UnsafeBufferPointer(start: bytes, count: count))
    }
    return true
  }

  private func answer(_ stream: HTTP2Stream, date: String) {
    switch stream.phase {
    case .ready: break
    case .body where stream.continuation == nil: return answerHead(of: stream, date: date)
    // Answered at its head.
    case .header, .body, .handler, .answering: return
    }
    stream.phase = .answering
    if let rejection = stream.rejection {
      respond(.text(rejection.status, rejection.reason), on: stream, date: date)
    } else if let response = ask(stream) {
      respond(response, on: stream, date: date)
    }
  }

  private func respond(_ response: HTTPResponse, on stream: HTTP2Stream, date: String) {
    let prepared = settings.heads.section(of: response, answersHead: stream.answersHead) {
      guard ResponseFraming.isWritable(response) else { return nil }
      settings.begin()
      addFields(of: response, answersHead: stream.answersHead)
      return PreparedHeads.Section(bytes: settings.scratch, ends: settings.ends)
    }
    if prepared != nil || ResponseFraming.isWritable(response) {
      write(response, prepared, on: stream, date)
    } else {
      write(.text(500, "the answer could not be written"), nil, on: stream, date)
    }
  }

  /// - Returns: Nil when the answer is worked for.
  private func ask(_ stream: HTTP2Stream) -> HTTPResponse? {
    let reply =
      if let continuation = stream.continuation {
        service.reply(
          to: stream.takeRequest(scheme: scheme), .http2, from: origin, on: stream.id, by: continuation)
      } else if let known = stream.knownRequest {
        service.reply(to: known, from: origin, on: stream.id)
      } else {
        service.reply(to: stream.takeRequest(scheme: scheme), .http2, from: origin, on: stream.id)
      }
    switch reply {
    case .now(let response):
      releaseBody(of: stream)
      return response
    case .later(let number):
      wait(for: number, on: stream)
      return nil
    case .afterBody: preconditionFailure("a whole request has its body")
    }
  }

  /// Asks for an answer before the body has come: the responder says whether it wants it.
  private func answerHead(of stream: HTTP2Stream, date: String) {
    let head = stream.head(scheme: scheme)
    switch service.reply(to: head, .http2, from: origin, on: stream.id, bodyFollows: true) {
    case .now(let response):
      stream.phase = .answering
      dropBody(of: stream)
      respond(response, on: stream, date: date)
    case .later(let number):
      dropBody(of: stream)
      wait(for: number, on: stream)
    case .afterBody(let continuation):
      stream.continuation = continuation
      if stream.body.count > bodyLimit(of: stream) {
        reject(stream, HTTP2Stream.bodyTooLarge(bodyLimit(of: stream)))
      } else if stream.expectsContinue, stream.body.isEmpty {
        submitContinue(on: stream)
      }
    }
  }

  private func wait(for number: Int, on stream: HTTP2Stream) {
    stream.phase = .handler
    stream.pendingNumber = number
    pendingCount += 1
  }

  private func bodyLimit(of stream: HTTP2Stream) -> Int {
    min(settings.messages.bodyBytes, stream.continuation?.limitBytes ?? .max)
  }

  private func dropBody(of stream: HTTP2Stream) {
    releaseBody(of: stream)
    stream.body = []
  }

  private func releaseBody(of stream: HTTP2Stream) {
    guard stream.keptBytes > 0 else { return }
    bodyBytes -= stream.keptBytes
    service.releaseBody(stream.keptBytes)
    stream.keptBytes = 0
  }

  private func submitContinue(on stream: HTTP2Stream) {
    settings.begin()
    settings.add(":status") { $0.appendDecimal(100) }
    check(
      settings.withPairs {
        nghttp2_submit_headers(
          session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, nil, $0.baseAddress, $0.count, nil)
      })
  }

  package func deliver(
    _ response: HTTPResponse, number: Int, stream id: Int32, into output: inout OutputQueue, date: String
  ) {
    guard state != .refused, state != .broken, let stream = streams[id], stream.pendingNumber == number else {
      return
    }
    stream.pendingNumber = nil
    stream.phase = .answering
    pendingCount -= 1
    releaseBody(of: stream)
    respond(response, on: stream, date: date)
  }

  package func abandon() {
    forgetAnswers()
    for stream in streams.values { releaseBody(of: stream) }
    service.counters.add(-streams.count, to: .streamsNow)
    streams = [:]
    queuedBytes = 0
    noteQueued()
  }

  private func forgetAnswers() {
    guard pendingCount > 0 else { return }
    for stream in streams.values { forgetAnswer(of: stream) }
  }

  private func forgetAnswer(of stream: HTTP2Stream) {
    guard let number = stream.pendingNumber else { return }
    stream.pendingNumber = nil
    pendingCount -= 1
    _ = service.pending.end(number)
  }

  private func noteQueued() {
    guard queuedBytes != notedBytes else { return }
    service.counters.add(queuedBytes - notedBytes, to: .queuedBytesNow)
    notedBytes = queuedBytes
  }

  /// The fields that are the same for every request: all but the status and Date.
  private func addFields(of response: HTTPResponse, answersHead: Bool) {
    for field in response.fields.list where !ResponseFraming.isFraming(field.name) {
      settings.add(field.name) { $0.append(contentsOf: field.value.utf8) }
    }
    guard ResponseFraming.hasBody(response.status) else { return }
    let length = ResponseFraming.length(of: response, answersHead: answersHead)
    settings.add("content-length") { $0.appendDecimal(length) }
  }

  private func write(
    _ response: HTTPResponse, _ prepared: PreparedHeads.Section?, on stream: HTTP2Stream, _ date: String
  ) {
    service.counters.addResponse(status: response.status)
    settings.begin()
    settings.add(":status") { $0.appendDecimal(response.status) }
    settings.add("date") { $0.append(contentsOf: date.utf8) }
    if let prepared {
      settings.add(prepared)
    } else {
      addFields(of: response, answersHead: stream.answersHead)
    }
    let hasBody = ResponseFraming.hasBody(response.status)
    let hasContent = hasBody && !stream.answersHead && !response.body.isEmpty
    if hasContent {
      stream.answer = response.body
      queuedBytes += response.body.count
    }
    let result = settings.withPairs { pairs in
      guard hasContent else {
        return nghttp2_submit_response(session, stream.id, pairs.baseAddress, pairs.count, nil)
      }
      var provider = nghttp2_data_provider()
      provider.read_callback = Self.readAnswer
      return nghttp2_submit_response(session, stream.id, pairs.baseAddress, pairs.count, &provider)
    }
    check(result)
  }

  // MARK: - Time and the end

  package func expire(into output: inout OutputQueue, date: String) {
    switch waiting {
    case .body:
      guard let oldest else { break }
      reject(oldest, HTTPRejection(408, "the request did not come in time"))
      answerReadyDespiteLimits(date: date)
    // Nothing can be read behind half a header section, and a peer that takes nothing holds what it asked for.
    case .header: refuse(NGHTTP2_ENHANCE_YOUR_CALM, .headerDeadline)
    case .write: refuse(NGHTTP2_ENHANCE_YOUR_CALM, .writeDeadline)
    default:
      state = .leaving
      // A peer that doesn't read is not waited for a second time.
      isStopped = false
      check(nghttp2_session_terminate_session(session, NGHTTP2_NO_ERROR.rawValue))
    }
    _ = send(into: &output, limitBytes: .max)
    noteQueued()
  }

  private func answerReadyDespiteLimits(date: String) {
    let waiting = ready
    ready = []
    for id in waiting {
      if let stream = streams[id] { answer(stream, date: date) }
    }
  }

  package func stop() {
    guard state == .open else { return }
    state = .noticed
    isStopped = true
    check(nghttp2_submit_shutdown_notice(session))
    // Whoever answers the PING has read the notice; what it asked for before that is in our hands then.
    check(nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil))
  }

  private func leave() {
    state = .leaving
    let last = nghttp2_session_get_last_proc_stream_id(session)
    check(
      nghttp2_submit_goaway(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, NGHTTP2_NO_ERROR.rawValue, nil, 0))
  }

  // MARK: - What the library tells

  /// A frame has begun; its cost is counted before anything is done for it.
  ///
  /// - Returns: False to read no further.
  func begins(_ frame: nghttp2_frame_hd) -> Bool {
    guard allows(nghttp2_frame_type(UInt32(frame.type)), on: frame.stream_id) else {
      closing = closing ?? .http2Malformed
      return false
    }
    switch nghttp2_frame_type(UInt32(frame.type)) {
    case NGHTTP2_DATA:
      if frame.length == 0, frame.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) == 0 { controlFrames += 1 }
    case NGHTTP2_RST_STREAM: resets += 1
    case NGHTTP2_HEADERS, NGHTTP2_CONTINUATION: break
    case NGHTTP2_PRIORITY where frame.stream_id == 0:
      // The library, which we keep from looking at priorities, reads over it (RFC 9113, 6.3).
      offence = NGHTTP2_PROTOCOL_ERROR
      closing = closing ?? .http2Malformed
      return false
    default: controlFrames += 1
    }
    return isCalm
  }

  /// Whether the state of a frame's stream allows it. The library knows open streams; this is about the others.
  private func allows(_ type: nghttp2_frame_type, on id: Int32) -> Bool {
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
    guard controlFrames > settings.limits.controlFrames || resets > settings.limits.resets else {
      return true
    }
    offence = NGHTTP2_ENHANCE_YOUR_CALM
    closing = closing ?? (resets > settings.limits.resets ? .resets : .controlFrames)
    return false
  }

  /// A header section has begun.
  func beginsHeader(_ frame: nghttp2_headers) {
    guard frame.cat == NGHTTP2_HCAT_REQUEST else { return }
    // Not for every HEADERS frame: one of a stream that is over begins nothing.
    idleBytes = 0
    last.isOpen = true
    streams[frame.hd.stream_id] = HTTP2Stream(id: frame.hd.stream_id)
    service.counters.add(to: .streamsNow)
    section.removeAll(keepingCapacity: section.capacity <= KnownRequests.limitBytes)
  }

  /// - Returns: False to give the stream up.
  func receives(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, in frame: nghttp2_headers
  ) -> Bool {
    guard let stream = streams[frame.hd.stream_id] else { return true }
    let isRead = stream.add(
      name, value, isTrailer: frame.cat != NGHTTP2_HCAT_REQUEST, settings.messages, into: &section)
    // A trailer too many refuses the request, and its body goes.
    if stream.rejection != nil { releaseBody(of: stream) }
    return isRead
  }

  /// A piece of a body.
  func receives(_ bytes: UnsafeBufferPointer<UInt8>, on id: Int32) {
    credit(bytes.count)
    guard let stream = streams[id], stream.phase == .body else { return }
    idleBytes = 0
    if stream.body.count + bytes.count > bodyLimit(of: stream) {
      reject(stream, HTTP2Stream.bodyTooLarge(bodyLimit(of: stream)))
    } else if bodyBytes + bytes.count > settings.limits.bodyBytes {
      reject(stream, HTTPRejection(503, "too much is being sent on this connection"))
    } else if !service.keepBody(bytes.count) {
      reject(stream, HTTPRejection(503, "too many request bodies are being received"))
    } else {
      stream.body.append(contentsOf: bytes)
      stream.keptBytes += bytes.count
      bodyBytes += bytes.count
    }
  }

  /// A frame has come whole and is right.
  func received(_ frame: nghttp2_frame) {
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
      if frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0, state == .noticed { leave() }
    default: break
    }
  }

  private func finishHeader(_ stream: HTTP2Stream) {
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
  private func finish(_ stream: HTTP2Stream) {
    guard stream.phase == .body, state != .refused else { return }
    stream.phase = .ready
    ready.append(stream.id)
  }

  private func reject(_ stream: HTTP2Stream, _ rejection: HTTPRejection) {
    releaseBody(of: stream)
    stream.reject(rejection)
    finish(stream)
  }

  /// A frame was handed over to be sent.
  func sent(_ frame: nghttp2_frame) {
    let ends = frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    switch nghttp2_frame_type(UInt32(frame.hd.type)) {
    case NGHTTP2_HEADERS, NGHTTP2_DATA:
      // An answer that came before the end of its request: the rest need not be sent (RFC 9113, 8.1).
      guard ends, let stream = streams[frame.hd.stream_id] else { return }
      stream.isAnswered = true
      if stream.isRequestComplete { return }
      check(
        nghttp2_submit_rst_stream(
          session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, NGHTTP2_NO_ERROR.rawValue))
    case NGHTTP2_RST_STREAM:
      guard frame.rst_stream.error_code != NGHTTP2_NO_ERROR.rawValue else { return }
      if frame.rst_stream.error_code == NGHTTP2_REFUSED_STREAM.rawValue {
        controlFrames += 1
      } else {
        resets += 1
      }
      if !isCalm { refuse(NGHTTP2_ENHANCE_YOUR_CALM, .resets) }
    case NGHTTP2_GOAWAY:
      service.counters.add(to: .goawaysSent)
      guard frame.goaway.error_code != NGHTTP2_NO_ERROR.rawValue else { return }
      state = .refused
      forgetAnswers()
      // Said by the library itself, which counts the settings of a frame and knows the rest of RFC 9113.
      let isCalm = frame.goaway.error_code != NGHTTP2_ENHANCE_YOUR_CALM.rawValue
      closing = closing ?? (isCalm ? .http2Malformed : .settings)
    default: break
    }
  }

  /// A stream is over, whatever the reason.
  func closed(_ id: Int32, code: UInt32) {
    guard let stream = streams.removeValue(forKey: id) else { return }
    forgetAnswer(of: stream)
    releaseBody(of: stream)
    closedStreams.add(id, endedByPeer: stream.isRequestComplete || stream.isResetByPeer)
    service.counters.add(-1, to: .streamsNow)
    queuedBytes -= stream.answer.count - stream.sentBytes
    if code != NGHTTP2_NO_ERROR.rawValue { service.counters.add(to: .streamsReset) }
    // A peer may reset with NO_ERROR too, which gives nothing back while the answer is under way.
    guard code == NGHTTP2_NO_ERROR.rawValue, stream.isAnswered else { return }
    completedCount += 1
    controlFrames = max(0, controlFrames - settings.limits.controlFramesPerAnswer)
    resets = max(0, resets - 1)
  }

  /// Copies the next piece of an answer.
  ///
  /// - Returns: How many bytes, and whether they are the last; nil when the stream is gone.
  func read(into buffer: UnsafeMutableRawBufferPointer, on id: Int32) -> (count: Int, isLast: Bool)? {
    guard let stream = streams[id] else { return nil }
    let count = min(buffer.count, stream.answer.count - stream.sentBytes)
    stream.answer.withUnsafeBytes {
      buffer.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: $0[stream.sentBytes..<(stream.sentBytes + count)]))
    }
    stream.sentBytes += count
    queuedBytes -= count
    sentBytes += count
    credit(count)
    return (count, stream.sentBytes == stream.answer.count)
  }

  private func credit(_ bytes: Int) {
    creditBytes += bytes
    controlFrames = max(0, controlFrames - creditBytes / 1_024)
    creditBytes %= 1_024
  }
}
