import LinkspanCore
import TestSupport
import Testing

@testable import LinkspanFiles

/// A gzip file that has its name when it is whole.
@Suite struct CompressedFileTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func names() throws -> [String] { try OpenFolder(folder.path("")).names() }

  private func written(_ pieces: [[UInt8]]) throws -> [UInt8] {
    let file = try CompressedFile("a.gz", in: try OpenFolder(folder.path("")), mode: 0o600)
    for piece in pieces { try file.write(piece) }
    try file.end()
    try file.publish()
    try file.publish()
    #expect(try names() == ["a.gz"])
    return try FileReader.bytes(folder.path("a.gz"))
  }

  @Test func samePiecesMakeTheSameFile() throws {
    var pieces = (0..<400).map { number in Array("line \(number * 7919 % 1_000), \(number)\n".utf8) }
    pieces.append([UInt8](repeating: 65, count: 300_000))
    let first = try written(pieces)
    // The magic number, deflate, no flags and no time (RFC 1952, 2.3).
    #expect(first.prefix(8) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
    // The length of what is in it, at the end.
    let length = first.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    #expect(length == pieces.reduce(0) { $0 + $1.count })
    #expect(first == (try written(pieces)))
  }

  /// Another process that was thought dead must not put a shorter file in the place of this one.
  @Test func theLastOneThatBeginsWins() throws {
    func begun(_ bytes: [UInt8]) throws -> CompressedFile {
      let file = try CompressedFile("c.gz", in: try OpenFolder(folder.path("")), mode: 0o600)
      try file.write(bytes)
      try file.end()
      return file
    }
    let first = try begun([1])
    let second = try begun([1, 2])
    #expect(try names().count == 1 && !names().contains("c.gz"))
    #expect(throws: LinkspanError.self) { try first.publish() }
    try second.publish()
    #expect(try names() == ["c.gz"])
  }

  @Test func whatIsNotEndedLeavesNothing() throws {
    do {
      let file = try CompressedFile("b.gz", in: try OpenFolder(folder.path("")), mode: 0o600)
      try file.write([1, 2, 3])
      #expect(try !names().contains("b.gz"))
    }
    #expect(try names().isEmpty)
  }
}
