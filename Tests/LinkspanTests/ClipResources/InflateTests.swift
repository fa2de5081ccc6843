import CZlib
import LinkspanCore
import Testing

@testable import Linkspan

/// - Source: RFC 1951.
@Suite struct InflateTests {
  /// Noise, runs, text and mixtures.
  private static func content(_ generator: inout SeededGenerator, atMost most: Int) -> [UInt8] {
    let count = Int.random(in: 0...most, using: &generator)
    switch Int.random(in: 0...3, using: &generator) {
    case 0: return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    case 1: return Array(repeating: 7, count: count)
    case 2: return (0..<count).map { _ in UInt8.random(in: 97...101, using: &generator) }
    default:
      var bytes: [UInt8] = []
      while bytes.count < count {
        let start = Int.random(in: 0...bytes.count, using: &generator)
        bytes += bytes[start..<min(bytes.count, start + 300)]
        bytes.append(UInt8.random(in: 0...255, using: &generator))
      }
      return bytes
    }
  }

  private static func expanded(_ packed: [UInt8], size: Int) throws -> [UInt8] {
    try packed.withUnsafeBytes { try Inflate.expand($0, size: size) }
  }

  @Test func expandsWhatZlibDeflates() throws {
    for seed in UInt64(1)...150 {
      var generator = SeededGenerator(seed: seed)
      let content = Self.content(&generator, atMost: 20_000)
      for (level, strategy) in [
        (Int32(0), Z_DEFAULT_STRATEGY), (1, Z_DEFAULT_STRATEGY), (9, Z_DEFAULT_STRATEGY), (9, Z_FIXED),
      ] {
        let packed = Deflater.deflated(content, level: level, strategy: strategy)
        #expect(try Self.expanded(packed, size: content.count) == content, "seed \(seed), level \(level)")
      }
    }
  }

  /// Bytes that were damaged expand to what zlib makes of them, or are refused as zlib refuses them.
  @Test func agreesWithZlibAboutDamagedBytes() {
    var refusals = 0
    for seed in UInt64(1)...3_000 {
      var generator = SeededGenerator(seed: seed)
      let content = Self.content(&generator, atMost: 600)
      var packed = Deflater.deflated(content, level: Int32.random(in: 1...9, using: &generator))
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<packed.count, using: &generator)
        packed[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      }
      if Bool.random(using: &generator) {
        packed.removeLast(Int.random(in: 0...packed.count, using: &generator))
      }
      let theirs = Deflater.inflated(packed, size: content.count).flatMap {
        $0.count == content.count ? $0 : nil
      }
      let ours = try? Self.expanded(packed, size: content.count)
      #expect(ours == theirs, "seed \(seed)")
      if ours == nil { refusals += 1 }
    }
    #expect(refusals > 1_000)
  }

  @Test func refusesMoreThanWasPromised() {
    let bomb = Deflater.deflated(Array(repeating: 0, count: 5_000_000), level: 9)
    #expect(throws: Inflate.Failure.isLarger) { try Self.expanded(bomb, size: 1_000) }
  }

  @Test func refusesLessThanWasPromised() {
    let packed = Deflater.deflated([1, 2, 3], level: 9)
    #expect(throws: Inflate.Failure.isSmaller) { try Self.expanded(packed, size: 4) }
  }

  @Test func refusesWhatFollowsTheEnd() {
    #expect(throws: Inflate.Failure.isNoDeflate) {
      try Self.expanded(Deflater.deflated([1, 2, 3], level: 9) + [0], size: 3)
    }
  }

  @Test func digestsAreThoseOfTheRestOfLinkspan() {
    var generator = SeededGenerator(seed: 5)
    for count in [0, 1, 55, 56, 63, 64, 65, 127, 128, 1_000] {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(bytes.withUnsafeBytes(Digest.hexadecimal) == SHA256.hexDigest(of: bytes))
    }
  }
}
