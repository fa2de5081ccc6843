import LinkspanCore

/// `<prefix>.<bundle identifier>`, by which an association file names an app.
///
/// - Source: rule J5. The prefix is usually, not always, the Team ID.
package struct ApplicationIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The characters of a prefix (J5).
  package static let prefixLength = 10

  package let prefix: String
  package let bundleIdentifier: String

  package var description: String { "\(prefix).\(bundleIdentifier)" }

  /// Reads an identifier strictly, as `^[A-Z0-9]{10}\.[A-Za-z0-9.-]+$` (J5).
  ///
  /// Valid but unusual properties are reported by ``remarks``.
  ///
  /// - Throws: The first problem from the left.
  package init(_ text: String) throws(ApplicationIdentifierProblem) {
    self = try ApplicationIdentifierParser(text: text, bytes: Array(text.utf8)).parse()
  }

  /// - Throws: The problem of `<prefix>.<bundleIdentifier>`.
  package init(prefix: String, bundleIdentifier: String) throws(ApplicationIdentifierProblem) {
    self = try ApplicationIdentifier("\(prefix).\(bundleIdentifier)")
  }

  init(checkedPrefix prefix: String, bundleIdentifier: String) {
    self.prefix = prefix
    self.bundleIdentifier = bundleIdentifier
  }

  /// The known prefix from which this one differs by one slip of the finger, if there is one.
  ///
  /// Takes a prefix as text because the commonest slip, a lost character, is no valid identifier any more.
  package static func nearMiss(of prefix: String, among known: some Sequence<String>) -> String? {
    known.filter { $0 != prefix && Spelling.distance($0, prefix) == 1 }.min()
  }

  /// Everything to say about a text that should be an identifier: why it is none, or what is odd in it.
  package static func problems(in text: String) -> [ApplicationIdentifierProblem] {
    do throws(ApplicationIdentifierProblem) {
      return try ApplicationIdentifier(text).remarks
    } catch {
      return [error]
    }
  }

  /// What is allowed in this identifier, and odd.
  package var remarks: [ApplicationIdentifierProblem] {
    var remarks: [ApplicationIdentifierProblem] = []
    if prefix.utf8.allSatisfy(ASCII.isDigit) {
      remarks.append(
        ApplicationIdentifierProblem(
          .numericPrefix, .note, at: 0..<prefix.utf8.count, "The prefix '\(prefix)' contains only digits.",
          help: "That is allowed but rare: an app's number in the App Store also has ten digits. "
            + "The developer account shows the prefix as 'App ID Prefix'."))
    }
    if let empty = bundleIdentifier.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .first(where: { $0.isEmpty })
    {
      let offset = bundleIdentifier.utf8.distance(from: bundleIdentifier.startIndex, to: empty.startIndex)
      let place = prefix.utf8.count + offset
      remarks.append(
        ApplicationIdentifierProblem(
          .emptyComponent, .warning, at: place..<place + 1,
          "The bundle identifier '\(bundleIdentifier)' has an empty part between its dots.",
          help: "It is compared exactly with the app's identifier. Check that the app's identifier is the "
            + "same."))
    }
    return remarks
  }
}
