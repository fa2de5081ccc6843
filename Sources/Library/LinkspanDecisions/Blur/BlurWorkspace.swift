/// Blurs pictures. Keep one and use it again: after the first picture of a size it allocates nothing.
///
///     let workspace = BlurWorkspace()
///     workspace.apply(.light, to: &picture)
///
/// The time is linear in the number of pixels, whatever the radius. Every result is within one level of exact arithmetic: three
/// boxes along the rows are computed exactly and rounded, then three along the columns. One instance serves one thread.
public final class BlurWorkspace {
  /// A line of pixels and its sums, so that results can be written in place.
  private(set) var line: UnsafeMutableRawPointer?
  private var lineCount = 0
  /// The picture as it was, where it shows through.
  private(set) var original: [UInt32] = []

  /// Allocates nothing yet.
  public init() {}

  deinit { line?.deallocate() }

  private func memory(forLineOf count: Int) -> UnsafeMutableRawPointer {
    if let line, lineCount >= count { return line }
    line?.deallocate()
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: count * TripleBox.bytesPerPixel, alignment: MemoryLayout<SIMD4<Int64>>.alignment)
    (line, lineCount) = (memory, count)
    return memory
  }

  /// Applies an effect to a picture in place.
  ///
  /// - Parameter mask: Where the effect shows; everywhere without one. The tint lies over the whole picture all the same.
  /// - Precondition: The mask is as large as the picture.
  public func apply(_ effect: BlurEffect, to picture: inout PixelImage, mask: BlurMask? = nil) {
    precondition(
      mask.map { $0.width == picture.width && $0.height == picture.height } ?? true,
      "a mask is as large as its picture")
    let (width, height, order) = (picture.width, picture.height, picture.order)
    picture.bytes.withUnsafeMutableBytes { pixels in
      guard let mask else {
        return apply(effect, to: pixels, width: width, height: height, bytesPerRow: width * 4, order: order)
      }
      mask.coverage.withUnsafeBufferPointer { coverage in
        apply(
          effect, to: pixels, width: width, height: height, bytesPerRow: width * 4, order: order,
          mask: coverage)
      }
    }
  }

  /// Applies an effect to pixels that are somebody else's, such as those of a bitmap context, in place.
  ///
  /// - Parameters:
  ///   - pixels: Four bytes a pixel, premultiplied, alpha last; they may lie at any address.
  ///   - bytesPerRow: From the beginning of one row to the next.
  ///   - mask: A byte a pixel, without gaps between rows: 255 where the effect shows.
  /// - Precondition: The buffer holds all rows, and the mask all pixels.
  public func apply(
    _ effect: BlurEffect, to pixels: UnsafeMutableRawBufferPointer, width: Int, height: Int,
    bytesPerRow: Int, order: PixelImage.Order, mask: UnsafeBufferPointer<UInt8>? = nil
  ) {
    guard width > 0, height > 0 else { return }
    precondition(
      bytesPerRow >= width * 4 && pixels.count >= (height - 1) * bytesPerRow + width * 4,
      "the buffer is smaller than its picture")
    precondition(mask.map { $0.count >= width * height } ?? true, "the mask is smaller than its picture")
    let raster = Raster(
      base: pixels.baseAddress!, width: width, height: height, bytesPerRow: bytesPerRow)
    let isBlended = mask != nil || !raster.isOpaque
    if isBlended { raster.copy(to: &original) }
    blur(
      raster, TripleBox(width: effect.boxWidth), ColourStage(effect, order: order),
      isBlended ? Blend(original, mask) : nil)
  }

  /// The original, and where the effect covers it.
  private struct Blend {
    let original: [UInt32]
    let mask: UnsafeBufferPointer<UInt8>?

    init(_ original: [UInt32], _ mask: UnsafeBufferPointer<UInt8>?) {
      self.original = original
      self.mask = mask
    }

    @inline(__always)
    func coverage(at pixel: Int, count: Int) -> SIMD4<Float> {
      guard let mask else { return SIMD4(repeating: 1) }
      var coverage = SIMD4<Float>.zero
      for lane in 0..<count { coverage[lane] = Float(mask[pixel + lane]) * (1 / 255) }
      return coverage
    }

    @inline(__always)
    func pixels(at pixel: Int, count: Int) -> SIMD4<UInt32> {
      var pixels = SIMD4<UInt32>.zero
      for lane in 0..<count { pixels[lane] = original[pixel + lane] }
      return pixels
    }
  }

  private func blur(_ raster: Raster, _ box: TripleBox, _ stage: ColourStage, _ blend: Blend?) {
    let line = memory(forLineOf: max(raster.width, raster.height))
    let pixels = line.assumingMemoryBound(to: FourPixels.self)
    if box.width > 1 {
      for top in stride(from: 0, to: raster.height, by: 4) {
        raster.loadRows(from: top, into: pixels)
        let count = min(4, raster.height - top)
        box.filter(line, count: raster.width) { index, colours in
          raster.storeColumn(colours.pixels, x: index, y: top, count: count)
        }
      }
    }
    for left in stride(from: 0, to: raster.width, by: 4) {
      let count = min(4, raster.width - left)
      raster.loadColumns(from: left, count: count, into: pixels)
      guard let blend else {
        box.filter(line, count: raster.height) { index, colours in
          raster.storeRow(stage.finished(colours).pixels, x: left, y: index, count: count)
        }
        continue
      }
      box.filter(line, count: raster.height) { index, colours in
        let place = index * raster.width + left
        let finished = stage.finished(
          colours, over: Colours(blend.pixels(at: place, count: count)),
          coverage: blend.coverage(at: place, count: count))
        raster.storeRow(finished.pixels, x: left, y: index, count: count)
      }
    }
  }
}
