internal import LinkspanCore

extension ReviewRule {
  static let coldStart = ReviewRule(
    "cold-start", "A scene takes what it is connected with: a cold start calls nothing else.", .error,
    source: "SR3", words: ["NSUserActivity", "UIOpenURLContext", "UIApplicationShortcutItem"],
    bad: [
      """
      class SceneDelegate: UIResponder, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
          guard let scene = scene as? UIWindowScene else { return }
          show(in: scene)
        }
        func ⟦scene⟧(_ scene: UIScene, continue userActivity: NSUserActivity) { router.handle(userActivity) }
      }
      """,
      """
      @implementation SceneDelegate
      - (void)scene:(UIScene *)scene willConnectToSession:(UISceneSession *)session
            options:(UISceneConnectionOptions *)connectionOptions {
      }
      - (void)⟦scene⟧:(UIScene *)scene openURLContexts:(NSSet<UIOpenURLContext *> *)contexts {
        [self.router open:contexts];
      }
      @end
      """,
    ],
    good: [
      """
      class SceneDelegate: UIResponder, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
          for activity in options.userActivities { router.handle(activity) }
        }
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) { router.handle(userActivity) }
      }
      """,
      """
      @implementation SceneDelegate
      - (void)scene:(UIScene *)scene willConnectToSession:(UISceneSession *)session
            options:(UISceneConnectionOptions *)connectionOptions {
        [self.router open:connectionOptions.URLContexts];
      }
      - (void)scene:(UIScene *)scene openURLContexts:(NSSet<UIOpenURLContext *> *)contexts {
        [self.router open:contexts];
      }
      @end
      """,
    ]
  ) { file, program, report in
    for (place, function, body) in program.functions(in: file, where: { Self.wanted[$0.moment] != nil }) {
      guard let row = Self.wanted[function.moment], !body.isEmpty else { continue }
      // Apps keep it from 'configurationForConnecting' of the app delegate too.
      let isKept =
        function.moment == .sceneShortcut && program.entrances.readsShortcuts(inAppOf: program.files[file])
      if isKept { continue }
      let wanted = (member: row.member(in: program.files[file].language), what: row.what)
      let siblings = program.siblings(of: place)
      let message = "\(wanted.what) that start the app are lost: "
      let help =
        "When the app was not running, the system gives them to 'scene(_:willConnectTo:options:)' and does not call this "
        + "function. Handle 'connectionOptions.\(wanted.member)' there in the same way."
      guard let connect = siblings.first(where: { program.function($0).moment == .sceneWillConnect }),
        let connection = program.function(connect).body
      else {
        guard program.isWholeSceneDelegate(function, in: file) else { continue }
        report.add(
          function.nameToken, message + "there is no 'willConnectTo'", help: help, severity: .warning)
        continue
      }
      let options = program.function(connect).parameters.last?.name ?? "connectionOptions"
      if program.reads(wanted.member, from: connect) { continue }
      if program.files[connect.file].passes(options, in: connection) { continue }
      report.add(
        function.nameToken, message + "'willConnectTo' does not read '\(wanted.member)'", help: help)
    }
  }

  private static let wanted: [Moment?: ConnectionOption] = [
    .sceneContinueActivity: ConnectionOption(
      swift: "userActivities", objectiveC: "userActivities", what: "universal links and activities"),
    .sceneOpenURL: ConnectionOption(swift: "urlContexts", objectiveC: "URLContexts", what: "URLs"),
    .sceneShortcut: ConnectionOption(
      swift: "shortcutItem", objectiveC: "shortcutItem", what: "quick actions"),
  ]
}

/// A member of `UIScene.ConnectionOptions`.
private struct ConnectionOption {
  let swift: String
  let objectiveC: String
  let what: String

  func member(in language: SourceLanguage) -> String { language == .swift ? swift : objectiveC }
}

extension ReviewedProgram {
  /// Whether a function, or one that it calls, reads a member of something: a parameter may have the same name.
  fileprivate func reads(_ member: String, from place: Place) -> Bool {
    reach(of: place).contains { other in
      let file = files[other.file]
      return (function(other).body ?? 0..<0).contains { index in
        guard file.tokens[index].isWord(member), index > 0 else { return false }
        let before = file.tokens[index - 1]
        return before.isMark(".") || before.isMark("]") || before.isMark("\\")
          || before.kind == .word && !["in", "return", "if", "case"].contains(before.text)
      }
    }
  }

  /// Whether a function belongs to a scene delegate that inherits nothing about links, in an app without SwiftUI's own
  /// entrances.
  fileprivate func isWholeSceneDelegate(_ function: ReviewedFunction, in file: Int) -> Bool {
    guard let type = function.type.map({ files[file].types[$0] }), !type.isExtension,
      type.inherited.contains("UIResponder") || type.inherited.contains("NSObject"),
      type.inherited.contains("UIWindowSceneDelegate") || type.inherited.contains("UISceneDelegate")
    else { return false }
    return entrances.swiftUIDoorCount(inAppOf: files[file]) == 0
  }
}

extension ReviewedFile {
  /// Whether a value is handed on as a whole: another function may read it.
  fileprivate func passes(_ name: String, in range: Range<Int>) -> Bool {
    range.contains { index in
      guard tokens[index].isWord(name), index + 1 < tokens.count else { return false }
      let next = tokens[index + 1]
      return next.isMark(")") || next.isMark(",") || next.isMark("]") || next.isMark(";")
        || tokens[index - 1].isMark("=") && !next.isMark(".")
    }
  }
}
