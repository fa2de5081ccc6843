internal import LinkspanCore

/// Where text of a link is used for what anybody may not have: as code, as a page, as a file.
extension LinkValues {
  private static let opening: Set<String> = [
    "load", "loadRequest", "SFSafariViewController", "openURL", "open", "initWithURL",
  ]
  private static let executing: Set<String> = [
    "NSClassFromString", "NSSelectorFromString", "evaluateJavaScript", "NSPredicate", "predicateWithFormat",
    "loadHTMLString", "executeQuery", "executeUpdate", "sqlite3_exec", "sqlite3_prepare_v2",
  ]

  /// What becomes of a value at a token, where nobody asked about it before.
  func dangerousUse(_ index: Int) -> String? {
    let what: String?
    if isStatement(index) || Self.executing.contains(tokens[index].text) && executesText(index) {
      what = "text of the link is run as code"
    } else if Self.opening.contains(tokens[index].text), opensPage(index) {
      what = "a page that the link names is opened, whatever page that is"
    } else if usesFile(index) {
      what = "a file that the link names is used, whatever file that is"
    } else {
      what = nil
    }
    return what == nil || isJudged(before: index) ? nil : what
  }

  /// The arguments of a call, or those of a message from one of its labels on.
  private func callArguments(_ index: Int) -> Range<Int>? {
    guard tokens[index].kind == .word, index + 1 < tokens.count, !isImplicitMember(index) else { return nil }
    if tokens[index + 1].isMark("(") { return file.arguments(at: index + 1) }
    guard tokens[index + 1].isMark(":") else { return nil }
    return index + 2..<(file.message(around: index, within: body)?.upperBound ?? index + 2)
  }

  /// A case of an enum, as in `return .open(url)`.
  private func isImplicitMember(_ index: Int) -> Bool {
    guard index > 1, tokens[index - 1].isMark(".") else { return false }
    let before = tokens[index - 2]
    return before.kind == .mark
      ? ![")", "]", "}", "?", "!"].contains(before.text) : ["return", "case", "in"].contains(before.text)
  }

  // MARK: - Code

  private func executesText(_ index: Int) -> Bool {
    guard let arguments = callArguments(index) else { return false }
    return arguments.contains { bringsText($0) && !isParameterOfStatement($0, in: arguments) }
  }

  /// Whether a value has an argument of its own behind a text that is written out: `NSPredicate(format: "id == %@", id)`,
  /// `executeQuery("… WHERE id = ?", id)`.
  private func isParameterOfStatement(_ index: Int, in arguments: Range<Int>) -> Bool {
    var place = arguments.lowerBound
    var hasText = false
    while place < index {
      if tokens[place].kind == .text, !bringsText(place) { hasText = true }
      if tokens[place].isMark(","), hasText { return true }
      guard let partner = tokens[place].partner, partner > place else {
        place += 1
        continue
      }
      // In brackets of its own it is a part of a text: `[NSString stringWithFormat:@"…%@", name]`.
      if partner > index { return false }
      place = partner + 1
    }
    return false
  }

  /// Whether a text is a statement of SQL that has a value within, or behind a plus or a format.
  private func isStatement(_ index: Int) -> Bool {
    let token = tokens[index]
    guard token.kind == .text, Self.isSQL(token.text), !file.isLogged(index) else { return false }
    // GRDB's `literal:` and `SQLRequest` make parameters of what is within.
    let start = file.statementStart(of: index, in: body)
    if (start..<index).contains(where: { ["literal", "SQLRequest", "SQL"].contains(tokens[$0].text) }) {
      return false
    }
    if bringsText(index) { return true }
    guard index + 2 < body.upperBound else { return false }
    if tokens[index + 1].isMark("+") { return bringsText(index + 2) }
    let isFormat =
      index > 2 && tokens[index - 1].isMark(":") && tokens[index - 2].text.lowercased().hasSuffix("format")
    guard isFormat, tokens[index + 1].isMark(",") else { return false }
    return (index + 2..<min(index + 12, body.upperBound)).prefix {
      ![")", "]", ";"].contains(tokens[$0].text)
    }
    .contains { bringsText($0) }
  }

