import LinkspanCore
import LinkspanServer
import TestSupport
import Testing

@testable import LinkspanDaemon

/// Which publication each `rollback` goes back to, one after the other.
@Suite struct RollbackWalkTests {
  static let path = "site/example.com/.well-known/apple-app-site-association"
  let folder: ScratchFolder
  let history: PublicationHistory

  init() throws {
    folder = try ScratchFolder()
    history = PublicationHistory(state: folder.path("state"), count: 30)
  }

  private static func file(_ letter: Character) -> String {
    PublicationChecksTests.good.replacing("/a", with: "/\(letter)")
  }

  /// What a person publishes, and what `serve` does then.
  private func publish(_ letters: String) throws {
    for letter in letters {
      try folder.write(Self.file(letter), to: Self.path)
      try serve()
    }
  }

  /// `serve` notices what lies there.
  private func serve() throws {
    let site = AssociationSite(host: "example.com", associationFile: Array(try folder.text(Self.path).utf8))
    try history.add(site, at: WallTime(milliseconds: 0))
  }

  private func rollBack() throws -> String {
    do throws(LinkspanError) {
      let rollback = try Rollback(
        of: "example.com", state: folder.path("state"), wantsAssociationFiles: true
      ) { Issue.record("\($0)") }
      let place = try RollbackPlace("example.com", in: [folder.path("site")], bareHost: nil)
      _ = try rollback.putBack(nil, in: place)
    } catch {
      return "!"
    }
    let text = try folder.text(Self.path)
    return String(try #require("abcdx".first { Self.file($0) == text }))
  }

  /// A file that was never served is in no publication, so nothing else could bring it back.
  @Test func whatWasNeverPublishedIsKept() throws {
    try publish("ab")
    try folder.write("mine", to: Self.path)
    #expect(try rollBack() == "b")
    #expect(try folder.text(Self.path + ".orig") == "mine")
    try folder.write("mine too", to: Self.path)
    #expect(try rollBack() == "b")
    #expect(try folder.text(Self.path + ".orig") == "mine")
    #expect(try folder.text(Self.path + ".orig.2") == "mine too")
  }

  @Test(arguments: [
    // By hand back to the first, then rollbacks: each goes back one publication further.
    ("aba", "ba!"), ("xaba", "bax!"), ("abab", "aba!"), ("abc", "ba!"), ("aab", "a!"), ("a", "!"),
  ])
  func eachGoesBackOneFurther(published: String, walk: String) throws {
    try publish(published)
    var walked = ""
    for _ in walk {
      walked += try rollBack()
      if walked.last != "!" { try serve() }
    }
    #expect(walked == walk)
  }

  /// `serve` may be down, or may not have looked yet.
  @Test(arguments: [("aba", "ba!"), ("xaba", "bax!"), ("abc", "ba!")])
  func soDoRollbacksThatAreNotPublishedInBetween(published: String, walk: String) throws {
    try publish(published)
    var walked = ""
    for _ in walk { walked += try rollBack() }
    #expect(walked == walk)
  }

  /// What is published after a rollback follows on what was rolled back to.
  @Test func aPublicationAfterARollbackGoesBackToIt() throws {
    try publish("abc")
    #expect(try rollBack() == "b")
    try serve()
    try publish("d")
    var walked = ""
    for _ in 0..<3 {
      walked += try rollBack()
      if walked.last != "!" { try serve() }
    }
    #expect(walked == "ba!")
  }

  /// A file that a person put there between rollback and publication is theirs.
  @Test func aMarkCountsForTheContentItNamesOnly() throws {
    try publish("ab")
    #expect(try rollBack() == "a")
    try publish("c")
    #expect(try rollBack() == "b")
  }

  /// The publications of a state folder from before there were marks: a content that comes again was rolled back to.
  @Test func publicationsWithoutAMarkAreReadAsBefore() throws {
    try publish("xab")
    try serve()
    try removeOrigins(of: 1...4)
    #expect(try rollBack() == "a")
    try serve()
    #expect(try rollBack() == "x")
  }

  /// Where the oldest content came again, nothing says whether it was rolled back to, and what was before it counts.
  @Test(arguments: [("aba", "b"), ("abca", "c"), ("a", "!"), ("aa", "!")])
  func theOldestPublicationWithoutAMarkGoesBackToWhatWasBeforeIt(published: String, back: String) throws {
    try publish(published)
    try removeOrigins(of: 1...published.count)
    #expect(try String(rollBack()) == back)
  }

  /// Makes the records of publications as they were before there were marks.
  private func removeOrigins(of numbers: ClosedRange<Int>) throws {
    for number in numbers {
      let name = "state/publications/example.com/0000000\(number)/publication.json"
      let text = try folder.text(name).replacing(#","rolled_back_to":null"#, with: "")
      #expect(!text.contains("rolled_back_to"))
      try folder.write(text, to: name)
    }
  }

  /// The state is its owner's: whatever lies in the mark's place, nothing but a publication of the host is put back.
  @Test(arguments: [
    "", "{", "{\"number\":99,\"sha256\":\"\"}", "{\"number\":-1}", "[]", "{\"number\":\"1\",\"sha256\":7}",
    String(repeating: "[", count: 100_000),
  ])
  func aMarkThatSaysNothingIsNone(text: String) throws {
    try publish("abc")
    try folder.write(text, to: "state/publications/example.com/.rolled-back")
    #expect(try rollBack() == "b")
    try folder.write(text, to: "state/publications/example.com/.rolled-back")
    try serve()
    // Without its mark the rollback is a publication like any other.
    #expect(try rollBack() == "c")
  }

  @Test func aLinkInTheMarksPlaceIsNotFollowed() throws {
    try publish("abc")
    try folder.write("untouched", to: "elsewhere")
    try folder.link("state/publications/example.com/.rolled-back", to: folder.path("elsewhere"))
    #expect(try rollBack() == "b")
    #expect(try folder.text("elsewhere") == "untouched")
    try serve()
    #expect(try folder.text("elsewhere") == "untouched")
  }
}
