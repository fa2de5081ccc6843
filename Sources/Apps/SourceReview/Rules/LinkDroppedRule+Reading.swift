extension ReviewedProgram {
  /// The log that an entrance of a delegate writes, where it does nothing else; nil also where the app has other entrances
  /// that get its links: those of SwiftUI, or for an application those of its scenes.
  func onlyLog(of function: ReviewedFunction, _ body: Range<Int>, in file: Int) -> Range<Int>? {
    guard entrances.swiftUIDoorCount(inAppOf: files[file]) == 0 else { return nil }
    switch function.moment {
    case .continueActivity, .openURL:
      guard files[file].endsWithYes(body), !hasScenes, !takesInScene(function, in: file) else { return nil }
    case .sceneContinueActivity, .sceneOpenURL: break
    default: return nil
    }
    return LogReader.onlyLog(in: body, of: files[file])
  }
}

extension ReviewedProgram {
  /// Whether the scenes of the app get what a function of its app delegate is for, so that the system never calls it.
  func takesInScene(_ function: ReviewedFunction, in file: Int) -> Bool {
    switch function.moment {
    case .openURL: entrances.takesInScene(.sceneOpenURL, of: files[file])
    case .continueActivity: entrances.takesInScene(.sceneContinueActivity, of: files[file])
    default: false
    }
  }

  /// Where a scene lets go of a URL, itself or in the function that gets the URL.
  func droppedByScene(in place: Place, _ body: Range<Int>) -> Range<Int>? {
    let reviewed = files[place.file]
    guard !hasLinkFallback(in: place) else { return nil }
    if let dropped = reviewed.drop(in: body, isAnswered: false) { return dropped }
    for index in body where reviewed.isLinkName(index) || isContext(reviewed.tokens[index]) {
      guard let taker = taker(of: index, in: place), !function(taker.place).isAnswered,
        let inner = function(taker.place).body, !hasLinkFallback(in: taker.place),
        let dropped = files[taker.place.file].drop(in: inner, isAnswered: false),
        files[taker.place.file].endsPlainly(dropped, in: inner)
      else { continue }
      return index..<index + 1
    }
    return nil
  }

  private func isContext(_ token: Token) -> Bool {
    token.kind == .word && token.text.lowercased().hasSuffix("context")
  }

  /// The call of an entrance that hands the link to a function with an unfinished choice, and does nothing else with it.
  func unfinishedHelper(in door: Range<Int>, of value: String, file: Int) -> Range<Int>? {
    let reviewed = files[file]
    let statements = reviewed.statements(of: door)
    // A call, and its argument.
    guard statements.count <= 12, !statements.isEmpty else { return nil }
    guard let argument = statements.first(where: { reviewed.tokens[$0].isWord(value) }),
      let taker = taker(of: argument, in: file), isUnfinished(taker.place, taker.parameter)
    else { return nil }
    return statements
  }

  /// The names of functions that SwiftUI is given for links, `onOpenURL(perform: handle)`, whose choice is unfinished.
  func unfinishedHandlers(in file: Int) -> [Int] {
    let reviewed = files[file]
    guard reviewed.language == .swift else { return [] }
    return reviewed.tokens.indices.filter { index in
      guard index > 3, reviewed.tokens[index].kind == .word, reviewed.tokens[index - 1].isMark(":"),
        reviewed.tokens[index - 2].isWord("perform"), reviewed.tokens[index - 4].isWord("onOpenURL")
      else { return false }
      let handlers = functions(named: reviewed.tokens[index].text).filter { $0.file == file }
        .filter(reachesWithoutReceiver(from: index, in: reviewed))
      guard handlers.count == 1, let parameter = function(handlers[0]).parameters.first else { return false }
      return isUnfinished(handlers[0], parameter.name)
    }
  }

  private func isUnfinished(_ place: Place, _ parameter: String) -> Bool {
    guard let body = function(place).body else { return false }
    let reviewed = files[place.file]
    let dropped =
      reviewed.unfinishedChoice(in: body, of: parameter) ?? reviewed.drop(in: body, isAnswered: false)
      ?? (hasOneDoor(in: place.file) ? reviewed.silentGuard(in: body, of: parameter) : nil)
    return dropped != nil && !hasLinkFallback(in: place)
  }

  /// Whether a function, or one that it calls, shows a page or tells somebody that there is none.
  func hasLinkFallback(in place: Place) -> Bool {
    reach(of: place).contains { files[$0.file].hasLinkFallback(in: function($0).body ?? 0..<0) }
  }
}

/// Where an entrance takes links, and where it lets go of one.
extension ReviewedFile {
  /// Whether what ends a `switch` returns no value that somebody may look at.
  fileprivate func endsPlainly(_ dropped: Range<Int>, in body: Range<Int>) -> Bool {
    let end = dropped.upperBound
    return !tokens[end - 1].isWord("return") || end >= body.upperBound || tokens[end].kind == .mark
      || beginsLine(end)
  }

