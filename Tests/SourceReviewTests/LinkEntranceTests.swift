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

  /// What counts visits or writes a log takes no link: the rest of the links is dropped all the same.
  @Test(arguments: [
    ("Analytics.trackLink(url)", 1), ("tracker.track(\"link\", [\"url\": url])", 1), ("os_log(url)", 1),
    ("LXRecordOpenURL(url)", 1), ("auth.logIn(with: url)", 0), ("player.showTrack(url)", 0),
    ("printAndOpen(url)", 0), ("router.show(url)", 0),
  ])
  func aLinkThatIsLoggedIsNotTaken(call: String, count: Int) {
    let body = "let url = userActivity.webpageURL!\n\(call)\nif url.path == \"/shop\" { showShop() }"
    #expect(Self.dropped(Self.scene(body)).count == count)
  }
}
