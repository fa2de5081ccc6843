internal import Glibc
internal import HTTPEngine
internal import HTTPTransport
internal import LinkspanCore
internal import LinkspanSystem

/// The loop behind ``HTTPClient``: lives on the stack of one thread and owns all requests, origins and connections.
///
/// A turn of the loop: wait for news, let connections with news have their turn, take what lies in the mailbox, hand
/// waiting requests to connections with room, let those connections write, act on deadlines. So requests that begin
/// together leave together.
final class ClientLoop {
  let configuration: HTTPClientConfiguration
  let mailbox: ClientMailbox
  let wakeup: Wakeup
  let resolver: ResolverThreads
  let poller: Poller
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  let http2: HTTP2ClientSettings
  var transports: ClientTransports
  var now: Int64
  let requestNanoseconds: Int64
  let answerNanoseconds: Int64

  var exchanges: ExchangeTable

  var origins: OriginDispatch
  var writable = WritableRequests()

  var connections: [ClientConnection?] = []
  var freeConnections: [Int32] = []
  var connectionCount = 0
  var connectionWheel: DeadlineWheel
  var nextSerial = 0
  /// Which connection a descriptor belongs to.
  var owners: [Int32] = []
  var runnable: [ClientConnection] = []

  init(
    _ configuration: HTTPClientConfiguration, _ mailbox: ClientMailbox, _ wakeup: Wakeup
  ) throws(HTTPServerError) {
    self.configuration = configuration
    self.mailbox = mailbox
    self.wakeup = wakeup
    resolver = ResolverThreads(mailbox, resolve: configuration.resolve)
    http2 = HTTP2ClientSettings(
      messages: configuration.messages, limits: configuration.http2, cutsBody: configuration.cutsBody,
      indexedOnce: configuration.indexedOnce)
    requestNanoseconds = configuration.deadlines.request.nanoseconds
    answerNanoseconds = configuration.deadlines.answer.nanoseconds
    origins = OriginDispatch(configuration)
    transports = ClientTransports(configuration)
    now = configuration.clock.monotonic()
    exchanges = ExchangeTable(now: now)
    connectionWheel = DeadlineWheel(now: now)
    poller = try Poller()
    if let reason = poller.watch(wakeup.descriptor) {
      throw HTTPServerError("cannot watch an event descriptor: \(reason)")
    }
  }

  deinit { memory.deallocate() }

  /// Runs until the client is shut down; every request has its completion then.
  func run() throws(HTTPServerError) {
    defer { abandonAll() }
    var mail = ClientMailbox.Mail()
    while true {
      mailbox.take(into: &mail, thenSleeping: runnable.isEmpty && origins.isSettled)
      if mail.isEmpty {
        let count = try poller.wait(milliseconds: timeout)
        now = configuration.clock.monotonic()
        // Completions put requests here as well, and have nobody to wake.
        mailbox.stayAwake()
        for index in 0..<count { handle(poller.event(index)) }
        mailbox.take(into: &mail, thenSleeping: false)
      } else {
        now = configuration.clock.monotonic()
      }
      if mail.isStopping { return }
      for resolved in mail.resolved { found(resolved) }
      for exchange in mail.exchanges { begin(exchange) }
      if mail.pings { ping() }
      mail.clear()
      dispatchTouched()
      runRunnable()
      expireDue()
    }
  }

  var timeout: Int32 {
    if !runnable.isEmpty || !origins.isSettled { return 0 }
    let first = exchanges.timeoutMilliseconds(now: now)
    let second = connectionWheel.timeoutMilliseconds(now: now)
    return min(first ?? .max, second ?? .max) == .max ? -1 : min(first ?? .max, second ?? .max)
  }

  func expireDue() {
    for number in exchanges.advance(to: now) { expireExchange(number) }
    for key in connectionWheel.advance(to: now) {
      guard let connection = connections[Int(key)] else { continue }
      if connection.deadline <= now {
        act(on: connection, connection.expire(now: now, watch: watcher(connection.id)))
      }
      setDeadline(of: connection)
    }
  }

  // MARK: - Requests

  func begin(_ exchange: ClientExchange) {
    guard writable.contains(exchange.call.request), let origin = origins.origin(of: exchange) else {
      let authority = exchange.call.request.authority
      let reason = "the request has bytes that do not belong there"
      exchange.call.completion(.failure(HTTPClientError(.unusableRequest, authority, reason)))
      return
    }
    guard origin.waitingCount < configuration.limits.waitingRequests else {
      let reason = "more than \(configuration.limits.waitingRequests) requests wait"
      exchange.call.completion(.failure(HTTPClientError(.tooManyWaiting, origin.place, reason)))
      origins.touch(origin)
      return
    }
    let (end, overflow) = now.addingReportingOverflow(
      exchange.call.deadline?.nanoseconds ?? requestNanoseconds)
    exchanges.add(exchange, to: origin, deadline: overflow ? .max : end)
    origin.append(exchange)
    origins.touch(origin)
  }

