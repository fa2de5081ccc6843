import AppSiteAssociation
import AssetLinks
import LinkspanCore
import Testing

@testable import LinkspanServer

@Suite struct PublisherTests {
  static let now = WallTime("2026-09-14T08:00:00Z")!

  func file(_ pattern: String) -> [UInt8] {
    Array(
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.a"],"components":[{"/":"\#(pattern)"}]}]}}"#
        .utf8)
  }

  func candidate(_ host: String?, _ bytes: [UInt8]) -> PublicationCandidate {
    PublicationCandidate(AssociationSite(host: host, associationFile: bytes), associationFileName: "file")
  }

  /// What Apple's systems and Google's take at most is looked at, and a byte more is not.
  @Test func aFileOfTheLargestSizeIsLookedAt() {
    func excess(_ file: Int?, _ links: Int?) -> String? {
      func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
      return PublicationCandidate(
        AssociationSite(host: "a.example", associationFile: file.map(zeros), assetLinks: links.map(zeros))
      ).excess
    }
    let (file, links) = (AssociationLocation.maximumFileBytes, StatementSource.sizeLimitBytes)
    #expect(excess(file, links) == nil && excess(nil, nil) == nil)
    #expect(excess(file + 1, links)?.contains("the association file") == true)
    #expect(excess(file, links + 1)?.contains("assetlinks.json") == true)
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
        #"ABCDE12345.com.example.a no longer has the rule {"/":"/a/*"}"#,
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

  /// As another server was told about a host that this one never had.
  @Test func aDecisionPublishesAHostThatWasNotServed() {
    var publisher = Publisher()
    func stand(_ path: String) -> PublicationOutcome.Kind {
      let site = candidate("a.example", file(path)).site
      return publisher.stand(
        Standing(.published, site, replaced: [nil], actor: "ci", since: WallTime(milliseconds: 0))
      ).kind
    }
    #expect([stand("/a/*"), stand("/a/*"), stand("/b/*")] == [.published, .unchanged, .changed])
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

  @Test func nothingAtAllIsHeldBackHoweverFewWereServed() {
    var publisher = Publisher()
    publisher.removeAtMost = 50
    _ = publisher.propose([candidate("a.example", file("/a/*"))])
    #expect(publisher.propose([]).map(\.kind) == [.removalHeld])
    #expect(publisher.sites.map(\.host) == ["a.example"])
    #expect(publisher.propose([]).isEmpty)
    #expect(publisher.remove("a.example")?.kind == .withdrawn)
    #expect(publisher.sites.isEmpty && !publisher.hasSites)
  }

  @Test func withoutAFolderOfSitesSomebodyIsAsked() {
    var publisher = Publisher()
    publisher.restore(AssociationSite(host: "a.example", associationFile: file("/a/*")))
    _ = publisher.note([], at: Self.now)
    #expect(publisher.sites.map(\.host) == ["a.example"] && publisher.held == ["a.example"])
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
    #expect(outcome.errors.first?.text.hasPrefix("sites/a.example/.well-known/assetlinks.json:1:1") == true)
  }

  /// R4: refused before anything is parsed, and not even `accept_errors` serves it.
  @Test(arguments: [(131_072, PublicationOutcome.Kind.published), (131_073, .refused)])
  func aFileAboveTheLimitIsRefusedUnread(size: Int, kind: PublicationOutcome.Kind) {
    var publisher = Publisher(acceptsErrors: true)
    let bytes = file("/a/*")
    let padded = bytes + [UInt8](repeating: 0x20, count: size - bytes.count)
    let outcome = publisher.propose([candidate("a.example", padded)])[0]
    #expect(outcome.kind == kind)
    let problem = "'file' has 131073 bytes; at most 131072 are allowed (R4), so it was not read."
    #expect(outcome.problem == (kind == .refused ? problem : nil))
  }

  @Test func refusedFilesAreCheckedAgainOnlyWhenTheyChange() {
    var publisher = Publisher()
    let broken = candidate("a.example", Array("{".utf8))
    #expect(publisher.propose([broken]).map(\.isRepeated) == [false])
    guard case .outcome(let again)? = publisher.note([broken], at: Self.now).first else {
      Issue.record("the same bytes are checked again")
      return
    }
    #expect(again.kind == .refused && again.isRepeated && !again.errors.isEmpty)
    #expect(publisher.propose([candidate("a.example", Array("{]".utf8))]).map(\.isRepeated) == [false])
    publisher.acceptsErrors = true
    #expect(publisher.propose([candidate("a.example", Array("{]".utf8))]).map(\.kind) == [.published])
  }

  @Test func aVerdictOnFilesThatAreOtherOnesByNowIsIgnored() {
    var publisher = Publisher()
    guard
      case .check(let first)? = publisher.note([candidate("a.example", file("/a/*"))], at: Self.now).first,
      case .check(let second)? = publisher.note([candidate("a.example", file("/b/*"))], at: Self.now).first
    else {
      Issue.record("both want a check")
      return
    }
    #expect(
      publisher.note([candidate("a.example", file("/b/*"))], at: Self.now).isEmpty, "that one is under way")
    #expect(publisher.undecided == ["a.example"])
    #expect(publisher.settle(first, first.verdict(), at: Self.now)?.kind == nil)
    #expect(publisher.settle(second, second.verdict(), at: Self.now)?.kind == .published)
    #expect(publisher.sites.map(\.associationFile) == [file("/b/*")])
    #expect(publisher.undecided.isEmpty)
  }

  @Test func aHindranceIsTriedAgain() {
    var publisher = Publisher()
    guard case .check(let check)? = publisher.note([candidate("a.example", file("/a/*"))], at: Self.now).first
    else {
      Issue.record("it wants a check")
      return
    }
    #expect(publisher.settle(check, .hindered("no room"), at: Self.now)?.problem == "no room")
    #expect(publisher.propose([candidate("a.example", file("/a/*"))]).map(\.kind) == [.published])
    #expect(!publisher.isHindered)
  }

  @Test func aHindranceIsTriedAgainWithoutReading() {
    var publisher = Publisher()
    for case .check(let check) in publisher.note(
      ["a.example", "b.example"].map { candidate($0, file("/a/*")) }, at: Self.now)
    { _ = publisher.settle(check, .hindered("no room"), at: Self.now) }
    for host in ["a.example", "b.example", "a.example"] {
      guard case .check(let check)? = publisher.retry(all: false).first else {
        Issue.record("it wants a check")
        return
      }
      #expect(check.candidate.site.host == host)
      #expect(publisher.settle(check, .hindered("no room"), at: Self.now)?.isRepeated == true)
    }
    for case .check(let check) in publisher.retry(all: true) {
      #expect(publisher.settle(check, check.verdict(), at: Self.now)?.kind == .published)
    }
    #expect(publisher.sites.count == 2 && publisher.refused.isEmpty && publisher.retry(all: true).isEmpty)
  }

  @Test func aFinalDotMakesNoOtherHost() {
    var publisher = Publisher()
    publisher.restore(AssociationSite(host: "a.example", associationFile: file("/a/*")))
    #expect(publisher.site(of: "A.example.") != nil)
    #expect(publisher.site(of: ".") == nil)
  }

  /// The first host is the one that was read first, whichever check ends first.
  @Test func hostsKeepTheOrderInWhichTheyWereRead() {
    var publisher = Publisher()
    let steps = publisher.note(
      [candidate("a.example", file("/a/*")), candidate("b.example", file("/a/*"))], at: Self.now)
    for case .check(let check) in steps.reversed() {
      _ = publisher.settle(check, check.verdict(), at: Self.now)
    }
    #expect(publisher.sites.map(\.host) == ["a.example", "b.example"])
  }

  // MARK: - Many hosts that lose their folders

  private func candidates(_ numbers: Range<Int>) -> [PublicationCandidate] {
    numbers.map { candidate("h\($0).example", file("/a/*")) }
  }

  /// More than a tenth and more than five within a minute are held back.
  @Test(arguments: [
    (299, 100, true), (299, 29, false), (300, 30, false), (300, 31, true), (10, 5, false), (10, 6, true),
  ])
  func removalsAboveATenthAreHeldBack(count: Int, removed: Int, isHeld: Bool) {
    var publisher = Publisher()
    _ = publisher.propose(candidates(0..<count))
    let outcomes = publisher.propose(candidates(removed..<count)).filter { $0.kind != .unchanged }
    #expect(outcomes.count == removed)
    #expect(Set(outcomes.map(\.kind)) == [isHeld ? .removalHeld : .withdrawn])
    #expect(publisher.sites.count == (isHeld ? count : count - removed))
    #expect(publisher.held.count == (isHeld ? removed : 0))
  }

  @Test func whatWasRemovedAMomentBeforeIsServedAgain() {
    var publisher = Publisher()
    _ = publisher.propose(candidates(0..<100))
    #expect(publisher.propose(candidates(9..<100)).filter { $0.kind == .withdrawn }.count == 9)
    #expect(publisher.propose(candidates(20..<100)).filter { $0.kind == .removalHeld }.count == 20)
    #expect(publisher.sites.count == 100)
  }

  @Test func removalsOfAMinuteAgoDoNotCount() {
    var publisher = Publisher()
    _ = publisher.propose(candidates(0..<100))
    _ = publisher.propose(candidates(9..<100))
    let later = Self.now.advanced(by: .seconds(61))
    let outcomes = publisher.propose(candidates(15..<100), at: later).filter { $0.kind != .unchanged }
    #expect(Set(outcomes.map(\.kind)) == [.withdrawn])
  }

  @Test func aHeldRemovalIsConfirmedOrItsFolderComesBack() {
    var publisher = Publisher()
    _ = publisher.propose(candidates(0..<20))
    _ = publisher.propose(candidates(10..<20))
    #expect(publisher.remove("h0.example")?.kind == .withdrawn)
    #expect(publisher.remove("h15.example") == nil, "its folder is there")
    #expect(publisher.sites.count == 19)
    _ = publisher.propose(candidates(5..<20))
    #expect(publisher.held == ["h1.example", "h2.example", "h3.example", "h4.example"])
    #expect(publisher.reports.first { $0.host == "h1.example" }?.state == .removalHeld)
  }

  @Test func anOperatorSaysHowManyRemovalsAreMeant() {
    var publisher = Publisher()
    publisher.removeAtMost = 50
    _ = publisher.propose(candidates(0..<100))
    _ = publisher.propose(candidates(50..<100))
    #expect(publisher.sites.count == 50)
  }

  // MARK: - A second person

  @Test func aChangeWaitsForApproval() throws {
    var publisher = Publisher()
    publisher.needsApproval = true
    #expect(publisher.propose([candidate("a.example", file("/a/*"))]).map(\.kind) == [.published])
    #expect(publisher.propose([candidate("a.example", file("/b/*"))]).map(\.kind) == [.held])
    #expect(publisher.sites.map(\.associationFile) == [file("/a/*")])
    #expect(publisher.reports.map(\.state) == [.waiting])
    let draft = try #require(publisher.heldDraft(of: "a.example"))
    #expect(publisher.approve(draft, at: Self.now).kind == .changed)
    #expect(publisher.sites.map(\.associationFile) == [file("/b/*")])
    #expect(publisher.propose([candidate("a.example", file("/b/*"))]).map(\.kind) == [.unchanged])
  }

  // MARK: - What the API published

  @Test func whatTheAPIPublishedStandsUntilTheFolderChanges() {
    var publisher = Publisher()
    let old = [candidate("a.example", file("/a/*"))]
    _ = publisher.propose(old)
    guard
      case .check(let check)? = publisher.submit(
        PublicationCandidate("a.example", associationFile: file("/b/*"), assetLinks: nil, author: "ci"))
    else { return #expect(Bool(false)) }
    #expect(publisher.settle(check, check.verdict(), at: Self.now)?.kind == .changed)
    #expect(publisher.propose(old).map(\.kind) == [.unchanged])
    #expect(publisher.sites.map(\.associationFile) == [file("/b/*")])
    #expect(publisher.reports.map(\.state) == [.published])
    #expect(publisher.propose([candidate("a.example", file("/c/*"))]).map(\.kind) == [.changed])
  }

  /// What a client sends of one file goes with the other as it is served; one that was refused is not served, and would have
  /// the good one refused as well.
  @Test func aRefusedFileDoesNotComeBackWithTheOther() throws {
    var publisher = Publisher()
    let links = Array("[]".utf8)
    _ = publisher.propose([candidate("a.example", file("/a/*"))])
    func sent(_ file: [UInt8]?, _ links: [UInt8]?) -> PublicationOutcome.Kind? {
      switch publisher.submit(
        PublicationCandidate("a.example", associationFile: file, assetLinks: links, author: "ci"))
      {
      case .outcome(let outcome)?: outcome.kind
      case .check(let check)?: publisher.settle(check, check.verdict(), at: Self.now)?.kind
      case nil: nil
      }
    }
    #expect(sent(Array("{".utf8), nil) == .refused)
    #expect(sent(nil, links) == .changed)
    #expect(publisher.sites.map(\.associationFile) == [file("/a/*")])
    #expect(publisher.sites.map(\.assetLinks) == [links])
    // What is held may be served yet, and grows.
    publisher.needsApproval = true
    #expect(sent(file("/b/*"), nil) == .held)
    #expect(sent(nil, Array("[ ]".utf8)) == .held)
    #expect(publisher.heldDraft(of: "a.example")?.site.associationFile == file("/b/*"))
  }

  /// Its outcome is none of the folder's, whose check may go on.
  @Test(arguments: [("/a/*", 0, PublicationOutcome.Kind.unchanged), ("/b/*", 131_072, .refused)])
  func whatNeedsNoCheckIsToldAsSent(_ path: String, _ padding: Int, _ kind: PublicationOutcome.Kind) {
    var publisher = Publisher()
    _ = publisher.propose([candidate("a.example", file("/a/*"))])
    let step = publisher.submit(
      PublicationCandidate(
        "a.example", associationFile: file(path) + Array(repeating: 0x20, count: padding), assetLinks: nil,
        author: "ci"))
    guard case .outcome(let outcome)? = step else { return #expect(Bool(false)) }
    #expect(outcome.kind == kind)
    #expect(outcome.isSent)
  }
}

extension Publisher {
  /// ``note(_:)``, with each check made on the spot.
  fileprivate mutating func propose(
    _ candidates: [PublicationCandidate], at now: WallTime = PublisherTests.now
  ) -> [PublicationOutcome] {
    note(candidates, at: now).compactMap { step in
      switch step {
      case .outcome(let outcome): outcome
      case .check(let check): settle(check, check.verdict(), at: PublisherTests.now)
      }
    }
  }
}
