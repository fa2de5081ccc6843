import Foundation
import LinkspanCore
import TestSupport
import Testing

@testable import LinkspanDaemon
@testable import LinkspanFiles
@testable import SiteInput

/// The folder of one host that is named itself, as in `serve sites/alice.example`, and what its owner can make of it.
@Suite(.enabled(if: geteuid() == 0, "needs root, which can give files to another user"))
struct TenantsFolderTests {
  static let path = ".well-known/apple-app-site-association"
  static let (alice, bob): (uid_t, uid_t) = (54_321, 54_322)

  let good = PublicationChecksTests.good
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    try folder.write(good, to: "releases/bob.example/\(Self.path)")
    try folder.write("", to: "sites/alice.example/README")
    give("sites/alice.example", to: Self.alice)
  }

  private func give(_ names: String..., to user: uid_t) {
    for name in names { #expect(lchown(folder.path(name), user, user) == 0) }
  }

  private func read(_ site: String) throws -> SiteReader {
    try SiteReader(
      [folder.path(site)], host: nil, passesOverProblems: true, refusesLargeFiles: true,
      links: .serving(linkRoots: [folder.path("releases")]))
  }

  private func findRollback(of host: String, in site: String) throws {
    _ = try RollbackPlace(
      host, in: [folder.path(site)], bareHost: nil, linkRoots: [folder.path("releases")])
  }

  /// As the owner of a sites root she would be trusted with links to releases.
  @Test func anEmptyFolderOfAHostIsNoSitesRoot() throws {
    try folder.link("sites/alice.example/bob.example", to: folder.path("releases/bob.example"))
    give("sites/alice.example/bob.example", to: Self.alice)
    let reader = try read("sites/alice.example")
    #expect(reader.files.isEmpty && reader.problems.isEmpty && !reader.isWholeSite)
    #expect(reader.emptyHosts == ["alice.example"])
    #expect(throws: LinkspanError.self) { try findRollback(of: "bob.example", in: "sites/alice.example") }
    try folder.link("sites/alice.example/alice.example", to: folder.path("releases/bob.example"))
    give("sites/alice.example/alice.example", to: Self.alice)
    #expect(throws: LinkspanError.self) { try findRollback(of: "alice.example", in: "sites/alice.example") }
  }

  /// Root's, and the one of the owner of the directory above it.
  @Test(arguments: [[0, 0], [alice, alice]]) func anOperatorsSitesRootMayBeNamedLikeAHost(
    owners: [uid_t]
  ) throws {
    try folder.write(good, to: "above/sites.example/bob.example/\(Self.path)")
    give("above", to: owners[0])
    give("above/sites.example", to: owners[1])
    let reader = try read("above/sites.example")
    #expect(reader.files.map(\.host) == ["bob.example"] && reader.isWholeSite)
    try findRollback(of: "bob.example", in: "above/sites.example")
  }

  /// A hard link keeps the file when its owner removes the name that they know.
  @Test func aStrangersFileWithOneNameIsRefused() throws {
    let place = "sites/alice.example/\(Self.path)"
    try folder.write(good, to: place)
    give("sites/alice.example/.well-known", to: Self.alice)
    give(place, to: Self.bob)
    #expect(chmod(folder.path(place), 0o600) == 0)
    let problem = try #require(read("sites").problems.first)
    #expect(
      problem.message.contains("belongs to user 54322, and its directory to user 54321, who cannot read it"),
      "\(problem.message)")
    // The operator put it there.
    give("sites/alice.example/.well-known", to: 0)
    #expect(try read("sites").files.map(\.host) == ["alice.example"])
    give("sites/alice.example/.well-known", to: Self.alice)
    // The operator's.
    give(place, to: 0)
    #expect(try read("sites").files.map(\.host) == ["alice.example"])
    // What everybody may read is no secret.
    give(place, to: Self.bob)
    #expect(chmod(folder.path(place), 0o644) == 0)
    #expect(try read("sites").files.map(\.host) == ["alice.example"])
    // Two people of one group work in one folder.
    #expect(chmod(folder.path(place), 0o640) == 0)
    #expect(chmod(folder.path("sites/alice.example/.well-known"), 0o2775) == 0)
    #expect(try !read("sites").problems.isEmpty)
    #expect(chown(folder.path(place), Self.bob, Self.alice) == 0)
    #expect(try read("sites").files.map(\.host) == ["alice.example"])
  }
}
