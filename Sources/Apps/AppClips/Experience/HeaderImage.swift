package import LinkspanCore

/// What the head of a picture says: its format, its size and whether it can be transparent.
package struct HeaderImage: Hashable, Sendable {
  package enum Format: String, Sendable { case png = "PNG", jpeg = "JPEG" }

  package let format: Format
  package let width: Int
  package let height: Int
  package let isTransparent: Bool

  /// - Source: Apple's App Store Connect as developers describe it (AC19).
  package static let wanted = (width: 1800, height: 1200)

  /// nil for other formats and for damaged heads.
  package init?(_ bytes: [UInt8]) {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), bytes.count >= 33,
      // Xcode's own form for apps begins with another chunk, and no standard reader takes it.
      bytes[12..<16].elementsEqual("IHDR".utf8)
    {
      format = .png
      width = Self.big(bytes, 16, 4)
      height = Self.big(bytes, 20, 4)
      // Colour types 4 and 6 carry alpha; the others may name a transparent colour before the data.
      isTransparent = bytes[25] & 4 != 0 || Self.hasChunk("tRNS", bytes)
      return
    }
    guard bytes.starts(with: [0xFF, 0xD8]), let frame = Self.frame(bytes) else { return nil }
    format = .jpeg
    (height, width) = (Self.big(bytes, frame + 5, 2), Self.big(bytes, frame + 7, 2))
    isTransparent = false
  }

  private static func big(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func hasChunk(_ name: String, _ bytes: [UInt8]) -> Bool {
    var offset = 8
    while offset + 8 <= bytes.count {
      let kind = bytes[offset + 4..<offset + 8]
      if kind.elementsEqual(name.utf8) { return true }
      if kind.elementsEqual("IDAT".utf8) { return false }
      offset += 12 + big(bytes, offset, 4)
    }
    return false
  }

  /// Where the segment begins that has the size.
  private static func frame(_ bytes: [UInt8]) -> Int? {
    var offset = 2
    while offset + 9 <= bytes.count, bytes[offset] == 0xFF {
      let marker = bytes[offset + 1]
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) { return offset }
      offset += marker == 0xFF ? 1 : 2 + big(bytes, offset + 2, 2)
    }
    return nil
  }

  /// What is wrong with the picture of a card.
  ///
  /// - Parameter bytes: nil for a file that is not there.
  package static func findings(_ bytes: [UInt8]?, name: String, at location: Finding.Location) -> [Finding] {
    func finding(_ message: String) -> Finding {
      Finding(
        rule: "clip.card-image", severity: .error, at: location, message: message,
        help:
          "A header image has \(wanted.width) by \(wanted.height) pixels, as PNG or JPEG, without transparency.",
        source: "AC19")
    }
    guard let bytes else { return [finding("There is no file '\(name)'.")] }
    guard let image = HeaderImage(bytes) else { return [finding("'\(name)' is neither a PNG nor a JPEG.")] }
    var found: [Finding] = []
    if (image.width, image.height) != wanted {
      found.append(finding("'\(name)' has \(image.width) by \(image.height) pixels."))
    }
    if image.isTransparent { found.append(finding("'\(name)' can be transparent.")) }
    return found
  }
}
