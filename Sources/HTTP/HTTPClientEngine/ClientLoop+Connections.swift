internal import Glibc
internal import HTTPEngine
internal import HTTPTransport
internal import LinkspanCore
internal import LinkspanSystem

/// How connections begin, have their turn and end.
extension ClientLoop {
  /// Closes an idle connection when there are too many.
  func makeRoomForConnection() -> Bool {
    guard connectionCount >= configuration.limits.connections else { return true }
    guard let idle = connections.lazy.compactMap({ $0 }).first(where: { $0.isIdle }) else { return false }
    act(on: idle, idle.end())
    return true
  }

  func open(_ origin: ClientOrigin) {
    let id = freeConnections.popLast() ?? Int32(connections.count)
    if Int(id) == connections.count { connections.append(nil) }
    nextSerial += 1
    let connection = ClientConnection(
      id: id, serial: nextSerial, origin, configuration.deadlines,
      outputBytes: configuration.limits.outputBytes, now: now)
    connections[Int(id)] = connection
    connectionCount += 1
    origin.connections.append(connection)
    setDeadline(of: connection)
    if let addresses = origin.key.addresses {
      connect(connection, addresses)
    } else {
      resolver.ask(
        ResolverThreads.Question(
          host: origin.key.host, port: origin.key.port, connection: id, serial: nextSerial))
    }
  }

  func found(_ resolved: ClientMailbox.Resolved) {
    guard let connection = connections[Int(resolved.connection)], connection.serial == resolved.serial,
      connection.phase == .resolving
    else { return }
    switch resolved.result {
    case .success(let addresses): connect(connection, addresses)
    case .failure(let error): act(on: connection, .failed(error))
    }
  }

  func connect(_ connection: ClientConnection, _ addresses: [SocketAddress]) {
    if let hidden = addresses.first(where: { !configuration.permits($0) }) {
      let reason = "the host has the address \(hidden.host), which is not to be asked"
      act(
        on: connection,
        .failed(HTTPClientError(.forbiddenAddress(hidden), connection.origin.place, reason)))
      return
    }
    let verdict = connection.connect(addresses, now: now, watch: watcher(connection.id))
    act(on: connection, verdict)
    setDeadline(of: connection)
  }

  /// Has the news of a socket come to a connection.
  func watcher(_ id: Int32) -> (Socket) -> String? {
    { [unowned self] socket in
      if let reason = poller.watch(socket.descriptor, forRoom: true) { return reason }
      while owners.count <= Int(socket.descriptor) { owners.append(-1) }
      owners[Int(socket.descriptor)] = id
      return nil
    }
  }

  func handle(_ event: Poller.Event) {
    if event.descriptor == wakeup.descriptor {
      wakeup.drain()
      return
    }
    guard owners.indices.contains(Int(event.descriptor)), owners[Int(event.descriptor)] >= 0,
      let connection = connections[Int(owners[Int(event.descriptor)])]
    else { return }
    switch connection.phase {
    case .connecting:
      let watch = watcher(connection.id)
      let (socket, verdict) = connection.decided(event.descriptor, now: now, watch: watch)
      if let socket {
        begin(connection, socket)
      } else {
        act(on: connection, verdict)
        setDeadline(of: connection)
      }
    case .handshaking, .open:
      connection.ready(
        toRead: event.isReadable, toWrite: event.isWritable, isEnd: event.isEnd || event.isGone)
      turn(connection)
    case .resolving, .closed: break
    }
  }

  func begin(_ connection: ClientConnection, _ socket: Socket) {
    do throws(TLSError) {
      connection.begin(try transports.make(socket, to: connection.origin.key), now: now)
      turn(connection)
    } catch {
      act(
        on: connection,
        .failed(HTTPClientError(.unusableTrust, connection.origin.place, error.description)))
    }
  }

  func makeSession(_ agreed: String?, _ connection: ClientConnection) -> any ClientSession {
    let isHTTP2 = agreed == "h2" || configuration.protocols == .http2
    connection.origin.version = isHTTP2 ? .http2 : .http1
    return isHTTP2
      ? HTTP2ClientSession(http2)
      : HTTP1ClientSession(limits: configuration.messages, cutsBody: configuration.cutsBody)
  }

  func makeRunnable(_ connection: ClientConnection) {
    guard !connection.isRunnable else { return }
    connection.isRunnable = true
    runnable.append(connection)
  }

  func runRunnable() {
    let connections = runnable
    runnable.removeAll(keepingCapacity: true)
    for connection in connections {
      connection.isRunnable = false
      if connection.phase != .closed { turn(connection) }
    }
  }

  func turn(_ connection: ClientConnection) {
    let before = connection.deadline
    let verdict = connection.turn(memory, now: now) { makeSession($0, connection) }
    act(on: connection, verdict)
    guard connection.phase != .closed else { return }
    if connection.phase == .open { connection.noteIdleness(now) }
    if connection.deadline != before { setDeadline(of: connection) }
    // It may have room now, or be the one that others waited for.
    if connection.origin.waitingCount > 0 { origins.touch(connection.origin) }
  }

  func setDeadline(of connection: ClientConnection) {
    guard connection.phase != .closed else { return }
    if connection.deadline > Int64.max - DeadlineWheel.tickNanoseconds {
      connectionWheel.cancel(connection.id)
    } else {
      connectionWheel.set(connection.id, to: connection.deadline)
    }
  }

  /// Does what a connection's verdict asks for, and takes its outcomes.
  func act(on connection: ClientConnection, _ verdict: ClientConnection.Verdict) {
    if let session = connection.session {
      if let tell = configuration.onEvent { for news in session.takeNews() { tell(HTTPClientEvent(news)) } }
      // From the end of a reversed list, so that each outcome is moved out and not copied.
      var outcomes = session.takeOutcomes()
      outcomes.reverse()
      while let outcome = outcomes.popLast() { take(outcome, from: connection, session) }
    }
    switch verdict {
    case .waits: break
    case .goesOn: makeRunnable(connection)
    case .closed where connection.carriedCount == 0:
      // Another one would end like it.
      let reason = "the connection ended before a request was sent"
      let kind: HTTPClientError.Kind = configuration.isSingleConnection ? .notProcessed : .connectionLost
      fail(connection, HTTPClientError(kind, connection.origin.place, reason))
    case .closed:
      guard release(connection) else { break }
      if configuration.isSingleConnection { refuseWaiting(connection.origin) }
      configuration.onEvent?(.ended)
    case .failed(let error): fail(connection, error)
    }
  }

  /// No connection came about: others may still carry what waits; if there is none, nobody will.
  func fail(_ connection: ClientConnection, _ error: HTTPClientError) {
    connection.close()
    release(connection)
    if !connection.origin.connections.contains(where: { $0.isUsable }) {
      for exchange in connection.origin.takeAll() { finish(exchange, .failure(error)) }
    }
    configuration.onEvent?(.ended)
  }

  /// - Returns: False when it was released before.
  @discardableResult
  func release(_ connection: ClientConnection) -> Bool {
    guard connections[Int(connection.id)] === connection else { return false }
    connections[Int(connection.id)] = nil
    freeConnections.append(connection.id)
    connectionCount -= 1
    connectionWheel.cancel(connection.id)
    connection.origin.connections.removeAll { $0 === connection }
    origins.touch(connection.origin)
    origins.touchStarved()
    return true
  }
}
