/// Requests that reach the server in each second of a forecast.
package struct Curve: Hashable, Sendable {
  /// Requests of all kinds.
  package var requests: [Int32]
  /// Of them, new connections of devices that came for the file: each a full handshake.
  package var devices: [Int32]
  /// Devices' requests that were given up, in each second; all zero without a known capacity.
  package var failed: [Int32]

  init(seconds: Int) {
    requests = [Int32](repeating: 0, count: seconds)
    devices = requests
    failed = requests
  }

  /// The second with the most requests; the first of them.
  package var peakSecond: Int {
    var best = 0
    for second in requests.indices where requests[second] > requests[best] { best = second }
    return best
  }

  /// New connections in a second: one a device, and those of visitors who have none open.
  ///
  /// - Parameter share: Of the visitors' requests, those that come over open connections.
  package func connections(in second: Int, kept share: Double) -> Double {
    let visitors = Double(max(0, requests[second] - devices[second])) * (1 - share)
    // To the thousandth, as the curve is written.
    return Double(devices[second]) + (visitors * 1000).rounded() / 1000
  }

  package var failedCount: Int { failed.reduce(0) { $0 + Int($1) } }
}
