import CNGHTTP2
import LinkspanCore
import Testing

@testable import HTTPEngine

/// A section for which the one before is used again is what it would be by itself.
@Suite struct RequestSectionTests {
  private static let once = ["apns-id", "apns-collapse-id"]

  /// Name, value and flags of each pair.
  private func section(
    of request: HTTPRequest, by writer: HTTP2RequestSection, _ indexed: inout UInt32
  ) -> [[UInt8]] {
    writer.write(request, indexedOnce: Self.once, indexed: &indexed).map { pair in
      Array(UnsafeBufferPointer(start: pair.name, count: pair.namelen)) + [0]
        + Array(UnsafeBufferPointer(start: pair.value, count: pair.valuelen)) + [0, pair.flags]
    }
  }

  private func request(by chance: inout SeededGenerator) -> HTTPRequest {
    func text(_ range: ClosedRange<Int64>) -> String {
      String(repeating: ["a", "B", "é"][Int(chance.draw(0...2))], count: Int(chance.draw(range)))
    }
    let names = ["apns-id", "X-Case", "connection", "apns-collapse-id", "authorization", "te"]
    var fields: [HTTPField] = []
    for _ in 0..<chance.draw(0...3) {
      fields.append(HTTPField(names[Int(chance.draw(0...5))], text(0...2)))
    }
    let body = [UInt8](repeating: 7, count: [0, 0, 5, 9, 10, 5_000][Int(chance.draw(0...5))])
    return HTTPRequest(
      method: ["POST", "HEAD", "GET"][Int(chance.draw(0...2))],
      scheme: chance.chance(1, in: 2) ? "https" : "http", authority: text(1...2), target: "/" + text(0...1),
      fields: HTTPFields(fields), body: body)
  }

  @Test func oneWriterWritesAsManyDo() {
    var chance = SeededGenerator(seed: 36)
    let shared = HTTP2RequestSection()
    var (indexed, alone) = (UInt32(0), UInt32(0))
    for number in 0..<20_000 {
      let request = request(by: &chance)
      // Another connection now and then, whose peer's table is empty.
      if number % 50 == 0 { (indexed, alone) = (0, 0) }
      let found = section(of: request, by: shared, &indexed)
      let expected = section(of: request, by: HTTP2RequestSection(), &alone)
      #expect(found == expected && indexed == alone, "request \(number): \(request)")
    }
  }

  /// The fields of the request before are not read again; what differs is.
  @Test func aFieldThatDiffersFromTheRequestBeforeIsRead() {
    var writable = WritableRequests()
    func takes(_ fields: HTTPFields) -> Bool {
      writable.contains(HTTPRequest(method: "POST", authority: "a.example", target: "/", fields: fields))
    }
    #expect(takes(["apns-topic": "a", "K": "1"]))
    #expect(takes(["apns-topic": "b", "K": "1"]))
    #expect(!takes(["apns-topic": "b\r\nx: y", "K": "1"]))
    #expect(!takes(["apns-topic": "b", "K": "1\n"]))
    #expect(!takes(["apns-topic": "b", "K": "1", "a b": "c"]))
    // KELVIN SIGN, which is "K" by Unicode's equivalence.
    #expect(!takes(["apns-topic": "b", "\u{212A}": "1"]))
    #expect(takes(["apns-topic": "b"]))
  }
}
