internal import CQREncode
internal import CZlib
internal import Glibc

/// A QR code of a text: the modules, and three pictures of them.
///
/// - Source: ISO/IEC 18004, by libqrencode.
package struct QRCode: Sendable {
  /// How much of the picture may be lost.
  package enum Correction: String, CaseIterable, Sendable {
    case low = "L"
    case medium = "M"
    case quartile = "Q"
    case high = "H"

    fileprivate var level: QRecLevel {
      switch self {
      case .low: QR_ECLEVEL_L
      case .medium: QR_ECLEVEL_M
      case .quartile: QR_ECLEVEL_Q
      case .high: QR_ECLEVEL_H
      }
    }
  }

  package let text: String
  package let correction: Correction
  /// 1 to 40.
  package let version: Int
  /// Modules of a side, without the quiet zone.
  package let width: Int
  /// Row by row; true is dark.
  private let modules: [Bool]

  /// Modules that stay light on each side, as the standard wants.
  package static let quietZone = 4

  /// - Throws: ``QRCodeError`` when the text is too long for the correction.
  package init(_ text: String, _ correction: Correction = .medium) throws(QRCodeError) {
    var bytes = Array(text.utf8)
    let code = bytes.withUnsafeMutableBufferPointer {
      QRcode_encodeData(Int32($0.count), $0.baseAddress, 0, correction.level)
    }
    guard let code else { throw QRCodeError(bytes: text.utf8.count, isTooLong: errno == ERANGE) }
    defer { QRcode_free(code) }
    self.text = text
    self.correction = correction
    version = Int(code.pointee.version)
    width = Int(code.pointee.width)
    modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 != 0 }
  }

  /// Modules of a side, the quiet zone included.
  package var side: Int { width + 2 * Self.quietZone }

  /// Whether a module is dark, the quiet zone included; beyond it all is light.
  private func isDark(_ row: Int, _ column: Int) -> Bool {
    let (row, column) = (row - Self.quietZone, column - Self.quietZone)
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return modules[row * width + column]
  }

  // MARK: - Pictures

  /// A picture whose unit is the module: one path, runs of dark modules as strips.
  ///
  /// - Parameter scale: Pixels of a module where nothing else gives the size.
  package func svg(scale: Int) -> String {
    var path = ""
    for row in 0..<side {
      var column = 0
      while column < side {
        guard isDark(row, column) else {
          column += 1
          continue
        }
        let start = column
        while isDark(row, column) { column += 1 }
        path += "M\(start) \(row)h\(column - start)v1h-\(column - start)z"
      }
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(side * scale)" height="\(side * scale)" \
      viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">
      <path fill="#fff" d="M0 0h\(side)v\(side)h-\(side)z"/><path d="\(path)"/>
      </svg>

      """
  }

  /// Two rows of modules on a line.
  ///
  /// - Parameter isColoured: Whether to write colours, so that it is dark on light everywhere; else it is right where
  ///   letters are light on dark, and for the other way round `isInverted`.
  package func terminal(isColoured: Bool, isInverted: Bool) -> String {
    var text = ""
    for row in stride(from: 0, to: side, by: 2) {
      if isColoured { text += "\u{1B}[30;107m" }
      for column in 0..<side {
        let dark = (isDark(row, column), isDark(row + 1, column))
        // What is drawn is dark with colours, and light without.
        let drawsDark = isColoured || isInverted
        switch drawsDark ? dark : (!dark.0, !dark.1) {
        case (true, true): text += "█"
        case (true, false): text += "▀"
        case (false, true): text += "▄"
        case (false, false): text += " "
        }
      }
      text += isColoured ? "\u{1B}[0m\n" : "\n"
    }
    return text
  }

  /// A picture of one bit a pixel.
  ///
  /// - Parameter scale: Pixels of a module.
  package func png(scale: Int) -> [UInt8] {
    let pixels = side * scale
    var rows: [UInt8] = []
    for row in 0..<side {
      // Filter 0, then a bit for each pixel; 1 is light.
      var line = [UInt8](repeating: 0, count: 1 + (pixels + 7) / 8)
      for pixel in 0..<pixels where !isDark(row, pixel / scale) {
        line[1 + pixel / 8] |= 0x80 >> UInt8(pixel % 8)
      }
      for _ in 0..<scale { rows += line }
    }
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    Self.chunk("IHDR", Self.big(pixels) + Self.big(pixels) + [1, 0, 0, 0, 0], to: &bytes)
    Self.chunk("IDAT", Self.deflated(rows), to: &bytes)
    Self.chunk("IEND", [], to: &bytes)
    return bytes
  }

  private static func big(_ value: Int) -> [UInt8] {
    (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func chunk(_ name: String, _ content: [UInt8], to bytes: inout [UInt8]) {
    let body = Array(name.utf8) + content
    bytes += big(content.count) + body + big(Int(crc32(0, body, uInt(body.count))))
  }

  private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var size = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(size))
    let status = compress2(&result, &size, bytes, uLong(bytes.count), 9)
    precondition(status == Z_OK, "the buffer has the size that zlib asks for")
    result.removeLast(result.count - Int(size))
    return result
  }
}

/// Why there is no code.
package struct QRCodeError: Error, Hashable, Sendable, CustomStringConvertible {
  let bytes: Int
  let isTooLong: Bool

  package var description: String {
    isTooLong
      ? "The text has \(bytes) bytes, more than a QR code of this correction holds."
      : "No QR code can be made of this text."
  }
}
