/// The channels of four pixels, from 0 to 255 and not yet rounded.
struct Colours {
  var zeroth: SIMD4<Float>
  var first: SIMD4<Float>
  var second: SIMD4<Float>
  var alpha: SIMD4<Float>

  @inline(__always)
  init(zeroth: SIMD4<Float>, first: SIMD4<Float>, second: SIMD4<Float>, alpha: SIMD4<Float>) {
    self.zeroth = zeroth
    self.first = first
    self.second = second
    self.alpha = alpha
  }

  @inline(__always)
  init(_ pixels: SIMD4<UInt32>) {
    let bits = unsafeBitCast(pixels, to: SIMD4<Int32>.self)
    zeroth = SIMD4<Float>(bits & 0xFF)
    first = SIMD4<Float>((bits &>> 8) & 0xFF)
    second = SIMD4<Float>((bits &>> 16) & 0xFF)
    alpha = SIMD4<Float>((bits &>> 24) & 0xFF)
  }

  /// Adding it to a small number leaves the nearest whole one in the lowest bits.
  private static let rounding: Float = 12_582_912

  /// The nearest bytes.
  ///
  /// - Precondition: Every channel is from 0 to 255.
  @inline(__always)
  var pixels: SIMD4<UInt32> {
    Self.rounded(zeroth) | (Self.rounded(first) &<< 8) | (Self.rounded(second) &<< 16)
      | (Self.rounded(alpha) &<< 24)
  }

  @inline(__always)
  private static func rounded(_ channel: SIMD4<Float>) -> SIMD4<UInt32> {
    unsafeBitCast(channel + rounding, to: SIMD4<UInt32>.self) & 0xFF
  }
}

/// What happens to blurred pixels: saturation, then over the original through a mask, then the tint.
struct ColourStage {
  private let saturation: Float
  private let changesSaturation: Bool
  /// Luma of sRGB (ITU-R BT.709), in the order of the bytes.
  private let weights: (zeroth: Float, first: Float, second: Float)
  /// Premultiplied, from 0 to 255.
  private let tint: (zeroth: Float, first: Float, second: Float, alpha: Float)
  /// How much of the picture the tint lets through.
  private let transparency: Float

  init(_ effect: BlurEffect, order: PixelImage.Order) {
    // Ours: ten times as vivid is past anything that can be seen.
    saturation = Float(min(max(effect.saturation, -10), 10))
    changesSaturation = abs(effect.saturation - 1) > Double(Float.ulpOfOne)
    let (red, blue): (Float, Float) = (0.2126, 0.0722)
    weights = order == .rgba ? (red, 0.7152, blue) : (blue, 0.7152, red)
    let colour = effect.tint ?? BlurEffect.Tint(white: 0, alpha: 0)
    func clamped(_ value: Double) -> Float { Float(min(max(value, 0), 1)) }
    let alpha = clamped(colour.alpha)
    let (redPart, bluePart) = (clamped(colour.red) * alpha * 255, clamped(colour.blue) * alpha * 255)
    tint = (
      order == .rgba ? redPart : bluePart, clamped(colour.green) * alpha * 255,
      order == .rgba ? bluePart : redPart, alpha * 255
    )
    transparency = 1 - alpha
  }

  /// Where the result is the blurred pixel alone.
  @inline(__always)
  func finished(_ blurred: Colours) -> Colours { tinted(saturated(blurred)) }

  /// Where the original shows through: by the mask, or because pixels are transparent.
  ///
  /// - Parameter coverage: How much of the effect the mask lets through, from 0 to 1.
  @inline(__always)
  func finished(_ blurred: Colours, over original: Colours, coverage: SIMD4<Float>) -> Colours {
    let effect = saturated(blurred)
    let rest = 1 - effect.alpha * coverage * (1 / 255)
    return tinted(
      Colours(
        zeroth: effect.zeroth * coverage + original.zeroth * rest,
        first: effect.first * coverage + original.first * rest,
        second: effect.second * coverage + original.second * rest,
        alpha: effect.alpha * coverage + original.alpha * rest))
  }

  @inline(__always)
  private func saturated(_ colours: Colours) -> Colours {
    guard changesSaturation else { return colours }
    let luma =
      colours.zeroth * weights.zeroth + colours.first * weights.first + colours.second * weights.second
    var result = colours
    result.zeroth = clamped(luma + (colours.zeroth - luma) * saturation, colours.alpha)
    result.first = clamped(luma + (colours.first - luma) * saturation, colours.alpha)
    result.second = clamped(luma + (colours.second - luma) * saturation, colours.alpha)
    return result
  }

  /// A premultiplied colour is never above its alpha.
  @inline(__always)
  private func clamped(_ channel: SIMD4<Float>, _ alpha: SIMD4<Float>) -> SIMD4<Float> {
    let positive = channel.replacing(with: 0, where: channel .< 0)
    return positive.replacing(with: alpha, where: positive .> alpha)
  }

  @inline(__always)
  private func tinted(_ colours: Colours) -> Colours {
    Colours(
      zeroth: colours.zeroth * transparency + tint.zeroth, first: colours.first * transparency + tint.first,
      second: colours.second * transparency + tint.second, alpha: colours.alpha * transparency + tint.alpha)
  }
}