  /// Whether something there shows a page, or tells somebody that there is none.
  func hasLinkFallback(in range: Range<Int>) -> Bool {
    range.contains { index in
      guard tokens[index].kind == .word else { return false }
      return tokens[index].isWord("open")
        ? isOpenOfSystem(index) : ReviewRule.isLinkFallback(tokens[index].text)
    }
  }

  /// Whether a word is the system's `open`, which shows a page in the browser: of the application, of a scene, of an extension.
  /// A router has an `open` too.
  private func isOpenOfSystem(_ index: Int) -> Bool {
    guard index > 1, index + 1 < tokens.count, tokens[index - 1].isMark("."), tokens[index + 1].isMark("(")
    else { return false }
    var base = index - 2
    while base > 1, tokens[base].isMark("?") || tokens[base].isMark("!") { base -= 1 }
    let names: Set<String> = ["application", "app", "scene", "windowScene", "extensionContext", "context"]
    if names.contains(tokens[base].text) { return true }
    if tokens[base].isWord("shared"), base > 1, tokens[base - 2].isWord("UIApplication") { return true }
    let arguments = index + 2..<(tokens[index + 1].partner ?? index + 2)
    return arguments.contains { tokens[$0].isWord("options") && tokens[$0 + 1].isMark(":") }
  }

  /// The names that a link has in code.
  private static let linkNames: Set<String> = ["url", "link", "webpageURL", "URL", "components"]
  /// What a `switch` by the link asks for.
  private static let choiceNames = linkNames.union(["route", "page", "screen"])

  /// The closures that get links in SwiftUI, with their braces.
  var swiftUIDoors: [Range<Int>] {
    guard language == .swift else { return [] }
    return tokens.indices.compactMap { index in
      guard index > 0, tokens[index - 1].isMark("."), index + 1 < tokens.count else { return nil }
      let arguments = arguments(at: index + 1)
      let brace: Int?
      switch tokens[index].text {
      case "onOpenURL":
        brace =
          tokens[index + 1].isMark("{") ? index + 1 : arguments.first { tokens[$0].isMark("{") }
      case "onContinueUserActivity":
        guard mentions(arguments, "NSUserActivityTypeBrowsingWeb") else { return nil }
        let behind = arguments.upperBound + 1
        brace =
          behind < tokens.count && tokens[behind].isMark("{")
          ? behind : arguments.first { tokens[$0].isMark("{") }
      default: return nil
      }
      return brace.flatMap { brace in tokens[brace].partner.map { brace..<$0 + 1 } }
    }
  }

  /// Ours: the words of a closure's parameters.
  private static let closureHeadLimit = 40

  /// What a closure does, without its braces and parameters.
  func statements(of closure: Range<Int>) -> Range<Int> {
    let inner = closure.lowerBound + 1..<closure.upperBound - 1
    for index in inner.prefix(Self.closureHeadLimit) {
      if tokens[index].isWord("in") { return index + 1..<inner.upperBound }
      if ["for", "if", "guard", "let", "var", "{", ";", "="].contains(tokens[index].text) { break }
    }
    return inner
  }

  /// Whether a function ends with a yes.
  func endsWithYes(_ body: Range<Int>) -> Bool {
    guard let last = body.last(where: { !tokens[$0].isMark(";") }), last > body.lowerBound else {
      return false
    }
    return (tokens[last].isWord("true") || tokens[last].isWord("YES")) && tokens[last - 1].isWord("return")
  }

  /// A closure that does nothing: `{ _ in }`.
  func nothing(in closure: Range<Int>) -> Range<Int>? {
    let words = closure.filter { tokens[$0].kind != .mark || !["{", "}"].contains(tokens[$0].text) }
    let isEmpty =
      words.isEmpty || words.count == 2 && tokens[words[0]].isWord("_") && tokens[words[1]].isWord("in")
    return isEmpty ? closure : nil
  }

  /// The answer of a function that does nothing but say yes.
  func onlyYes(_ body: Range<Int>) -> Int? {
    let words = body.filter { !tokens[$0].isMark(";") }
    guard let last = words.last, tokens[last].isWord("true") || tokens[last].isWord("YES") else { return nil }
    return words.count == 1 || words.count == 2 && tokens[words[0]].isWord("return") ? last : nil
  }

