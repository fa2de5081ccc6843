internal import CNGHTTP2
internal import LinkspanCore

/// Asking for answers and writing them.
extension HTTP2Server {
  func answerReady(date: String) {
    var count = 0
    // A responder may have dropped the connection: what is behind its request is not acted upon.
    while count < ready.count, queuedBytes < settings.limits.queuedBytes, state != .broken {
      // One that was reset meanwhile is gone.
      if let stream = streams[ready[count]] { answer(stream, date: date) }
      count += 1
    }
    ready.removeFirst(count)
  }

  func answerReadyDespiteLimits(date: String) {
    let waiting = ready
    ready = []
    for id in waiting where state != .broken {
      if let stream = streams[id] { answer(stream, date: date) }
    }
  }

  func answer(_ stream: HTTP2Stream, date: String) {
    switch stream.phase {
    case .ready: break
    case .body where stream.continuation == nil && stream.incoming == nil:
      return answerHead(of: stream, date: date)
    // Answered at its head.
    case .header, .body, .handler, .answering: return
    }
    if let rejection = stream.rejection {
      stream.phase = .answering
      let response = service.refusal(rejection, of: stream.method, stream.target)
      respond(response, isCacheable: false, on: stream, date: date)
    } else {
      ask(stream, date: date)
    }
  }

  func respond(
    _ response: HTTPResponse, isCacheable: Bool, on stream: HTTP2Stream, date: String
  ) {
    let prepared =
      isCacheable
      ? settings.heads.section(of: response, answersHead: stream.answersHead) {
        guard ResponseFraming.isWritable(response) else { return nil }
        settings.begin()
        addFields(of: response, answersHead: stream.answersHead)
        return PreparedHeads.Section(bytes: settings.scratch, ends: settings.ends)
      } : nil
    if prepared != nil || ResponseFraming.isWritable(response) {
      write(response, prepared, on: stream, date)
    } else {
      write(.text(500, "the answer could not be written"), nil, on: stream, date)
    }
  }

  /// Asks for the answer to a request that is whole.
  private func ask(_ stream: HTTP2Stream, date: String) {
    let reply =
      if let continuation = stream.continuation {
        service.reply(
          to: stream.takeRequest(scheme: scheme), .http2, from: origin, on: stream.id, by: continuation)
      } else if let known = stream.knownRequest {
        service.reply(to: known, from: origin, on: stream.id)
      } else {
        service.reply(to: stream.takeRequest(scheme: scheme), .http2, from: origin, on: stream.id)
      }
    if case .later = reply {} else { releaseBody(of: stream) }
    act(on: reply, stream, date: date)
  }

  private func act(on reply: LoopService.Reply, _ stream: HTTP2Stream, date: String) {
    switch reply {
    case .now(let response, let isCacheable):
      stream.phase = .answering
      respond(response, isCacheable: isCacheable, on: stream, date: date)
    case .later(let number): wait(for: number, on: stream)
    case .stream(let head, let body):
      stream.phase = .answering
      begin(body, head, on: stream, date: date)
    case .disturbed(let disturbance, let reply):
      disturb(disturbance, on: stream)
      if let reply { act(on: reply, stream, date: date) }
    case .afterBody, .reading: preconditionFailure("a whole request has its body")
    }
  }

  /// Asks for an answer before the body has come: the responder says whether it wants it.
  private func answerHead(of stream: HTTP2Stream, date: String) {
    let head = stream.head(scheme: scheme)
    switch service.reply(to: head, .http2, from: origin, on: stream.id, bodyFollows: true) {
    case .afterBody(let continuation):
      stream.continuation = continuation
      if stream.body.count > bodyLimit(of: stream) {
        reject(stream, .bodyTooLarge(bodyLimit(of: stream)))
      } else if stream.expectsContinue, stream.body.isEmpty {
        submitContinue(on: stream)
      }
    case .reading(let body, .later(let number)):
      stream.incoming = body
      stream.pendingNumber = number
      if stream.expectsContinue, stream.body.isEmpty { submitContinue(on: stream) }
      let bytes = stream.body
      dropBody(of: stream)
      takeIncoming(bytes, of: stream, isConsumed: true)
    case .reading(let body, let reply):
      // Answered before the body has come.
      service.end(incoming: body, isWhole: false)
      dropBody(of: stream)
      act(on: reply, stream, date: date)
    case let reply:
      dropBody(of: stream)
      act(on: reply, stream, date: date)
    }
  }

  private func wait(for number: Int, on stream: HTTP2Stream) {
    stream.phase = .handler
    stream.pendingNumber = number
    pendingCount += 1
  }

  func bodyLimit(of stream: HTTP2Stream) -> Int {
    min(settings.messages.bodyBytes, stream.continuation?.limitBytes ?? .max)
  }

  func dropBody(of stream: HTTP2Stream) {
    releaseBody(of: stream)
    stream.body = []
  }

  func releaseBody(of stream: HTTP2Stream) {
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

  /// The fields that are the same for every request: all but the status and Date.
  private func addFields(of response: HTTPResponse, answersHead: Bool) {
    addPlainFields(of: response)
    guard ResponseFraming.hasBody(response.status) else { return }
    let length = ResponseFraming.length(of: response, answersHead: answersHead)
    settings.add("content-length") { $0.appendDecimal(length) }
  }

  private func addPlainFields(of response: HTTPResponse) {
    for field in response.fields.list where !ResponseFraming.isFraming(field.name) {
      settings.add(field.name, field.value)
      guard let bit = settings.limits.indexedOnce.firstIndex(of: field.name) else { continue }
      if indexed >> UInt32(bit) & 1 == 1 { settings.unindexed.append(settings.ends.count - 1) }
      indexed |= 1 << UInt32(bit)
    }
  }

  private func write(
    _ response: HTTPResponse, _ prepared: PreparedHeads.Section?, on stream: HTTP2Stream, _ date: String
  ) {
    beginHead(response.status, date)
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
    submit(stream, hasContent: hasContent)
  }

  /// The head of an answer whose body follows piece by piece.
  func writeHead(
    _ response: HTTPResponse, lengthBytes: Int?, on stream: HTTP2Stream, hasContent: Bool, _ date: String
  ) {
    beginHead(response.status, date)
    addPlainFields(of: response)
    if let lengthBytes { settings.add("content-length") { $0.appendDecimal(lengthBytes) } }
    submit(stream, hasContent: hasContent)
  }

  private func beginHead(_ status: Int, _ date: String) {
    service.counters.addResponse(status: status)
    settings.begin()
    settings.add(":status") { $0.appendDecimal(status) }
    settings.add("date", date)
  }

  private func submit(_ stream: HTTP2Stream, hasContent: Bool) {
    let result = settings.withPairs { pairs in
      guard hasContent else {
        return nghttp2_submit_response(session, stream.id, pairs.baseAddress, pairs.count, nil)
      }
      var provider = nghttp2_data_provider()
      provider.read_callback = HTTP2Library.readBody
      return nghttp2_submit_response(session, stream.id, pairs.baseAddress, pairs.count, &provider)
    }
    check(result)
  }
}
