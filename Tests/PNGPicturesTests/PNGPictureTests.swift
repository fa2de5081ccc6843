import LinkspanCore
import PNGPictures
import Testing

@Suite struct PNGPictureTests {
  private func picture(_ bytes: [UInt8]) throws(PNGError) -> PNGPicture {
    try PNGPicture(bytes, file: "a.png")
  }

  private func message(_ bytes: [UInt8], limits: PNGPicture.Limits = .init()) -> String? {
    do throws(PNGError) {
      _ = try PNGPicture(bytes, file: "a.png", limits: limits)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func readsEveryKindOfPixel() throws {
    let kinds: [(type: UInt8, depth: UInt8, row: [UInt8], chunks: [(String, [UInt8])], pixels: [UInt8])] = [
      (2, 8, [1, 2, 3, 4, 5, 6], [], [1, 2, 3, 255, 4, 5, 6, 255]),
      (6, 8, [1, 2, 3, 9, 4, 5, 6, 0], [], [1, 2, 3, 9, 4, 5, 6, 0]),
      (0, 8, [7, 200], [], [7, 7, 7, 255, 200, 200, 200, 255]),
      (4, 8, [7, 1, 200, 2], [], [7, 7, 7, 1, 200, 200, 200, 2]),
      (0, 1, [0b1000_0000], [], [255, 255, 255, 255, 0, 0, 0, 255]),
      (0, 16, [0xFF, 0xFF, 0x80, 0x80], [], [255, 255, 255, 255, 128, 128, 128, 255]),
      (2, 16, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], [], [1, 2, 3, 255, 4, 5, 6, 255]),
      (3, 8, [1, 0], [("PLTE", [9, 8, 7, 6, 5, 4])], [6, 5, 4, 255, 9, 8, 7, 255]),
      (3, 8, [1, 0], [("PLTE", [9, 8, 7, 6, 5, 4]), ("tRNS", [77])], [6, 5, 4, 255, 9, 8, 7, 77]),
      (4, 16, [7, 7, 1, 1, 200, 200, 2, 2], [], [7, 7, 7, 1, 200, 200, 200, 2]),
      (0, 8, [7, 200], [("tRNS", [0, 200])], [7, 7, 7, 255, 200, 200, 200, 0]),
      (2, 8, [1, 2, 3, 4, 5, 6], [("tRNS", [0, 1, 0, 2, 0, 3])], [1, 2, 3, 0, 4, 5, 6, 255]),
    ]
    for kind in kinds {
      let bytes = PNGBytes.file(
        width: 2, height: 1, type: kind.type, depth: kind.depth, rows: [kind.row], chunks: kind.chunks)
      let read = try picture(bytes)
      #expect(read.pixels == kind.pixels, "type \(kind.type), \(kind.depth) bits")
      #expect(read.bitDepth == Int(kind.depth))
      #expect(read.isGrey == (kind.type == 0 || kind.type == 4))
      #expect(read.hasAlpha == (kind.type == 6 || kind.type == 4 || kind.chunks.contains { $0.0 == "tRNS" }))
      let again = try picture(try read.encoded())
      #expect(again.pixels == kind.pixels)
      #expect(again.isGrey == read.isGrey)
      #expect(again.hasAlpha == read.hasAlpha)
    }
  }

  @Test func keepsWhatTheFileSaysAboutColours() throws {
    let gamma: [UInt8] = [0, 0, 0xB1, 0x8F]
    let size: [UInt8] = [0, 0, 0x0B, 0x13, 0, 0, 0x0B, 0x13, 1]
    for chunks in [
      [("gAMA", gamma)], [("sRGB", [1])], [("pHYs", size)], [("sRGB", [0]), ("gAMA", gamma), ("pHYs", size)],
      [],
    ] {
      let bytes = PNGBytes.file(width: 1, height: 1, type: 2, depth: 8, rows: [[1, 2, 3]], chunks: chunks)
      let written = PNGBytes.chunks(try picture(bytes).encoded()).filter {
        !["IHDR", "IDAT", "IEND"].contains($0.0)
      }
      #expect(
        Dictionary(uniqueKeysWithValues: written.map { ($0.0, $0.1) })
          == Dictionary(uniqueKeysWithValues: chunks))
    }
  }

