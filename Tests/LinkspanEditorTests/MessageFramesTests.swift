import LinkspanEditor
import Testing

/// Bytes of a stream to messages, and what happens to bytes that are none.
@Suite struct MessageFramesTests {
  private static func frames(_ text: String, piece: Int = .max) -> [String] {
    var frames = MessageFrames()
    var found: [MessageFrames.Frame] = []
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, piece == .max ? bytes.count : start + piece)
      found += frames.take(bytes[start..<end])
      start = end
    }
    return (found + frames.end()).map {
      switch $0 {
      case .message(let bytes): String(decoding: bytes, as: UTF8.self)
      case .broken(let reason): "! " + reason
      }
    }
  }

  @Test(arguments: [1, 2, 3, 7, .max])
  func readsMessagesInAnyPieces(piece: Int) {
    let text =
      "Content-Length: 2\r\n\r\n{}content-length:4\r\nContent-Type: x\r\n\r\n[1]\nContent-Length: 0\r\n\r\n"
      + "Content-Length: 3\n\nabc"
    #expect(Self.frames(text, piece: piece) == ["{}", "[1]\n", "", "abc"])
  }

  @Test(arguments: [
    ("Content-Length: x\r\n\r\n", "The Content-Length is not a number of bytes."),
    ("Content-Length: -2\r\n\r\n", "The Content-Length is not a number of bytes."),
    ("Content-Length:\r\n\r\n", "The Content-Length is not a number of bytes."),
    ("Content-Type: x\r\n\r\n{}", "The header has no Content-Length."),
    ("hello\r\n\r\n", "A line of the header has no colon."),
    ("\r\n\r\n", "The header has no Content-Length."),
    ("Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ", "The header has two Content-Lengths."),
    (
      "Content-Length: 16777217\r\n\r\nxxxx",
      "The Content-Length is more than 16777216 bytes, the limit for a message."
    ),
    (
      "Content-Length: 99999999999999999999999\r\n\r\n",
      "The Content-Length is more than 16777216 bytes, the limit for a message."
    ),
    (
      String(repeating: "a: b\r\n", count: 1_000),
      "The header has more than 4096 bytes."
    ),
  ])
  func tellsOfABrokenHeaderAndGoesOn(header: String, reason: String) {
    for piece in [1, .max] {
      #expect(
        Self.frames(header + "Content-Length: 2\r\n\r\n{}", piece: piece) == ["! " + reason, "{}"],
        "\(header.prefix(40))")
    }
  }

  @Test func tellsOfAnEndInTheMiddle() {
    #expect(
      Self.frames("Content-Length: 5\r\n\r\nab") == ["! The input ends after 2 of 5 bytes of a message."])
    #expect(Self.frames("Content-Len") == ["! The input ends in a header."])
    #expect(Self.frames("") == [])
  }

  @Test(arguments: [(4_096, false), (4_097, true)]) func aHeaderHasALimit(count: Int, isBroken: Bool) {
    let text = "Content-Length: 2\r\nX: "
    let header = text + String(repeating: "a", count: count - text.utf8.count - 4) + "\r\n\r\n"
    let broken = ["! The header has more than 4096 bytes."]
    #expect(Self.frames(header + "{}") == (isBroken ? broken : ["{}"]))
  }

  @Test func takesTheLargestMessage() {
    let limit = MessageFrames.contentLimitBytes
    let text = "Content-Length: \(limit)\r\n\r\n" + String(repeating: " ", count: limit)
    var frames = MessageFrames()
    #expect(frames.take(Array(text.utf8)).count == 1)
  }
}
