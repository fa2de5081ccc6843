internal import LinkspanCore

extension ReviewRule {
  static let handledTwice = ReviewRule(
    "handled-twice",
    "What starts an app without scenes is handled by one function: the system delivers it twice.",
    .error, source: "SR5", words: ["FinishLaunchingWithOptions"],
    bad: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: LaunchOptions?
        ) -> Bool {
          if let url = launchOptions?[.⟦url⟧] as? URL { handle(url) }
          return true
        }
        func application(_ app: UIApplication, open url: URL, options: OpenOptions) -> Bool {
          handle(url)
        }
      }
      """,
      """
      @implementation AppDelegate
      - (BOOL)application:(UIApplication *)application didFinishLaunchingWithOptions:(NSDictionary *)launchOptions {
        [self handle:launchOptions[⟦UIApplicationLaunchOptionsURLKey⟧]];
        return YES;
      }
      - (BOOL)application:(UIApplication *)application openURL:(NSURL *)url options:(NSDictionary *)options {
        return [self handle:url];
      }
      @end
      """,
    ],
    good: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: LaunchOptions?
        ) -> Bool {
          showInterface()
          return true
        }
        func application(_ app: UIApplication, open url: URL, options: OpenOptions) -> Bool {
          handle(url)
        }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: LaunchOptions?
        ) -> Bool {
          guard let url = launchOptions?[.url] as? URL else { return true }
          handle(url)
          return false
        }
        func application(_ app: UIApplication, open url: URL, options: OpenOptions) -> Bool {
          handle(url)
        }
      }
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    for (place, _, body) in program.functions(in: file, where: { $0.moment == .didFinishLaunching }) {
      // After 'false' the system calls nothing more for what started the app.
      if body.contains(where: { reviewed.tokens[$0].isWord("return") && reviewed.isNo($0 + 1) }) { continue }
      for (keys, moment) in Self.deliveries {
        guard
          let key = body.first(where: { keys.contains(reviewed.tokens[$0].text) && reviewed.isOption($0) }),
          let again = program.siblings(of: place).first(where: { program.function($0).moment == moment }),
          let shared = Self.shared(program, place, again, behind: key)
        else { continue }
        report.add(
          key, "what starts the app is handled twice: here, and by '\(shared)' in the callback that follows",
          help:
            "After a cold start without scenes the system puts it into the launch options and then calls the callback as well. "
            + "Handle it in the callback only, or answer 'false' here when it was handled.")
      }
    }
  }

  private static let deliveries: [(keys: Set<String>, moment: Moment)] = [
    (["url", "UIApplicationLaunchOptionsURLKey"], .openURL),
    (
      [
        "userActivityDictionary", "UIApplicationLaunchOptionsUserActivityDictionaryKey",
        "UIApplicationLaunchOptionsUserActivityKey",
      ], .continueActivity
    ),
    (["remoteNotification", "UIApplicationLaunchOptionsRemoteNotificationKey"], .remoteNotification),
  ]

  /// A function that both call; the first one behind the key.
  private static func shared(
    _ program: ReviewedProgram, _ first: ReviewedProgram.Place, _ second: ReviewedProgram.Place,
    behind key: Int
  ) -> String? {
    let (here, there) = (program.files[first.file], program.files[second.file])
    guard let body = program.function(first).body, let other = program.function(second).body else {
      return nil
    }
    // From the beginning of its statement on, because a call may stand around the key.
    let statement =
      (body.lowerBound..<key).last { [";", "{", "}"].contains(here.tokens[$0].text) } ?? body.lowerBound
    let behind = statement..<body.upperBound
    // Calls the callback itself, and the system calls it again.
    if here.callsApplication(behind, with: Self.labels) {
      return program.function(second).name
    }
    // Of a push also those are told that only count it.
    let isPush = program.function(second).moment == .remoteNotification
    if !isPush, let shared = here.handlers(in: behind).intersection(there.handlers(in: other)).min() {
      return shared
    }
    // Both hand the value itself to the same function, whatever its name says.
    guard let value = here.boundName(before: key, from: statement),
      let parameter = program.function(second).linkParameter
    else { return nil }
    let shared = here.takers(of: value, in: behind).intersection(there.takers(of: parameter, in: other))
    return shared.filter { !isPush || !Self.onlyCounts($0) }.min()
  }

  private static let labels: Set<String> = [
    "open", "openURL", "continue", "continueUserActivity", "didReceiveRemoteNotification",
  ]

  /// Whether a function of a library gets a push to count it: `appDidReceiveMessage`, `trackPushNotification`.
  private static func onlyCounts(_ name: String) -> Bool {
    let lower = name.lowercased()
    return LogName(name).isLog
      || ["track", "analytic", "appdidreceive", "logevent"].contains(where: lower.contains)
  }
}

extension ReviewedFile {
  /// Names of functions, of this object or another, that get something.
  fileprivate func handlers(in range: Range<Int>) -> Set<String> {
    let words = [
      "handle", "route", "open", "process", "navigate", "deeplink", "link", "url", "activity", "continue",
      "dispatch", "parse", "receive", "deliver", "consume",
    ]
    let others: Set<String> = [
      "URL", "NSURL", "URLComponents", "application", "scene", "url", "UIApplicationLaunchOptionsURLKey",
    ]
    var names: Set<String> = []
    for index in range where tokens[index].kind == .word && index + 1 < tokens.count {
      let text = tokens[index].text
      let isCall =
        language == .swift
        ? tokens[index + 1].isMark("(") : tokens[index + 1].isMark(":") && !tokens[index - 1].isMark("?")
      let lower = text.lowercased()
      if isCall, !others.contains(text), words.contains(where: lower.contains) { names.insert(text) }
    }
    return names
  }

  /// The name that a statement gives to what it reads: `if let url = launchOptions?[.url]`, `NSURL *url = …`.
  fileprivate func boundName(before key: Int, from start: Int) -> String? {
    guard let sign = (start..<key).last(where: { tokens[$0].isMark("=") }), sign > 0 else { return nil }
    // A type may stand between: `let url: URL = …`.
    var place = sign - 1
    if place > 1, tokens[place - 1].isMark(":") { place -= 2 }
    return tokens[place].kind == .word ? tokens[place].text : nil
  }

  /// The functions that get a value as it is.
  fileprivate func takers(of value: String, in range: Range<Int>) -> Set<String> {
    let others: Set<String> = ["NSLog", "print", "if", "guard", "while", "switch", "return", "application"]
    var names: Set<String> = []
    for index in range
    where tokens[index].isWord(value) && index > 1 && index + 1 < tokens.count {
      let isWhole = [")", ",", "]"].contains(tokens[index + 1].text) || tokens[index + 1].kind == .word
      guard isWhole else { continue }
      var name: Token?
      if language == .objectiveC, tokens[index - 1].isMark(":") {
        name = tokens[index - 2]
      } else if tokens[index - 1].isMark("(") {
        name = tokens[index - 2]
      } else if language == .swift, tokens[index - 1].isMark(":"), let call = call(around: index) {
        if !others.contains(call.name) { names.insert(call.name) }
      }
      if let name, name.kind == .word, !others.contains(name.text) { names.insert(name.text) }
    }
    return names
  }

  /// Whether tokens call `self.application(_:LABEL:…)`, or send `application:LABEL:…` to self.
  fileprivate func callsApplication(_ range: Range<Int>, with labels: Set<String>) -> Bool {
    range.contains { index in
      guard tokens[index].isWord("application"), index + 1 < tokens.count, index > 0 else { return false }
      let arguments: Range<Int>
      if language == .swift {
        guard !tokens[index - 1].isMark(".") || tokens[index - 2].isWord("self") else { return false }
        arguments = self.arguments(at: index + 1)
      } else {
        guard tokens[index - 1].isWord("self"), let message = message(around: index, within: 0..<tokens.count)
        else { return false }
        arguments = message
      }
      return arguments.contains { place in
        labels.contains(tokens[place].text) && place + 1 < tokens.count && tokens[place + 1].isMark(":")
      }
    }
  }

  fileprivate func isNo(_ index: Int) -> Bool {
    index < tokens.count && (tokens[index].isWord("false") || tokens[index].isWord("NO"))
  }

  /// Whether a word is the key of a launch option: in brackets.
  fileprivate func isOption(_ index: Int) -> Bool {
    var place = index - 1
    while place >= 0, tokens[place].isMark(".") || tokens[place].kind == .word {
      if tokens[place].isWord("objectForKey") || tokens[place].isWord("valueForKey") { return true }
      place -= 1
    }
    if place > 0, tokens[place].isMark(":"), tokens[place - 1].isWord("objectForKey") { return true }
    return place >= 0 && tokens[place].isMark("[") && place > 0 && tokens[place - 1].kind != .text
  }
}

extension ReviewedFunction {
  /// What the callback brings, by the name that its body uses.
  fileprivate var linkParameter: String? {
    parameters.first {
      $0.type.contains("URL") || $0.type.contains("NSURL") || $0.type.contains("NSUserActivity")
        || $0.label == "didReceiveRemoteNotification"
    }?
    .name
  }
}
