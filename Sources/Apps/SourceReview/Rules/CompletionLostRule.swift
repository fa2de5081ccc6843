internal import LinkspanCore

extension ReviewRule {
  static let completionLost = ReviewRule(
    "completion-lost", "A completion handler of the system is called on every way through the function.",
    .error, source: "SR14",
    words: [
      "CompletionHandler", "completionHandler", "ContentHandler", "decisionHandler", "replyHandler",
      "withCompletion", "pushRegistry",
    ],
    bad: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
          fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
        ) {
          guard let id = userInfo["id"] as? String else { ⟦return⟧ }
          store.load(id) { _ in completionHandler(.newData) }
        }
      }
      """,
      """
      extension AppDelegate: UNUserNotificationCenterDelegate {
        func ⟦userNotificationCenter⟧(
          _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
          withCompletionHandler completionHandler: @escaping () -> Void
        ) {
          router.open(response.notification.request.content.userInfo)
        }
      }
      """,
      """
      @implementation AppDelegate
      - (void)⟦application⟧:(UIApplication *)application didReceiveRemoteNotification:(NSDictionary *)userInfo
          fetchCompletionHandler:(void (^)(UIBackgroundFetchResult))completionHandler {
        if (userInfo[@"id"]) {
          completionHandler(UIBackgroundFetchResultNewData);
        }
      }
      @end
      """,
    ],
    good: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
          fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
        ) {
          guard let id = userInfo["id"] as? String else { return completionHandler(.noData) }
          store.load(id) { _ in completionHandler(.newData) }
        }
      }
      """,
      """
      @implementation AppDelegate
      - (void)application:(UIApplication *)application didReceiveRemoteNotification:(NSDictionary *)userInfo
          fetchCompletionHandler:(void (^)(UIBackgroundFetchResult))completionHandler {
        if (userInfo[@"id"]) {
          completionHandler(UIBackgroundFetchResultNewData);
        } else {
          completionHandler(UIBackgroundFetchResultNoData);
        }
      }
      @end
      """,
    ]
  ) { file, program, report in
    for (place, function, body) in program.functions(in: file, where: { $0.completion != nil }) {
      guard let handler = function.completion, let name = function.completionName else { continue }
      let help =
        "The system waits for it: it counts the time against the app, and for a push or a notification it stops the app "
        + "or wakes it less often. Call '\(name)' once on every way, also where nothing is to be done."
      switch program.completion(handler, in: place) {
      case .called: continue
      case .never:
        report.add(function.nameToken, "'\(name)' is never called", help: help)
      case .missing(let token) where token == body.upperBound:
        report.add(function.nameToken, "'\(name)' is not called on every way through", help: help)
      case .missing(let token): report.add(token, "the work ends here without '\(name)'", help: help)
      }
    }
  }
}

extension ReviewedFunction {
  /// The functions of the system's protocols that get a handler to call.
  private static let callbacks: Set<String> = [
    "application", "userNotificationCenter", "windowScene", "pushRegistry", "didReceive", "urlSession",
    "webView",
    "URLSession", "didReceiveNotificationRequest", "session",
  ]

  /// The name of the handler that the system waits for; nil where it waits for none.
  fileprivate var completion: String? { completionParameter?.name }

  /// What messages call it: a handler without a name, `completionHandler _:`, has a label.
  fileprivate var completionName: String? {
    completionParameter.map { $0.name == "_" ? $0.label : $0.name }
  }

  private var completionParameter: Parameter? {
    // Those that answer are a plugin's: a no hands the push on to the next one, with the handler.
    guard Self.callbacks.contains(name), !isAnswered else { return nil }
    return parameters.last { parameter in
      let words = (parameter.label + parameter.name).lowercased()
      return ["completion", "contenthandler", "decisionhandler", "reply"].contains(where: words.contains)
    }
  }
}

/// What becomes of a handler in a function.
private enum CompletionUse {
  case called
  case never
  /// A way ends at this token of the function's file without it.
  case missing(Int)
}

extension ReviewedProgram {
  /// Ours: a handler is handed on so often.
  private static let handOverLimit = 3

  fileprivate func completion(_ handler: String, in place: Place, depth: Int = 0) -> CompletionUse {
    let file = files[place.file]
    guard let body = function(place).body else { return .called }
    let isNamed =
      handler != "_"
      && file.tokens[body].contains {
        $0.isWord(handler) || $0.kind == .text && $0.text.contains(handler)
      }
    guard isNamed else { return .never }
    func calls(_ index: Int) -> Bool {
      guard file.tokens[index].isWord(handler) else { return false }
      guard depth < Self.handOverLimit, let taker = taker(of: index, in: place) else { return true }
      // Another form of the same callback is looked at by itself.
      let other = function(taker.place)
      if other.name == function(place).name, other.completion == taker.parameter { return true }
      if case .called = completion(taker.parameter, in: taker.place, depth: depth + 1) { return true }
      return false
    }
    let uses = body.filter { file.tokens[$0].isWord(handler) }
    let calling = Set(uses.filter(calls))
    // `if sync(info, done) { return }`: what gets the handler says whether it calls it.
    let answered = Set(uses.filter { !calling.contains($0) }.compactMap { file.blockOfYes(to: $0, in: body) })
    let flow = Flow(body, of: file, .every) { calling.contains($0) || answered.contains($0) }
    return flow.exits.first { !$0.hasHappened }.map { .missing($0.token) } ?? .called
  }
}

extension ReviewedFile {
  /// The first word of the block that runs when a call answers yes: `if sync(info, done) { return }`.
  fileprivate func blockOfYes(to argument: Int, in body: Range<Int>) -> Int? {
    let start = statementStart(of: argument, in: body)
    guard tokens[start].isWord("if"), !tokens[start + 1].isMark("!") else { return nil }
    let condition = condition(behind: start, in: body)
    guard condition.contains(argument), condition.upperBound < body.upperBound,
      let end = tokens[condition.upperBound].partner, end > condition.upperBound,
      mentions(condition.upperBound..<end, "return")
    else { return nil }
    return condition.upperBound + 1
  }
}