  func finish(_ exchange: ClientExchange, _ result: Result<HTTPAnswer, HTTPClientError>) {
    guard exchanges.remove(exchange) else { return }
    exchange.origin.forget(exchange)
    exchange.connection = nil
    exchange.call.completion(result)
  }

  func expireExchange(_ number: Int) {
    guard let exchange = exchanges[number] else { return }
    let received = exchange.connection?.session?.receivedBytes(of: number) ?? 0
    let error =
      received == 0
      ? HTTPClientError(.timeout, exchange.origin.place, "no answer in time")
      : HTTPClientError(
        .unfinished(receivedBytes: received), exchange.origin.place,
        "the answer was not whole in time; \(received) bytes had come")
    if let connection = exchange.connection {
      connection.session?.cancel(number)
      makeRunnable(connection)
    }
    finish(exchange, .failure(error))
  }

  func take(
    _ outcome: consuming ClientOutcome, from connection: ClientConnection, _ session: any ClientSession
  ) {
    guard let exchange = exchanges[outcome.number], exchange.connection === connection else { return }
    switch (consume outcome).result {
    case .success(let response):
      let answer = HTTPAnswer(response: response, version: session.version, isReused: exchange.isReused)
      finish(exchange, .success(answer))
    case .failure(let failure):
      let mayRepeat =
        failure.kind == .notProcessed
        || failure.isUnheard && exchange.isReused && exchange.isIdempotent
      if mayRepeat, exchange.retryCount < configuration.retries {
        exchange.retryCount += 1
        exchange.connection = nil
        exchanges.setDeadline(of: exchange, to: exchange.deadline)
        exchange.origin.append(exchange)
        origins.touch(exchange.origin)
      } else {
        finish(
          exchange,
          .failure(
            HTTPClientError(failure.kind, exchange.origin.place, failure.reason, goAway: failure.goAway)))
      }
    }
  }

  func dispatchTouched() {
    while !origins.isSettled {
      for origin in origins.takeTouched() { dispatch(origin) }
    }
  }

  /// Hands requests to connections with room, and opens connections for the others.
  func dispatch(_ origin: ClientOrigin) {
    for connection in origin.connections {
      while connection.room > 0, let exchange = origin.takeFirst() { submit(exchange, to: connection) }
      // The usual end: nothing waits, and the origin has a connection to be kept for.
      if origin.waitingCount == 0 { return }
    }
    var usable = origin.connections.count { $0.isUsable }
    var opening = origin.connections.count { $0.isUsable && $0.phase != .open }
    while opening < origin.waitingCount, usable < origins.connectionLimit(of: origin) {
      if configuration.isSingleConnection, nextSerial > 0 { return refuseWaiting(origin) }
      guard makeRoomForConnection() else { return origins.starve(origin) }
      usable += 1
      opening += 1
      open(origin)
    }
    if origin.waitingCount == 0, origin.connections.isEmpty { origins.remove(origin) }
  }

  /// There will be no other connection.
  func refuseWaiting(_ origin: ClientOrigin) {
    let reason = "the connection has ended"
    for exchange in origin.takeAll() {
      finish(exchange, .failure(HTTPClientError(.notProcessed, origin.place, reason)))
    }
    if origin.connections.isEmpty { origins.remove(origin) }
  }

  func ping() {
    for case let connection? in connections where connection.ping(now) {
      setDeadline(of: connection)
      makeRunnable(connection)
    }
  }

  func submit(_ exchange: ClientExchange, to connection: ClientConnection) {
    exchange.connection = connection
    exchange.isReused = connection.carriedCount > 0
    connection.carriedCount += 1
    connection.session?.submit(exchange.call.request, as: exchange.number)
    let (end, overflow) = now.addingReportingOverflow(answerNanoseconds)
    if !overflow, end < exchange.deadline { exchanges.setDeadline(of: exchange, to: end) }
    makeRunnable(connection)
  }

  func abandonAll() {
    for connection in connections { _ = connection?.end() }
    let end = HTTPClientError(.shutDown, "", "the client was shut down")
    for exchange in exchanges.all {
      finish(exchange, .failure(HTTPClientError(end.kind, exchange.origin.place, end.reason)))
    }
    mailbox.close(end)
  }
}
