import Glibc
import Testing

@testable import HTTPEngine

/// Memory of the sessions of one loop.
struct HTTP2MemoryTests {
  /// nghttp2 takes so much for the frames that a session sends.
  private static let frame = 16_394

  @Test func piecesDoNotOverlapAndKeepTheirBytes() throws {
    let memory = HTTP2Memory()
    let sizes = [1, 64, 65, 512, 513, 4_096, 16_383, 16_384, Self.frame, 20_464, 20_465, 70_000]
    var pieces: [(UnsafeMutableRawPointer, Int)] = []
    for round in 0..<200 {
      let bytes = sizes[round % sizes.count]
      let piece = try #require(memory.take(bytes))
      #expect(Int(bitPattern: piece) % 16 == 0)
      memset(piece, Int32(round), bytes)
      pieces.append((piece, bytes))
    }
    for (round, (piece, bytes)) in pieces.enumerated() {
      #expect(UnsafeRawBufferPointer(start: piece, count: bytes).allSatisfy { $0 == UInt8(round) })
      memory.give(piece)
    }
  }

  @Test(arguments: [1, 64, 500, 513, 16_383, 16_384, 20_464, 20_465])
  func aPieceThatGrowsOrShrinksKeepsItsBytes(_ bytes: Int) throws {
    let memory = HTTP2Memory()
    for other in [1, 64, 500, 513, 16_383, 16_384, 20_464, 20_465, 100_000] {
      let piece = try #require(memory.take(bytes))
      memset(piece, 7, bytes)
      let moved = try #require(memory.resize(piece, other))
      #expect(UnsafeRawBufferPointer(start: moved, count: min(bytes, other)).allSatisfy { $0 == 7 })
      memset(moved, 8, other)
      memory.give(moved)
    }
  }

  @Test func aFrameThatIsGivenBackIsTheNextOne() throws {
    let memory = HTTP2Memory()
    let first = try #require(memory.take(Self.frame))
    memory.give(first)
    #expect(memory.take(Self.frame) == first)
  }

  /// A session that sends small frames touches one page of its piece; when many are given back, their pages go too.
  @Test func onlyTouchedPagesOfFramesAreResident() throws {
    let memory = HTTP2Memory()
    let pieces = try (0..<640).map { _ in try #require(memory.take(Self.frame)) }
    for piece in pieces { memset(piece, 1, 100) }
    #expect(pieces.reduce(0) { $0 + Self.residentPages(of: $1) } == pieces.count)
    for piece in pieces { memset(piece, 1, Self.frame) }
    #expect(pieces.reduce(0) { $0 + Self.residentPages(of: $1) } > 4 * pieces.count)
    for piece in pieces { memory.give(piece) }
    #expect(pieces.reduce(0) { $0 + Self.residentPages(of: $1) } <= 64 * 5)
  }

  private static func residentPages(of piece: UnsafeMutableRawPointer) -> Int {
    var pages = [UInt8](repeating: 0, count: HTTP2Memory.frameRoomBytes / Int(getpagesize()))
    let room = UnsafeMutableRawPointer(bitPattern: Int(bitPattern: piece) & ~(Int(getpagesize()) - 1))
    guard let room, mincore(room, HTTP2Memory.frameRoomBytes, &pages) == 0 else { return -1 }
    return pages.count { $0 & 1 == 1 }
  }
}
