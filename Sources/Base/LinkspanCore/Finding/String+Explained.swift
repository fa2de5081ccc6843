extension String {
  /// The text of an error: what is wrong on one line, the mistakes of a file that it is about, and what to do.
  ///
  /// - Parameter help: Its lines are indented.
  package static func explained(_ message: String, findings: [Finding] = [], help: String?) -> String {
    var text = message.onOneLine
    if !findings.isEmpty { text += "\n" + findings.map { $0.text() }.joined(separator: "\n") }
    for line in help?.split(separator: "\n") ?? [] { text += "\n  \(line)" }
    return text
  }
}
