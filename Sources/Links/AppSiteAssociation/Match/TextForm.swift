internal import LinkspanCore

/// The three parts of a URL that patterns speak of.
package enum URLComponent: String, Hashable, Sendable, CaseIterable {
  case path = "/"
  case query = "?"
  case fragment = "#"

  /// The word a person uses.
  package var name: String {
    switch self {
    case .path: "path"
    case .query: "query"
    case .fragment: "fragment"
    }
  }
}

/// In which form text is compared: as written, percent-decoded, with case folded, or both.
package struct TextForm: Hashable, Sendable {
  var isCaseSensitive = true
  var isPercentEncoded = true

  /// Brings text of a URL into this form.
  func apply(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var result = isPercentEncoded ? Array(bytes) : PercentEncoding.decode(bytes)
    if !isCaseSensitive { result = CaseFolding.fold(result) }
    return result
  }

  /// Our choice: a longer text is not put on the stack.
  private static let plainLength = 1_024

  /// Calls with the text in this form, without a copy in memory that outlives the call.
  ///
  /// - Returns: false, without a call, for a text where that takes more than ASCII's letters made small.
  @inline(__always)
  func withPlain(_ text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void) -> Bool {
    if isAsWritten {
      body(text)
      return true
    }
    guard text.count <= Self.plainLength,
      text.allSatisfy({ $0 < 0x80 && (isPercentEncoded || $0 != UInt8(ascii: "%")) })
    else { return false }
    if isCaseSensitive {
      body(text)
    } else {
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { folded in
        for index in text.indices { folded[index] = ASCII.lowercased(text[index]) }
        body(UnsafeBufferPointer(folded))
      }
    }
    return true
  }

  /// How many forms there are.
  static let count = 4

  var number: Int { (isCaseSensitive ? 0 : 1) + (isPercentEncoded ? 0 : 2) }

  /// Whether text in this form is the text as written.
  var isAsWritten: Bool { isCaseSensitive && isPercentEncoded }
}

package enum PercentEncoding {
  /// Decodes every escape that yields UTF-8; any other stays as written (K5, inferred), so that the
  /// result is UTF-8 wherever the input was, and a character can be counted.
  package static func decode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let input = Array(bytes)
    guard input.contains(UInt8(ascii: "%")) else { return input }
    var output: [UInt8] = []
    output.reserveCapacity(input.count)
    var index = 0
    while index < input.count {
      guard let first = escape(input, at: index) else {
        output.append(input[index])
        index += 1
        continue
      }
      let count = UTF8Length.ofSequence(startingWith: first)
      var sequence: [UInt8] = [first]
      while sequence.count < count, let next = escape(input, at: index + 3 * sequence.count) {
        sequence.append(next)
      }
      if sequence.count == count, String(validating: sequence, as: UTF8.self) != nil {
        output += sequence
        index += 3 * count
      } else {
        output += input[index..<index + 3]
        index += 3
      }
    }
    return output
  }

  /// Every escape in a text, as it is written.
  package static func escapes(in text: String) -> [String] {
    let bytes = Array(text.utf8)
    return bytes.indices.filter { escape(bytes, at: $0) != nil }.map {
      String(decoding: bytes[$0..<$0 + 3], as: UTF8.self)
    }
  }

  /// Whether a pattern holds a '%' that is no escape and that no wildcard can make one.
  package static func hasStrayPercent(_ pattern: [UInt8]) -> Bool {
    pattern.indices.contains { index in
      guard pattern[index] == UInt8(ascii: "%") else { return false }
      let rest = pattern[(index + 1)...].prefix(2)
      if rest.contains(where: { "*?$".utf8.contains($0) }) { return false }
      return rest.count < 2 || rest.contains { ASCII.hexValue($0) == nil }
    }
  }

  private static func escape(_ bytes: [UInt8], at index: Int) -> UInt8? {
    guard index + 2 < bytes.count, bytes[index] == UInt8(ascii: "%"),
      let high = ASCII.hexValue(bytes[index + 1]), let low = ASCII.hexValue(bytes[index + 2])
    else { return nil }
    return high << 4 | low
  }
}

package enum CaseFolding {
  /// Simple folding, one character to one character, so that `?` still counts one (K2, inferred): by way
  /// of the capital, so that both small sigmas meet. The dotless i stays itself, as in Unicode's own table.
  package static func fold(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes.map(ASCII.lowercased) }
    var folded = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      let capital = scalar == "\u{131}" ? scalar : single(scalar.properties.uppercaseMapping) ?? scalar
      folded.unicodeScalars.append(single(capital.properties.lowercaseMapping) ?? scalar)
    }
    return Array(folded.utf8)
  }

  private static func single(_ text: String) -> Unicode.Scalar? {
    text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
  }
}

enum UTF8Length {
  /// How many bytes the character has that begins with this one; 1 for a byte that begins none.
  @inline(__always) static func ofSequence(startingWith byte: UInt8) -> Int {
    switch byte {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}
