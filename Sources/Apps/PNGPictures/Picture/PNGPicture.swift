internal import CPNG
internal import LinkspanCore

/// A PNG picture with eight bits a channel, and what its file says about colours.
///
/// Reads every kind of PNG: palettes, grey, 16 bits (rounded to eight), interlaced, with transparent colours. The numbers
/// stay as they are: nothing is converted between colour spaces, and the chunks that name the colour space (`iCCP`, `sRGB`,
/// `gAMA`, `cHRM`) and the size of a pixel (`pHYs`) are written again.
package struct PNGPicture: Sendable {
  /// Ours: pictures as large as any screen several times over.
  package struct Limits: Hashable, Sendable {
    package var side = 32_768
    package var pixels = 50_000_000

    package init() {}
  }

  package let width: Int
  package let height: Int
  /// Bits of a channel in the file; those of an index for a palette.
  package let bitDepth: Int
  /// Whether the file has no colours: then none are written, unless ``isGrey`` is set to false.
  package var isGrey: Bool
  /// Whether alpha is written.
  package let hasAlpha: Bool
  /// Red, green, blue, alpha; not premultiplied.
  package var pixels: [UInt8] {
    didSet { precondition(pixels.count == oldValue.count, "a picture keeps its size") }
  }
  private let colours: ColourChunks

  /// - Parameter file: The name, for messages.
  /// - Throws: That the bytes are not a PNG, are damaged, or exceed a limit.
  package init(_ bytes: [UInt8], file: String, limits: Limits = Limits()) throws(PNGError) {
    let isPNG = bytes.withUnsafeBufferPointer { linkspan_png_is_png($0.baseAddress, $0.count) != 0 }
    guard isPNG else {
      throw PNGError(
        "'\(file)' is not a PNG picture.", help: "Convert it to PNG, or take a screenshot as one.")
    }
    var picture = linkspan_png()
    defer { linkspan_png_free(&picture) }
    let isRead = bytes.withUnsafeBufferPointer { bytes in
      linkspan_png_read(
        &picture, bytes.baseAddress, bytes.count, png_uint_32(limits.side), limits.pixels) != 0
    }
    guard isRead else { throw Self.failure(picture, bytes, file, limits) }
    width = Int(picture.width)
    height = Int(picture.height)
    bitDepth = Int(picture.bit_depth)
    isGrey = picture.color_type & PNG_COLOR_MASK_COLOR == 0
    hasAlpha = picture.has_transparency != 0
    pixels = Array(UnsafeBufferPointer(start: picture.pixels, count: width * height * 4))
    colours = ColourChunks(picture)
  }

  private static func failure(
    _ picture: linkspan_png, _ bytes: [UInt8], _ file: String, _ limits: Limits
  ) -> PNGError {
    let reason = withUnsafeBytes(of: picture.message) { message in
      String(decoding: message.prefix { $0 != 0 }, as: UTF8.self)
    }
    var (width, height) = (Int(picture.width), Int(picture.height))
    // libpng names no size where a side is too long; it stands behind the signature, a length and a name.
    if reason.contains("exceeds user limit") || reason.contains("Invalid IHDR"), bytes.count >= 24 {
      func number(at place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
      (width, height) = (number(at: 16), number(at: 20))
    }
    if max(width, height) > limits.side {
      return PNGError(
        "'\(file)' has \(width) × \(height) pixels; a side may have at most \(limits.side).",
        help: "Make the picture smaller first, or cut it into parts.")
    }
    if width > 0, width * height > limits.pixels {
      return PNGError(
        "'\(file)' has \(width) × \(height) pixels; at most \(limits.pixels) are read.",
        help: "Make the picture smaller first.")
    }
    if reason.hasPrefix("CgBI") {
      return PNGError(
        "'\(file)' is a picture out of a built app: Xcode has rewritten it in a form that only Apple reads (CgBI).",
        help: "Use the picture from the app's sources, or a screenshot.")
    }
    return PNGError(
      "'\(file)' is a damaged PNG picture: \(reason).", help: "Save it again with the program that made it.")
  }

  /// The bytes of a file: grey where the picture is, with alpha where it had some.
  ///
  /// - Throws: When libpng refuses, as for want of memory.
  package func encoded() throws(PNGError) -> [UInt8] {
    var picture = linkspan_png()
    defer { linkspan_png_free(&picture) }
    picture.width = png_uint_32(width)
    picture.height = png_uint_32(height)
    colours.fill(&picture, isGrey: isGrey)
    var output = linkspan_png_output()
    defer { free(output.bytes) }
    let type =
      (isGrey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB) | (hasAlpha ? PNG_COLOR_MASK_ALPHA : 0)
    let rows = channels
    let isWritten = rows.withUnsafeBufferPointer { rows in
      linkspan_png_write(&picture, rows.baseAddress, type, &output) != 0
    }
    guard isWritten else {
      let reason = withUnsafeBytes(of: picture.message) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw PNGError("The picture cannot be written: \(reason).", help: "Try a smaller picture.")
    }
    return Array(UnsafeBufferPointer(start: output.bytes, count: output.count))
  }

  /// How dense the file says its pixels are; nil where it does not say.
  package var pixelsPerMetre: Int? { colours.pixelsPerMetre }

  /// Whether colours of the file were said to be grey, and are not written so.
  package var losesGreyProfile: Bool { colours.isOfGrey && !isGrey }

  private var channels: [UInt8] {
    if !isGrey, hasAlpha { return pixels }
    var rows: [UInt8] = []
    let channels = (isGrey ? 1 : 3) + (hasAlpha ? 1 : 0)
    rows.reserveCapacity(width * height * channels)
    for place in stride(from: 0, to: pixels.count, by: 4) {
      rows.append(pixels[place])
      if !isGrey { rows += [pixels[place + 1], pixels[place + 2]] }
      if hasAlpha { rows.append(pixels[place + 3]) }
    }
    return rows
  }
}
