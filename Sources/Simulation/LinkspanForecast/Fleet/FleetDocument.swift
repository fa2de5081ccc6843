internal import LinkspanCore

extension Fleet {
  /// A commented JSON5 file that reads back as this fleet.
  package var document: String {
    var lines = [
      "// A fleet for 'linkspan forecast'. Each number says how sure it is: documented by Apple, observed by others, or",
      "// inferred, which means: put your own there. The rule numbers are those of 'linkspan rules NUMBER'.",
      "{",
    ]
    var group: Substring?
    for parameter in FleetParameter.all(of: self) {
      let parts = parameter.name.split(separator: ".")
      let owner = parts.count > 1 ? parts[0] : nil
      if owner != group {
        if group != nil { lines.append("  },") }
        if let owner { lines.append("  \(owner): {") }
        group = owner
      }
      let indent = owner == nil ? "  " : "    "
      let remark = "\(parameter.meaning) (\(parameter.certainty.rawValue): \(parameter.source))"
      lines += Self.wrapped(remark, width: 110 - indent.count).map { indent + "// " + $0 }
      lines.append("\(indent)\(parts.last!): \(parameter.value),")
    }
    if group != nil { lines.append("  },") }
    lines.append("}")
    return lines.joined(separator: "\n") + "\n"
  }

  private static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = [""]
    for word in text.split(separator: " ") {
      if !lines[lines.count - 1].isEmpty, lines[lines.count - 1].count + word.count + 1 > width {
        lines.append("")
      }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
    }
    return lines
  }
}
