import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// A connection's table of open streams against a dictionary, over seeded openings and endings.
@Suite struct HTTP2StreamsTests {
  private let request = HTTPRequest(authority: "a.example", target: "/")

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func holdsWhatADictionaryHolds(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var streams = HTTP2Streams<HTTP2ClientStream>()
    var expected: [Int32: ObjectIdentifier] = [:]
    var next: Int32 = 1
    for _ in 0..<4_000 {
      let ids = expected.keys.sorted()
      // One stream stays open however many come and go after it.
      if ids.count > 1, generator.draw(0...Int64(ids.count)) > 40 {
        let id = ids[Int(generator.draw(1...Int64(ids.count - 1)))]
        let removed = streams.remove(id)
        #expect(removed.map(ObjectIdentifier.init) == expected.removeValue(forKey: id))
      } else {
        let stream = HTTP2ClientStream()
        stream.begin(id: next, number: 0, request)
        streams.insert(stream)
        expected[next] = ObjectIdentifier(stream)
        next += 2
      }
      #expect(streams.count == expected.count && streams.remove(next) == nil)
    }
    #expect(streams.all.map(\.id) == expected.keys.sorted())
    for (id, stream) in expected { #expect(streams[id].map(ObjectIdentifier.init) == stream) }
  }
}
