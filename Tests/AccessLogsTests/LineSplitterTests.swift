import AccessLogs
import LinkspanCore
import LinkspanFiles
import Testing

/// Lines of a stream, and the stream unpacked.
@Suite struct LineSplitterTests {
  private static func lines(_ pieces: [[UInt8]]) -> [String] {
    var lines: [String] = []
    var splitter = LineSplitter()
    func take(_ line: LineSplitter.Line) {
      switch line {
      case .bytes(let bytes):
        lines.append(bytes.count > 9 ? "\(bytes.count)" : String(decoding: bytes, as: UTF8.self))
      case .tooLong: lines.append("too long")
      }
    }
    for piece in pieces { splitter.feed(piece, take) }
    splitter.finish(take)
    splitter.finish(take)
    return lines
  }

  @Test func aLineEndIsOneByteOrTwo() {
    let text = Array("a\r\n\n\rb\r\nc\r".utf8)
    for cut in 0...text.count {
      #expect(
        Self.lines([Array(text[..<cut]), Array(text[cut...])]) == ["a", "", "\rb", "c"], "cut at \(cut)")
    }
    #expect(Self.lines([]) == [] && Self.lines([[0x0A]]) == [""])
  }

  @Test func aLineOfTheLimitIsWholeAndOneMoreIsPassedOver() {
    let limit = LineSplitter.lineLimitBytes
    #expect(limit == 1_048_576)
    for (count, said) in [(limit, "\(limit)"), (limit + 1, "too long")] {
      let long = [UInt8](repeating: 0x61, count: count)
      #expect(Self.lines([long]) == [said])
      #expect(Self.lines([long, [0x62, 0x0A, 0x63]]) == [count == limit ? "\(limit + 1)" : said, "c"])
      #expect(Self.lines([long, [0x0A], [0x64, 0x0A]]) == [said, "d"])
    }
    let long = [UInt8](repeating: 0x61, count: limit + 1)
    #expect(Self.lines([long, long, [0x62, 0x0A, 0x63]]) == ["too long", "c"])
  }

  @Test func unpacksMembersOneAfterTheOther() {
    let large = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let inflater = GzipInflater()
    var unpacked: [UInt8] = []
    #expect(inflater.feed(gzip(large) + gzip([]), { unpacked += $0 }) && inflater.isAtEnd)
    #expect(unpacked == large)
    #expect(inflater.feed([], { _ in }) && inflater.isAtEnd)
    let member = gzip([1, 2, 3])
    unpacked = []
    for (index, byte) in member.enumerated() {
      #expect(inflater.feed([byte], { unpacked += $0 }))
      #expect(inflater.isAtEnd == (index == member.count - 1))
    }
    #expect(unpacked == [1, 2, 3])
    #expect(!inflater.feed([1, 2, 3, 4], { _ in }))
  }

  @Test func aLogIsReadPackedAndUnpacked() throws {
    let line = #"{"ts":1795344318,"path":"/a"}"#
    for bytes in [Array((line + "\nwhat\n \t\n").utf8), gzip(Array((line + "\nwhat\n").utf8))] {
      var items: [String] = []
      let stream = LogStream { item in
        if case .entry(let entry) = item { items.append(entry.target) } else { items.append("?") }
      }
      for byte in bytes { try stream.feed([byte]) }
      try stream.finish()
      #expect(items == ["/a", "?"])
    }
  }

  @Test func anArchiveThatEndsTooSoonIsSaid() throws {
    let stream = LogStream { _ in }
    try stream.feed(Array(gzip(Array("x\n".utf8)).dropLast()))
    #expect(throws: LogStream.BrokenGzip.self) { try stream.finish() }
    // One byte is too little for an archive.
    var count = 0
    let short = LogStream { _ in count += 1 }
    try short.feed([0x61])
    try short.finish()
    #expect(count == 1)
  }
}
