internal import LinkspanCore

extension ReviewedProgram {
  /// Whether the app has one door of SwiftUI of each kind, so that no other one takes what it lets go of.
  func hasOneDoor(in file: Int) -> Bool {
    let tokens = files[file].tokens
    return entrances.swiftUIDoorCount(inAppOf: files[file]) <= 1
      && tokens.count { $0.isWord("onOpenURL") } <= 1
      && tokens.count { $0.isWord("onContinueUserActivity") } <= 1
  }
}

/// Questions that end the work for every link but some: `guard url.host == "shop" else { return }`.
extension ReviewedFile {
  /// Ours: the words of an entrance that is looked at.
  private static let entranceLimit = 4_000

  /// The `guard`, or the `if` with a negation, that lets go of a link without a word; nil where there is none, or something
  /// got the link before.
  ///
  /// - Parameter value: The name of the activity or the link.
  func silentGuard(in body: Range<Int>, of value: String?) -> Range<Int>? {
    guard body.count <= Self.entranceLimit else { return nil }
    for index in body where tokens[index].isWord("guard") || tokens[index].isWord("if") {
      guard let (condition, block) = question(at: index, in: body), endsSilently(block) else { continue }
      let names = partNames(in: body.lowerBound..<condition.upperBound)
      guard isAboutPages(condition, of: value, names, isNegated: tokens[index].isWord("if")) else { continue }
      return isTaken(in: body.lowerBound..<index, value, names) ? nil : index..<index + 1
    }
    return nil
  }

  /// The condition of a `guard` or `if` that more statements follow, and what is done when it fails.
  private func question(at index: Int, in body: Range<Int>) -> (condition: Range<Int>, block: Range<Int>)? {
    let isGuard = tokens[index].isWord("guard")
    var place = index + 1
    while place < body.upperBound,
      isGuard ? !tokens[place].isWord("else") : !tokens[place].isMark("{") && !tokens[place].isWord("return")
    {
      place = max(place, tokens[place].partner ?? place) + 1
    }
    let condition = index + 1..<min(place, body.upperBound)
    if isGuard { place += 1 }
    guard place < body.upperBound else { return nil }
    if tokens[place].isMark("{"), let end = tokens[place].partner, end + 1 < body.upperBound {
      return tokens[end + 1].isWord("else") ? nil : (condition, place + 1..<end)
    }
    // `if (![path hasPrefix:@"/a"]) return;`
    guard tokens[place].isWord("return"), place + 2 < body.upperBound, tokens[place + 1].isMark(";") else {
      return nil
    }
    return (condition, place..<place + 2)
  }

  /// Whether a block does nothing but end the work; it may write a log.
  private func endsSilently(_ block: Range<Int>) -> Bool {
    let words = block.filter { !tokens[$0].isMark(";") }
    if words.count == 1 { return tokens[words[0]].isWord("return") }
    return LogReader.onlyLog(in: block, of: self) != nil && mentions(block, "return")
  }

  /// Whether one part of a condition chooses among the pages of a site or an app. Who a link belongs to, by its scheme or its
  /// domain, is another question.
  private func isAboutPages(
    _ condition: Range<Int>, of value: String?, _ names: LinkPartNames, isNegated: Bool
  ) -> Bool {
    let clauses = self.clauses(of: condition)
    // A negation of several parts lets through whatever fails one of them.
    if isNegated { return clauses.count == 1 && isNegation(clauses[0]) && choosesPage(clauses[0], names) }
    return clauses.contains { clause in
      !isNegation(clause)
        && (choosesPage(clause, names) || asksForRoute(clause, of: value) && !readsFile(clause))
    }
  }

  private func isNegation(_ clause: Range<Int>) -> Bool {
    clause.first { !tokens[$0].isMark("(") }.map { tokens[$0].isMark("!") } ?? false
  }

  /// Whether a clause compares the path of a link, or its host where that is a page.
  private func choosesPage(_ clause: Range<Int>, _ names: LinkPartNames) -> Bool {
    let compares = clause.contains { index in
      tokens[index].isMark("==")
        || ["hasPrefix", "hasSuffix", "contains", "isEqualToString", "containsString"].contains(
          tokens[index].text)
    }
    guard compares, !mentions(clause, "activityType") else { return false }
    let texts = clause.filter { tokens[$0].kind == .text }.map { tokens[$0].text }
    if texts.contains(where: { $0.contains("://") }) { return false }
    if mentions(clause, LinkPartNames.paths.contains) || mentions(clause, names.ofPaths.contains) {
      return true
    }
    // The host of an own scheme is a page; one with a dot is a domain.
    return (mentions(clause, "host") || mentions(clause, names.ofHosts.contains)) && !texts.isEmpty
      && texts.allSatisfy { !$0.contains(".") }
  }

