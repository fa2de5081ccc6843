internal import LinkspanCore

extension ReviewRule {
  static let uncheckedParameter = ReviewRule(
    "unchecked-parameter", "What a link brings is checked before it is used: anybody can write one.", .error,
    source: "SR16",
    words: [
      "pathComponents", "ueryItems", "queryParam", "lastPathComponent", "componentsSeparatedByString",
      "url.path",
    ],
    bad: [
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
          guard let url = contexts.first?.url else { return }
          let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems
          router.show(id: items⟦!⟧.first { $0.name == "id" }!.value!)
        }
      }
      """,
      """
      struct DeepLinkRouter {
        func open(_ url: URL) {
          show(recipe: url.pathComponents⟦[⟧2])
        }
      }
      """,
      """
      struct ShopApp: App {
        var body: some Scene {
          WindowGroup {
            Shop().onOpenURL { url in
              let text = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems?.first?.value ?? ""
              guard let page = URL(string: text) else { return }
              webView.⟦load⟧(URLRequest(url: page))
            }
          }
        }
      }
      """,
      """
      @implementation DeepLinkRouter
      - (BOOL)openURL:(NSURL *)url {
        [self showRecipe:url.pathComponents⟦[⟧2]];
        return YES;
      }
      @end
      """,
    ],
    good: [
      """
      struct DeepLinkRouter {
        func open(_ url: URL) {
          guard url.pathComponents.count > 2, let id = Int(url.pathComponents[2]) else { return showHome() }
          show(recipe: id)
        }
      }
      """,
      """
      struct ShopApp: App {
        var body: some Scene {
          WindowGroup {
            Shop().onOpenURL { url in
              let text = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems?.first?.value ?? ""
              guard let page = URL(string: text), page.host == "example.com" else { return showHome() }
              webView.load(URLRequest(url: page))
            }
          }
        }
      }
      """,
      """
      @implementation DeepLinkRouter
      - (BOOL)openURL:(NSURL *)url {
        if (url.pathComponents.count < 3) { return NO; }
        [self showRecipe:url.pathComponents[2]];
        return YES;
      }
      @end
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    let doors = reviewed.swiftUIDoors
    let named = Set(
      doors.flatMap { door in reviewed.tokens[door].lazy.filter { $0.kind == .word }.map(\.text) })
    var bodies = program.functions(in: file, where: { ($0.body?.count ?? 0) <= Self.wordLimit }).filter {
      place, function, _ in
      named.contains(function.name) || program.takesLinks(function, at: place)
    }.map(\.body)
    for door in doors where !bodies.contains(where: { $0.contains(door.lowerBound) }) {
      bodies.append(door)
    }
    var seen: Set<Int> = []
    for body in bodies {
      let values = LinkValues(body, of: reviewed)
      guard let use = values.firstUnchecked, seen.insert(use.token).inserted else { continue }
      report.add(
        use.token, use.what,
        help:
          "Everybody can write a link, and iOS opens the app with it. Check the value first, and show the app's "
          + "first page or a message for a link that is not well-formed.")
    }
  }
}

extension ReviewRule {
  /// Ours: the words of a function that is looked at.
  fileprivate static let wordLimit = 4_000
}

extension ReviewedProgram {
  private static let linkTypes: Set<String> = [
    "URL", "NSURL", "URLComponents", "NSURLComponents", "URLQueryItem", "NSURLQueryItem", "NSUserActivity",
    "UIOpenURLContext",
  ]
  /// What functions and types that take links are called.
  private static let linkWords = [
    "link", "route", "universal", "openurl", "handleurl", "handle", "activity", "navigat", "redirect",
    "coordinator",
  ]

  /// Whether links from outside come to a function: as a callback, or by its name and what it gets.
  fileprivate func takesLinks(_ function: ReviewedFunction, at place: Place) -> Bool {
    let file = place.file
    let moments: Set<Moment> = [
      .continueActivity, .sceneContinueActivity, .openURL, .sceneOpenURL, .sceneWillConnect,
    ]
    if function.moment.map(moments.contains) ?? false { return true }
    guard function.parameters.contains(where: { $0.type.contains(where: Self.linkTypes.contains) }) else {
      return false
    }
    if callers(of: place).contains(where: { self.function($0).moment.map(moments.contains) ?? false }) {
      return true
    }
    let type = function.type.map { files[file].types[$0].name } ?? ""
    let name = (type + "." + function.name + "." + (function.parameters.first?.label ?? "")).lowercased()
    return Self.linkWords.contains(where: name.contains) || ["open", "parse"].contains(function.name)
  }
}

/// The values in a function that come from a link, and where one is used as if it were sure to be there and right.
private struct LinkValues {
  private let file: ReviewedFile
  private let body: Range<Int>
  private var names: Set<String> = []
  /// Those of lists that may be empty.
  private var emptyNames: Set<String> = []

  /// What is read of a link.
  private static let sources: Set<String> = [
    "queryItems", "percentEncodedQueryItems", "query", "percentEncodedQuery", "pathComponents",
    "lastPathComponent", "fragment", "queryParameters", "queryParams", "queryDictionary",
  ]

