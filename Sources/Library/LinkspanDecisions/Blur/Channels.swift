/// Sixteen bytes: one pixel each of four neighbouring lines, seen as eight pairs of channels.
typealias FourPixels = SIMD8<UInt16>

/// One whole number for each channel of four pixels. Bytes 0 and 2 of a pixel are red and blue, or blue and red.
struct Channels<Scalar: FixedWidthInteger & SIMDScalar> {
  private var zeroth: SIMD4<Scalar>
  private var first: SIMD4<Scalar>
  private var second: SIMD4<Scalar>
  private var alpha: SIMD4<Scalar>

  @inline(__always)
  init() {
    zeroth = .zero
    first = .zero
    second = .zero
    alpha = .zero
  }

  @inline(__always)
  init<Other>(_ other: Channels<Other>) {
    zeroth = SIMD4<Scalar>(truncatingIfNeeded: other.zeroth)
    first = SIMD4<Scalar>(truncatingIfNeeded: other.first)
    second = SIMD4<Scalar>(truncatingIfNeeded: other.second)
    alpha = SIMD4<Scalar>(truncatingIfNeeded: other.alpha)
  }

  @inline(__always)
  mutating func add(_ other: Self, times factor: Scalar) {
    zeroth &+= other.zeroth &* factor
    first &+= other.first &* factor
    second &+= other.second &* factor
    alpha &+= other.alpha &* factor
  }

  @inline(__always)
  mutating func slide(in entering: Self, out leaving: Self) {
    zeroth = zeroth &+ entering.zeroth &- leaving.zeroth
    first = first &+ entering.first &- leaving.first
    second = second &+ entering.second &- leaving.second
    alpha = alpha &+ entering.alpha &- leaving.alpha
  }

  @inline(__always)
  func scaled(by factor: Float) -> Colours {
    Colours(
      zeroth: SIMD4<Float>(zeroth) * factor, first: SIMD4<Float>(first) * factor,
      second: SIMD4<Float>(second) * factor, alpha: SIMD4<Float>(alpha) * factor)
  }
}

extension Channels where Scalar == Int32 {
  /// - Parameters:
  ///   - even: Bytes 0 and 2 of each pixel, or sums of them.
  ///   - odd: Bytes 1 and 3.
  @inline(__always)
  init(even: SIMD8<UInt16>, odd: SIMD8<UInt16>) {
    let even = unsafeBitCast(even, to: SIMD4<UInt32>.self)
    let odd = unsafeBitCast(odd, to: SIMD4<UInt32>.self)
    zeroth = unsafeBitCast(even & 0xFFFF, to: SIMD4<Int32>.self)
    second = unsafeBitCast(even &>> 16, to: SIMD4<Int32>.self)
    first = unsafeBitCast(odd & 0xFFFF, to: SIMD4<Int32>.self)
    alpha = unsafeBitCast(odd &>> 16, to: SIMD4<Int32>.self)
  }
}
