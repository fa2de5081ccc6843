/// Blurs pictures. Keep one and use it again: after the first picture of a size it allocates nothing.
///
///     let workspace = BlurWorkspace()
///     workspace.apply(.light, to: &picture)
///
/// The time is linear in the number of pixels, whatever the radius. Every result is within one level of exact arithmetic: three
/// boxes along the rows are computed exactly and rounded, then three along the columns. One instance serves one thread.
public final class BlurWorkspace {
  /// The line that is filtered, so that results can be written in place.
  private var line: [FourPixels] = []
  /// The picture as it was, where it shows through.
  private var original: [UInt32] = []

  public init() {}

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
    var raster = Raster(
      base: pixels.baseAddress!, width: width, height: height, bytesPerRow: bytesPerRow)
    let needed = max(width, height)
    if line.count < needed { line = Array(repeating: .zero, count: needed) }
    let isBlended = mask != nil || !raster.isOpaque
    if isBlended { raster.copy(to: &original) }
    let stage = ColourStage(effect, order: order)
    let boxWidth = effect.boxWidth
    // 255 × 203³ is the last to fit 31 bits.
    if boxWidth <= 203 {
      blur(&raster, TripleBox<Int32>(width: boxWidth), stage, isBlended ? Blend(original, mask) : nil)
    } else {
      blur(&raster, TripleBox<Int64>(width: boxWidth), stage, isBlended ? Blend(original, mask) : nil)
    }
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

  private func blur<Scalar>(
    _ raster: inout Raster, _ box: TripleBox<Scalar>, _ stage: ColourStage, _ blend: Blend?
  ) {
    let raster = raster
    line.withUnsafeMutableBufferPointer { line in
      let row = UnsafeBufferPointer(rebasing: line[..<raster.width])
      if box.width > 1 {
        for top in stride(from: 0, to: raster.height, by: 4) {
          raster.loadRows(from: top, into: line)
          let count = min(4, raster.height - top)
          box.filter(row) { index, sums in
            raster.storeColumn(sums.scaled(by: box.average).pixels, x: index, y: top, count: count)
          }
        }
      }
      let column = UnsafeBufferPointer(rebasing: line[..<raster.height])
      for left in stride(from: 0, to: raster.width, by: 4) {
        let count = min(4, raster.width - left)
        raster.loadColumns(from: left, count: count, into: line)
        guard let blend else {
          box.filter(column) { index, sums in
            raster.storeRow(
              stage.finished(sums.scaled(by: box.average)).pixels, x: left, y: index, count: count)
          }
          continue
        }
        box.filter(column) { index, sums in
          let place = index * raster.width + left
          let finished = stage.finished(
            sums.scaled(by: box.average), over: Colours(blend.pixels(at: place, count: count)),
            coverage: blend.coverage(at: place, count: count))
          raster.storeRow(finished.pixels, x: left, y: index, count: count)
        }
      }
    }
  }
}
