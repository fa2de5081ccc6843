internal import LinkspanCore

/// Rules about every text of a payload, the app's own included.
extension PayloadRule {
  static let text: [PayloadRule] = [unpairedSurrogate]

  private static let unpairedSurrogate = PayloadRule(
    "unpaired-surrogate", "No text has half of a surrogate pair.", .warning, source: .surrogates,
    bad: [#"{"aps":{"alert":"Hello ⟦\ud83d⟧"}}"#, #"{"aps":{"alert":"Hello"},"⟦\uDE00⟧":[1]}"#],
    good: [#"{"aps":{"alert":"Hello \ud83d\ude00"}}"#, #"{"aps":{"alert":"Hello \\ud83d \ufffd"}}"#]
  ) { source, report in
    func check(_ text: String, _ range: Range<Int>, _ pointer: JSONPointer) {
      // The parser reads each half as U+FFFD, so other texts need no second look.
      guard text.unicodeScalars.contains("\u{FFFD}"),
        let half = unpairedSurrogate(in: source.text.bytes, range)
      else { return }
      let escape = String(decoding: source.text.bytes[half], as: UTF8.self)
      report.add(
        half, pointer, "'\(escape)' is half of a surrogate pair",
        help: "It is no character, and JSON leaves open whether a reader refuses the payload or replaces it. "
          + "A text that is cut inside an emoji ends in one. Cut it between characters.")
    }
    func walk(_ node: JSONNode, _ pointer: JSONPointer) {
      switch node.value {
      case .string(let text): check(text, node.range, pointer)
      case .array(let elements):
        for (index, element) in elements.enumerated() { walk(element, pointer.appending(index)) }
      case .object(let members):
        for member in members {
          let place = pointer.appending(member.name)
          check(member.name, member.nameRange, place)
          walk(member.value, place)
        }
      case .null, .bool, .number: break
      }
    }
    if let payload = source.payload { walk(payload, source.pointer) }
  }

  /// The first escape of a string that is half of a pair, without the other half beside it.
  ///
  /// - Parameter range: The string's bytes.
  private static func unpairedSurrogate(in bytes: [UInt8], _ range: Range<Int>) -> Range<Int>? {
    /// The UTF-16 unit of an escape `\u1234` that begins here.
    func unit(at place: Int) -> UInt32? {
      guard place + 6 <= range.upperBound, bytes[place] == UInt8(ascii: "\\"),
        bytes[place + 1] == UInt8(ascii: "u")
      else { return nil }
      var unit: UInt32 = 0
      for byte in bytes[place + 2..<place + 6] {
        guard let digit = ASCII.hexValue(byte) else { return nil }
        unit = unit << 4 | UInt32(digit)
      }
      return unit
    }
    var place = range.lowerBound
    while place < range.upperBound {
      guard let first = unit(at: place) else {
        place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        continue
      }
      let isPair = 0xD800..<0xDC00 ~= first && unit(at: place + 6).map { 0xDC00..<0xE000 ~= $0 } == true
      if !isPair, 0xD800..<0xE000 ~= first { return place..<place + 6 }
      place += isPair ? 12 : 6
    }
    return nil
  }
}