  /// The names that parts of a link get: `let path = url.path`, `guard let page = components.host`.
  private func partNames(in range: Range<Int>) -> LinkPartNames {
    var names = LinkPartNames()
    for index in range where tokens[index].isMark("=") && index > range.lowerBound {
      guard tokens[index - 1].kind == .word else { continue }
      var end = index + 1
      while end < range.upperBound, ![",", ";", "{", "}"].contains(tokens[end].text),
        !tokens[end].isWord("else")
      {
        if language == .swift, end > index + 1, beginsLine(end), !tokens[end].isMark(".") { break }
        end = max(tokens[end].partner ?? end, end) + 1
      }
      let value = index + 1..<min(end, range.upperBound)
      if mentions(value, LinkPartNames.paths.contains) || mentions(value, names.ofPaths.contains) {
        names.ofPaths.insert(tokens[index - 1].text)
      } else if mentions(value, "host") || mentions(value, names.ofHosts.contains) {
        names.ofHosts.insert(tokens[index - 1].text)
      }
    }
    return names
  }

  /// Whether something gets the link, or a part of it, and may show it.
  private func isTaken(in range: Range<Int>, _ value: String?, _ names: LinkPartNames) -> Bool {
    range.contains { index in
      if isLinkHandedOver(index, activity: value) { return true }
      guard tokens[index].kind == .word, index > 1, index + 1 < tokens.count,
        names.ofPaths.contains(tokens[index].text) || names.ofHosts.contains(tokens[index].text)
      else { return false }
      return [")", ",", "]"].contains(tokens[index + 1].text) && ["(", ":"].contains(tokens[index - 1].text)
        && !isLogged(index)
    }
  }

  /// The yes at the end of a function, where an `if` without an `else` chooses by the link before it.
  func unfinishedYes(in body: Range<Int>, of value: String?) -> Range<Int>? {
    guard body.count <= Self.entranceLimit else { return nil }
    for index in body where tokens[index].isWord("if") && !tokens[max(0, index - 1)].isWord("else") {
      let condition = condition(behind: index, in: body)
      let names = partNames(in: body.lowerBound..<condition.upperBound)
      guard choosesPage(condition, names) || asksForRoute(condition, of: value),
        let end = choice(from: index, in: body)
      else { continue }
      let rest = (end..<body.upperBound).filter { !tokens[$0].isMark(";") }
      guard rest.count == 2, tokens[rest[0]].isWord("return"),
        tokens[rest[1]].isWord("true") || tokens[rest[1]].isWord("YES"),
        !isTaken(in: body.lowerBound..<index, value, names)
      else { continue }
      return rest[1]..<rest[1] + 1
    }
    return nil
  }

  /// The yes at the end of a function that asks something whether it takes the link, and does not look at the answer:
  /// `if Login.handle(url) { print("login") }; return true`.
  func ignoredAnswer(in body: Range<Int>, of value: String?) -> Range<Int>? {
    guard body.count <= Self.entranceLimit else { return nil }
    for index in body where tokens[index].isWord("if") && !tokens[max(0, index - 1)].isWord("else") {
      let condition = condition(behind: index, in: body)
      guard !mentions(condition, { $0 == "let" || $0 == "case" }),
        condition.contains(where: { isLinkHandedOver($0, activity: value) }),
        let end = choice(from: index, in: body), let last = tokens[condition.upperBound].partner,
        LogReader.onlyLog(in: condition.upperBound + 1..<last, of: self) != nil
      else { continue }
      let rest = (end..<body.upperBound).filter { !tokens[$0].isMark(";") }
      guard rest.count == 2, tokens[rest[0]].isWord("return"),
        tokens[rest[1]].isWord("true") || tokens[rest[1]].isWord("YES"),
        !(body.lowerBound..<index).contains(where: { isLinkHandedOver($0, activity: value) })
      else { continue }
      return rest[1]..<rest[1] + 1
    }
    return nil
  }

  /// `Data(contentsOf: url)`: the link is a file that another app hands over.
  private func readsFile(_ clause: Range<Int>) -> Bool {
    clause.contains { index in
      guard tokens[index].kind == .word, index + 1 < tokens.count, tokens[index + 1].isMark(":") else {
        return false
      }
      let label = tokens[index].text.lowercased()
      return ["content", "file", "reading"].contains(where: label.contains)
    }
  }

  /// The parts of a condition, outside of brackets.
  private func clauses(of condition: Range<Int>) -> [Range<Int>] {
    var clauses: [Range<Int>] = []
    var start = condition.lowerBound
    var place = start
    // In Objective-C all of it stands in brackets.
    if language == .objectiveC, place < condition.upperBound, tokens[place].isMark("(") { place += 1 }
    while place < condition.upperBound {
      if [",", "&&", "||"].contains(tokens[place].text), tokens[place].kind == .mark {
        clauses.append(start..<place)
        start = place + 1
      }
      place = max(place, tokens[place].partner ?? place) + 1
    }
    clauses.append(min(start, condition.upperBound)..<condition.upperBound)
    return clauses
  }
}

/// The names that parts of a link have in a function.
private struct LinkPartNames {
  static let paths: Set<String> = ["path", "pathComponents", "lastPathComponent", "absoluteString"]

  var ofPaths: Set<String> = []
  var ofHosts: Set<String> = []
}
