import Foundation
import Linkspan

/// Blurs a picture of raw RGBA again and again and prints the milliseconds of each time, one a line.
///
/// usage: BlurBenchmark FILE WIDTH HEIGHT RADIUS preset|blur ROUNDS
@main
struct BlurBenchmark {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count == 7, let width = Int(words[2]), let height = Int(words[3]),
      let radius = Double(words[4]),
      let rounds = Int(words[6])
    else { fatalError("usage: BlurBenchmark FILE WIDTH HEIGHT RADIUS preset|blur ROUNDS") }
    let bytes = Array(try Data(contentsOf: URL(filePath: words[1])))
    var effect = words[5] == "preset" ? BlurEffect.light : BlurEffect(radius: radius)
    effect.radius = radius
    let workspace = BlurWorkspace()
    let clock = ContinuousClock()
    // The first time allocates.
    for round in 0...rounds {
      var picture = PixelImage(width: width, height: height, bytes: bytes)
      picture.bytes[0] = bytes[0]
      let (seconds, attoseconds) = clock.measure { workspace.apply(effect, to: &picture) }.components
      if round > 0 { print(Double(seconds) * 1_000 + Double(attoseconds) / 1e15) }
    }
  }
}
