internal import LinkspanCore

extension ReviewRule {
  static let linkRefused = ReviewRule(
    "link-refused", "A link that the app has taken is answered with a yes.", .error, source: "SR13",
    words: ["NSUserActivity"],
    bad: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL else {
            return false
          }
          router.handle(url)
          return ⟦false⟧
        }
      }
      """,
      """
      @implementation AppDelegate
      - (BOOL)application:(UIApplication *)application continueUserActivity:(NSUserActivity *)userActivity
          restorationHandler:(void (^)(NSArray *))restorationHandler {
        if ([userActivity.activityType isEqualToString:NSUserActivityTypeBrowsingWeb]) {
          [self.router handle:userActivity.webpageURL];
        }
        return ⟦NO⟧;
      }
      @end
      """,
    ],
    good: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL else {
            return false
          }
          return router.handle(url)
        }
      }
      """,
      """
      @implementation AppDelegate
      - (BOOL)application:(UIApplication *)application continueUserActivity:(NSUserActivity *)userActivity
          restorationHandler:(void (^)(NSArray *))restorationHandler {
        if ([userActivity.activityType isEqualToString:NSUserActivityTypeBrowsingWeb]) {
          [self.router handle:userActivity.webpageURL];
          return YES;
        }
        return NO;
      }
      @end
      """,
    ]
  ) { file, program, report in
    for (place, function, body) in program.functions(in: file, where: { $0.moment == .continueActivity }) {
      guard let activity = function.parameter(ofType: "NSUserActivity")?.name,
        let refusal = program.files[file].refusal(in: body, activity: activity)
          ?? program.helper(of: place, activity)
      else { continue }
      report.add(
        refusal, "the link is taken and then refused: iOS opens it in the browser as well",
        help:
          "Answer 'true' once the app shows the link, also for one that the app itself opens in the browser. "
          + "'false' is for activities that are not the app's.")
    }
  }
}

extension ReviewedProgram {
  /// The answer of a callback that hands the link to another function, which takes it and refuses it.
  fileprivate func helper(of place: Place, _ activity: String) -> Int? {
    let file = files[place.file]
    guard let body = function(place).body else { return nil }
    for index in body where file.tokens[index].isWord("return") {
      for argument in index..<file.statementEnd(from: index, in: body) {
        let isLink = file.tokens[argument].isWord(activity) || file.isLinkName(argument)
        guard isLink, let taker = taker(of: argument, in: place), let inner = function(taker.place).body,
          files[taker.place.file].refusal(in: inner, activity: taker.parameter) != nil
        else { continue }
        return index
      }
    }
    return nil
  }
}

extension ReviewedFile {
  /// The `false` of a function that took the link before; nil where there is none.
  fileprivate func refusal(in body: Range<Int>, activity: String) -> Int? {
    guard body.count <= Self.refusalLimit, mentions(body, { $0 == "false" || $0 == "NO" }) else { return nil }
    let chosen = choicesByLink(in: body)
    let routes = routes(in: body, activity: activity)
    let flow = Flow(body, of: self, .some) { index in
      isLinkTaken(index, activity: activity, in: body) || isKept(index, of: routes)
        || chosen.contains { $0.contains(index) } && isPlainCall(index, in: body)
    }
    for exit in flow.exits where exit.hasHappened && exit.statement.count > 1 {
      let answer = tokens[exit.statement.lowerBound + 1]
      if answer.isWord("false") || answer.isWord("NO") { return exit.statement.lowerBound + 1 }
    }
    return nil
  }

  /// Ours: the words of a function that is looked at.
  private static let refusalLimit = 4_000

  /// Calls that stop the app at a mistake of its own: they take no link.
  private static let assertions: Set<String> = [
    "assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError", "NSAssert",
    "NSCAssert",
  ]

  /// The names of what a function makes of the whole link: `let route = Route(url)`.
  private func routes(in body: Range<Int>, activity: String) -> Set<String> {
    guard language == .swift else { return [] }
    var names: Set<String> = []
    for index in body.dropFirst(2) where tokens[index].isMark("=") && tokens[index - 1].kind == .word {
      guard tokens[index - 2].isWord("let") || tokens[index - 2].isWord("var") else { continue }
      let value = index + 1..<statementEnd(from: index + 1, in: body)
      let end = value.first { tokens[$0].isMark(",") || tokens[$0].isWord("else") } ?? value.upperBound
      if (index + 1..<end).contains(where: { isLinkHandedOver($0, activity: activity) }) {
        names.insert(tokens[index - 1].text)
      }
    }
    return names
  }

  /// Whether one of these is kept for later: `pending = route`.
  private func isKept(_ index: Int, of routes: Set<String>) -> Bool {
    guard tokens[index].kind == .word, routes.contains(tokens[index].text), index > 2,
      tokens[index - 1].isMark("="), tokens[index - 2].kind == .word,
      !["let", "var"].contains(tokens[index - 3].text), index + 1 < tokens.count
    else { return false }
    return !tokens[index + 1].isMark(".") && !tokens[index + 1].isMark("?")
  }

  /// Whether something gets the whole link in a statement of its own, whose result nobody asks for.
  private func isLinkTaken(_ index: Int, activity: String, in body: Range<Int>) -> Bool {
    isLinkHandedOver(index, activity: activity) && isPlainStatement(index, in: body)
  }

  /// A call of a function in a statement of its own.
  private func isPlainCall(_ index: Int, in body: Range<Int>) -> Bool {
    guard tokens[index].kind == .word, index + 1 < tokens.count else { return false }
    let isCall =
      language == .swift
      ? tokens[index + 1].isMark("(")
      : index > 1 && tokens[index - 2].isMark("[") && tokens[index - 1].kind == .word
    return isCall && !LogName(tokens[index].text).isLog && !isLogged(index)
      && !Self.assertions.contains(tokens[index].text)
      && isPlainStatement(index, in: body)
  }

  private func isPlainStatement(_ index: Int, in body: Range<Int>) -> Bool {
    var start = statementStart(of: index, in: body)
    // `case "/shop": showShop()`
    if ["case", "default"].contains(tokens[start].text),
      let colon = (start..<index).last(where: { tokens[$0].isMark(":") })
    {
      start = colon + 1
    }
    let first = tokens[start]
    if ["let", "var", "return", "if", "guard", "switch", "case", "while", "for", "else"].contains(first.text)
    {
      return false
    }
    if first.isWord("_") { return true }
    // `handled = router.handle(url)` asks for the result; `self.pending = url` keeps the link.
    guard let sign = (start..<index).first(where: { tokens[$0].isMark("=") }) else { return true }
    return sign == index - 1
  }

  /// The blocks that are chosen by a part of the link.
  private func choicesByLink(in body: Range<Int>) -> [Range<Int>] {
    body.compactMap { index in
      guard tokens[index].isWord("if") || tokens[index].isWord("switch") else { return nil }
      let condition = condition(behind: index, in: body)
      guard condition.upperBound < body.upperBound, let end = tokens[condition.upperBound].partner else {
        return nil
      }
      let isByLink =
        tokens[index].isWord("if")
        ? comparesLink(condition) : dependsOnLink(condition) && !mentions(condition, "activityType")
      return isByLink ? condition.upperBound + 1..<max(condition.upperBound + 1, end) : nil
    }
  }
}
