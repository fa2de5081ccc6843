import LoadGenerator

/// What the command line asks for.
struct LoadOptions {
  var mode = ""
  var target = LoadTarget()
  var connections = 64
  var seconds = 1.0
  /// Requests a second over kept connections.
  var rate = 50
  /// New connections within the one second of the stampede.
  var burst = 2_000
  var count = 1

  init(_ words: ArraySlice<String>) throws(LoadError) {
    var rest = words
    guard let mode = rest.popFirst() else { throw LoadError("a mode is missing", isUsage: true) }
    self.mode = mode
    while let flag = rest.popFirst() {
      switch flag {
      case "--tls": target.tls = true
      case "--http2": target.http2 = true
      default:
        guard let value = rest.popFirst() else { throw LoadError("'\(flag)' wants a value", isUsage: true) }
        try set(flag, value)
      }
    }
    guard mode == "free-ports" || target.port > 0 else { throw LoadError("--port is missing", isUsage: true) }
    guard !target.http2 || target.tls else { throw LoadError("--http2 wants --tls", isUsage: true) }
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
    case "--port": target.port = try number()
    case "--host": target.host = value
    case "--path": target.path = value
    case "--connections": connections = try number()
    case "--seconds": seconds = try number()
    case "--rate": rate = try number()
    case "--burst": burst = try number()
    case "--count": count = try number()
    case "--verify": target.verify = value
    case "--server-pid":
      target.serverProcesses = value.split(separator: ",").compactMap { Int($0) }
      guard !target.serverProcesses.isEmpty else {
        throw LoadError("'\(value)' is no process", isUsage: true)
      }
    default: throw LoadError("there is no flag '\(flag)'", isUsage: true)
    }
  }
}
