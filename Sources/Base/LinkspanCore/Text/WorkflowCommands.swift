/// Lines in the log of a build service that it obeys and does not show, so that no text of others may write one.
///
/// GitHub's runner obeys `::name …::…` at the beginning of a line, behind any white space, and the older `##[name]…` anywhere
/// in a line; a carriage return ends a line there. Azure Pipelines obeys `##vso[…]` and `##[…]`, TeamCity `##teamcity[…]`.
///
/// - Source: actions/runner, `src/Runner.Common/ActionCommand.cs` (`TryParseV2`, `TryParse`) of August 2026; Microsoft,
///   "Logging commands"; JetBrains, "Service messages".
package enum WorkflowCommands {
  /// The text with one character of each command in the form that the writer escapes it.
  ///
  /// - Parameters:
  ///   - escape: The escape of `:` or `#`, such as `\u{3a}`.
  ///   - startsLine: Whether the text stands at the beginning of a line.
  package static func broken(
    _ text: String, startsLine: Bool = true, escape: (Unicode.Scalar) -> String = { $0.visibleEscape }
  ) -> String {
    guard hasMark(text) else { return text }
    var result = String.UnicodeScalarView()
    var isAtStart = startsLine
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if isCommand(scalar, rest, isAtStart: isAtStart) {
        result.append(contentsOf: escape(scalar).unicodeScalars)
      } else {
        result.append(scalar)
      }
      isAtStart = scalar == "\n" || scalar == "\r" || (isAtStart && scalar.properties.isWhitespace)
    }
    return String(result)
  }

  /// Whether a line of the text may be obeyed.
  package static func occur(in text: String) -> Bool { broken(text) != text }

  /// Two colons or two number signs side by side: without them there is no command.
  private static func hasMark(_ text: String) -> Bool {
    var before: UInt8 = 0
    for byte in text.utf8 {
      if byte == before, byte == UInt8(ascii: ":") || byte == UInt8(ascii: "#") { return true }
      before = byte
    }
    return false
  }

  private static func isCommand(
    _ scalar: Unicode.Scalar, _ rest: Substring.UnicodeScalarView, isAtStart: Bool
  ) -> Bool {
    guard scalar == rest.first else { return false }
    if scalar == ":" { return isAtStart }
    guard scalar == "#" else { return false }
    return rest.dropFirst().first { !$0.isASCII || !ASCII.isLetter(UInt8($0.value)) } == "["
  }
}
