import LinkspanCore
import SourceReview
import Testing

/// Which files of a large review are in memory together, and that no file holds a review up.
@Suite struct ReviewIndexTests {
  private static let delegate =
    "class SceneDelegate: UIResponder { func scene(_ s: UIScene, continue u: NSUserActivity) {} }"

  private static func groups(_ texts: [String]) -> [[Int]] {
    var index = ReviewIndex()
    for (number, text) in texts.enumerated() { index.add(SourceText(name: "\(number).swift", text)) }
    return index.groups().map(\.files)
  }

  @Test func extensionsAreReviewedWithTheirType() {
    let texts = [
      "struct Shelf {}", delegate(), "extension SceneDelegate { func open() {} }", "struct Other {}",
    ]
    #expect(Self.groups(texts) == [[1, 2]])
  }

  private func delegate() -> String { Self.delegate }

  /// What a callback hands on is followed into the type that gets it.
  @Test func aTypeThatACallbackNamesIsReviewedWithIt() {
    let texts = [
      "struct Shelf {}",
      "class AppDelegate: UIResponder, UIApplicationDelegate { func a() { Shelf().open() } }",
      "struct Other {}",
    ]
    #expect(Self.groups(texts) == [[0, 1]])
  }

  /// As in a review of several apps at once.
  @Test func aNameOfSeveralTypesJoinsNothing() {
    #expect(Self.groups([Self.delegate, Self.delegate]) == [[0], [1]])
  }

  @Test func extensionsOfATypeOfTheSystemJoinFewFiles() {
    let part = "extension String { func a() { b.addObserver(c) } }"
    #expect(Self.groups([part, part]) == [[0, 1]])
    #expect(Self.groups(Array(repeating: part, count: 20)).count == 20)
  }

  @Test func aFileWithoutWordsIsLeftOut() {
    #expect(Self.groups(["struct Shelf {}", "enum Colour { case red }"]).isEmpty)
  }

  /// A file without the words that a rule names cannot break it.
  @Test(arguments: SourceReview.rules.flatMap { $0.record.bad })
  func everyBadExampleIsReviewed(text: String) {
    let text = MarkedSource(text).text
    #expect(Self.groups([text]) == [[0]])
    // However it is spaced.
    for blanks in ["  ", "\t", "\n  "] {
      #expect(Self.groups([text.replacing(" ", with: blanks)]) == [[0]])
    }
  }

  @Test(arguments: ["print(userActivity.webpageURL)", "log.record(userActivity.webpageURL!.path)"])
  func aURLThatIsOnlyLoggedIsNoUse(statement: String) {
    let text = """
      class SceneDelegate: UIResponder, LinkScene {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) { \(statement); hub.take(userActivity) }
      }
      """
    #expect(SourceReview([ReviewedFile(SourceText(name: "a.swift", text), .swift)]).findings.isEmpty)
  }

  /// Long runs of one thing; the time of each was quadratic once.
  @Test(
    arguments: [
      "#", "[", "{(", "\"\\(", "\"\"\"", "/*", "func a<", "func a(", "class A{", "\0",
      "x.userActivities.first ",
    ]
  ) func aRunOfOneThingEnds(part: String) {
    let text = String(repeating: part, count: 100_000 / part.utf8.count)
    for language in [SourceLanguage.swift, .objectiveC] {
      let findings = SourceReview([ReviewedFile(SourceText(name: "a", text), language)]).findings
      #expect(findings.allSatisfy { $0.rule == "review.activity-set" })
    }
  }
}
