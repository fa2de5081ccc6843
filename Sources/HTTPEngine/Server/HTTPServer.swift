package import LinkspanCore
internal import Synchronization

/// An HTTP server: one loop on one thread, which calls the handler and owns every connection.
///
/// It listens from ``init(_:handler:)`` on and answers while ``run()`` runs. Only ``stop()``, ``wake()``
/// and ``replaceCredentials(_:ofListener:)`` may be called from other threads at any time.
package final class HTTPServer: Sendable {
  /// The addresses listened on, with their real ports, in the order of the configuration.
  package var addresses: [SocketAddress] { listeners.map(\.address) }

  private let configuration: HTTPServerConfiguration
  private let handler: HTTPHandler
  private let listeners: [ListenerSocket]
  private let wakeup: Wakeup
  private let hasRun = Atomic(false)
  private let isStopping = Atomic(false)

  /// - Parameter handler: Called on the loop's thread, one request after the other: it must not wait.
  /// - Throws: ``HTTPServerError`` when an address cannot be listened on.
  package init(
    _ configuration: HTTPServerConfiguration, handler: @escaping HTTPHandler
  ) throws(HTTPServerError) {
    precondition(!configuration.listeners.isEmpty, "a server needs an address to listen on")
    self.handler = handler
    var listeners: [ListenerSocket] = []
    for listener in configuration.listeners {
      listeners.append(try ListenerSocket(listener, backlog: configuration.connections.backlog))
    }
    self.listeners = listeners
    var configuration = configuration
    // The sockets have them now, and let them go when they are replaced.
    for index in configuration.listeners.indices { configuration.listeners[index].credentials = nil }
    self.configuration = configuration
    wakeup = try Wakeup()
  }

  /// Serves on this thread until ``stop()`` was called and what was in flight is answered. Once only.
  ///
  /// - Throws: ``HTTPServerError`` when the system refuses to wait for sockets.
  package func run() throws(HTTPServerError) {
    let ranBefore = hasRun.exchange(true, ordering: .relaxed)
    precondition(!ranBefore, "a server runs once")
    let loop = try ServerLoop(configuration, listeners: listeners, wakeup: wakeup, handler: handler)
    try loop.run { self.isStopping.load(ordering: .acquiring) }
  }

  /// Stops accepting, finishes answers in flight with `Connection: close`, and lets ``run()`` return, at the
  /// latest after ``ServerDeadlines/stop``. Returns at once; a second call changes nothing.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    wakeup.signal()
  }

  /// Shows other certificates to every connection from now on, without touching those that are here. From any thread.
  ///
  /// - Parameter index: Of a listener in the configuration, which has to be one with TLS.
  package func replaceCredentials(_ credentials: TLSCredentials, ofListener index: Int = 0) {
    listeners[index].replace(credentials)
  }

  /// Has the loop read its clock; for a clock that was moved by hand.
  package func wake() { wakeup.signal() }
}
