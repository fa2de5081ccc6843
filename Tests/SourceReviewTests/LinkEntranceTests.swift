import LinkspanCore
import SourceReview
import Testing

/// Entrances for links: what the rule `review.link-dropped` says about them, and about what it is quiet.
@Suite struct LinkEntranceTests {
  static func dropped(_ text: String, _ language: SourceLanguage = .swift) -> [Finding] {
    let findings = SourceReview([ReviewedFile(SourceText(name: "example", text), language)]).findings
    return findings.filter { $0.rule == "review.link-dropped" }
  }

  static func scene(_ body: String) -> String {
    """
    class SceneDelegate: LinkSceneDelegate, UIWindowSceneDelegate {
      func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        \(body)
      }
    }
    """
  }

  static func objectiveC(_ body: String) -> String {
    """
    @implementation SceneDelegate
    - (void)scene:(UIScene *)scene continueUserActivity:(NSUserActivity *)userActivity {
      \(body)
    }
    @end
    """
  }

  /// The brace before the first word of a function is its own, and belongs to no `switch`.
  @Test func aDefaultOutsideOfASwitchIsReadOver() {
    #expect(Self.dropped(Self.scene("default: show(userActivity.webpageURL)")).isEmpty)
    #expect(Self.dropped(Self.scene("[1]; default: break; show(userActivity.webpageURL)")).isEmpty)
    let text = "[self note]; switch (kind) default: [self show:userActivity.webpageURL];"
    #expect(Self.dropped(Self.objectiveC(text), .objectiveC).isEmpty)
    #expect(
      Self.dropped(Self.objectiveC("default: [self show:userActivity.webpageURL];"), .objectiveC).isEmpty)
  }
}
