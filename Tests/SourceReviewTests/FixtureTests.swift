import Foundation
import LinkspanCore
import SourceReview
import TestSupport
import Testing

/// Whole files as apps have them: a line with a mistake says so in a comment at its end, and no other line is reported.
///
///     guard let url = activity.webpageURL else { return false }  // finds: review.activity-type
@Suite struct FixtureTests {
  static let files: [String] = {
    let folder = Fixtures.root.appending(path: "Tests/Fixtures/review")
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }()

  @Test(arguments: files)
  func findsWhatIsMarkedAndNothingElse(name: String) throws {
    let path = Fixtures.root.appending(path: "Tests/Fixtures/review/" + name)
    let text = try String(contentsOf: path, encoding: .utf8)
    let language = try #require(SourceLanguage(path: name))
    let findings = SourceReview([ReviewedFile(SourceText(name: name, text), language)]).findings
    let found = findings.map { "\($0.location.start?.line ?? 0): \($0.rule)" }
    let marked = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap {
      index, line in
      let parts = line.split(separator: "// finds: ", maxSplits: 1)
      return parts.count < 2 ? [] : parts[1].split(separator: ", ").map { "\(index + 1): \($0)" }
    }
    #expect(found.sorted() == marked.sorted())
    #expect(marked.isEmpty == name.hasPrefix("Good"))
  }

  @Test func everyRuleHasABadAndAGoodFile() throws {
    let texts = try Self.files.map { name in
      (
        name,
        try String(
          contentsOf: Fixtures.root.appending(path: "Tests/Fixtures/review/" + name), encoding: .utf8)
      )
    }
    for rule in SourceReview.rules.map(\.record.identifier) {
      #expect(texts.contains { $0.0.hasPrefix("Bad") && $0.1.contains("// finds: \(rule)") }, "\(rule)")
      #expect(texts.contains { $0.0.hasPrefix("Good") && $0.1.contains("// keeps: \(rule)") }, "\(rule)")
    }
  }

  /// What is written for tests is no part of the app; a folder that is called `Tests` alone says too little.
  @Test(arguments: [
    ("A.swift", true), ("Tests/A.swift", true), ("ShopTests/A.swift", false), ("ShopTests.swift", false),
    ("ShopTests/Mocks/A.swift", true), ("Tests.swift", false), ("A+Tests.swift", false),
    ("TestsOfA.swift", true),
  ])
  func testsAreNotReviewed(name: String, isReviewed: Bool) {
    let text = """
      class Player: NSObject {
        func start() { item.addObserver(self, forKeyPath: "status", options: [], context: nil) }
      }
      """
    let findings = SourceReview([ReviewedFile(SourceText(name: name, text), .swift)]).findings
    #expect(findings.map(\.rule) == (isReviewed ? ["review.observer-unpaired"] : []))
  }

  /// A class in one file and its extension in another are one type.
  @Test func extensionsInOtherFilesBelongToTheirType() throws {
    let delegate = ReviewedFile(
      SourceText(
        name: "SceneDelegate.swift",
        """
        class SceneDelegate: UIResponder, UIWindowSceneDelegate {
          func scene(_ scene: UIScene, continue userActivity: NSUserActivity) { router.handle(userActivity) }
        }
        """), .swift)
    let other = ReviewedFile(
      SourceText(
        name: "SceneDelegate+Connect.swift",
        """
        extension SceneDelegate {
          func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
            options.userActivities.forEach(router.handle)
          }
        }
        """), .swift)
    #expect(SourceReview([delegate]).findings.map(\.rule) == ["review.cold-start"])
    #expect(SourceReview([delegate, other]).findings.isEmpty)
  }
}