  /// Where a function lets go of a link: the only answer is yes though there are conditions, or the rest of a `switch` does
  /// nothing.
  ///
  /// - Parameter isAnswered: Whether the function says if it took the activity.
  func drop(in body: Range<Int>, isAnswered: Bool) -> Range<Int>? {
    for index in body where tokens[index].isWord("default") {
      guard index + 2 < tokens.count, tokens[index + 1].isMark(":"),
        let choice = linkChoice(around: index, in: body)
      else { continue }
      if tokens[index + 2].isWord("break"), !isAnswered || !saysNo(choice.upperBound..<body.upperBound) {
        return index..<index + 3
      }
      if !isAnswered, tokens[index + 2].isWord("return") { return index..<index + 3 }
      let rest = index + 2..<choice.upperBound - 1
      if onlyLogs(rest), !isAnswered || !saysNo(rest.lowerBound..<body.upperBound) {
        return index..<index + 2
      }
    }
    guard isAnswered else { return nil }
    let answers = body.filter { tokens[$0].isWord("return") && $0 + 1 < tokens.count }.map { $0 + 1 }
    let isAlwaysYes =
      !answers.isEmpty && answers.allSatisfy { tokens[$0].isWord("true") || tokens[$0].isWord("YES") }
    guard isAlwaysYes, let last = answers.last, dependsOnLink(body) else { return nil }
    return last..<last + 1
  }

  /// Whether code does nothing but write logs; a `break` may end it.
  private func onlyLogs(_ code: Range<Int>) -> Bool {
    let end = code.last { !tokens[$0].isMark(";") && !tokens[$0].isWord("break") } ?? code.lowerBound
    return code.lowerBound <= end && LogReader.onlyLog(in: code.lowerBound..<end + 1, of: self) != nil
  }

  /// The `switch` around a place, where it chooses by the link; nil where it asks for the type of the activity or for something
  /// else.
  private func linkChoice(around index: Int, in body: Range<Int>) -> Range<Int>? {
    var brace = index - 1
    while brace > body.lowerBound, !(tokens[brace].isMark("{") && (tokens[brace].partner ?? 0) > index) {
      brace = (tokens[brace].partner.map { min($0, brace) } ?? brace) - 1
    }
    // A brace before the body is the function's own: a `default` as its first word stands in no `switch` with braces.
    guard brace > body.lowerBound, let end = tokens[brace].partner, end > index,
      let start = (max(body.lowerBound, brace - Self.conditionLimit)..<brace).last(where: {
        tokens[$0].isWord("switch")
      })
    else { return nil }
    let chosen = start + 1..<brace
    let isByLink = dependsOnLink(chosen) || chosen.contains { Self.choiceNames.contains(tokens[$0].text) }
    return isByLink && !mentions(chosen, "activityType") ? start..<end + 1 : nil
  }

  /// Whether something there answers no, so that the system asks others.
  private func saysNo(_ range: Range<Int>) -> Bool {
    range.contains {
      tokens[$0].isWord("return") && $0 + 1 < tokens.count
        && (tokens[$0 + 1].isWord("false") || tokens[$0 + 1].isWord("NO"))
    }
  }

  /// The `if` that a function ends with, where it compares parts of the link and has no `else`, and nothing else gets it.
  ///
  /// - Parameter value: The name of the activity or the link.
  func unfinishedChoice(in body: Range<Int>, of value: String?) -> Range<Int>? {
    for index in body where tokens[index].isWord("if") && !tokens[max(0, index - 1)].isWord("else") {
      let condition = condition(behind: index, in: body)
      guard comparesLink(condition) || asksForRoute(condition, of: value),
        let end = choice(from: index, in: body),
        (end..<body.upperBound).allSatisfy({ tokens[$0].isMark("}") })
      else { continue }
      let isHandedOver = (body.lowerBound..<index).contains { isLinkHandedOver($0, activity: value) }
      return isHandedOver ? nil : index..<index + 1
    }
    return nil
  }

  /// `if let route = Route(url)`: whether a condition binds what another function makes of the link, where it makes something.
  func asksForRoute(_ condition: Range<Int>, of value: String?) -> Bool {
    guard language == .swift,
      condition.contains(where: { tokens[$0].isWord("let") || tokens[$0].isWord("case") })
    else { return false }
    let readers: Set<String> = ["URLComponents", "NSURLComponents", "URL", "String", "handle"]
    return condition.contains { index in
      guard isLinkName(index) || tokens[index].kind == .word && tokens[index].text == value, index > 1,
        index + 1 < tokens.count, tokens[index + 1].isMark(")") || tokens[index + 1].isMark(",")
      else { return false }
      guard let open = (condition.lowerBound..<index).last(where: { (tokens[$0].partner ?? 0) > index }),
        tokens[open].isMark("("), tokens[open - 1].kind == .word, !readers.contains(tokens[open - 1].text)
      else { return false }
      // The value is bound, and not only asked about.
      return (condition.lowerBound..<open).contains { tokens[$0].isMark("=") }
    }
  }

  /// Whether a word is a name that links have in code.
  func isLinkName(_ index: Int) -> Bool {
    tokens[index].kind == .word && Self.linkNames.contains(tokens[index].text)
  }

