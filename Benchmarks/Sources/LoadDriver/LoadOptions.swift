/// What the command line asks for.
struct LoadOptions {
  var mode = ""
  var port: UInt16 = 0
  var tls = false
  var http2 = false
  var host = "localhost"
  var path = "/.well-known/apple-app-site-association"
  var connections = 64
  var seconds = 1.0
  /// Requests a second over kept connections.
  var rate = 50
  /// New connections within the one second of the stampede.
  var burst = 2_000
  var count = 1
  var serverProcesses: [Int] = []
  /// A PEM file that the first connection's certificate has to be in, or nil.
  var verify: String?

  init(_ words: ArraySlice<String>) throws(LoadError) {
    var rest = words
    guard let mode = rest.popFirst() else { throw LoadError("a mode is missing", isUsage: true) }
    self.mode = mode
    while let flag = rest.popFirst() {
      switch flag {
      case "--tls": tls = true
      case "--http2": http2 = true
      default:
        guard let value = rest.popFirst() else { throw LoadError("'\(flag)' wants a value", isUsage: true) }
        try set(flag, value)
      }
    }
    guard mode == "free-ports" || port > 0 else { throw LoadError("--port is missing", isUsage: true) }
    guard !http2 || tls else { throw LoadError("--http2 wants --tls", isUsage: true) }
  }

  private mutating func set(_ flag: String, _ value: String) throws(LoadError) {
    func number<Number: LosslessStringConvertible & Comparable & ExpressibleByIntegerLiteral>()
      throws(LoadError) -> Number
    {
      guard let number = Number(value), number >= 0 else {
        throw LoadError("'\(flag) \(value)' is no number", isUsage: true)
      }
      return number
    }
    switch flag {
    case "--port": port = try number()
    case "--host": host = value
    case "--path": path = value
    case "--connections": connections = try number()
    case "--seconds": seconds = try number()
    case "--rate": rate = try number()
    case "--burst": burst = try number()
    case "--count": count = try number()
    case "--verify": verify = value
    case "--server-pid":
      serverProcesses = value.split(separator: ",").compactMap { Int($0) }
      guard !serverProcesses.isEmpty else { throw LoadError("'\(value)' is no process", isUsage: true) }
    default: throw LoadError("there is no flag '\(flag)'", isUsage: true)
    }
  }

  var request: [UInt8] { request(closes: false) }

  func request(closes: Bool) -> [UInt8] {
    Array("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(closes ? "Connection: close\r\n" : "")\r\n".utf8)
  }
}
