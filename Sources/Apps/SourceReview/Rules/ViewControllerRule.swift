internal import LinkspanCore

extension ReviewRule {
  static let viewControllerNetwork = ReviewRule(
    "view-controller-network",
    "A view controller asks others for data: it opens no connections and parses none.",
    .note, source: "SR12",
    words: [
      "URLSession", "NSURLConnection", "Alamofire", "AFHTTPSessionManager", "JSONSerialization",
      "JSONDecoder", "dataTaskWith",
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
      reviewed.tokens[index].kind == .word && Self.words.contains(reviewed.tokens[index].text)
        && !Self.isAnswer(reviewed.tokens, index)
    }
    for type in reviewed.types where Self.isViewController(type) {
      // One finding says it for the whole type.
      guard let use = uses.first(where: type.body.contains) else { continue }
      report.add(
        use, "the view controller '\(type.name)' uses '\(reviewed.tokens[use].text)' itself",
        help:
          "A deep link opens this screen in any state of the app, and a test needs it without a network. Move loading and "
          + "parsing into a type of their own, and give the view controller values.")
    }
  }

  private static let words: Set<String> = [
    "URLSession", "NSURLSession", "NSURLConnection", "Alamofire", "AFHTTPSessionManager", "JSONSerialization",
    "NSJSONSerialization", "JSONDecoder", "dataTaskWithURL", "dataTaskWithRequest",
  ]

  /// `URLSession.AuthChallengeDisposition` and its like are answers of a web view's delegate.
  private static func isAnswer(_ tokens: [Token], _ index: Int) -> Bool {
    index + 2 < tokens.count && tokens[index + 1].isMark(".")
      && tokens[index + 2].text.hasSuffix("Disposition")
  }

  private static func isViewController(_ type: ReviewedType) -> Bool {
    type.name.hasSuffix("ViewController")
      || type.inherited.contains { $0.hasPrefix("UI") && $0.hasSuffix("ViewController") }
  }
}
