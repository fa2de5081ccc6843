internal import LinkspanCore

extension ReviewRule {
  static let coldStart = ReviewRule(
    "cold-start", "A scene takes what it is connected with: a cold start calls nothing else.", .error,
    source: "SR3",
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
      """
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    for (number, function) in reviewed.functions.enumerated() {
      let place = ReviewedProgram.Place(file: file, function: number)
      guard let wanted = Self.wanted[function.moment], let body = function.body, !body.isEmpty else {
        continue
      }
      let siblings = program.siblings(of: place)
      // Elsewhere, perhaps: in a superclass, or in a file that is not reviewed.
      guard let connect = siblings.first(where: { program.function($0).moment == .sceneWillConnect }),
        let connection = program.function(connect).body
      else { continue }
      let options = program.function(connect).parameters.last?.name ?? "connectionOptions"
      if program.reach(of: connect, mentions: { $0 == wanted.member }) { continue }
      if program.files[connect.file].passes(options, in: connection) { continue }
      report.add(
        function.nameToken,
        "\(wanted.what) that start the app are lost: 'willConnectTo' does not read '\(wanted.member)'",
        help:
          "When the app was not running, the system gives them to 'scene(_:willConnectTo:options:)' and does not call this "
          + "function. Handle 'connectionOptions.\(wanted.member)' there in the same way.")
    }
  }

  private static let wanted: [Moment?: (member: String, what: String)] = [
    .sceneContinueActivity: ("userActivities", "universal links and activities"),
    .sceneOpenURL: ("urlContexts", "URLs"),
  ]
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
