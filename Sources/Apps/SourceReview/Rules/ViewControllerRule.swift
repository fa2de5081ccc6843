internal import LinkspanCore

extension ReviewRule {
  static let viewControllerNetwork = ReviewRule(
    "view-controller-network",
    "A view controller asks others for data: it opens no connections and parses none.",
    .note, source: "SR12",
    words: [
      "URLSession", "NSURLConnection", "Alamofire", "AFHTTPSessionManager", "JSONSerialization",
      "JSONDecoder", "dataTask", "downloadTask", "uploadTask",
    ],
    bad: [
      """
      class RecipeViewController: UIViewController {
        func load() { ⟦URLSession⟧.shared.dataTask(with: url) { data, _, _ in self.show(data) }.resume() }
      }
      """,
      """
      @implementation RecipeViewController
      - (void)load {
        [[⟦NSURLSession⟧ sharedSession] dataTaskWithURL:self.url];
      }
      @end
      """,
    ],
    good: [
      """
      class RecipeViewController: UIViewController {
        func load() { recipes.load { self.show($0) } }
      }
      """,
      """
      class RecipeViewController: UIViewController {
        func load() { webView.load(URLRequest(url: url)) }
      }
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    let uses = reviewed.tokens.indices.filter { index in
      reviewed.tokens[index].kind == .word && reviewed.asksForData(index)
    }
    for type in reviewed.types where Self.isViewController(type) {
      // One finding says it for the whole type.
      let own = uses.lazy.filter(type.body.contains).prefix(Self.useLimit)
      guard let use = own.first(where: { !reviewed.readsOwn($0) }) else { continue }
      report.add(
        use, "the view controller '\(type.name)' uses '\(reviewed.tokens[use].text)' itself",
        help:
          "A deep link opens this screen in any state of the app, and a test needs it without a network. Move loading and "
          + "parsing into a type of their own, and give the view controller values.")
    }
  }

  /// Ours: what a view controller parses that is its own, before somebody else's.
  private static let useLimit = 64

  private static func isViewController(_ type: ReviewedType) -> Bool {
    type.name.hasSuffix("ViewController")
      || type.inherited.contains { $0.hasPrefix("UI") && $0.hasSuffix("ViewController") }
  }
}

extension ReviewedFile {
  private static let tasks: Set<String> = [
    "dataTask", "downloadTask", "uploadTask", "webSocketTask", "dataTaskPublisher", "dataTaskWithURL",
    "dataTaskWithRequest", "downloadTaskWithURL", "downloadTaskWithRequest", "uploadTaskWithRequest",
  ]

  /// Whether a word opens a connection or parses an answer. To name a type, to hand a session on and to write JSON is none of
  /// both.
  fileprivate func asksForData(_ index: Int) -> Bool {
    guard index > 0, index + 2 < tokens.count else { return false }
    let (before, next, member) = (tokens[index - 1], tokens[index + 1], tokens[index + 2])
    switch tokens[index].text {
    case "URLSession":
      if next.isMark("(") { return true }
      guard next.isMark("."), member.isWord("shared"), index + 3 < tokens.count else { return false }
      let isArgument = [")", ","].contains(tokens[index + 3].text)
      let isSetting =
        tokens[index + 3].isMark(".") && index + 4 < tokens.count && tokens[index + 4].isWord("configuration")
      return !isArgument && !isSetting
    case "NSURLSession": return before.isMark("[")
    case "NSURLConnection", "Alamofire", "AFHTTPSessionManager": return true
    case "JSONSerialization": return next.isMark(".") && member.isWord("jsonObject")
    case "NSJSONSerialization": return next.isWord("JSONObjectWithData")
    case "JSONDecoder": return next.isMark("(")
    case let word: return Self.tasks.contains(word) && next.isMark(language == .swift ? "(" : ":")
    }
  }

  /// Whether a word parses a file of the app, or what a page in its own web view says.
  fileprivate func readsOwn(_ index: Int) -> Bool {
    guard tokens[index].text.contains("JSON") else { return false }
    let sources: Set<String> = [
      "Bundle", "NSBundle", "mainBundle", "WKScriptMessage", "evaluateJavaScript", "evaluate",
      "callAsyncJavaScript",
    ]
    let function = functions.filter { $0.body?.contains(index) ?? false }.min {
      $0.body!.count < $1.body!.count
    }
    guard let function, let body = function.body else { return false }
    return function.parameters.contains { $0.type.contains("WKScriptMessage") }
      || mentions(body, sources.contains)
  }
}
