import Testing

@testable import LoadGenerator

/// When an answer of HTTP/1.1 is whole (RFC 9112, 6.3 and 7.1), in whatever pieces it comes.
@Suite struct AnswerReaderTests {
  /// What a reader says of each piece.
  private static func progress(_ pieces: [String], _ reader: inout HTTP1Answer) -> [AnswerProgress] {
    reader.begin()
    return pieces.map { piece in Array(piece.utf8).withUnsafeBytes { reader.receive($0) } }
  }

  static let rows: [(answer: String, progress: AnswerProgress)] = [
    ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", .whole),
    ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", .more),
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .whole),
    ("HTTP/1.1 200 OK\r\ncontent-length:12\r\n\r\n0123456789AB", .whole),
    ("HTTP/1.1 200 OK\r\ncontent-length:12\r\n\r\n0123456789A", .more),
    ("HTTP/1.1 200 OK\r\nX-Content-Length: 0\r\n\r\n", .more), ("HTTP/1.1 200 OK\r\n\r\nabc", .more),
    ("HTTP/1.1 200 OK\r\n", .more),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", .whole),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", .more),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", .more),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nA;x=0\r\n0\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n",
      .whole
    ),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\nC: d\r\n\r\n", .whole),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\nC: d\r\n", .more),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA\r\n", .more),
  ]

  @Test(arguments: rows.indices) func anAnswerEndsWhereItsLengthSays(_ index: Int) {
    let (answer, progress) = Self.rows[index]
    var reader = HTTP1Answer()
    #expect(Self.progress([answer], &reader) == [progress])
    #expect(reader.status == (answer.contains("\r\n\r\n") ? 200 : nil))
    // Byte by byte it is whole with the last one, and not before.
    let bytes = answer.unicodeScalars.map(String.init)
    let each = Self.progress(bytes, &reader)
    #expect(each.last == progress && each.dropLast().allSatisfy { $0 == .more })
    // The next answer on the connection is read anew.
    #expect(Self.progress([answer], &reader) == [progress])
  }

  @Test(
    arguments: [
      ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404), ("HTTP/1.1 201 Created\r\n\r\n", 201),
      ("HTTP/1.1 2x0 OK\r\n\r\n", nil), ("HTTP/1.1\r\n\r\n", nil),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", 200),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000F\r\n", 200),
    ] as [(String, Int?)])
  func anotherAnswerIsTold(answer: String, status: Int?) {
    var reader = HTTP1Answer()
    #expect(Self.progress([answer], &reader) == [.other] && reader.status == status)
  }

  @Test(arguments: [
    ("Connection: close\r\nContent-Length: 1\r\n", true, false), ("Connection: Close\r\n", true, true),
    ("Connection: keep-alive\r\nContent-Length: 1\r\n", false, false), ("", false, true),
  ])
  func theEndOfTheConnectionIsForeseen(fields: String, announcesEnd: Bool, endsWithConnection: Bool) {
    var reader = HTTP1Answer()
    #expect(Self.progress(["HTTP/1.1 200 OK\r\n\(fields)\r\n"], &reader) == [.more])
    #expect(reader.announcesEnd == announcesEnd && reader.endsWithConnection == endsWithConnection)
  }

  /// Ours: a head of 64 KiB is no head.
  @Test func aHeadHasALimit() {
    var reader = HTTP1Answer()
    let start = "HTTP/1.1 200 OK\r\nX: "
    let head = start + String(repeating: "x", count: 65_536 - start.utf8.count)
    #expect(Self.progress([head], &reader) == [.more])
    #expect(Self.progress([String(head.dropLast()), "x", "x"], &reader) == [.more, .more, .other])
  }

  private static func frame(_ kind: UInt8, _ flags: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), kind, flags, 0, 0, 0, 1] + payload
  }

  /// RFC 9113, 4.1: DATA or HEADERS with END_STREAM ends an answer; 0x88 is status 200 (RFC 7541, A).
  @Test(
    arguments: [
      ([frame(1, 4, [0x88])], .more), ([frame(1, 5, [0x88])], .whole), ([frame(1, 5, [0x8D])], .other),
      ([frame(1, 4, [0x88]), frame(0, 0, [1, 2])], .more), ([frame(1, 4, [0x88]), frame(0, 1)], .whole),
      ([frame(1, 4, [0x88]), frame(0, 1, [UInt8](repeating: 7, count: 300))], .whole),
      ([frame(1, 4, [0x40, 0x88]), frame(0, 9, [0])], .whole), ([frame(3, 0, [0, 0, 0, 8])], .other),
      ([frame(7, 0, [UInt8](repeating: 0, count: 8))], .other), ([frame(8, 1, [0, 0, 0, 1])], .more),
      ([frame(4, 1)], .more), ([frame(4, 0)], .more), ([frame(6, 1)], .more),
    ] as [([[UInt8]], AnswerProgress)])
  func framesEndAnAnswer(frames: [[UInt8]], progress: AnswerProgress) {
    var reader = HTTP2Answer()
    reader.begin()
    #expect(frames.flatMap { $0 }.withUnsafeBytes { reader.receive($0) } == progress)
    #expect(reader.reply == (frames == [Self.frame(4, 0)] ? [0, 0, 0, 4, 1, 0, 0, 0, 0] : []))
    var other = HTTP2Answer()
    let each = frames.flatMap { $0 }.map { byte in [byte].withUnsafeBytes { other.receive($0) } }
    #expect(each.last == progress && each.dropLast().allSatisfy { $0 == .more })
  }
}
