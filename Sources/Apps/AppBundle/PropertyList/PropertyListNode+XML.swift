internal import LinkspanCore

extension PropertyListNode {
  /// The value as an XML property list. Data and references, which no entitlement holds, become empty elements.
  var xml: [UInt8] {
    var text = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n<plist version=\"1.0\">\n"
    write(to: &text, indent: "")
    return Array((text + "</plist>\n").utf8)
  }

  private func write(to text: inout String, indent: String) {
    switch value {
    case .string(let value): text += "\(indent)<string>\(Self.escaped(value))</string>\n"
    case .integer(let value): text += "\(indent)<integer>\(value)</integer>\n"
    case .unsigned(let value): text += "\(indent)<integer>\(value)</integer>\n"
    case .real(let value): text += "\(indent)<real>\(value)</real>\n"
    case .bool(let value): text += indent + (value ? "<true/>\n" : "<false/>\n")
    case .date, .data, .uid: text += "\(indent)<string></string>\n"
    case .array(let elements):
      text += "\(indent)<array>\n"
      for element in elements { element.write(to: &text, indent: indent + "  ") }
      text += "\(indent)</array>\n"
    case .dictionary(let members):
      text += "\(indent)<dict>\n"
      for member in members {
        text += "\(indent)  <key>\(Self.escaped(member.key))</key>\n"
        member.value.write(to: &text, indent: indent + "  ")
      }
      text += "\(indent)</dict>\n"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
