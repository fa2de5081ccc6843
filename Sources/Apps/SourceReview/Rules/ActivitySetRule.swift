internal import LinkspanCore

extension ReviewRule {
  static let activitySet = ReviewRule(
    "activity-set", "The activities a scene is connected with are a set: one is chosen by its type.",
    .warning, source: "SR2", words: ["userActivities"],
    bad: [
      """
      class SceneDelegate: UIResponder, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
          if let activity = options.⟦userActivities.first⟧ { handle(activity) }
        }
      }
      """,
      """
      @implementation SceneDelegate
      - (void)scene:(UIScene *)scene willConnectToSession:(UISceneSession *)session
            options:(UISceneConnectionOptions *)connectionOptions {
        [self handle:connectionOptions.⟦userActivities.anyObject⟧];
      }
      @end
      """,
    ],
    good: [
      """
      class SceneDelegate: UIResponder, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
          for activity in options.userActivities { handle(activity) }
        }
      }
      """,
      """
      class SceneDelegate: UIResponder, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
          let link = options.userActivities.first { $0.activityType == NSUserActivityTypeBrowsingWeb }
          if let link { handle(link) }
        }
      }
      """,
    ]
  ) { file, program, report in
    let tokens = program.files[file].tokens
    for index in tokens.indices where tokens[index].isWord("userActivities") {
      guard index + 2 < tokens.count, let last = Self.choice(tokens, after: index),
        !Self.restores(tokens, after: last)
      else { continue }
      report.add(
        index, through: last, "'\(tokens[last].text)' takes any of the activities",
        help:
          "'userActivities' is a set without an order, and another activity may come first. Choose by 'activityType', or "
          + "go through all of them.")
    }
  }

  /// The word that takes one of a set without a condition.
  private static func choice(_ tokens: [Token], after index: Int) -> Int? {
    if tokens[index + 1].isMark("."),
      ["first", "anyObject", "randomElement"].contains(tokens[index + 2].text)
    {
      let next = index + 3 < tokens.count ? tokens[index + 3] : nil
      let isCondition = next?.isMark("(") ?? false || next?.isMark("{") ?? false && !isAsked(tokens, index)
      return tokens[index + 2].isWord("first") && isCondition ? nil : index + 2
    }
    return tokens[index + 1].isMark("]") && tokens[index + 2].isWord("anyObject") ? index + 2 : nil
  }

  /// `?? session.stateRestorationActivity`: what restores the app's state is of many types, so that the code looks at them later.
  private static func restores(_ tokens: [Token], after last: Int) -> Bool {
    guard last + 1 < tokens.count, tokens[last + 1].isMark("??") else { return false }
    return tokens[last + 2..<min(last + 6, tokens.count)].contains { $0.isWord("stateRestorationActivity") }
  }

  /// Whether a word belongs to the condition of an `if`, so that the braces behind it are a block.
  private static func isAsked(_ tokens: [Token], _ index: Int) -> Bool {
    var place = index - 1
    while place >= 0, !["{", "}", ";"].contains(tokens[place].text) {
      if tokens[place].isWord("if") || tokens[place].isWord("while") { return true }
      place -= 1
    }
    return false
  }
}
