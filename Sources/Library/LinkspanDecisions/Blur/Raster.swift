/// Pixels in memory, read and written four at a time.
struct Raster {
  let base: UnsafeMutableRawPointer
  let width: Int
  let height: Int
  let bytesPerRow: Int

  @inline(__always)
  private func place(_ x: Int, _ y: Int) -> UnsafeMutableRawPointer { base + (y * bytesPerRow + x * 4) }

  @inline(__always)
  private func pixel(_ x: Int, _ y: Int) -> UInt32 { place(x, y).loadUnaligned(as: UInt32.self) }

  /// Whether every alpha is 255.
  var isOpaque: Bool {
    for y in 0..<height {
      var all = UInt32.max
      for x in 0..<width { all &= pixel(x, y) }
      if UInt32(littleEndian: all) >> 24 != 255 { return false }
    }
    return true
  }

  /// All pixels, without the gaps between rows.
  func copy(to pixels: inout [UInt32]) {
    if pixels.count < width * height { pixels = Array(repeating: 0, count: width * height) }
    pixels.withUnsafeMutableBytes { target in
      for y in 0..<height {
        (target.baseAddress! + y * width * 4).copyMemory(from: place(0, y), byteCount: width * 4)
      }
    }
  }

  /// Four rows side by side; the last one again where the picture ends.
  @inline(__always)
  func loadRows(from top: Int, into line: UnsafeMutablePointer<FourPixels>) {
    let (second, third, fourth) = (
      min(top + 1, height - 1), min(top + 2, height - 1), min(top + 3, height - 1)
    )
    for x in 0..<width {
      let pixels = SIMD4(pixel(x, top), pixel(x, second), pixel(x, third), pixel(x, fourth))
      line[x] = unsafeBitCast(pixels, to: FourPixels.self)
    }
  }

  /// A strip of four columns; the lanes past `count` hold nothing of use.
  @inline(__always)
  func loadColumns(from left: Int, count: Int, into line: UnsafeMutablePointer<FourPixels>) {
    if count == 4 {
      for y in 0..<height { line[y] = place(left, y).loadUnaligned(as: FourPixels.self) }
      return
    }
    for y in 0..<height {
      var pixels = SIMD4<UInt32>.zero
      for lane in 0..<count { pixels[lane] = pixel(left + lane, y) }
      line[y] = unsafeBitCast(pixels, to: FourPixels.self)
    }
  }

  /// One pixel into each of `count` rows.
  @inline(__always)
  func storeColumn(_ pixels: SIMD4<UInt32>, x: Int, y: Int, count: Int) {
    let target = place(x, y)
    if count == 4 {
      target.storeBytes(of: pixels[0], as: UInt32.self)
      (target + bytesPerRow).storeBytes(of: pixels[1], as: UInt32.self)
      (target + 2 * bytesPerRow).storeBytes(of: pixels[2], as: UInt32.self)
      (target + 3 * bytesPerRow).storeBytes(of: pixels[3], as: UInt32.self)
      return
    }
    for lane in 0..<count {
      (target + lane * bytesPerRow).storeBytes(of: pixels[lane], as: UInt32.self)
    }
  }

  /// `count` neighbouring pixels of a row.
  @inline(__always)
  func storeRow(_ pixels: SIMD4<UInt32>, x: Int, y: Int, count: Int) {
    let target = place(x, y)
    if count == 4 { return target.storeBytes(of: pixels, as: SIMD4<UInt32>.self) }
    for lane in 0..<count { (target + lane * 4).storeBytes(of: pixels[lane], as: UInt32.self) }
  }
}
