import Foundation
import LinkspanCore
import LinkspanServer
import TestSupport
import Testing

@testable import LinkspanDaemon

/// The state belongs to the user that serves, and `rollback` runs as root: nothing but a whole publication of the host is served.
@Suite struct HostileStateTests {
  static let path = "/.well-known/apple-app-site-association"
  let good = PublicationChecksTests.good
  var old: String { good.replacing("/a", with: "/old") }
  let folder: ScratchFolder

  /// Two publications of example.com, the newer of which lies in the folder.
  init() throws {
    folder = try ScratchFolder()
    for text in [old, good] { try publish(text) }
  }

  private func publish(_ text: String) throws {
    try folder.write(text, to: "site/example.com\(Self.path)")
    let site = AssociationSite(host: "example.com", associationFile: Array(text.utf8))
    try PublicationHistory(state: folder.path("state")).add(site, at: WallTime(milliseconds: 0))
  }

  private struct Outcome {
    /// What is said of publications that are left out.
    var damage: [String] = []
    var error: LinkspanError?
    /// What would be served.
    var file: String?
  }

  private func rollBack(to number: Int? = nil) -> Outcome {
    var outcome = Outcome()
    do throws(LinkspanError) {
      let rollback = try Rollback(
        of: "example.com", state: folder.path("state"), wantsAssociationFiles: true
      ) { outcome.damage.append($0) }
      outcome.file = try rollback.chosen(number).site.associationFile.map {
        String(decoding: $0, as: UTF8.self)
      }
    } catch {
      outcome.error = error
    }
    return outcome
  }

  private func plant(_ text: String, _ members: (String) -> String = { $0 }) throws {
    let home = "state/publications/example.com/00000003"
    try folder.write(text, to: "\(home)/apple-app-site-association")
    let record =
      #"{"type":"publication","host":"example.com","number":3,"published_at":"2026-01-01T00:00:00Z","#
      + #""serves_root":false,"file":"\#(folder.path("elsewhere/planted"))","#
      + #""sha256":"\#(SHA256.hexDigest(of: Array(text.utf8)))"}"#
    try folder.write(members(record), to: "\(home)/publication.json")
  }

  @Test func theStateDoesNotSayWhereToWrite() throws {
    try folder.write("untouched", to: "elsewhere/planted")
    try plant(old.replacing("/old", with: "/planted"))
    #expect(rollBack(to: 3).file?.contains("/planted") == true)
    #expect(try folder.text("elsewhere/planted") == "untouched")
  }

  @Test func whatIsNoAssociationFileIsNotPutBack() throws {
    try plant("* * * * * root sh /tmp/x\n")
    let outcome = rollBack(to: 3)
    #expect(outcome.error?.message == "there is no publication 3 of 'example.com'.")
    #expect(outcome.damage.first?.hasPrefix("publication 3 of 'example.com' is left out: ") == true)
    #expect(outcome.damage.first?.hasSuffix("is not an association file.") == true)
    #expect(outcome.file == nil)
  }

  @Test(arguments: [
    (#""host":"example.com""#, #""host":"other.example""#), (#""number":3"#, #""number":4"#),
    (#""published_at":"2026"#, #""published_at":"\u001b[2J"#),
  ])
  func aRecordThatDoesNotFitIsLeftOut(true good: String, planted: String) throws {
    try plant(old) { $0.replacing(good, with: planted) }
    let outcome = rollBack(to: 3)
    #expect(outcome.error?.message == "there is no publication 3 of 'example.com'.")
    let damage = outcome.damage.joined()
    #expect(damage.contains("00000003/publication.json' is not what was stored there."))
    #expect(!damage.contains("\u{1B}"))
  }

  @Test(arguments: [
    "state/publications/example.com/00000001/apple-app-site-association",
    "state/publications/example.com/00000001/publication.json",
    "state/publications/example.com/00000001",
  ])
  func aLinkInTheStateIsNotFollowed(place: String) throws {
    try FileManager.default.moveItem(atPath: folder.path(place), toPath: folder.path("moved"))
    try folder.link(place, to: folder.path("moved"))
    let outcome = rollBack(to: 1)
    #expect(outcome.error != nil)
    #expect(outcome.damage.first?.hasPrefix("publication 1 of 'example.com' is left out: ") == true)
    #expect(outcome.file == nil)
  }

  @Test func aFIFOInTheStateHoldsNothingUp() throws {
    let place = folder.path("state/publications/example.com/00000001/publication.json")
    try FileManager.default.removeItem(atPath: place)
    #expect(mkfifo(place, 0o644) == 0)
    #expect(rollBack().damage.joined().contains("is a link or not a regular file, so it is not read."))
  }

  /// Published by hand, or by a rollback of the only other one: what was live before the newest is B.
  @Test func afterABAndAgainARollbackGoesBackToB() throws {
    try publish(old)
    let list = try PublicationHistory(state: folder.path("state"))
      .entries(of: "example.com", wantsAssociationFiles: true) { _ in }
    #expect(list.map(\.number) == [3, 2, 1] && list[0].digest == list[2].digest)
    #expect(rollBack().file == good)
  }

  @Test func theOnlyPublicationIsTheOldest() throws {
    try FileManager.default.removeItem(atPath: folder.path("state"))
    try publish(good)
    let message = try #require(rollBack().error).message
    #expect(message.contains("is its oldest publication (number 1)"), "\(message)")
  }
}