  /// The name that a closure gives to what it gets: `{ url in`, `{ (url: URL) in`; `$0` without one.
  func closureParameter(of closure: Range<Int>) -> String {
    let start = closure.lowerBound + 1
    let statements = statements(of: closure)
    guard statements.lowerBound > start else { return "$0" }
    return tokens[start..<statements.lowerBound].first { $0.kind == .word && $0.text != "in" }?.text ?? "$0"
  }

  /// Ours: the words of a condition that is read.
  private static let conditionLimit = 200

  /// The tokens between an `if` and its block.
  func condition(behind index: Int, in body: Range<Int>) -> Range<Int> {
    let limit = min(body.upperBound, index + 1 + Self.conditionLimit)
    var place = index + 1
    while place < limit, !tokens[place].isMark("{") {
      place =
        max(place, ["(", "["].contains(tokens[place].text) ? tokens[place].partner ?? place : place) + 1
    }
    return index + 1..<min(place, limit)
  }

  /// Where an `if` with every `else if` behind it ends; nil where an `else` takes the rest, or a block has no braces. One that
  /// only writes a log takes nothing.
  func choice(from index: Int, in body: Range<Int>) -> Int? {
    var start = index
    while true {
      let brace = condition(behind: start, in: body).upperBound
      guard brace < body.upperBound, tokens[brace].isMark("{"), let end = tokens[brace].partner, end > brace
      else { return nil }
      guard end + 1 < body.upperBound, tokens[end + 1].isWord("else") else { return end + 1 }
      guard end + 2 < body.upperBound, tokens[end + 2].isWord("if") else {
        guard end + 2 < body.upperBound, let last = tokens[end + 2].partner, last > end + 2,
          onlyLogs(end + 3..<last), !saysNo(end + 3..<last)
        else { return nil }
        return last + 1
      }
      start = end + 2
    }
  }

  /// Whether one part of a condition compares a part of the link.
  func comparesLink(_ condition: Range<Int>) -> Bool {
    var start = condition.lowerBound
    for index in condition.lowerBound...condition.upperBound {
      let isEnd = index == condition.upperBound || [",", "&&", "||"].contains(tokens[index].text)
      guard isEnd else { continue }
      let clause = start..<index
      start = min(index + 1, condition.upperBound)
      let compares = clause.contains { place in
        tokens[place].isMark("==")
          || ["hasPrefix", "hasSuffix", "contains", "isEqualToString", "containsString"].contains(
            tokens[place].text)
      }
      let isOfLink = dependsOnLink(clause) || mentions(clause, "absoluteString")
      if compares, isOfLink, !mentions(clause, "activityType") { return true }
    }
    return false
  }

  /// Whether something but a reader of its parts gets the whole link or activity.
  func isLinkHandedOver(_ index: Int, activity: String?) -> Bool {
    guard index > 2, index + 1 < tokens.count, tokens[index].kind == .word,
      Self.linkNames.contains(tokens[index].text) || tokens[index].text == activity
    else { return false }
    // Kept for later: `self.pending = url`.
    if tokens[index - 1].isMark("="), tokens[index - 3].isMark("."), !tokens[index + 1].isMark(".") {
      return true
    }
    guard [")", ",", "]"].contains(tokens[index + 1].text), !isLogged(index) else { return false }
    // Back to the bracket of the call; `let url = activity.webpageURL,` stands in none.
    var place = index - 1
    while place > 0, index - place < Self.conditionLimit, !tokens[place].isMark(";") {
      if let partner = tokens[place].partner, partner > index {
        if tokens[place].isMark("{") { return false }
        return tokens[place].isMark("[")
          || !["URLComponents", "NSURLComponents"].contains(tokens[place - 1].text)
      }
      place = (tokens[place].partner.map { min($0, place) } ?? place) - 1
    }
    return false
  }

  /// Whether what happens depends on the link, and not only on whether there is one.
  func dependsOnLink(_ body: Range<Int>) -> Bool {
    let parts: Set<String> = [
      "path", "host", "pathComponents", "lastPathComponent", "query", "queryItems", "fragment", "hasPrefix",
      "hasSuffix", "containsString", "isEqualToString", "rangeOfString",
    ]
    return body.contains { index in
      parts.contains(tokens[index].text) && tokens[index].kind == .word && !isTypeCheck(index)
    }
  }

  /// `[userActivity.activityType isEqualToString:…]` asks for the type, and so does `[[activity activityType] isEqual…]`.
  private func isTypeCheck(_ index: Int) -> Bool {
    guard language == .objectiveC else {
      return index > 1 && tokens[index - 1].isMark(".") && tokens[index - 2].isWord("activityType")
    }
    return message(around: index, within: 0..<tokens.count).map { mentions($0, "activityType") } ?? false
  }
}
