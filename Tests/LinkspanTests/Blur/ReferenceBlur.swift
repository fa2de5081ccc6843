import Linkspan

/// The blur of UIImage+ImageEffects in floating point, pixel by pixel: slow and obvious.
struct ReferenceBlur {
  let effect: BlurEffect
  var mask: BlurMask?

  /// Every channel before rounding, four a pixel in the picture's own order.
  func channels(of picture: PixelImage) -> [Double] {
    let (width, height) = (picture.width, picture.height)
    let original = picture.bytes.map(Double.init)
    var blurred = original
    for _ in 0..<3 {
      blurred = boxed(blurred, width, height) { x, y, step in (min(max(x + step, 0), width - 1), y) }
      blurred = boxed(blurred, width, height) { x, y, step in (x, min(max(y + step, 0), height - 1)) }
    }
    var result: [Double] = []
    for pixel in 0..<width * height {
      let coverage = mask.map { Double($0.coverage[pixel]) / 255 } ?? 1
      let before = Array(original[pixel * 4..<pixel * 4 + 4])
      let effect = saturated(Array(blurred[pixel * 4..<pixel * 4 + 4]), picture.order)
      let over = (0..<4).map { effect[$0] * coverage + before[$0] * (1 - effect[3] * coverage / 255) }
      result += tinted(over, picture.order)
    }
    return result
  }

  private func boxed(
    _ channels: [Double], _ width: Int, _ height: Int, place: (Int, Int, Int) -> (x: Int, y: Int)
  ) -> [Double] {
    let reach = effect.boxWidth / 2
    var result = channels
    for y in 0..<height {
      for x in 0..<width {
        for channel in 0..<4 {
          var sum = 0.0
          for step in -reach...reach {
            let other = place(x, y, step)
            sum += channels[(other.y * width + other.x) * 4 + channel]
          }
          result[(y * width + x) * 4 + channel] = sum / Double(effect.boxWidth)
        }
      }
    }
    return result
  }

  private func saturated(_ pixel: [Double], _ order: PixelImage.Order) -> [Double] {
    let weights = order == .rgba ? [0.2126, 0.7152, 0.0722] : [0.0722, 0.7152, 0.2126]
    let luma = zip(weights, pixel).reduce(0) { $0 + $1.0 * $1.1 }
    let colours = pixel[..<3].map { min(max(luma + (Double($0) - luma) * effect.saturation, 0), pixel[3]) }
    return colours + [pixel[3]]
  }

  private func tinted(_ pixel: [Double], _ order: PixelImage.Order) -> [Double] {
    guard let tint = effect.tint else { return pixel }
    let colour = order == .rgba ? [tint.red, tint.green, tint.blue] : [tint.blue, tint.green, tint.red]
    return zip(pixel, colour + [1]).map { $0 * (1 - tint.alpha) + $1 * tint.alpha * 255 }
  }
}
