import LinkspanCore

/// Reads an application identifier from left to right and stops at the first thing that is not allowed.
struct ApplicationIdentifierParser {
  private typealias Problem = ApplicationIdentifierProblem

  let text: String
  let bytes: [UInt8]

  func parse() throws(ApplicationIdentifierProblem) -> ApplicationIdentifier {
    try checkWhole()
    guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")) else { throw withoutDot() }
    let prefix = shown(0..<dot)
    let bundle = shown(dot + 1..<bytes.count)
    if Placeholder.isPrefix(prefix) { throw placeholder(prefix, 0..<dot, isPrefix: true) }
    try checkPrefix(prefix, end: dot)
    try checkBundle(bundle, dot + 1..<bytes.count)
    return ApplicationIdentifier(checkedPrefix: prefix, bundleIdentifier: bundle)
  }

  private func checkWhole() throws(ApplicationIdentifierProblem) {
    guard !bytes.isEmpty else {
      throw Problem(
        .empty, at: 0..<0, "The application identifier is empty.",
        help: "Write '<prefix>.<bundle identifier>', such as 'ABCDE12345.com.example.app'.")
    }
    if let blank = bytes.firstIndex(where: { $0 <= 0x20 || $0 == 0x7F }) {
      throw Problem(
        .blank, at: blank..<blank + 1, "'\(text)' contains white space.",
        help: "Identifiers are compared exactly, and an app's identifier has no white space. Remove it.")
    }
    if Placeholder.hasBuildSetting(text) {
      throw Problem(
        .buildSetting, .note, at: 0..<bytes.count,
        "'\(text)' contains a build setting, which only Xcode "
          + "expands.",
        help: "That is correct in an Xcode project. In an association file it is literal text, "
          + "so it identifies no app.")
    }
  }

  private func withoutDot() -> ApplicationIdentifierProblem {
    let all = 0..<bytes.count
    if Placeholder.isPrefix(text) || Placeholder.isBundleIdentifier(text) {
      return placeholder(text, all, isPrefix: true)
    }
    return Problem(
      .missingBundleIdentifier, at: all, "'\(text)' is not '<prefix>.<bundle identifier>'.",
      help: "It identifies no app. Write both parts, such as 'ABCDE12345.com.example.app'.")
  }

  private func placeholder(_ text: String, _ range: Range<Int>, isPrefix: Bool)
    -> ApplicationIdentifierProblem
  {
    let advice =
      isPrefix
      ? "Write the App ID prefix of the developer account: ten letters and digits, usually the Team ID."
      : "Write the bundle identifier of the app."
    return Problem(
      .placeholder, at: range, "'\(text)' is a placeholder.", help: "The entry identifies no app. " + advice)
  }

  private func checkPrefix(_ prefix: String, end: Int) throws(ApplicationIdentifierProblem) {
    let length = ApplicationIdentifier.prefixLength
    let isUpperCase = prefix.utf8.allSatisfy { ASCII.isDigit($0) || $0 &- 0x41 < 26 }
    if prefix.utf8.count == length, isUpperCase { return }
    if prefix.utf8.count != length {
      // Prefixes have no lower-case letters, the first words of bundle identifiers hardly anything else.
      guard isUpperCase, !prefix.isEmpty else {
        throw Problem(
          .missingPrefix, at: 0..<end, "'\(text)' does not begin with a prefix of \(length) characters.",
          help: "A bundle identifier alone identifies no app. Write the App ID prefix, usually the Team ID, "
            + "before it, such as 'ABCDE12345.com.example.app'.")
      }
      throw Problem(
        .prefixLength, at: 0..<end,
        "The prefix '\(prefix)' has \(prefix.utf8.count.counted("character")), not \(length).",
        help: "No app has such a prefix, so the entry identifies no app. Compare it with the Team ID of the "
          + "developer account.")
    }
    let upper = prefix.uppercased()
    let advice =
      ASCII.lowercased(upper) == ASCII.lowercased(prefix)
        && upper.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) }
      ? "Write '\(upper)'." : "Compare it with the Team ID of the developer account."
    throw Problem(
      .prefixCharacters, at: 0..<end,
      "The prefix '\(prefix)' contains characters other than upper-case letters and digits.",
      help: "No app has such a prefix, so the entry identifies no app. " + advice)
  }

  private func checkBundle(_ bundle: String, _ range: Range<Int>) throws(ApplicationIdentifierProblem) {
    if bundle.isEmpty {
      throw Problem(
        .missingBundleIdentifier, at: 0..<bytes.count, "'\(text)' has no bundle identifier.",
        help: "It identifies no app. Write the bundle identifier after the dot, such as "
          + "'ABCDE12345.com.example.app'.")
    }
    if Placeholder.isBundleIdentifier(bundle) { throw placeholder(bundle, range, isPrefix: false) }
    if let star = bytes[range].firstIndex(of: UInt8(ascii: "*")) {
      throw Problem(
        .wildcard, at: star..<star + 1, "'\(text)' contains a '*'.",
        help:
          "Provisioning profiles support wildcards; an association file must list each app in full.")
    }
    let allowed = { (byte: UInt8) in ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-.".utf8.contains(byte) }
    guard let wrong = bytes[range].firstIndex(where: { !allowed($0) }) else { return }
    var end = wrong + 1
    while end < range.upperBound, bytes[end] & 0xC0 == 0x80 { end += 1 }
    let hint =
      bytes[wrong] == UInt8(ascii: "_")
      ? " Android package names may contain '_'; bundle identifiers use '-' or nothing instead."
      : ""
    throw Problem(
      .bundleCharacters, at: wrong..<end,
      "The bundle identifier '\(bundle)' contains "
        + "'\(shown(wrong..<end))'.",
      help: "Apple allows only letters, digits, '-' and '.', so the entry identifies no app."
        + hint)
  }

  private func shown(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