  @Test func keepsAColourProfile() throws {
    let profile = PNGBytes.profile(space: "RGB ")
    let chunk = Array("Display".utf8) + [0, 0] + PNGBytes.compressed(profile)
    let bytes = PNGBytes.file(
      width: 1, height: 1, type: 2, depth: 8, rows: [[1, 2, 3]], chunks: [("iCCP", chunk)])
    let written = PNGBytes.chunks(try picture(bytes).encoded())
    let kept = try #require(written.first { $0.0 == "iCCP" }?.1)
    #expect(Array(kept.prefix(9)) == Array("Display\0\0".utf8))
    #expect(PNGBytes.expanded(Array(kept.dropFirst(9)), count: profile.count) == profile)
  }

  /// libpng reads such a profile with a warning, and would refuse to write it.
  @Test func keepsAProfileWithAnOddWhite() throws {
    var profile = PNGBytes.profile(space: "RGB ")
    profile[71] ^= 1
    let chunk = Array("Odd".utf8) + [0, 0] + PNGBytes.compressed(profile)
    let bytes = PNGBytes.file(
      width: 1, height: 1, type: 2, depth: 8, rows: [[1, 2, 3]], chunks: [("iCCP", chunk)])
    #expect(PNGBytes.chunks(try picture(bytes).encoded()).contains { $0.0 == "iCCP" })
  }

  @Test func aGreyProfileGoesWhenColoursCome() throws {
    let chunk = Array("Grey".utf8) + [0, 0] + PNGBytes.compressed(PNGBytes.profile(space: "GRAY"))
    let bytes = PNGBytes.file(width: 1, height: 1, type: 0, depth: 8, rows: [[1]], chunks: [("iCCP", chunk)])
    var grey = try picture(bytes)
    #expect(PNGBytes.chunks(try grey.encoded()).contains { $0.0 == "iCCP" })
    #expect(!grey.losesGreyProfile)
    grey.isGrey = false
    #expect(grey.losesGreyProfile)
    #expect(!PNGBytes.chunks(try grey.encoded()).contains { $0.0 == "iCCP" })
  }

  @Test func saysWhatIsWrong() {
    let good = PNGBytes.file(width: 2, height: 2, type: 0, depth: 8, rows: [[1, 2], [3, 4]], chunks: [])
    #expect(message(Array("GIF89a".utf8)) == "'a.png' is not a PNG picture.")
    #expect(message([]) == "'a.png' is not a PNG picture.")
    #expect(message(Array(good.dropLast(20))) == "'a.png' is a damaged PNG picture: the file ends early.")
    var damaged = good
    damaged[18] ^= 1
    #expect(message(damaged)?.hasPrefix("'a.png' is a damaged PNG picture: ") == true)
    // Xcode writes another chunk before the first one.
    let chunk: [UInt8] = [0, 0, 0, 4] + Array("CgBI".utf8) + [0x50, 0, 0x20, 6, 0x2C, 0xB8, 0x77, 0x66]
    let apple = Array(good[..<8]) + chunk + Array(good[8...])
    #expect(message(apple)?.contains("picture out of a built app") == true)
  }

  @Test func limitsAreKept() {
    let bytes = PNGBytes.file(
      width: 3, height: 2, type: 0, depth: 8, rows: [[1, 2, 3], [4, 5, 6]], chunks: [])
    var limits = PNGPicture.Limits()
    limits.pixels = 6
    #expect(message(bytes, limits: limits) == nil)
    limits.pixels = 5
    #expect(message(bytes, limits: limits) == "'a.png' has 3 × 2 pixels; at most 5 are read.")
    // A header alone promises four thousand million pixels.
    let huge = PNGBytes.file(width: 65_000, height: 65_000, type: 6, depth: 16, rows: [], chunks: [])
    #expect(message(huge) == "'a.png' has 65000 × 65000 pixels; a side may have at most 32768.")
    let long = PNGBytes.file(width: 50_000, height: 1, type: 0, depth: 8, rows: [], chunks: [])
    #expect(message(long) == "'a.png' has 50000 × 1 pixels; a side may have at most 32768.")
  }

  @Test func anyDamageIsRefusedOrRead() {
    let good = PNGBytes.file(
      width: 4, height: 3, type: 3, depth: 4, rows: [[0x01, 0x10], [0x11, 0], [0, 1]],
      chunks: [("PLTE", [9, 8, 7, 6, 5, 4]), ("gAMA", [0, 0, 0xB1, 0x8F])])
    for seed in UInt64(1)...3_000 {
      var generator = SeededGenerator(seed: seed)
      var bytes = good
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        bytes[Int.random(in: 8..<bytes.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      if let read = try? picture(bytes) { #expect(read.pixels.count == read.width * read.height * 4) }
    }
  }
}