  private static func isSQL(_ text: String) -> Bool {
    let words = text.split(whereSeparator: \.isWhitespace).prefix(40)
    guard let verb = words.first else { return false }
    let forms = [
      "SELECT": "FROM", "DELETE": "FROM", "INSERT": "INTO", "REPLACE": "INTO", "UPDATE": "SET",
      "DROP": "TABLE",
    ]
    guard let next = forms[verb.uppercased()] else { return false }
    // A sentence begins with one capital: "Select an item from the list".
    return verb == verb.uppercased()
      ? words.contains { $0 == next }
      : verb == verb.lowercased() && words.contains { $0 == next.lowercased() }
  }

  // MARK: - Pages

  /// Whether the argument is a URL made of a value, and not a value of an own function.
  private func opensPage(_ index: Int) -> Bool {
    guard let arguments = callArguments(index),
      arguments.contains(where: { isValue($0) && !isOfKnownSite($0) })
    else { return false }
    func makesURL(_ range: Range<Int>) -> Bool {
      range.contains { place in
        guard ["URL", "URLWithString"].contains(tokens[place].text), tokens[place].kind == .word,
          let inner = callArguments(place)
        else { return false }
        // `URL(string: "https://example.com/" + id)` is a page of a known site.
        return inner.contains { isValue($0) && !isOfKnownSite($0) }
          && !inner.contains { tokens[$0].kind == .text && tokens[$0].text.contains("://") }
      }
    }
    return makesURL(arguments) || makesURL(body.lowerBound..<index)
  }

  // MARK: - Files

  /// Whether a file is read, written or removed that a value names.
  private func usesFile(_ index: Int) -> Bool {
    guard tokens[index].kind == .word, index + 1 < tokens.count else { return false }
    let text = tokens[index].text
    let changing: Set<String> = ["removeItem", "copyItem", "moveItem", "createFile", "trashItem"]
    let isLabel =
      tokens[index + 1].isMark(":")
      && (text.lowercased().contains("contentsof") || text == "atPath" || text.hasSuffix("AtPath"))
    guard isLabel || changing.contains(text) else { return false }
    if text == "contentsOf", !mentionsFiles { return false }
    let arguments = isLabel ? argument(from: index + 2) : callArguments(index) ?? index..<index
    return arguments.contains { bringsText($0, isPath: true) }
  }

  /// The argument behind a label.
  private func argument(from start: Int) -> Range<Int> {
    var place = start
    while place < body.upperBound, ![",", ")", "]", ";"].contains(tokens[place].text) {
      place = max(place, tokens[place].partner ?? place) + 1
    }
    return start..<max(start, min(place, body.upperBound))
  }

  /// Whether the function has to do with files: `Data(contentsOf:)` takes web pages as well.
  private var mentionsFiles: Bool {
    body.contains { index in
      guard tokens[index].kind == .word else { return false }
      let lower = tokens[index].text.lowercased()
      return ["document", "directory", "cache", "filemanager", "fileurl", "filepath", "folder", "bundle"]
        .contains(where: lower.contains)
    }
  }

  // MARK: - Questions

  /// Whether anything before asks what the value is.
  private func isJudged(before index: Int) -> Bool {
    let words: Set<String> = [
      "host", "scheme", "hasPrefix", "hasSuffix", "contains", "allSatisfy", "containsObject",
      "isEqualToString",
      "whitelist", "allowlist", "matches", "wholeMatch", "rangeOfString",
    ]
    return (body.lowerBound..<index).contains { place in
      guard tokens[place].kind == .word else { return false }
      let lower = tokens[place].text.lowercased()
      let isQuestion =
        words.contains(tokens[place].text)
        || ["allowed", "trusted", "isvalid", "validat", "sanitiz", "permitted"].contains(
          where: lower.contains)
      guard isQuestion else { return false }
      let start = file.statementStart(of: place, in: body)
      return hasValue(start..<min(body.upperBound, place + 10))
    }
  }
}
