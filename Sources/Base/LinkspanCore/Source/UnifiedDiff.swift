/// The difference of two texts as `patch` and `git apply` read it.
package enum UnifiedDiff {
  /// Lines shown around each change, as diff tools have it.
  private static let contextLines = 3

  private enum Line {
    case same(old: Int, new: Int)
    case removed(Int)
    case added(Int)

    var isChange: Bool { if case .same = self { false } else { true } }
  }

  /// - Parameter name: The file's path; `a/` and `b/` are put before it, as git does.
  /// - Returns: Nothing for equal texts.
  package static func text(from old: [UInt8], to new: [UInt8], name: String) -> String {
    guard old != new else { return "" }
    let (oldLines, newLines) = (lines(old), lines(new))
    let script = script(oldLines, newLines)
    var result = "--- \(quoted("a/" + name))\n+++ \(quoted("b/" + name))\n"
    var index = 0
    while let first = script[index...].firstIndex(where: { $0.isChange }) {
      var last = first
      while let next = script[(last + 1)...].firstIndex(where: { $0.isChange }),
        next - last <= 2 * contextLines + 1
      {
        last = next
      }
      let range = max(index, first - contextLines)..<min(script.count, last + contextLines + 1)
      result += hunk(Array(script[range]), before: script[..<range.lowerBound], oldLines, newLines)
      index = range.upperBound
    }
    return result
  }

  /// A name as git quotes it: a line end in it would begin a line of the patch.
  ///
  /// - Source: git-config(1), `core.quotePath`.
  private static func quoted(_ name: String) -> String {
    guard name.unicodeScalars.contains(where: { $0.isControl || $0 == "\"" || $0 == "\\" }) else {
      return name
    }
    var result = "\""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += "\\\(Character(UnicodeScalar(byte)))"
      case 0..<0x20, 0x7F...:
        let digits = String(byte, radix: 8)
        result += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      default: result.unicodeScalars.append(UnicodeScalar(byte))
      }
    }
    return result + "\""
  }

  private static func hunk(
    _ lines: [Line], before: ArraySlice<Line>, _ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]
  ) -> String {
    func count(_ lines: some Sequence<Line>) -> (old: Int, new: Int) {
      lines.reduce(into: (0, 0)) { counts, line in
        if case .added = line {} else { counts.0 += 1 }
        if case .removed = line {} else { counts.1 += 1 }
      }
    }
    let start = count(before)
    let length = count(lines)
    func range(_ start: Int, _ length: Int) -> String {
      // An empty side names the line before it.
      "\(length == 0 ? start : start + 1)" + (length == 1 ? "" : ",\(length)")
    }
    var result = "@@ -\(range(start.old, length.old)) +\(range(start.new, length.new)) @@\n"
    for line in lines {
      switch line {
      case .same(let index, _): result += shown(" ", old[index])
      case .removed(let index): result += shown("-", old[index])
      case .added(let index): result += shown("+", new[index])
      }
    }
    return result
  }

  private static func shown(_ mark: String, _ line: ArraySlice<UInt8>) -> String {
    let text = mark + String(decoding: line, as: UTF8.self)
    return line.last == 0x0A ? text : text + "\n\\ No newline at end of file\n"
  }

  /// With their line feeds.
  private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
      lines.append(bytes[start..<end])
      start = end
    }
    return lines
  }

  /// Every line of both in order, removed ones before those that take their place.
  private static func script(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]) -> [Line] {
    var removed: Set<Int> = []
    var added: Set<Int> = []
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var script: [Line] = []
    var (left, right) = (0, 0)
    while left < old.count || right < new.count {
      if left < old.count, removed.contains(left) {
        script.append(.removed(left))
        left += 1
      } else if right < new.count, added.contains(right) {
        script.append(.added(right))
        right += 1
      } else {
        script.append(.same(old: left, new: right))
        (left, right) = (left + 1, right + 1)
      }
    }
    return script
  }
}
