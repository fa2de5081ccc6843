internal import LinkspanCore

extension ReviewRule {
  static let linkDropped = ReviewRule(
    "link-dropped", "A link that the app has no screen for goes to the browser, or the user is told.",
    .warning, source: "SR4",
    bad: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          if userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL {
            if url.path.hasPrefix("/shop") { showShop(url) }
          }
          return ⟦true⟧
        }
      }
      """,
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return }
          switch userActivity.webpageURL?.path {
          case "/shop": showShop()
          ⟦default: break⟧
          }
        }
      }
      """,
    ],
    good: [
      """
      class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL else { return }
          if !router.handle(url) { present(SFSafariViewController(url: url)) }
        }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return false }
          guard let url = userActivity.webpageURL else { return false }
          return router.handle(url)
        }
      }
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    for (number, function) in reviewed.functions.enumerated() {
      let moment = function.moment
      guard moment == .continueActivity || moment == .sceneContinueActivity, let body = function.body,
        reviewed.mentions(body, "webpageURL")
      else { continue }
      let place = ReviewedProgram.Place(file: file, function: number)
      if program.reach(of: place, mentions: Self.isFallback) { continue }
      guard let dropped = reviewed.drop(in: body, isAnswered: moment == .continueActivity) else { continue }
      report.add(
        dropped.lowerBound, through: dropped.upperBound - 1,
        "a link that is not known here is dropped: nothing opens",
        help:
          "The association file may cover more than the code knows. Show such a link in the browser or in an "
          + "SFSafariViewController, or tell the user.")
    }
  }

  /// What shows a page, or tells somebody that there is none.
  private static func isFallback(_ word: String) -> Bool {
    let words: Set<String> = [
      "open", "openURL", "SFSafariViewController", "WKWebView", "UIAlertController", "openInBrowser",
      "fallback",
    ]
    return words.contains(word) || word.lowercased().contains("safari")
      || word.lowercased().contains("browser") && word != "NSUserActivityTypeBrowsingWeb"
  }
}

extension ReviewedFile {
  /// Where a function lets go of a link: the only answer is yes though there are conditions, or the rest of a `switch` does
  /// nothing.
  ///
  /// - Parameter isAnswered: Whether the function says if it took the activity.
  fileprivate func drop(in body: Range<Int>, isAnswered: Bool) -> Range<Int>? {
    for index in body where tokens[index].isWord("default") {
      guard index + 2 < tokens.count, tokens[index + 1].isMark(":") else { continue }
      if tokens[index + 2].isWord("break") { return index..<index + 3 }
      if !isAnswered, tokens[index + 2].isWord("return") { return index..<index + 3 }
    }
    guard isAnswered else { return nil }
    let answers = body.filter { tokens[$0].isWord("return") && $0 + 1 < tokens.count }.map { $0 + 1 }
    let isAlwaysYes =
      !answers.isEmpty && answers.allSatisfy { tokens[$0].isWord("true") || tokens[$0].isWord("YES") }
    guard isAlwaysYes, let last = answers.last, dependsOnLink(body) else { return nil }
    return last..<last + 1
  }

  /// Whether what happens depends on the link, and not only on whether there is one.
  private func dependsOnLink(_ body: Range<Int>) -> Bool {
    let parts: Set<String> = [
      "path", "host", "pathComponents", "lastPathComponent", "query", "queryItems", "fragment", "hasPrefix",
      "hasSuffix", "containsString", "isEqualToString", "rangeOfString",
    ]
    return body.contains { index in
      parts.contains(tokens[index].text) && tokens[index].kind == .word && !isTypeCheck(index)
    }
  }

  /// `[userActivity.activityType isEqualToString:…]` asks for the type.
  private func isTypeCheck(_ index: Int) -> Bool { index > 0 && tokens[index - 1].isWord("activityType") }
}