  /// What makes parts of a path.
  private static let splitting: Set<String> = ["split", "components", "componentsSeparatedByString"]

  init(_ body: Range<Int>, of file: ReviewedFile) {
    self.file = file
    self.body = body
    // Twice, because a closure may come before what it reads is named.
    for index in body where file.tokens[index].isMark("=") || file.tokens[index].isWord("in") {
      name(at: index)
    }
  }

  private var tokens: [Token] { file.tokens }

  private func isValue(_ index: Int) -> Bool {
    guard tokens[index].kind == .word else { return false }
    if names.contains(tokens[index].text) {
      return !tokens[index - 1].isMark(".") || tokens[index - 2].isWord("self")
    }
    guard index + 1 < tokens.count else { return false }
    if Self.splitting.contains(tokens[index].text) {
      let chain = max(body.lowerBound, index - 8)..<index
      return chain.contains {
        ["path", "absoluteString", "relativePath", "resourceSpecifier"].contains(tokens[$0].text)
      }
    }
    return Self.sources.contains(tokens[index].text) && !tokens[index + 1].isMark(":")
  }

  private func hasValue(_ range: Range<Int>) -> Bool { range.contains(where: isValue) }

  /// `let id = items.first?.value`, `for item in items`.
  private mutating func name(at sign: Int) {
    guard sign > body.lowerBound + 1 else { return }
    var place = sign - 1
    // A type may stand between: `let items: [URLQueryItem] = …`.
    if let colon = (max(body.lowerBound, sign - 8)..<sign).last(where: { tokens[$0].isMark(":") }),
      colon > body.lowerBound + 1, ["let", "var"].contains(tokens[colon - 2].text)
    {
      place = colon - 1
    }
    guard tokens[place].kind == .word, place > body.lowerBound else { return }
    let isNew =
      file.language == .swift
      ? ["let", "var", "for"].contains(tokens[place - 1].text)
      : tokens[place - 1].isMark("*") || tokens[place - 1].kind == .word || tokens[place - 1].isMark(">")
    guard isNew else { return }
    var end = sign + 1
    while end < body.upperBound {
      let token = tokens[end]
      if [",", ";", "}"].contains(token.text) && token.kind == .mark || token.isWord("else") { break }
      if token.isMark("{"), file.language == .objectiveC || file.isBlock(end) { break }
      if file.language == .swift, end > sign + 1, file.beginsLine(end),
        ![".", "?", "??", ":"].contains(token.text)
      {
        break
      }
      end = max(token.partner ?? end, end) + 1
    }
    let value = sign + 1..<min(end, body.upperBound)
    guard hasValue(value) else { return }
    names.insert(tokens[place].text)
    if mayBeEmpty(value), !tokens[place - 1].isWord("for") { emptyNames.insert(tokens[place].text) }
  }

  // MARK: - Uses

  var firstUnchecked: (token: Int, what: String)? {
    for index in body {
      let token = tokens[index]
      if token.isMark("!"), isUnwrapping(index) {
        return (index, "a part of the link is taken to be there: another link stops the app here")
      }
      if token.isMark("[") && isIndexing(index) || token.isWord("objectAtIndex") && isAskingForPart(index) {
        return (index, "the link is taken to have that many parts: a shorter one stops the app here")
      }
      if token.kind == .word, let what = dangerousUse(index) { return (index, what) }
    }
    return nil
  }

  private func isUnwrapping(_ index: Int) -> Bool {
    guard file.language == .swift, index > body.lowerBound, index + 1 < tokens.count else { return false }
    let before = tokens[index - 1]
    guard before.range.upperBound == tokens[index].range.lowerBound,
      before.kind == .word || before.isMark(")") || before.isMark("]") || before.isMark("}"),
      !["as", "try", "return", "in"].contains(before.text)
    else { return false }
    let chain = max(body.lowerBound, file.chainStart(before: index))..<index
    return hasValue(chain) && !isAskedFor(chain, before: index)
  }

  /// `parts[2]`, `[parts objectAtIndex:2]` is one of a list without a question for its length before.
  private func isIndexing(_ index: Int) -> Bool {
    guard index > body.lowerBound, let end = tokens[index].partner, end == index + 2,
      tokens[index + 1].kind == .number,
      tokens[index - 1].kind == .word || tokens[index - 1].isMark(")") || tokens[index - 1].isMark("?")
        || tokens[index - 1].isMark("!")
    else { return false }
    let chain = max(body.lowerBound, file.chainStart(before: index))..<index
    // The first part of a path is the slash, and a text that is taken apart has one at least.
    if tokens[index + 1].text == "0", !mayBeEmpty(chain) { return false }
    return hasValue(chain) && !hasLengthQuestion(before: index)
  }

  /// Whether a list may have nothing in it: the items of a query, and what `split` leaves of a path.
  private func mayBeEmpty(_ chain: Range<Int>) -> Bool {
    chain.contains { index in
      ["split", "queryItems"].contains(tokens[index].text) || emptyNames.contains(tokens[index].text)
    }
  }

