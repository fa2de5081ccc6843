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

  private static func writeString(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    var text = text
    text.withUTF8 { characters in
      // Most texts need no escape.
      guard characters.contains(where: needsEscape) else { return bytes.append(contentsOf: characters) }
      writeEscaped(characters, to: &bytes)
    }
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func writeEscaped(_ characters: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    for byte in characters {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += "\\n".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x09: bytes += "\\t".utf8
      case 0..<0x20, 0x7F:
        bytes += "\\u00".utf8
        ASCII.appendHex(byte, isUpperCase: false, to: &bytes)
      default: bytes.append(byte)
      }
    }
  }
}
