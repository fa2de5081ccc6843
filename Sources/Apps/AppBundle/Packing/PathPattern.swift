/// A pattern for paths: `*` and `?` stand for characters of one part, `**` for any number of parts.
package struct PathPattern: Sendable {
  private let bytes: [UInt8]

  package init(_ text: String) { bytes = Array(text.utf8) }

  package func matches(_ path: String) -> Bool {
    let path = Array(path.utf8)
    // Which places of the pattern are reached after each byte of the path: never more than the pattern is long.
    var reached = closure([0])
    for byte in path {
      var next: Set<Int> = []
      for place in reached where place < bytes.count {
        switch bytes[place] {
        case Self.star where isDouble(place): next.insert(place)
        case Self.star: if byte != Self.slash { next.insert(place) }
        case UInt8(ascii: "?"): if byte != Self.slash { next.insert(place + 1) }
        case let wanted: if byte == wanted { next.insert(place + 1) }
        }
      }
      reached = closure(next)
      if reached.isEmpty { return false }
    }
    return reached.contains(bytes.count)
  }

  private static let star = UInt8(ascii: "*")
  private static let slash = UInt8(ascii: "/")

  private func isDouble(_ place: Int) -> Bool { place + 1 < bytes.count && bytes[place + 1] == Self.star }

  /// A star may stand for nothing; so may `**/`.
  private func closure(_ places: Set<Int>) -> Set<Int> {
    var all = places
    var open = Array(places)
    while let place = open.popLast() {
      guard place < bytes.count, bytes[place] == Self.star else { continue }
      var next = [place + (isDouble(place) ? 2 : 1)]
      if isDouble(place), place + 2 < bytes.count, bytes[place + 2] == Self.slash { next.append(place + 3) }
      for place in next where all.insert(place).inserted { open.append(place) }
    }
    return all
  }
}