  /// `[parts objectAtIndex:2]`
  private func isAskingForPart(_ index: Int) -> Bool {
    guard let message = file.message(around: index, within: body) else { return false }
    return hasValue(message.lowerBound..<index) && !hasLengthQuestion(before: index)
  }

  private func hasLengthQuestion(before index: Int) -> Bool {
    (body.lowerBound..<index).contains { place in
      guard ["count", "isEmpty", "indices", "length", "endIndex"].contains(tokens[place].text) else {
        return false
      }
      if file.language == .objectiveC {
        let message = file.message(around: place, within: body) ?? max(body.lowerBound, place - 6)..<place
        return hasValue(message.lowerBound..<place)
      }
      let end = tokens[place - 1].isMark(".") ? place - 1 : place
      return hasValue(max(body.lowerBound, file.chainStart(before: end))..<place)
    }
  }

  /// Whether a condition before asked whether the value is there.
  private func isAskedFor(_ chain: Range<Int>, before index: Int) -> Bool {
    guard let base = chain.first(where: isValue) else { return false }
    return (body.lowerBound..<chain.lowerBound).contains { place in
      guard tokens[place].isWord(tokens[base].text), place + 2 < tokens.count else { return false }
      let next = tokens[place + 1]
      return next.isMark("!=") && tokens[place + 2].isWord("nil")
        || next.isMark(".") && ["isEmpty", "count"].contains(tokens[place + 2].text)
    } || hasLengthQuestion(before: chain.lowerBound)
  }

  private static let opening: Set<String> = [
    "load", "loadRequest", "SFSafariViewController", "openURL", "open", "initWithURL", "loadHTMLString",
  ]
  private static let executing: Set<String> = [
    "NSClassFromString", "NSSelectorFromString", "evaluateJavaScript", "NSPredicate", "predicateWithFormat",
    "execute",
    "executeQuery", "executeUpdate", "sqlite3_exec", "sqlite3_prepare_v2",
  ]

  /// A page that a link names is opened, or its text run as code, without a question about it before.
  private func dangerousUse(_ index: Int) -> String? {
    let text = tokens[index].text
    guard Self.opening.contains(text) || Self.executing.contains(text), index + 1 < tokens.count,
      tokens[index + 1].isMark("(") || tokens[index + 1].isMark(":"), !isImplicitMember(index)
    else { return nil }
    let arguments =
      tokens[index + 1].isMark("(")
      ? file.arguments(at: index + 1)
      : index + 2..<(file.message(around: index, within: body)?.upperBound ?? index + 2)
    if Self.executing.contains(text) {
      let isTextOfLink = arguments.contains { place in
        isValue(place) && !file.isParameterOfFormat(place, in: arguments)
          || tokens[place].kind == .text
            && names.contains {
              tokens[place].text.contains("\\($0)") && tokens[place].text.contains("\\(\($0)")
            }
      }
      return isTextOfLink && !isJudged(before: index) ? "text of the link is run as code" : nil
    }
    guard hasValue(arguments), opensPage(arguments, index), !isJudged(before: index) else { return nil }
    return "a page that the link names is opened, whatever page that is"
  }

  /// A case of an enum, as in `return .open(url)`.
  private func isImplicitMember(_ index: Int) -> Bool {
    guard index > 1, tokens[index - 1].isMark(".") else { return false }
    let before = tokens[index - 2]
    return before.kind == .mark
      ? ![")", "]", "}", "?", "!"].contains(before.text) : ["return", "case", "in"].contains(before.text)
  }

  /// Whether the argument is a URL made of a value, and not a value of an own function.
  private func opensPage(_ arguments: Range<Int>, _ index: Int) -> Bool {
    func makesURL(_ range: Range<Int>) -> Bool {
      range.contains { place in
        (tokens[place].isWord("URL") || tokens[place].isWord("URLWithString")) && place + 1 < tokens.count
          && (tokens[place + 1].isMark("(") || tokens[place + 1].isMark(":"))
          && hasValue(place..<min(place + 14, body.upperBound))
      }
    }
    return makesURL(arguments) || makesURL(body.lowerBound..<index)
  }

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

extension ReviewedFile {
  /// Whether a brace begins a block of statements behind a condition, and no closure that is an argument.
  fileprivate func isBlock(_ brace: Int) -> Bool {
    guard let end = tokens[brace].partner else { return true }
    if end + 1 < tokens.count, tokens[end + 1].kind == .mark,
      [".", "?", "!", "??", ")", ","].contains(tokens[end + 1].text)
    {
      return false
    }
    let start = statementStart(of: brace, in: 0..<tokens.count)
    return ["if", "guard", "while", "for", "switch", "else", "case"].contains(tokens[start].text)
      || tokens[brace - 1].isWord("else")
  }

  /// Whether a value fills a place of a format, as in `NSPredicate(format: "id == %@", id)`.
  fileprivate func isParameterOfFormat(_ index: Int, in arguments: Range<Int>) -> Bool {
    (arguments.lowerBound..<index).contains { tokens[$0].kind == .text && tokens[$0].text.contains("%") }
  }
}
