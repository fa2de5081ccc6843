internal import PNGPictures

/// How many pixels a point of a screenshot has, and how that is known.
struct ScreenScale {
  /// What it was concluded from.
  enum Origin: String {
    case flag
    /// The picture's name, as asset files end: `shot@3x.png`.
    case name
    /// The picture's `pHYs` chunk.
    case picture
    /// The picture has the size of an iPhone's or iPad's screen.
    case screen
    /// The picture is too small for a screen with several pixels a point.
    case size
  }

  let value: Double
  let origin: Origin

  init(flag value: Double) {
    self.value = value
    origin = .flag
  }

  /// nil when the picture may be one of any scale.
  ///
  /// - Parameter path: Where the picture was read.
  init?(_ picture: PNGPicture, at path: String) {
    let sides = Sides(picture.width, picture.height)
    if let scale = Self.scale(inName: path) {
      (value, origin) = (scale, .name)
    } else if let scale = picture.pixelsPerMetre.flatMap(Self.scale(pixelsPerMetre:)) {
      (value, origin) = (scale, .picture)
    } else if let scale = Self.screens.first(where: { $0.value.contains(sides) })?.key {
      (value, origin) = (scale, .screen)
    } else if sides.short < Self.narrowestScreen {
      (value, origin) = (1, .size)
    } else {
      return nil
    }
  }

  /// - Source: Apple, "Asset Catalog Format Reference" (`@2x`, `@3x`).
  private static func scale(inName path: String) -> Double? {
    let name = path.split(separator: "/").last ?? ""
    guard let at = name.lastIndex(of: "@") else { return nil }
    // Before the extension or a device, as in 'shot@2x~ipad.png'; the name itself may have dots, as a date's.
    let suffix = name[at...].prefix { $0 != "." && $0 != "~" }
    return [1.0, 2.0, 3.0].first { suffix == "@\(Int($0))x" }
  }

  /// The iPhone 4 to 5s, whose screens are the narrowest with two pixels a point.
  private static let narrowestScreen = 640

  /// Only a multiple of 72 dpi says something: most programs write 72 whatever the screen was.
  private static func scale(pixelsPerMetre: Int) -> Double? {
    [2.0, 3.0].first { scale in
      let expected = scale * 72 / 0.0254
      return abs(Double(pixelsPerMetre) - expected) <= expected * 0.02
    }
  }

  /// The size of a screenshot, held upright.
  private struct Sides: Hashable {
    let short: Int
    let long: Int

    init(_ one: Int, _ other: Int) {
      short = min(one, other)
      long = max(one, other)
    }
  }

  /// Screenshots of iPhones and iPads, in pixels.
  ///
  /// - Source: Apple, technical specifications of the devices; Human Interface Guidelines, "Layout".
  private static let screens: [Double: Set<Sides>] = [
    2: [
      Sides(640, 960), Sides(640, 1136), Sides(750, 1334), Sides(828, 1792), Sides(1488, 2266),
      Sides(1536, 2048), Sides(1620, 2160), Sides(1640, 2360), Sides(1668, 2224), Sides(1668, 2388),
      Sides(1668, 2420), Sides(2048, 2732), Sides(2064, 2752),
    ],
    3: [
      Sides(1125, 2001), Sides(1125, 2436), Sides(1170, 2532), Sides(1179, 2556), Sides(1206, 2622),
      Sides(1242, 2208), Sides(1242, 2688), Sides(1260, 2736), Sides(1284, 2778), Sides(1290, 2796),
      Sides(1320, 2868),
    ],
  ]
}
