/// How a picture is blurred, and what is laid over it.
///
/// The presets have the values of Apple's sample `UIImage+ImageEffects` (WWDC 2013).
public struct BlurEffect: Hashable, Sendable {
  /// A colour with components from 0 to 1, not premultiplied.
  public struct Tint: Hashable, Sendable {
    /// From 0 to 1, as are the others.
    public var red: Double
    /// From 0 to 1.
    public var green: Double
    /// From 0 to 1.
    public var blue: Double
    /// 0 lets everything through, 1 nothing.
    public var alpha: Double

    /// A colour; components outside 0...1 are clamped when the tint is used.
    public init(red: Double, green: Double, blue: Double, alpha: Double) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }

    /// A grey.
    public init(white: Double, alpha: Double) {
      self.init(red: white, green: white, blue: white, alpha: alpha)
    }
  }

  /// In points, 0 or more; 0 means no blur. Times ``scale`` it is the radius in pixels.
  public var radius: Double
  /// Pixels of a point: 1, 2 or 3 on devices.
  public var scale: Double
  /// What lies over the whole picture, outside a mask too; nil for none.
  public var tint: Tint?
  /// How far colours move from their luma: 0 is grey, 1 leaves them, 1.8 is vivid; -1 turns hues around.
  public var saturation: Double

  /// An effect of your own.
  ///
  /// - Parameter scale: Pixels of a point.
  public init(radius: Double, scale: Double = 1, tint: Tint? = nil, saturation: Double = 1) {
    self.radius = radius
    self.scale = scale
    self.tint = tint
    self.saturation = saturation
  }

  /// A bright veil.
  public static let light = BlurEffect(radius: 30, tint: Tint(white: 1, alpha: 0.3), saturation: 1.8)
  /// Nearly white: only large shapes can be made out.
  public static let extraLight = BlurEffect(
    radius: 20, tint: Tint(white: 0.97, alpha: 0.82), saturation: 1.8)
  /// Nearly black.
  public static let dark = BlurEffect(radius: 20, tint: Tint(white: 0.11, alpha: 0.73), saturation: 1.8)

  /// A veil of one colour, at 60 % whatever the colour's own alpha.
  public static func tinted(_ colour: Tint) -> BlurEffect {
    var tint = colour
    tint.alpha = 0.6
    return BlurEffect(radius: 10, tint: tint, saturation: -1)
  }

  /// The largest ``boxWidth``: at most so many pixels, whatever the radius.
  public static let widestBox = 32_767

  /// How many pixels wide each of the three boxes is that together stand for a Gaussian; always odd, 1 for no blur.
  ///
  /// - Source: the approximation in SVG's filter `feGaussianBlur`; Apple's sample makes every width odd.
  public var boxWidth: Int {
    let pixels = radius * scale
    guard pixels > Double(Float.ulpOfOne) else { return 1 }
    let ideal = pixels * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5
    return Int(min(ideal, Double(Self.widestBox))) | 1
  }
}
