/// A picture in memory: eight bits a channel, four channels a pixel, rows without gaps.
public struct PixelImage: Hashable, Sendable {
  /// The order of a pixel's bytes.
  public enum Order: Hashable, Sendable {
    case rgba
    /// That of `CGBitmapInfo.byteOrder32Little` with alpha first.
    case bgra
  }

  /// In pixels.
  public let width: Int
  /// In pixels.
  public let height: Int
  /// That of the bytes of each pixel.
  public let order: Order
  /// Colours are premultiplied by alpha, which is each pixel's last byte.
  public var bytes: [UInt8] {
    didSet { precondition(bytes.count == width * height * 4, "a picture keeps its number of bytes") }
  }

  /// A picture of bytes that somebody drew.
  ///
  /// - Precondition: `bytes` has four bytes for each pixel.
  public init(width: Int, height: Int, order: Order = .rgba, bytes: [UInt8]) {
    precondition(width >= 0 && height >= 0, "a picture has no negative size")
    precondition(bytes.count == width * height * 4, "a picture has four bytes for each pixel")
    self.width = width
    self.height = height
    self.order = order
    self.bytes = bytes
  }
}

/// Where a picture is blurred: 255 there, 0 nowhere, and anything between.
public struct BlurMask: Hashable, Sendable {
  /// In pixels.
  public let width: Int
  /// In pixels.
  public let height: Int
  /// A byte a pixel, row by row.
  public let coverage: [UInt8]

  /// A mask of its bytes.
  ///
  /// - Precondition: `coverage` has a byte for each pixel.
  public init(width: Int, height: Int, coverage: [UInt8]) {
    precondition(width >= 0 && height >= 0, "a mask has no negative size")
    precondition(coverage.count == width * height, "a mask has one byte for each pixel")
    self.width = width
    self.height = height
    self.coverage = coverage
  }
}
