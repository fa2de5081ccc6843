internal import CLinkspanPlatform
internal import Glibc
internal import HTTPEngine
internal import HTTPTransport
internal import LinkspanCore

/// Runs a handler that may wait behind a socket, and its admin listener beside it, until a signal ends both.
///
/// The handler runs as a task beside the server's loop: whoever waits for a crawl holds up nobody else, and no thread.
struct StandInServer {
  typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

  var address: SocketAddress
  /// nil for plain HTTP.
  var credentials: TLSCredentials?
  var handler: Handler = { _ in .text(404, "not found") }
  /// On loopback.
  var admin: (address: SocketAddress, handler: Handler)?
  /// What the network before it does wrong; nil puts none before it.
  var relayFault: (@Sendable () -> RelayFault?)?
  /// Answers in the handler's place, on the server's loop.
  var responder: HTTPResponder?
  /// What else is to be set.
  var adjust: (inout HTTPServerConfiguration) -> Void = { _ in }

  private static let stopSignals = [SIGINT, SIGTERM]
  /// Ours: above the longest delay that ``SiteFaults`` takes.
  private static let handlerDeadline = Duration.seconds(660)
  /// Ours: a client on a busy machine is slow, and nobody attacks a stand-in.
  private static let clientDeadline = Duration.seconds(60)

  /// - Parameter announce: Told the addresses once connections are taken.
  /// - Throws: What an address or the system says.
  func run(announce: (SocketAddress, SocketAddress?) -> Void) throws(LinkspanError) {
    // Every thread from here on leaves the signals to the first loop, which takes those that stop it.
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for signal in Self.stopSignals + [SIGHUP, SIGUSR1] { sigaddset(&blocked, signal) }
    pthread_sigmask(SIG_BLOCK, &blocked, nil)

    let inner = relayFault == nil ? address : .loopback()
    let first = try Self.server(
      inner, credentials, Self.stopSignals, responder: responder ?? Self.responder(handler), adjust)
    var others: [HTTPServer] = []
    var adminAddress: SocketAddress?
    if let admin {
      let reply = Self.responder(admin.handler)
      let server = try Self.server(
        admin.address, nil, [], responder: { _, origin in .afterBody { reply($0, origin) } })
      adminAddress = server.addresses[0]
      others.append(server)
    }
    let relay = try relayFault.map { fault throws(LinkspanError) in
      do throws(HTTPServerError) {
        return try FaultyRelay(listen: address, to: first.addresses[0], fault: fault)
      } catch {
        throw LinkspanError(error)
      }
    }
    relay?.start()
    do throws(HTTPServerError) {
      var loops: [LoopThread] = []
      for server in others {
        loops.append(try LoopThread { () throws(HTTPServerError) in try server.run() })
      }
      announce(relay?.address ?? first.addresses[0], adminAddress)
      try first.run()
      relay?.stop()
      for server in others { server.stop() }
      for loop in loops { try loop.join() }
    } catch {
      throw LinkspanError(error)
    }
  }

  private static func server(
    _ address: SocketAddress, _ credentials: TLSCredentials?, _ signals: [Int32],
    responder: @escaping HTTPResponder, _ adjust: (inout HTTPServerConfiguration) -> Void = { _ in }
  ) throws(LinkspanError) -> HTTPServer {
    var configuration = HTTPServerConfiguration(
      listeners: [.init(address, credentials: credentials)])
    configuration.loops = 1
    configuration.stopSignals = signals
    configuration.deadlines.handshake = Self.clientDeadline
    configuration.deadlines.header = Self.clientDeadline
    configuration.deadlines.handler = Self.handlerDeadline
    configuration.deadlines.stop = .seconds(2)
    adjust(&configuration)
    do throws(HTTPServerError) { return try HTTPServer(configuration, responder: responder) } catch {
      throw LinkspanError(error)
    }
  }

  private static func responder(_ handler: @escaping Handler) -> HTTPResponder {
    { request, _ in
      .later { completion in
        Task { completion(await handler(request)) }
      }
    }
  }
}
