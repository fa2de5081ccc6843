/// Text as it stands in XML, SVG and HTML.
package enum Markup {
  /// - Parameter isAttribute: Whether line ends and tabs have to survive a reader, which makes blanks of them
  ///   in attributes.
  /// - Source: XML 1.0, section 2.2: other control characters, U+FFFE and U+FFFF have no form at all, so they
  ///   are shown as U+FFFD.
  package static func escaped(_ text: String, isAttribute: Bool = true) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: result.append(contentsOf: "&amp;".unicodeScalars)
      case 0x3C: result.append(contentsOf: "&lt;".unicodeScalars)
      case 0x3E: result.append(contentsOf: "&gt;".unicodeScalars)
      case 0x22: result.append(contentsOf: "&quot;".unicodeScalars)
      case 0x0D: result.append(contentsOf: "&#13;".unicodeScalars)
      case 0x09 where isAttribute: result.append(contentsOf: "&#9;".unicodeScalars)
      case 0x0A where isAttribute: result.append(contentsOf: "&#10;".unicodeScalars)
      case 0x09, 0x0A: result.append(scalar)
      case 0..<0x20, 0xFFFE, 0xFFFF: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
