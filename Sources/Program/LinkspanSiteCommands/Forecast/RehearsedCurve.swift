internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanForecast

/// New connections in each second, of a fleet or of a curve that was written before.
struct RehearsedCurve {
  private let connections: [Double]

  /// - Parameter path: A fleet, or the CSV of 'forecast --csv'.
  static func read(_ path: String, seed: UInt64) throws(LinkspanError) -> RehearsedCurve {
    let source = try FileReader.read(path)
    // A spreadsheet that kept the curve wrote a mark before it, and ends lines its own way.
    let text = ByteOrderMark.removed(from: source.bytes[...]) ?? source.bytes[...]
    if text.starts(with: "time,".utf8) { return try csv(source) }
    let fleet = try FleetInput.fleet(in: source, path)
    let curve = Forecast.expected(fleet, seed: seed)
    return RehearsedCurve(
      connections: curve.requests.indices.map { curve.connections(in: $0, kept: fleet.site.keptShare) })
  }

  private init(connections: [Double]) { self.connections = connections }

  private static func csv(_ source: SourceText) throws(LinkspanError) -> RehearsedCurve {
    var connections: [Double] = []
    let lines = source.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where index > 0 && !line.isEmpty && line != [0x0D] {
      let cells = (line.last == 0x0D ? line.dropLast() : line).split(
        separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      // Curves without the fifth cell have no connections of visitors; of them the devices are driven.
      let cell = cells.count == 5 ? cells[4] : cells.count == 4 ? cells[2] : []
      guard let count = Double(String(decoding: cell, as: UTF8.self)), (0...1e9).contains(count) else {
        throw LinkspanError(
          "\(source.name):\(index + 1): this is not a line of a curve.",
          help:
            "Expected the columns time,requests,devices,failed,connections, as 'linkspan forecast --csv' writes them."
        )
      }
      connections.append(count)
    }
    guard !connections.isEmpty else {
      throw LinkspanError("\(source.name) holds no second.", help: "Write it with 'linkspan forecast --csv'.")
    }
    return RehearsedCurve(connections: connections)
  }

  /// The seconds around the highest one, scaled; what is lost by rounding in one second comes in the next.
  func connections(before: Int, seconds: Int, scale: Double) -> [Int] {
    var peak = 0
    for second in connections.indices where connections[second] > connections[peak] { peak = second }
    let start = max(0, peak - before)
    var rest = 0.0
    return connections[start..<min(connections.count, start + seconds)].map { count in
      rest += count * scale
      let whole = Int(min((rest + 1e-6).rounded(.down), 1e7))
      rest -= Double(whole)
      return whole
    }
  }
}
