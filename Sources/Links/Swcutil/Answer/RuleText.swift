internal import LinkspanCore

/// A rule as Apple's `swcutil match` prints it.
///
/// - Source: section 11.1: two blanks a level, a blank on both sides of the colon, an
///   empty object over three lines, slashes and letters beyond ASCII as they are.
enum RuleText {
  static func text(of node: JSONNode) -> String {
    var text = ""
    write(node, indent: "", to: &text)
    return text
  }

  private static func write(_ node: JSONNode, indent: String, to text: inout String) {
    switch node.value {
    case .null, .bool, .number: text += node.json.text
    case .string(let string): text += quoted(string)
    case .array(let elements):
      writeList("[", elements, "]", indent: indent, to: &text) { element, indent, text in
        write(element, indent: indent, to: &text)
      }
    case .object(let members):
      writeList("{", sorted(members), "}", indent: indent, to: &text) { member, indent, text in
        text += quoted(member.name) + " : "
        write(member.value, indent: indent, to: &text)
      }
    }
  }

  private static func writeList<Element>(
    _ open: String, _ elements: [Element], _ close: String, indent: String, to text: inout String,
    _ write: (Element, String, inout String) -> Void
  ) {
    text += open + "\n"
    for (index, element) in elements.enumerated() {
      text += indent + "  "
      write(element, indent + "  ", &text)
      if index < elements.count - 1 { text += "," }
      text += "\n"
    }
    // Foundation ends the line that an empty list never began.
    text += (elements.isEmpty ? "\n" : "") + indent + close
  }

  /// Of a name that occurs twice the last value counts, as everywhere.
  private static func sorted(_ members: [JSONMember]) -> [JSONMember] {
    var values: [String: JSONMember] = [:]
    for member in members { values[member.name] = member }
    return values.values.sorted { KeyOrder($0.name) < KeyOrder($1.name) }
  }

  private static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\" + String(scalar)
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{8}": text += "\\b"
      case "\u{C}": text += "\\f"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

/// The order in which the names of an object are printed: Unicode's root collation, without regard to case and
/// with digits read as numbers, as Foundation sorts the keys of JSON.
///
/// - Source: inferred from the one published line with three keys, `"?"`, `"/"`, `"#"`, which no other
///   common order gives. Names beyond ASCII come last here, by their scalars.
struct KeyOrder: Comparable {
  private let weights: [(Int, Int)]
  private let text: String

  /// ASCII from lightest to heaviest; letters and digits follow.
  private static let marks = Array("\t\n\u{B}\u{C}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$".utf8)

  init(_ text: String) {
    self.text = text
    var weights: [(Int, Int)] = []
    var digits = ""
    func closeNumber() {
      if digits.isEmpty { return }
      let significant = digits.drop { $0 == "0" }
      // Longer numbers are larger; of one length the digits decide, one after the other.
      weights.append((1000, significant.count))
      weights += significant.utf8.map { (1001, Int($0)) }
      digits = ""
    }
    for scalar in text.unicodeScalars {
      if scalar.isASCII, ASCII.isDigit(UInt8(scalar.value)) {
        digits.unicodeScalars.append(scalar)
        continue
      }
      closeNumber()
      guard scalar.isASCII else {
        weights.append((3000, Int(scalar.value)))
        continue
      }
      let byte = ASCII.lowercased(UInt8(scalar.value))
      if ASCII.isLetter(byte) {
        weights.append((2000, Int(byte)))
      } else if let place = Self.marks.firstIndex(of: byte) {
        weights.append((0, place))
      }
    }
    closeNumber()
    self.weights = weights
  }

  static func == (left: KeyOrder, right: KeyOrder) -> Bool { left.text == right.text }

  static func < (left: KeyOrder, right: KeyOrder) -> Bool {
    for (one, other) in zip(left.weights, right.weights) where one != other { return one < other }
    if left.weights.count != right.weights.count { return left.weights.count < right.weights.count }
    return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}
