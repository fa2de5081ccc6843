/// The open streams of one client connection, by their numbers.
///
/// A table of twice as many places as streams at least, probed one place after the other. Streams that have closed are
/// kept and carry later requests.
struct HTTP2ClientStreams {
  /// As many as a sender usually has in flight; more are let go.
  private static let spareLimitCount = 128

  private var places: [HTTP2ClientStream?] = Array(repeating: nil, count: 16)
  private var spares: [HTTP2ClientStream] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// In the order of asking.
  var all: [HTTP2ClientStream] { places.compactMap(\.self).sorted { $0.id < $1.id } }

  subscript(id: Int32) -> HTTP2ClientStream? {
    var place = home(id)
    while let stream = places[place] {
      if stream.id == id { return stream }
      place = next(place)
    }
    return nil
  }

  /// A stream without a request, to be set up and inserted.
  mutating func make() -> HTTP2ClientStream { spares.popLast() ?? HTTP2ClientStream() }

  mutating func insert(_ stream: HTTP2ClientStream) {
    if 2 * (count + 1) > places.count { grow() }
    count += 1
    place(stream)
  }

  /// Removes a stream, which ``recycle(_:)`` takes back when it is done with.
  mutating func remove(_ id: Int32) -> HTTP2ClientStream? {
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

  mutating func recycle(_ stream: HTTP2ClientStream) {
    guard spares.count < Self.spareLimitCount else { return }
    stream.dropAll()
    spares.append(stream)
  }

  /// Scattered, since removing from a long row of neighbours would move them all.
  private func home(_ id: Int32) -> Int {
    Int(truncatingIfNeeded: UInt32(bitPattern: id) &* 0x9E37_79B1 >> 8) & (places.count - 1)
  }

  private func next(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

  private mutating func place(_ stream: HTTP2ClientStream) {
    var place = home(stream.id)
    while places[place] != nil { place = next(place) }
    places[place] = stream
  }

  private mutating func grow() {
    let streams = places.compactMap(\.self)
    places = Array(repeating: nil, count: 2 * places.count)
    for stream in streams { place(stream) }
  }
}
