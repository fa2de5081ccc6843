import LinkspanCore
import Testing

@testable import LinkspanDecisions

/// - Source: Apple, the sample UIImage+ImageEffects of WWDC 2013.
@Suite struct BlurTests {
  private static func picture(
    _ width: Int, _ height: Int, seed: UInt64, order: PixelImage.Order = .rgba, isOpaque: Bool = true
  ) -> PixelImage {
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    for _ in 0..<width * height {
      let alpha = isOpaque ? 255 : UInt8.random(in: 0...255, using: &generator)
      bytes += (0..<3).map { _ in UInt8.random(in: 0...alpha, using: &generator) } + [alpha]
    }
    return PixelImage(width: width, height: height, order: order, bytes: bytes)
  }

  private static func mask(_ width: Int, _ height: Int, seed: UInt64) -> BlurMask {
    var generator = SeededGenerator(seed: seed)
    return BlurMask(
      width: width, height: height,
      coverage: (0..<width * height).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  /// The largest distance to the reference, which is rounded as well.
  private static func distance(
    _ effect: BlurEffect, _ picture: PixelImage, mask: BlurMask? = nil,
    with workspace: BlurWorkspace = BlurWorkspace()
  ) -> Int {
    let expected = ReferenceBlur(effect: effect, mask: mask).channels(of: picture)
    var result = picture
    workspace.apply(effect, to: &result, mask: mask)
    return zip(result.bytes, expected).map { abs(Int($0) - Int($1.rounded())) }.max() ?? 0
  }

  @Test(arguments: [
    (30.0, 1.0, 57), (20, 1, 39), (10, 1, 19), (30, 2, 113), (20, 2, 75), (10, 2, 39), (30, 3, 169),
    (20, 3, 113), (10, 3, 57), (0, 1, 1), (1, 1, 3), (1e12, 1, BlurEffect.widestBox),
  ])
  func boxesAreAsWideAsInTheTable(radius: Double, scale: Double, width: Int) {
    #expect(BlurEffect(radius: radius, scale: scale).boxWidth == width)
  }

  @Test(arguments: [
    BlurEffect.light, .extraLight, .dark, .tinted(.init(red: 0.9, green: 0.3, blue: 0, alpha: 1)),
  ])
  func presetsAreWithinOneLevelOfTheReference(effect: BlurEffect) {
    #expect(Self.distance(effect, Self.picture(64, 64, seed: 1)) <= 1)
  }

  /// Boxes narrower and wider than the picture, those past 31-bit sums, and pictures whose sides are no multiples of four.
  @Test(arguments: [
    (64, 64, 1.0), (64, 64, 3.3), (64, 64, 31), (37, 61, 12), (61, 3, 5), (2, 50, 40), (1, 1, 9), (5, 7, 200),
    (1, 33, 2), (33, 1, 2), (24, 20, 130),
  ])
  func boxesAreWithinOneLevelOfTheReference(width: Int, height: Int, radius: Double) {
    for seed in UInt64(1)...3 {
      let picture = Self.picture(width, height, seed: seed, isOpaque: seed != 2)
      #expect(Self.distance(BlurEffect(radius: radius), picture) <= 1, "seed \(seed)")
    }
  }

  @Test func aMaskAndTransparentPixelsLetTheOriginalThrough() {
    let workspace = BlurWorkspace()
    for seed in UInt64(1)...8 {
      let picture = Self.picture(
        30, 22, seed: seed, order: seed % 2 == 0 ? .rgba : .bgra, isOpaque: seed % 3 == 0)
      let mask = Self.mask(30, 22, seed: seed)
      #expect(Self.distance(.light, picture, mask: mask, with: workspace) <= 1, "seed \(seed)")
    }
  }

  @Test func whereTheMaskIsBlackOnlyTheTintIsNew() {
    let picture = Self.picture(16, 16, seed: 4)
    var result = picture
    let nowhere = BlurMask(width: 16, height: 16, coverage: Array(repeating: 0, count: 256))
    BlurWorkspace().apply(BlurEffect(radius: 9, saturation: 0), to: &result, mask: nowhere)
    #expect(result == picture)
  }

  @Test(arguments: [1.0, 7, 30, 90, 300])
  func aConstantPictureStaysConstant(radius: Double) {
    for level in UInt8.min...UInt8.max {
      let picture = PixelImage(
        width: 9, height: 6, bytes: (0..<54).flatMap { _ in [level, 255 - level, level / 2, 255] })
      var result = picture
      BlurWorkspace().apply(BlurEffect(radius: radius), to: &result)
      #expect(result == picture, "level \(level)")
    }
  }

  @Test func greyStaysGreyWhateverTheSaturation() {
    for level in UInt8.min...UInt8.max {
      let picture = PixelImage(
        width: 2, height: 2, bytes: (0..<4).flatMap { _ in [level, level, level, 255] })
      var result = picture
      BlurWorkspace().apply(BlurEffect(radius: 2, saturation: 1.8), to: &result)
      #expect(result == picture)
    }
  }

  @Test func saturationZeroIsLuma() {
    var picture = Self.picture(64, 64, seed: 6)
    let before = picture.bytes
    BlurWorkspace().apply(BlurEffect(radius: 0, saturation: 0), to: &picture)
    for place in stride(from: 0, to: before.count, by: 4) {
      let (red, green, blue) = (Int(before[place]), Int(before[place + 1]), Int(before[place + 2]))
      let luma = 2126 * red + 7152 * green + 722 * blue
      // Halves may go either way.
      let expected: Set<UInt8> = [UInt8((luma + 4_998) / 10_000), UInt8((luma + 5_001) / 10_000)]
      #expect(Set(picture.bytes[place..<place + 3]).count == 1)
      #expect(expected.contains(picture.bytes[place]))
    }
  }

  @Test func saturationOneAndNoRadiusChangeNothing() {
    let picture = Self.picture(17, 5, seed: 7, isOpaque: false)
    var result = picture
    BlurWorkspace().apply(BlurEffect(radius: 0), to: &result)
    // Transparent pixels are drawn over themselves.
    let opaque = Self.picture(17, 5, seed: 7)
    var opaqueResult = opaque
    BlurWorkspace().apply(BlurEffect(radius: 0), to: &opaqueResult)
    #expect(opaqueResult == opaque)
    #expect(zip(result.bytes, picture.bytes).allSatisfy { $0 >= $1 })
  }

  @Test func aSinglePointBecomesTheKernelOfThreeBoxes() {
    // Width 3: 1, 3, 6, 7, 6, 3, 1 of 27 in each direction.
    let weights = [1, 3, 6, 7, 6, 3, 1]
    var bytes = [UInt8](repeating: 0, count: 11 * 4)
    for channel in 0..<4 { bytes[5 * 4 + channel] = 255 }
    var picture = PixelImage(width: 11, height: 1, bytes: bytes)
    var isOpaqueRow = picture
    for x in 0..<11 { isOpaqueRow.bytes[x * 4 + 3] = 255 }
    BlurWorkspace().apply(BlurEffect(radius: 1), to: &isOpaqueRow)
    picture = isOpaqueRow
    let reds = stride(from: 0, to: 44, by: 4).map { Int(picture.bytes[$0]) }
    let expected = weights.map { (255 * $0 * 2 + 27) / 54 }
    #expect(reds == [0, 0] + expected + [0, 0])
  }

  @Test func bytesOfEitherOrderGiveTheSamePicture() {
    let picture = Self.picture(31, 18, seed: 9)
    func swapped(_ bytes: [UInt8]) -> [UInt8] {
      var swapped = bytes
      for place in stride(from: 0, to: bytes.count, by: 4) { swapped.swapAt(place, place + 2) }
      return swapped
    }
    let effect = BlurEffect.tinted(.init(red: 1, green: 0.5, blue: 0, alpha: 1))
    var (rgba, bgra) = (
      picture, PixelImage(width: 31, height: 18, order: .bgra, bytes: swapped(picture.bytes))
    )
    BlurWorkspace().apply(effect, to: &rgba)
    BlurWorkspace().apply(effect, to: &bgra)
    #expect(zip(swapped(bgra.bytes), rgba.bytes).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  @Test func gapsBetweenRowsKeepTheirBytes() {
    let picture = Self.picture(10, 6, seed: 10)
    var expected = picture
    BlurWorkspace().apply(.dark, to: &expected)
    var padded: [UInt8] = []
    for row in 0..<6 { padded += picture.bytes[row * 40..<row * 40 + 40] + [1, 2, 3] }
    padded.withUnsafeMutableBytes { pixels in
      BlurWorkspace().apply(.dark, to: pixels, width: 10, height: 6, bytesPerRow: 43, order: .rgba)
    }
    for row in 0..<6 {
      #expect(padded[row * 43..<row * 43 + 40] == expected.bytes[row * 40..<row * 40 + 40])
      #expect(padded[row * 43 + 40..<row * 43 + 43] == [1, 2, 3])
    }
  }

  @Test func aWorkspaceKeepsItsMemory() {
    let workspace = BlurWorkspace()
    var picture = Self.picture(40, 30, seed: 11, isOpaque: false)
    workspace.apply(.light, to: &picture)
    let places = workspace.memory
    for seed in UInt64(12)...16 {
      var next = Self.picture(40, 30, seed: seed, isOpaque: false)
      workspace.apply(.dark, to: &next)
      #expect(workspace.memory == places)
    }
  }

  @Test func anEmptyPictureStaysEmpty() {
    var picture = PixelImage(width: 0, height: 4, bytes: [])
    BlurWorkspace().apply(.light, to: &picture)
    #expect(picture.bytes.isEmpty)
  }
}

extension BlurWorkspace {
  /// Where the buffers lie.
  fileprivate var memory: [UInt] {
    [UInt(bitPattern: line), UInt(bitPattern: original.withUnsafeBytes(\.baseAddress))]
  }
}
