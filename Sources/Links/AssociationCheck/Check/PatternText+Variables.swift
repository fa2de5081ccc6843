internal import LinkspanCore

extension AssociationSource.PatternText {
  /// The pattern with each variable written `$()`: its name may hold any character but `$`, `(` and `)`, and none of them
  /// is compared with a URL (S2).
  var textWithoutNames: String { Self.replacingNames(in: text) { _ in "" } }

  /// The names of its variables, as often as they occur.
  var variableNames: [String] {
    var names: [String] = []
    _ = Self.replacingNames(in: text) { name in
      names.append(name)
      return name
    }
    return names
  }

  /// The pattern without blanks before and behind it, which are slips.
  var withoutOuterBlanks: AssociationSource.PatternText {
    var copy = self
    var bytes = Array(text.utf8)[...]
    while bytes.first == 0x20 { bytes.removeFirst() }
    while bytes.last == 0x20 { bytes.removeLast() }
    copy.text = String(decoding: bytes, as: UTF8.self)
    return copy
  }

  /// The pattern with what stands outside of names changed.
  func text(changing change: ([UInt8]) -> String) -> String {
    var names = variableNames[...]
    return Self.replacingNames(in: change(Array(textWithoutNames.utf8))) { _ in names.popFirst() ?? "" }
  }

  /// A name goes from `$(` to the next `)`.
  private static func replacingNames(in text: String, with replacement: (String) -> String) -> String {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    let opening = Array("$(".utf8)
    while let byte = rest.first {
      guard rest.starts(with: opening), let close = rest.firstIndex(of: UInt8(ascii: ")")) else {
        result.append(byte)
        rest.removeFirst()
        continue
      }
      result += opening
      result += replacement(String(decoding: rest[(rest.startIndex + 2)..<close], as: UTF8.self)).utf8
      result.append(rest[close])
      rest = rest[(close + 1)...]
    }
    return String(decoding: result, as: UTF8.self)
  }
}
