import Foundation
import LinkspanCore
import LinkspanServer
import TestSupport
import Testing

@testable import LinkspanDaemon
@testable import LinkspanFiles
@testable import ServiceConfiguration

/// What is published follows the configuration file as it is now.
@Suite struct ConfigurationReloadTests {
  static let path = HostileStateTests.path
  let good = PublicationChecksTests.good
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    try folder.write(good, to: "one/example.com\(Self.path)")
    try folder.write(good, to: "two/www.example.com\(Self.path)")
  }

  private func configure(_ members: String) throws {
    try folder.write("{ \(members) }", to: "linkspan.json5")
  }

  private func started(_ members: String = "sites: 'one'") throws -> PublicationManager {
    try configure(members)
    var options = ServeOptions()
    options.configuration = folder.path("linkspan.json5")
    let log = ServerLog(.info, stampsLines: false) { _ in }
    let manager = try PublicationManager(try ServeSettings(options), log)
    #expect(try published(by: manager) == [.published])
    return manager
  }

  private func published(by manager: PublicationManager) throws -> [PublicationOutcome.Kind] {
    (try manager.publish() + manager.allOutcomes()).map(\.kind).filter { $0 != .unchanged }
  }

  private func reloaded(_ manager: PublicationManager) throws -> [PublicationOutcome.Kind] {
    _ = try manager.readSettings(since: manager.settings)
    return try published(by: manager)
  }

  @Test func aFolderThatIsAddedIsServed() throws {
    let manager = try started()
    try configure("sites: ['one', 'two']")
    #expect(try reloaded(manager) == [.published])
    #expect(manager.served.compactMap(\.host).sorted() == ["example.com", "www.example.com"])
  }

  @Test func aFolderThatIsTakenAwayIsServedNoMore() throws {
    let manager = try started()
    try configure("sites: 'two'")
    #expect(Set(try reloaded(manager)) == [.published, .withdrawn])
    #expect(manager.served.map(\.host) == ["www.example.com"])
  }

  /// No folder is as much a mistake as one without files: somebody says which.
  @Test(arguments: ["", "sites: [], "]) func withoutSitesWhatWasServedStays(sites: String) throws {
    let registry = "server: { registry: 'sqlite:registry.db' }"
    let manager = try started("sites: 'one', \(registry)")
    try configure(sites + registry)
    #expect(try reloaded(manager) == [.removalHeld])
    #expect(manager.served.map(\.host) == ["example.com"] && manager.problem == nil)
    #expect(manager.heldRemovals?.contains("linkspan publish --remove example.com") == true)
    #expect(manager.hasFiles)
    let order = PublicationOrders.Item(work: .order(.remove(hosts: ["example.com"])), actor: "operator") {
      _ in
    }
    _ = manager.perform(order, at: CurrentTime.now)
    #expect(manager.served.isEmpty && manager.heldRemovals == nil && !manager.hasFiles)
    try configure("sites: 'one', \(registry)")
    #expect(try reloaded(manager) == [.published])
    // A folder without files is rather a mistake than meant: somebody says which.
    try configure("sites: 'none', \(registry)")
    try folder.write("", to: "none/README")
    #expect(try reloaded(manager) == [.removalHeld])
    #expect(manager.served.map(\.host) == ["example.com"])
    #expect(manager.heldRemovals?.contains("linkspan publish --remove example.com") == true)
  }

  @Test func ofTwoFoldersOfAHostTheFirstIsServedAndTheOtherTold() throws {
    try folder.write(good + "\n", to: "two/Example.COM\(Self.path)")
    let manager = try started()
    #expect(manager.repetition == nil)
    try configure("sites: ['two', 'one']")
    #expect(Set(try reloaded(manager)) == [.changed, .published])
    let text = try #require(manager.repetition)
    #expect(text.hasPrefix("example.com has files in 2 places: those in '"), "\(text)")
    #expect(text.contains("two/Example.COM' are served, and '"), "\(text)")
    #expect(
      text.hasSuffix("one/example.com' is ignored. Name one of them, or remove the others."), "\(text)")
    #expect(manager.served.first { $0.host == "example.com" }?.associationFile == Array((good + "\n").utf8))
    try FileManager.default.removeItem(atPath: folder.path("two/Example.COM"))
    #expect(try reloaded(manager) == [.changed])
    #expect(manager.repetition == nil)
  }

  @Test func whatIsAcceptedNowIsPublished() throws {
    let manager = try started()
    try folder.write("{}\n!", to: "one/example.com\(Self.path)")
    #expect(try reloaded(manager) == [.refused])
    #expect(manager.refused.map(\.host) == ["example.com"])
    try configure("sites: 'one', server: { accept_errors: true }")
    #expect(try reloaded(manager) == [.changed])
    #expect(manager.refused.isEmpty)
  }

  @Test func keysRequiringARestartAreNamedOnce() throws {
    let manager = try started()
    let began = manager.settings
    try configure("sites: 'one', server: { max_connections: 7, drain_seconds: 3 }")
    #expect(try manager.readSettings(since: began))
    #expect(manager.keysRequiringRestart == ["max_connections", "drain_seconds"])
    #expect(try !manager.readSettings(since: began))
    try configure("sites: 'one'")
    #expect(try manager.readSettings(since: began))
    #expect(manager.keysRequiringRestart.isEmpty)
  }

  @Test func aMistakeLeavesEverythingAsItWasUntilItIsMended() throws {
    let manager = try started()
    try configure("sites: 'one', sirver: {}")
    #expect(throws: LinkspanError.self) { try reloaded(manager) }
    #expect(manager.problem?.contains("linkspan.json5:1:17: error") == true)
    #expect(manager.served.map(\.host) == ["example.com"])
    try configure("sites: 'one'")
    #expect(try reloaded(manager).isEmpty)
    #expect(manager.problem == nil)
  }

  /// An option goes before the file, and contradicts it with its own name.
  @Test func anOptionThatWouldDoNothingIsRefused() throws {
    try configure("sites: 'one', server: { plain: true }")
    var options = ServeOptions()
    options.configuration = folder.path("linkspan.json5")
    options.writeCertificate = OutputFile("ca.pem", .common)
    let error = try #require(throws: LinkspanError.self) { try ServeSettings(options) }
    #expect(error.kind == .usage)
    #expect(
      error.message == "'--write-certificate' does not go with 'plain', which serves without TLS"
        + " (\(folder.path("linkspan.json5")):1:27).")
  }

  static let contradictions: [(server: String, words: String)] = [
    ("legacy_topic: 'com.example.app'", "'legacy_environment': expected 'production' or 'sandbox'"),
    ("legacy_open: true", "the routes of 2013 need 'legacy_topic', the app's bundle identifier"),
    (
      "legacy_topic: '', legacy_environment: 'production'", "'legacy_topic': '' is not a bundle identifier"
    ),
    ("auth_key: 'key.p8'", "'auth_key' needs 'auth_key_id' and 'team_id', too"),
    ("apns: 'https://127.0.0.1:1'", "'apns' needs 'auth_key', 'auth_key_id' and 'team_id'"),
    ("bucket_credentials: 'keys'", "'bucket_credentials' needs 'journal_export'"),
    (
      "journal_export: 'folder', bucket_credentials: 'keys'", "'bucket_credentials' needs the URL of a bucket"
    ),
    ("journal_export: 'https://a.example/b'", "the URL of a bucket needs 'bucket_credentials'"),
    ("console: '127.0.0.1:0'", "'console' needs 'state', where its users and the publications are kept"),
    ("watch_cdn: true", "'watch_cdn' needs 'console', which says what the CDN has"),
    ("listen: 'nowhere'", "'listen'"), ("admin: 'nowhere'", "'admin'"), ("console_cdn: 'x'", "'console_cdn'"),
    (
      "auth_key: 'key.p8', auth_key_id: 'A1B2C3D4E5', team_id: 'F6G7H8I9J0', apns: 'x'", "'apns'"
    ),
  ]

  /// An error names what the person wrote: the file's key, or the flag that was given.
  @Test(arguments: contradictions.indices)
  func anErrorNamesTheKeyOfTheFile(_ index: Int) throws {
    let row = Self.contradictions[index]
    try configure("server: { registry: 'sqlite:registry.db', plain: true, \(row.server) }")
    var options = ServeOptions()
    options.configuration = folder.path("linkspan.json5")
    let error = try #require(throws: LinkspanError.self) { try ServeSettings(options) }
    #expect(
      error.message.contains(row.words) && !error.message.contains("--"), "\(error)")
    #expect(error.message.contains(folder.path("linkspan.json5")), "\(error)")
  }

  /// The mistake is in one line of the file, which the log and `/readyz` name after SIGHUP.
  @Test func whatOnlyTheWholeFileShowsHasAPlace() throws {
    let manager = try started()
    let first = "auth_key: 'a.p8', auth_key_id: 'A1B2C3D4E5', team_id: 'F6G7H8I9J0'"
    func other(_ identifier: String) -> String {
      "{ topics: ['com.example.b'], auth_key: 'b.p8', auth_key_id: '\(identifier)', team_id: 'F6G7H8I9J0' }"
    }
    let path = folder.path("linkspan.json5")
    for (server, message) in [
      (
        "\(first),\n auth_keys: [\(other("B1B2C3D4E5")),\n  \(other("C1B2C3D4E5"))]",
        "two keys are for com.example.b in production, B1B2C3D4E5 and C1B2C3D4E5; APNs takes one key for a topic at"
          + " a time (\(path):4:3)."
      ),
      (
        "\(first),\n auth_keys: [\(other("A1B2C3D4E5"))]",
        "the key A1B2C3D4E5 is given twice for production; give it once, with all its topics (\(path):3:14)."
      ),
      (
        "\n\n  apns: 'https://127.0.0.1:1'",
        "'apns' needs 'auth_key', 'auth_key_id' and 'team_id' (\(path):4:3)."
      ),
      ("legacy_open: true", "the routes of 2013 need 'legacy_topic', the app's bundle identifier (\(path))."),
    ] {
      try configure("sites: 'one', server: {\n registry: 'sqlite:registry.db', \(server) }")
      let error = try #require(throws: LinkspanError.self) { try reloaded(manager) }
      #expect(error.message == message)
      #expect(manager.problem?.contains(message) == true, "\(manager.problem ?? "")")
    }
  }

  @Test func aFlagThatWasGivenKeepsItsName() throws {
    try configure("server: { registry: 'sqlite:registry.db', plain: true }")
    var options = ServeOptions()
    options.configuration = folder.path("linkspan.json5")
    (options.apnsRetrySeconds, options.flags) = (5, ["--apns-retry"])
    let error = try #require(throws: LinkspanError.self) { try ServeSettings(options) }
    #expect(error.message == "'--apns-retry' needs 'auth_key', 'auth_key_id' and 'team_id'.")
    options = ServeOptions()
    options.campaignJournalDays = 3
    let days = try #require(throws: LinkspanError.self) { try ServeSettings(options) }
    #expect(days.message == "'--campaign-journal-days' needs '--registry', where the journal is kept.")
  }

  // MARK: - Symbolic links

  @Test func aFileBehindALinkIsNoticed() throws {
    try folder.write(good, to: "elsewhere/file")
    try folder.write("", to: "site/example.com/.well-known/README")
    try folder.link("site/example.com\(Self.path)", to: "../../../elsewhere/file")
    let watch = try FolderWatch(sites: [folder.path("site")], linkRoots: [folder.path("elsewhere")])
    #expect(!watch.take())
    try folder.write(good.replacing("/a", with: "/b"), to: "elsewhere/file")
    #expect(watch.take())
  }

  @Test func aLinkAboveTheFolderThatIsTurnedIsNoticed() throws {
    for release in ["1", "2"] {
      try folder.write(good, to: "releases/\(release)/sites/example.com\(Self.path)")
    }
    try folder.link("current", to: "releases/1")
    let watch = try FolderWatch(sites: [folder.path("current/sites")])
    try folder.link("next", to: "releases/2")
    #expect(!watch.take())
    #expect(rename(folder.path("next"), folder.path("current")) == 0)
    #expect(watch.take())
  }

  @Test func aReleaseThatALinkOfAHostLeadsToIsNoticedWhenItIsSwitched() throws {
    for release in ["1", "2"] { try folder.write(good, to: "releases/\(release)/example.com\(Self.path)") }
    try folder.link("releases/current", to: "1")
    try folder.write("", to: "site/README")
    try folder.link("site/example.com", to: folder.path("releases/current/example.com"))
    let watch = try FolderWatch(sites: [folder.path("site")], linkRoots: [folder.path("releases")])
    #expect(!watch.take())
    try folder.link("releases/next", to: "2")
    #expect(rename(folder.path("releases/next"), folder.path("releases/current")) == 0)
    #expect(watch.take())
  }

  /// What would not be read is not looked at either.
  @Test func aFileBehindALinkThatIsNotFollowedIsNoNews() throws {
    try folder.write(good, to: "elsewhere/file")
    try folder.write("", to: "site/example.com/.well-known/README")
    try folder.link("site/example.com\(Self.path)", to: "../../../elsewhere/file")
    let watch = try FolderWatch(sites: [folder.path("site")])
    try folder.write(good.replacing("/a", with: "/b"), to: "elsewhere/other")
    #expect(!watch.take())
  }

  /// Sites and a configuration in one folder: nothing else in it is news.
  @Test func othersInTheFolderOfTwoRootsAreNoNews() throws {
    try folder.write("{}", to: "linkspan.json5")
    let watch = try FolderWatch(sites: [folder.path("one")], files: [folder.path("linkspan.json5")])
    try folder.write("{}", to: "other.txt")
    #expect(rename(folder.path("other.txt"), folder.path("another.txt")) == 0)
    #expect(!watch.take())
    try folder.write("{ }", to: "linkspan.json5")
    #expect(watch.take())
  }

  /// What a folder said before it was left may have been about a file that is still read.
  @Test func whatWasSaidOfAFolderThatIsLeftIsNews() throws {
    let watch = try FolderWatch(sites: [folder.path("one")])
    try folder.write(good.replacing("/a", with: "/b"), to: "one/example.com\(Self.path)")
    var options = ServeOptions()
    options.sites = [folder.path("two")]
    try watch.watch(ServeSettings(options))
    #expect(watch.take())
    #expect(!watch.take())
    try folder.write(good.replacing("/a", with: "/c"), to: "one/example.com\(Self.path)")
    #expect(!watch.take())
    try folder.write(good.replacing("/a", with: "/b"), to: "two/www.example.com\(Self.path)")
    #expect(watch.take())
  }

  // MARK: - Files that are gone for a moment

  /// `git checkout` and others remove a file before they write the one that replaces it.
  @Test func aFileThatIsGoneForAMomentIsToldFromOneThatChanged() throws {
    let file = "site/example.com\(Self.path)"
    try folder.write(good, to: file)
    let watch = try FolderWatch(sites: [folder.path("site")])
    #expect(unlink(folder.path(file)) == 0)
    #expect(watch.take() && watch.hasAbsence)
    try folder.write(good, to: file)
    #expect(watch.take() && !watch.hasAbsence)
    #expect(unlink(folder.path(file)) == 0)
    try folder.write(good.replacing("/a", with: "/b"), to: file)
    #expect(watch.take() && !watch.hasAbsence)
  }

  @Test func filesThatAreGoneHaveLongerToComeBack() {
    var quiet = ServeControl.Quiet()
    #expect(quiet.timeout(now: 0) == -1)
    quiet.note(now: 1000, isAbsence: true)
    #expect(quiet.timeout(now: 1000) == 200 && !quiet.isOver(now: 1199) && quiet.isOver(now: 1200))
    quiet.note(now: 1100, isAbsence: false)
    #expect(quiet.timeout(now: 1100) == 10 && quiet.isOver(now: 1110))
    // Folders that are never quiet are read all the same.
    for time in stride(from: Int64(1200), through: 1450, by: 50) { quiet.note(now: time, isAbsence: true) }
    #expect(!quiet.isOver(now: 1499) && quiet.isOver(now: 1500))
  }
}
