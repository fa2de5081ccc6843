/// What a connection's table of streams knows of one.
protocol NumberedStream: AnyObject {
  var id: Int32 { get }
}

/// The open streams of one connection, by their numbers.
///
/// A table of twice as many places as streams at least, probed one place after the other: at worst past all of them, which
/// SETTINGS bound. It has no place before the first stream.
struct HTTP2Streams<Stream: NumberedStream> {
  private var places: [Stream?] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  var unordered: some Sequence<Stream> { places.lazy.compactMap(\.self) }

  /// In the order of asking.
  var all: [Stream] { unordered.sorted { $0.id < $1.id } }

  subscript(id: Int32) -> Stream? {
    guard count > 0 else { return nil }
    var place = home(id)
    while let stream = places[place] {
      if stream.id == id { return stream }
      place = next(place)
    }
    return nil
  }

  mutating func insert(_ stream: Stream) {
    if 2 * (count + 1) > places.count { grow() }
    count += 1
    place(stream)
  }

  mutating func remove(_ id: Int32) -> Stream? {
    guard count > 0 else { return nil }
    var hole = home(id)
    while true {
      guard let stream = places[hole] else { return nil }
      if stream.id == id { break }
      hole = next(hole)
    }
    let removed = places[hole]
    places[hole] = nil
    count -= 1
    // Those that were pushed on by the one that left move back, so that no search ends at the hole.
    var place = next(hole)
    while let stream = places[place] {
      let home = home(stream.id)
      if (place - home) & (places.count - 1) >= (place - hole) & (places.count - 1) {
        places[hole] = stream
        places[place] = nil
        hole = place
      }
      place = next(place)
    }
    return removed
  }

  /// Scattered, since removing from a long row of neighbours would move them all.
  private func home(_ id: Int32) -> Int {
    Int(truncatingIfNeeded: UInt32(bitPattern: id) &* 0x9E37_79B1 >> 8) & (places.count - 1)
  }

  private func next(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

  private mutating func place(_ stream: Stream) {
    var place = home(stream.id)
    while places[place] != nil { place = next(place) }
    places[place] = stream
  }

  private mutating func grow() {
    let streams = Array(unordered)
    places = Array(repeating: nil, count: max(16, 2 * places.count))
    for stream in streams { place(stream) }
  }
}
