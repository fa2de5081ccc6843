import LinkspanCore
import LinkspanServer
import Testing

@Suite struct PublisherTests {
  func file(_ pattern: String) -> [UInt8] {
    Array(
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.a"],"components":[{"/":"\#(pattern)"}]}]}}"#
        .utf8)
  }

  func candidate(_ host: String?, _ bytes: [UInt8]) -> PublicationCandidate {
    PublicationCandidate(AssociationSite(host: host, associationFile: bytes), associationFileName: "file")
  }

  @Test func aGoodHostIsPublishedAndThenUnchanged() {
    var publisher = Publisher()
    let candidates = [candidate("a.example", file("/a/*")), candidate(nil, file("/b/*"))]
    #expect(publisher.propose(candidates).map(\.kind) == [.published, .published])
    #expect(publisher.propose(candidates).map(\.kind) == [.unchanged, .unchanged])
    #expect(publisher.sites.map(\.host) == ["a.example", nil])
  }

  @Test func aChangeNamesTheRulesThatDiffer() {
    var publisher = Publisher()
    _ = publisher.propose([candidate("a.example", file("/a/*"))])
    let outcome = publisher.propose([candidate("a.example", file("/c/*"))])[0]
    #expect(outcome.kind == .changed)
    #expect(
      outcome.differences == [
        #"ABCDE12345.com.example.a has the new rule {"/":"/c/*"}"#,
        #"ABCDE12345.com.example.a lacks the old rule {"/":"/a/*"}"#,
      ])
  }

  @Test func aFileWithErrorsLeavesTheOldOneLive() {
    var publisher = Publisher()
    _ = publisher.propose([candidate("a.example", file("/a/*")), candidate("b.example", file("/a/*"))])
    let outcomes = publisher.propose([
      candidate("a.example", Array("{".utf8)), candidate("b.example", file("/b/*")),
    ])
    #expect(outcomes.map(\.kind) == [.refused, .changed])
    #expect(outcomes[0].isServed)
    #expect(!outcomes[0].errors.isEmpty)
    #expect(publisher.sites.map(\.associationFile) == [file("/a/*"), file("/b/*")])
    #expect(publisher.refused.map(\.host) == ["a.example"])
  }

  @Test func aMendedFileEndsTheRefusal() {
    var publisher = Publisher()
    _ = publisher.propose([candidate("a.example", file("/a/*"))])
    _ = publisher.propose([candidate("a.example", Array("{".utf8))])
    let outcome = publisher.propose([candidate("a.example", file("/a/*"))])[0]
    #expect(outcome.kind == .unchanged)
    #expect(outcome.endsRefusal)
    #expect(publisher.refused.isEmpty)
  }

  @Test func errorsAreAcceptedOnlyWhenTold() {
    var publisher = Publisher(acceptsErrors: true)
    let outcome = publisher.propose([candidate("a.example", Array("{".utf8))])[0]
    #expect(outcome.kind == .published)
    #expect(!outcome.errors.isEmpty)
  }

  @Test func aHostWithoutFilesIsWithdrawn() {
    var publisher = Publisher()
    _ = publisher.propose([candidate("a.example", file("/a/*")), candidate("b.example", file("/a/*"))])
    let outcomes = publisher.propose([candidate("b.example", file("/a/*"))])
    #expect(outcomes.map(\.kind) == [.unchanged, .withdrawn])
    #expect(outcomes.map(\.host) == ["b.example", "a.example"])
    #expect(publisher.sites.map(\.host) == ["b.example"])
  }

  @Test func nothingAtAllWithdrawsNothing() {
    var publisher = Publisher()
    _ = publisher.propose([candidate("a.example", file("/a/*"))])
    #expect(publisher.propose([]).isEmpty)
    #expect(publisher.sites.map(\.host) == ["a.example"])
  }

  @Test func aRestoredSiteIsLiveUntilTheFolderSaysOtherwise() {
    var publisher = Publisher()
    publisher.restore(AssociationSite(host: "a.example", associationFile: file("/a/*")))
    #expect(publisher.propose([candidate("a.example", Array("{".utf8))])[0].isServed)
    #expect(publisher.sites.map(\.associationFile) == [file("/a/*")])
  }

  @Test func anUnreadableFileIsRefusedWithItsReason() {
    var publisher = Publisher()
    var broken = candidate("a.example", file("/a/*"))
    broken.problem = "it cannot be read"
    let outcome = publisher.propose([broken])[0]
    #expect(outcome.kind == .refused)
    #expect(outcome.problem == "it cannot be read")
  }

  @Test func aStatementListWithErrorsIsRefusedLikeAnAssociationFile() {
    var publisher = Publisher()
    var with = candidate("a.example", file("/a/*"))
    with.site.assetLinks = Array("{".utf8)
    with.assetLinksName = "sites/a.example/.well-known/assetlinks.json"
    let outcome = publisher.propose([with])[0]
    #expect(outcome.kind == .refused)
    #expect(outcome.errors.first?.text().hasPrefix("sites/a.example/.well-known/assetlinks.json:1:1") == true)
  }
}
