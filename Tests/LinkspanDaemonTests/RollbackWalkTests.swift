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
    let entry: PublicationHistory.Entry
    do throws(LinkspanError) {
      let rollback = try Rollback(
        of: "example.com", state: folder.path("state"), wantsAssociationFiles: true
      ) { Issue.record("\($0)") }
      entry = try rollback.chosen(nil)
      try history.add(entry.site, at: WallTime(milliseconds: 0), rolledBackTo: entry.number)
    } catch {
      return "!"
    }
    let text = String(decoding: entry.site.associationFile ?? [], as: UTF8.self)
    return String(try #require("abcdx".first { Self.file($0) == text }))
  }

  @Test(arguments: [
    // By hand back to the first, then rollbacks: each goes back one publication further.
    ("aba", "ba!"), ("xaba", "bax!"), ("abab", "aba!"), ("abc", "ba!"), ("aab", "a!"), ("a", "!"),
  ])
  func eachGoesBackOneFurther(published: String, walk: String) throws {
    try publish(published)
    var walked = ""
    for _ in walk { walked += try rollBack() }
    #expect(walked == walk)
  }

  /// A publication that changed nothing but `assetlinks.json` is one to go back from, and to.
  @Test func goesBackFromAChangeOfTheOtherFileAlone() throws {
    func add(_ letter: Character, links: String?) throws {
      let site = AssociationSite(
        host: "example.com", associationFile: Array(Self.file(letter).utf8),
        assetLinks: links.map { Array($0.utf8) })
      try history.add(site, at: WallTime(milliseconds: 0))
    }
    try add("a", links: nil)
    try add("b", links: nil)
    try add("b", links: "[]")
    func previous() throws -> AssociationSite {
      try Rollback(of: "example.com", in: history, wantsAssociationFiles: true) { Issue.record("\($0)") }
        .chosen(nil).site
    }
    let first = try previous()
    #expect(first.assetLinks == nil)
    #expect(first.associationFile == Array(Self.file("b").utf8))
    try history.add(first, at: WallTime(milliseconds: 0), rolledBackTo: 2)
    #expect(try previous().associationFile == Array(Self.file("a").utf8))
  }

  /// What is published after a rollback follows on what was rolled back to.
  @Test func aPublicationAfterARollbackGoesBackToIt() throws {
    try publish("abc")
    #expect(try rollBack() == "b")
    try publish("d")
    var walked = ""
    for _ in 0..<3 { walked += try rollBack() }
    #expect(walked == "ba!")
  }

  /// The publications of a state folder from before there were marks: a content that comes again was rolled back to.
  @Test func publicationsWithoutAMarkAreReadAsBefore() throws {
    try publish("xab")
    try serve()
    try removeOrigins(of: 1...4)
    #expect(try rollBack() == "a")
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
}
