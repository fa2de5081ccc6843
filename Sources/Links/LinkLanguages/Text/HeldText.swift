/// The texts that a device holds as path, query and fragment of a URL: what no browser and no parser changes any more.
///
/// They consist of ASCII characters that RFC 3986 has for URLs; each `%` begins an escape of two digits; and no segment of
/// the path is `.` or `..`, also not by way of `%2e`, for URLs are resolved before anything matches them. Characters that the
/// URL standard leaves alone and RFC 3986 does not know, such as `|`, are encoded by NSURL, so no device holds them either. In
/// a query a browser writes `'` as an escape.
package enum HeldText {
  /// - Parameter rest: Path, query and fragment, with the marks between them.
  package static func holds(_ rest: some StringProtocol) -> Bool {
    // The marks that may still end a part: first `?` and `#`, behind `?` only `#`, behind `#` none.
    var marks = Array("?#".utf8)
    var isPath = true
    var isQuery = false
    var escape = EscapeState()
    var dots = DotSegment.start
    for byte in rest.utf8 {
      if marks.contains(byte) {
        guard escape.mayEnd, dots.mayEnd else { return false }
        isPath = false
        isQuery = byte == UInt8(ascii: "?")
        marks = isQuery ? Array("#".utf8) : []
        dots = .other
        continue
      }
      guard isQuery ? HeldCharacter.isOneOfQuery(byte) : HeldCharacter.isOne(byte) else { return false }
      let scalar = UInt32(byte)
      if isPath {
        guard let next = dots.after(scalar, escape) else { return false }
        dots = next
      }
      guard let next = escape.afterText(scalar) else { return false }
      escape = next
    }
    return escape.mayEnd && dots.mayEnd
  }
}

/// How much of `.` or `..` a segment of a path is so far. The raw value is part of a search state.
enum DotSegment: Int32 {
  case start
  case one
  case two
  case other

  /// Whether a segment may end here.
  var mayEnd: Bool { self == .start || self == .other }

  /// Behind a dot, as it is written or as an escape.
  var afterDot: DotSegment {
    switch self {
    case .start: .one
    case .one: .two
    case .two, .other: .other
    }
  }

  /// Behind a character as it is written; nil where a segment of dots would end.
  ///
  /// - Parameter escape: What was begun before it.
  func after(_ scalar: UInt32, _ escape: EscapeState) -> DotSegment? {
    if escape.isBehindTwo { return EscapeState.hexValue(scalar) == 0xE ? afterDot : .other }
    switch escape.partial {
    case 0: break
    case 1: return self
    default: return .other
    }
    switch scalar {
    case 0x2F: return mayEnd ? .start : nil
    case 0x2E: return afterDot
    case 0x25: return self
    default: return .other
    }
  }
}
