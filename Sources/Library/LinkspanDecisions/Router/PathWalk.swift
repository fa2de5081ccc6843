/// Walks all paths that several labelled expressions tell apart, shortest first, each situation once.
struct PathWalk {
  /// Our choice: situations of one walk.
  static let stateLimit = 60_000

  private static let slash = UInt8(ascii: "/")
  /// What a path as it is written may hold.
  private static let alphabet = URLText.inSegment.union(ByteSet("/%".utf8))

  private struct Key: Hashable {
    var places: [Int32]
    var endsInSlash: Bool
  }

  /// - Parameter visit: Gets the labels that hold for a path without trailing slashes, and the path; false stops.
  /// - Returns: Whether the walk came to its end, or was stopped.
  static func run(
    _ expressions: [PathExpression], visit: (_ labels: [Int], _ path: () -> String) -> Bool
  ) -> Bool {
    let network = ByteNetwork(expressions)
    let letters = network.representatives(of: alphabet)
    var keys = [Key(places: network.start, endsInSlash: false)]
    var seen = Set(keys)
    var parents: [(state: Int, byte: UInt8)] = [(0, 0)]
    var next = 0
    func path(_ state: Int) -> String {
      var bytes: [UInt8] = []
      var state = state
      while state > 0 {
        bytes.append(parents[state].byte)
        state = parents[state].state
      }
      return bytes.isEmpty ? "/" : String(decoding: bytes.reversed(), as: UTF8.self)
    }
    while next < keys.count {
      let key = keys[next]
      if !key.endsInSlash, !visit(network.labels(at: key.places), { path(next) }) { return true }
      for byte in next == 0 ? [slash] : letters {
        let places = network.step(key.places, byte)
        guard !places.isEmpty else { continue }
        let made = Key(places: places, endsInSlash: byte == slash)
        guard seen.insert(made).inserted else { continue }
        guard keys.count < stateLimit else { return false }
        keys.append(made)
        parents.append((next, byte))
      }
      next += 1
    }
    return true
  }
}
