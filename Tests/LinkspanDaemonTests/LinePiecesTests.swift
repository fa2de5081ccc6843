import Testing

@testable import LinkspanDaemon

/// A disk that is full may take a part of a line. The next line is whole, and only lines that got out whole count.
@Suite struct LinePiecesTests {
  /// Every place at which a write can end, of every piece of three.
  @Test func linesBehindATornOneAreWhole() {
    let lines = ["one\n", "two, longer\n", "three\n", "four\n", "five\n", "six\n"]
    let wanted = Set(lines.map { String($0.dropLast()) })
    let first = Array(lines[0...1].joined().utf8)
    for end in 0...first.count {
      var pieces = LinePieces()
      var file: [UInt8] = []
      var counted = 0
      func write(_ piece: [UInt8], atMost: Int) {
        let bytes = pieces.bytes(piece)
        let count = min(atMost, bytes.count)
        file += bytes.prefix(count)
        counted += pieces.note(bytes, out: count)
      }
      write(first, atMost: end)
      write(Array(lines[2].utf8), atMost: 0)
      write(Array(lines[3].utf8), atMost: 1)
      write(Array(lines[4...5].joined().utf8), atMost: .max)
      let found = String(decoding: file, as: UTF8.self).split(separator: "\n").map(String.init)
      #expect(found.suffix(2) == ["five", "six"], "after \(end) bytes")
      // One that lacked only its line feed counts as lost.
      let isOnlyUnended = end < first.count && first[end] == 0x0A
      #expect(found.count(where: wanted.contains) == counted + (isOnlyUnended ? 1 : 0), "after \(end) bytes")
    }
  }
}
