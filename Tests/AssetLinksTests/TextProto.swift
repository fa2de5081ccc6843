/// As much of the text form of Protocol Buffers as Google's compatibility suite is written in.
indirect enum TextProto {
  case text(String)
  /// A word without quotation marks: a boolean, a name of an enumeration.
  case word(String)
  case message([(name: String, value: TextProto)])
  case list([TextProto])

  struct Fault: Error {
    var offset: Int
    var wanted: String
  }

  /// Every value of a field, in order.
  func all(_ name: String) -> [TextProto] {
    guard case .message(let fields) = self else { return [] }
    return fields.filter { $0.name == name }.map(\.value)
  }

  subscript(_ name: String) -> TextProto? { all(name).last }

  var string: String? {
    switch self {
    case .text(let text), .word(let text): text
    default: nil
    }
  }

  init(parsing text: String) throws(Fault) {
    var reader = Reader(bytes: Array(text.utf8))
    self = .message(try reader.fields(until: nil))
  }

  private struct Reader {
    let bytes: [UInt8]
    var offset = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func skipBlanks() {
      while offset < bytes.count {
        if bytes[offset] == UInt8(ascii: "#") {
          while offset < bytes.count, bytes[offset] != 0x0A { offset += 1 }
        } else if bytes[offset] <= 0x20 || bytes[offset] == UInt8(ascii: ",") {
          offset += 1
        } else {
          return
        }
      }
    }

    private mutating func take(_ character: Character) -> Bool {
      skipBlanks()
      guard offset < bytes.count, bytes[offset] == character.asciiValue else { return false }
      offset += 1
      return true
    }

    private mutating func word() throws(Fault) -> String {
      skipBlanks()
      let start = offset
      while offset < bytes.count {
        let byte = bytes[offset]
        let isPart = (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "_")
        guard isPart else { break }
        offset += 1
      }
      guard offset > start else { throw Fault(offset: offset, wanted: "a word") }
      return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    mutating func fields(until end: Character?) throws(Fault) -> [(name: String, value: TextProto)] {
      var fields: [(String, TextProto)] = []
      while true {
        if let end, take(end) { return fields }
        skipBlanks()
        if offset == bytes.count {
          guard end == nil else { throw Fault(offset: offset, wanted: "a closing brace") }
          return fields
        }
        let name = try word()
        _ = take(":")
        fields.append((name, try value()))
      }
    }

    private mutating func value() throws(Fault) -> TextProto {
      if take("{") { return .message(try fields(until: "}")) }
      if take("[") {
        var values: [TextProto] = []
        while !take("]") { values.append(try value()) }
        return .list(values)
      }
      skipBlanks()
      guard offset < bytes.count, "'\"".utf8.contains(bytes[offset]) else { return .word(try word()) }
      var text: [UInt8] = []
      // Strings that follow each other are one.
      while offset < bytes.count, "'\"".utf8.contains(bytes[offset]) {
        let quote = bytes[offset]
        offset += 1
        while offset < bytes.count, bytes[offset] != quote {
          if bytes[offset] == UInt8(ascii: "\\") { offset += 1 }
          text.append(bytes[offset])
          offset += 1
        }
        offset += 1
        skipBlanks()
      }
      return .text(String(decoding: text, as: UTF8.self))
    }
  }
}
