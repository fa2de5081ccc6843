/// Which escapes of a text decode, followed letter by letter.
///
/// Each letter says whether it is text as it is written or an escape that decodes; this keeps only the texts whose
/// letters are right about it. A `%` as it is written must not begin an escape that decodes (K5): that is known
/// only some letters later, so what would prove it wrong is remembered.
struct EscapeState: Hashable {
  /// What continues a character of several bytes; the raw value is part of a search state.
  enum Expectation: Int32 {
    case nothing
    /// The last byte.
    case last
    case two
    case three
    case afterE0
    case afterED
    case afterF0
    case afterF4

    init(lead: UInt8) {
      self =
        switch lead {
        case 0xC2...0xDF: .last
        case 0xE0: .afterE0
        case 0xED: .afterED
        case 0xE1...0xEF: .two
        case 0xF0: .afterF0
        case 0xF1...0xF3: .three
        case 0xF4: .afterF4
        default: .nothing
        }
    }

    /// What is expected after a byte; nil when the byte does not continue the character.
    func after(_ byte: UInt8) -> Expectation? {
      let (range, next): (ClosedRange<UInt8>, Expectation) =
        switch self {
        case .nothing: (0...0, .nothing)
        case .last: (0x80...0xBF, .nothing)
        case .two: (0x80...0xBF, .last)
        case .three: (0x80...0xBF, .two)
        case .afterE0: (0xA0...0xBF, .last)
        case .afterED: (0x80...0x9F, .last)
        case .afterF0: (0x90...0xBF, .two)
        case .afterF4: (0x80...0x8F, .two)
        }
      return self != .nothing && range.contains(byte) ? next : nil
    }
  }

  /// Of escapes as they are written, what would make them one that decodes.
  private(set) var pending = Expectation.nothing
  /// Of an escape as it is written: 0 outside; 1 behind `%`; 2 and the first digit behind that.
  private(set) var partial: Int32 = 0
  /// Of a character whose escapes decode, what must follow.
  private(set) var unit = Expectation.nothing
  /// Its bytes so far.
  private(set) var unitBytes: Int32 = 0

  /// Whether the text may end here.
  var mayEnd: Bool { unit == .nothing && partial == 0 }

  /// Whether `%2` was read, which may be the beginning of a dot.
  var isBehindTwo: Bool { partial == 4 }

  /// Text of a URL in which nothing decodes: two digits follow each `%`. Of the first digit only ``isBehindTwo`` is kept.
  func afterText(_ scalar: UInt32) -> EscapeState? {
    var next = self
    if partial == 0 {
      next.partial = scalar == 0x25 ? 1 : 0
      return next
    }
    guard let digit = Self.hexValue(scalar) else { return nil }
    next.partial = partial > 1 ? 0 : digit == 2 ? 4 : 3
    return next
  }

  /// Text as it is written; nil when an escape would decode after all, or when no digit follows a `%`.
  func afterAsWritten(_ scalar: UInt32) -> EscapeState? {
    guard unit == .nothing else { return nil }
    var next = self
    if partial == 0 {
      guard scalar == 0x25 else { return EscapeState() }
      next.partial = 1
      return next
    }
    guard let digit = Self.hexValue(scalar) else { return nil }
    if partial == 1 {
      next.partial = 2 + digit
      return next
    }
    let byte = UInt8((partial - 2) << 4 | digit)
    next.partial = 0
    if let following = pending.after(byte) {
      next.pending = following
      return following == .nothing ? nil : next
    }
    if byte < 0x80 { return nil }
    next.pending = Expectation(lead: byte)
    return next
  }

  /// A whole character whose escapes decode.
  func afterDecodedCharacter() -> EscapeState? { mayEnd ? EscapeState() : nil }

  /// One escape of a character of several bytes that no pattern names.
  func afterDecodedByte(_ byte: UInt8, isNamed: (Int32) -> Bool) -> EscapeState? {
    guard partial == 0 else { return nil }
    var next = EscapeState()
    if unit == .nothing {
      next.unit = Expectation(lead: byte)
      next.unitBytes = Int32(byte)
      return next.unit == .nothing ? nil : next
    }
    guard let following = unit.after(byte) else { return nil }
    let bytes = Int32(truncatingIfNeeded: Int64(unitBytes) << 8 | Int64(byte))
    if following == .nothing { return isNamed(bytes) ? nil : next }
    next.unit = following
    next.unitBytes = bytes
    return next
  }

  static func hexValue(_ scalar: UInt32) -> Int32? {
    switch scalar {
    case 0x30...0x39: Int32(scalar) - 0x30
    case 0x41...0x46: Int32(scalar) - 0x37
    case 0x61...0x66: Int32(scalar) - 0x57
    default: nil
    }
  }

  init() {}

  /// As part of a search state.
  var packed: (Int32, Int32) { (pending.rawValue | unit.rawValue << 4 | partial << 8, unitBytes) }

  init(packed: (Int32, Int32)) {
    pending = Expectation(rawValue: packed.0 & 15) ?? .nothing
    unit = Expectation(rawValue: packed.0 >> 4 & 15) ?? .nothing
    partial = packed.0 >> 8
    unitBytes = packed.1
  }
}
