import Dispatch
import Glibc
import HTTPClientEngine
import LinkspanCore
import Synchronization

/// Loads an HTTP/2 server on loopback with our client: one connection, 100 requests in flight, each answer begins the
/// next request. It is `h2load -c 1 -m 100` with `HTTPClient` in the place of h2load's session.
///
/// The program that runs it compares the processor time of the whole process, so there is nothing here but the client
/// and the requests, which are made one by one as a sender of pushes has to.
@main
enum ClientLoad {
  static let inFlight = 100

  static func main() {
    let words = CommandLine.arguments
    guard words.count == 4, let shape = Shape(rawValue: words[1]), let port = UInt16(words[2]),
      let count = Int(words[3]), count > 0, let address = SocketAddress("127.0.0.1", port: port)
    else { end("usage: ClientLoad get|push PORT REQUESTS") }
    var configuration = HTTPClientConfiguration()
    configuration.protocols = .http2
    configuration.connectTo = address
    let load = Load(HTTPClient(configuration), shape, port, count)
    let clock = ContinuousClock()
    let time = clock.measure { load.run() }
    guard load.failures == 0 else { end("\(load.failures) of \(count) requests failed; one: \(load.reason)") }
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    print("{\"requests\":\(count),\"wall_us\":\(Int(seconds * 1e6))}")
  }

  static func end(_ text: String) -> Never {
    let bytes = Array("\(text)\n".utf8)
    _ = write(2, bytes, bytes.count)
    exit(2)
  }
}

/// What is asked for.
enum Shape: String {
  /// The same small file again and again.
  case get
  /// A push: a device token of its own in the path, a provider token, four fields, 113 bytes of content.
  case push
}

/// One run: counts what is under way, and begins the next request when an answer comes.
final class Load: Sendable {
  private struct State {
    var failures = 0
    var reason = ""
  }

  private let client: HTTPClient
  private let shape: Shape
  private let authority: String
  private let count: Int
  private let begun = Atomic(0)
  private let finished = Atomic(0)
  private let done = DispatchSemaphore(value: 0)
  private let state = Mutex(State())
  private let fields: HTTPFields
  private let content: [UInt8]

  init(_ client: HTTPClient, _ shape: Shape, _ port: UInt16, _ count: Int) {
    self.client = client
    self.shape = shape
    self.count = count
    authority = "127.0.0.1:\(port)"
    switch shape {
    case .get: (fields, content) = ([:], [])
    case .push:
      fields = [
        "authorization": "bearer " + String(repeating: "t", count: 180), "apns-topic": "com.example.app",
        "apns-push-type": "alert", "apns-priority": "10",
      ]
      content = Array(
        #"{"aps":{"alert":{"title":"Your order","body":"It is on its way."},"sound":"default"},"order":"1234567890ABCDEF"}"#
          .utf8)
    }
  }

  var failures: Int { state.withLock { $0.failures } }
  var reason: String { state.withLock { $0.reason } }

  /// Returns when every request has its outcome.
  func run() {
    client.start((0..<min(ClientLoad.inFlight, count)).map { _ in next() })
    done.wait()
  }

  private func next() -> HTTPClient.Call {
    let number = begun.add(1, ordering: .relaxed).oldValue
    return HTTPClient.Call(request(number)) { [self] in end($0) }
  }

  private func end(_ result: Result<HTTPAnswer, HTTPClientError>) {
    switch result {
    case .success(let answer) where answer.response.status == 200: break
    case .success(let answer): note("status \(answer.response.status)")
    case .failure(let error): note(error.description)
    }
    if finished.add(1, ordering: .relaxed).newValue == count { done.signal() }
    if begun.load(ordering: .relaxed) < count { client.start(next()) }
  }

  private func note(_ reason: String) {
    state.withLock {
      $0.failures += 1
      $0.reason = reason
    }
  }

  private func request(_ number: Int) -> HTTPRequest {
    switch shape {
    case .get: HTTPRequest(scheme: "http", authority: authority, target: "/file")
    case .push:
      HTTPRequest(
        method: "POST", scheme: "http", authority: authority, target: Self.path(number), fields: fields,
        body: content)
    }
  }

  /// `/3/device/` and 64 hexadecimal digits.
  private static func path(_ number: Int) -> String {
    let prefix = "/3/device/".utf8.count
    return String(unsafeUninitializedCapacity: prefix + 64) { bytes in
      _ = bytes.initialize(from: "/3/device/".utf8)
      var state = UInt64(truncatingIfNeeded: number)
      for word in 0..<4 {
        state = state &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1
        for place in 0..<16 {
          let digit = UInt8(truncatingIfNeeded: state >> UInt64(4 * place)) & 15
          (bytes.baseAddress! + prefix + 16 * word + place).initialize(
            to: digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
      }
      return prefix + 64
    }
  }
}
