/// A JSON value to be written: members keep the order they are given in.
package enum JSON: Sendable {
  case null
  case bool(Bool)
  case int(Int)
  /// A number in JSON's own grammar, written as it is.
  case number(String)
  case string(String)
  case array([JSON])
  case object([(String, JSON)])

  package init(_ value: Int?) { self = value.map(JSON.int) ?? .null }

  package init(_ value: String?) { self = value.map(JSON.string) ?? .null }

  /// A number, and beyond 2⁶³ - 1, where many readers have none so exact, a string.
  package static func seed(_ seed: UInt64) -> JSON {
    seed > UInt64(Int64.max) ? .string("\(seed)") : .number("\(seed)")
  }

  /// A number as a person wrote it, digit for digit; nil for a text that is not one number in JSON's own grammar.
  ///
  /// Blanks around it are left out, as around any value in a document.
  package init?(number text: String) {
    let document = JSONParser.parse(Array(text.utf8))
    guard document.isWellFormed, let json = document.root?.json, case .number = json else { return nil }
    self = json
  }

  /// The value on one line, without blanks.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  package func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .int(let value): bytes += String(value).utf8
    case .number(let text): bytes += text.utf8
    case .string(let value): Self.writeString(value, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.writeString(member.0, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.1.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Control and bidirectional characters are escaped, so that a document can be shown as it is; it reads back the same.
  private static func writeString(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    var text = text
    // Most texts need no escape.
    let isPlain = text.withUTF8 { characters in
      guard !characters.contains(where: mayNeedEscape) else { return false }
      bytes.append(contentsOf: characters)
      return true
    }
    if !isPlain { writeEscaped(text, to: &bytes) }
  }

  private static func mayNeedEscape(_ byte: UInt8) -> Bool {
    Unicode.Scalar.mayBeginControl(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
      || byte == UInt8(ascii: "#")
  }

  private static func writeEscaped(_ text: String, to bytes: inout [UInt8]) {
    var before: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": bytes += [UInt8(ascii: "\\"), UInt8(scalar.value)]
      case "\n": bytes += "\\n".utf8
      case "\r": bytes += "\\r".utf8
      case "\t": bytes += "\\t".utf8
      // Two side by side may begin a workflow command.
      case "#" where before == "#": writeUnit(scalar, to: &bytes)
      case _ where scalar.isControl: writeUnit(scalar, to: &bytes)
      default: bytes += UTF8.encode(scalar)!
      }
      before = scalar
    }
  }

  /// - Parameter scalar: Of the basic plane.
  private static func writeUnit(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    bytes += "\\u".utf8
    ASCII.appendHex(UInt8(scalar.value >> 8), isUpperCase: false, to: &bytes)
    ASCII.appendHex(UInt8(scalar.value & 0xFF), isUpperCase: false, to: &bytes)
  }
}
