package import HTTPTransport
package import LinkspanCore
internal import LinkspanSystem
internal import Synchronization

/// An HTTP server: a loop for each core, each on a thread of its own with its own listening sockets, among which the
/// kernel deals connections out (`SO_REUSEPORT`). A loop calls the handler and owns its connections.
///
/// It listens from ``init(_:handler:)`` on and answers while ``run()`` runs. Only ``stop()``, ``wake()``,
/// ``replaceResponder(_:)`` and ``replaceCredentials(_:ofListener:)`` may be called from other threads at any time.
///
/// Loops share no state for a request. For a connection they share two counts: of all connections, and of those of one
/// address (``ConnectionLimits``), so that limits mean the same however many cores there are.
package final class HTTPServer: Sendable {
  /// The addresses listened on, with their real ports, in the order of the configuration.
  package var addresses: [SocketAddress] { loops[0].listeners.map(\.address) }

  private let loops: [ServerLoopParts]
  private let control: ServerControl
  private let hasRun = Atomic(false)

  /// - Parameter handler: Called on every loop's thread at the same time, on each for one request after the other: it
  ///   must not wait.
  /// - Throws: ``HTTPServerError`` when an address cannot be listened on.
  package convenience init(
    _ configuration: HTTPServerConfiguration, handler: @escaping HTTPHandler
  ) throws(HTTPServerError) {
    try self.init(configuration, responder: HTTPReply.responder(handler))
  }

  /// - Parameter responder: Called as a handler is, and must not wait either; but it may give back work that waits
  ///   (``HTTPReply/offload(_:)``), which is done elsewhere within ``OffloadLimits``.
  /// - Throws: ``HTTPServerError`` when an address cannot be listened on.
  package init(
    _ configuration: HTTPServerConfiguration, responder: @escaping HTTPResponder
  ) throws(HTTPServerError) {
    precondition(!configuration.listeners.isEmpty, "a server needs an address to listen on")
    precondition(configuration.loops ?? 1 > 0, "a server needs a loop")
    let control = try ServerControl(configuration, loops: configuration.loops ?? UsableCores.count)
    self.control = control
    var listenerConfigurations = configuration.listeners
    // The sockets have the credentials then, and let them go when they are replaced.
    var configuration = configuration
    for index in configuration.listeners.indices { configuration.listeners[index].credentials = nil }
    var loops: [ServerLoopParts] = []
    for wakeup in control.wakeups {
      var listeners: [ListenerSocket] = []
      for index in listenerConfigurations.indices {
        listeners.append(
          try ListenerSocket(
            listenerConfigurations[index], backlog: configuration.connections.backlog,
            sharesPort: !loops.isEmpty))
        listenerConfigurations[index].address = listeners[index].address
      }
      if let observer = configuration.loopObserver { configuration.observer = observer(loops.count) }
      loops.append(
        ServerLoopParts(
          configuration: configuration, listeners: listeners, wakeup: wakeup,
          responder: ReplaceableResponder(responder)))
    }
    self.loops = loops
  }

  /// Serves on this thread, and on one for each further loop, until ``stop()`` was called and what was in flight is
  /// answered. Once only.
  ///
  /// - Throws: ``HTTPServerError`` when the system refuses to wait for sockets or has no thread; the other loops stop
  ///   before it is thrown.
  package func run() throws(HTTPServerError) {
    let ranBefore = hasRun.exchange(true, ordering: .relaxed)
    precondition(!ranBefore, "a server runs once")
    let control = control
    defer { control.workers.end() }
    // Made before the threads are started, which so have the signals blocked from their beginning.
    let own: ServerLoop
    var threads: [LoopThread] = []
    do throws(HTTPServerError) {
      own = try ServerLoop(loops[0], control)
      for parts in loops.dropFirst() {
        threads.append(
          try LoopThread { () throws(HTTPServerError) in
            try Self.endingWith(control) { () throws(HTTPServerError) in try ServerLoop(parts, control).run()
            }
          })
      }
    } catch {
      for _ in threads.count..<loops.count { control.refuses() }
      control.stop()
      for thread in threads { try? thread.join() }
      throw error
    }
    var failure: HTTPServerError?
    func noting(_ body: () throws(HTTPServerError) -> Void) {
      do throws(HTTPServerError) { try body() } catch { failure = failure ?? error }
    }
    noting { () throws(HTTPServerError) in
      try Self.endingWith(control) { () throws(HTTPServerError) in try own.run() }
    }
    for thread in threads { noting { () throws(HTTPServerError) in try thread.join() } }
    if let failure { throw failure }
  }

  /// One loop that cannot go on ends the others.
  private static func endingWith(
    _ control: ServerControl, _ body: () throws(HTTPServerError) -> Void
  ) throws(HTTPServerError) {
    do throws(HTTPServerError) { try body() } catch {
      control.refuses()
      control.stop()
      throw error
    }
  }

  /// What has been counted so far. From any thread.
  package var metrics: ServerMetrics { ServerMetrics(loops.map(\.counters), peersNow: control.peers.count) }

  /// How often each loop has gone around. After ``wake()`` every number grows, unless its loop hangs or has ended.
  package var turns: [Int] { loops.map { $0.counters.value(.turns) } }

  /// Whether the server was told to stop.
  package var isStopping: Bool { control.stopDeadline != nil }

  /// Stops accepting, finishes answers in flight with `Connection: close`, gives idle connections of HTTP/1.1
  /// the time of ``ServerDeadlines/lastRequest``, and lets ``run()`` return, at the
  /// latest after ``ServerDeadlines/stop``. Returns at once; a second call changes nothing.
  package func stop() { control.stop() }

  /// Has every request that comes from now on answered by another responder. From any thread.
  package func replaceResponder(_ responder: @escaping HTTPResponder) {
    for loop in loops { loop.responder.replace(responder) }
  }

  /// Shows other certificates to every connection from now on, without touching those that are here. From any thread.
  ///
  /// - Parameter index: Of a listener in the configuration, which has to be one with TLS.
  package func replaceCredentials(_ credentials: TLSCredentials, ofListener index: Int = 0) {
    for loop in loops { loop.listeners[index].replace(credentials) }
  }

  /// Has the loops read their clocks; for a clock that was moved by hand.
  package func wake() { control.wakeAll() }
}

/// What one loop begins with.
struct ServerLoopParts: Sendable {
  var configuration: HTTPServerConfiguration
  var listeners: [ListenerSocket]
  var wakeup: Wakeup
  var responder: ReplaceableResponder
  let counters = LoopCounters()
}
