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
  /// A user and a group of every Debian.
  static let (daemon, daemonGroup): (uid_t, gid_t) = (1, 1)

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

  /// As the owner of a sites root she would be trusted with links to releases.
  @Test func anEmptyFolderOfAHostIsNoSitesRoot() throws {
    try folder.link("sites/alice.example/bob.example", to: folder.path("releases/bob.example"))
    give("sites/alice.example/bob.example", to: Self.alice)
    let reader = try read("sites/alice.example")
    #expect(reader.files.isEmpty && reader.problems.isEmpty && !reader.isWholeSite)
    #expect(reader.emptyHosts == ["alice.example"])
    try folder.link("sites/alice.example/alice.example", to: folder.path("releases/bob.example"))
    give("sites/alice.example/alice.example", to: Self.alice)
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
    // What everybody may read is no secret.
    #expect(chmod(folder.path(place), 0o644) == 0)
    #expect(try read("sites").files.map(\.host) == ["alice.example"])
    // Two people of one group work in one folder.
    #expect(chmod(folder.path(place), 0o640) == 0)
    #expect(chmod(folder.path("sites/alice.example/.well-known"), 0o2775) == 0)
    #expect(try !read("sites").problems.isEmpty)
    #expect(chown(folder.path(place), Self.bob, Self.daemonGroup) == 0)
    #expect(chown(folder.path("sites/alice.example/.well-known"), Self.daemon, Self.daemonGroup) == 0)
    #expect(try read("sites").files.map(\.host) == ["alice.example"])
    // The group of a directory says nothing about its owner, who may let that group write.
    give("sites/alice.example/.well-known", to: Self.alice)
    #expect(chown(folder.path("sites/alice.example/.well-known"), Self.alice, Self.daemonGroup) == 0)
    #expect(chmod(folder.path("sites/alice.example/.well-known"), 0o2775) == 0)
    #expect(try !read("sites").problems.isEmpty)
  }

  private static let modes: [mode_t] = [0o600, 0o640, 0o644, 0o604, 0o440, 0o444]

  /// The name that a tenant has made of root's file where the system lets them (fs.protected_hardlinks=0); its other names
  /// are gone. Drawn by chance: whose the file is and its group, its mode, whose the directory is.
  @Test(arguments: 0..<200 as Range<UInt64>) func aPrivateFileIsServedToNobody(seed: UInt64) throws {
    var chance = SeededGenerator(seed: seed)
    let place = "sites/alice.example/\(Self.path)"
    let mode = Self.modes.randomElement(using: &chance)!
    let (owner, group) = (
      [0, Self.alice, Self.bob, Self.daemon].randomElement(using: &chance)!,
      [0, Self.alice, Self.daemonGroup].randomElement(using: &chance)!
    )
    let (holder, holderMode) = (
      [0, Self.alice, Self.daemon].randomElement(using: &chance)!,
      [0o755, 0o2755].randomElement(using: &chance)! as mode_t
    )
    try folder.write(good, to: "secret")
    try folder.write("", to: "sites/alice.example/.well-known/README")
    #expect(link(folder.path("secret"), folder.path(place)) == 0)
    #expect(unlink(folder.path("secret")) == 0)
    #expect(chown(folder.path(place), owner, group) == 0 && chmod(folder.path(place), mode) == 0)
    give("sites/alice.example/.well-known", to: holder)
    #expect(chmod(folder.path("sites/alice.example/.well-known"), holderMode) == 0)
    // Root makes no links for a stranger. No list knows alice, so she is in no group.
    let isTheirs =
      holder == 0 || owner == holder || mode & 0o004 != 0
      || (holder == Self.daemon && group == Self.daemonGroup && mode & 0o040 != 0)
    let reader = try read("sites")
    let comment: Comment = "file \(owner):\(group) \(String(mode, radix: 8)), directory \(holder)"
    #expect(reader.files.map(\.host) == (isTheirs ? ["alice.example"] : []), comment)
    let refusal =
      "belongs to user \(owner), and its directory to user \(holder), who cannot read it"
    let message = reader.problems.first?.message
    #expect(isTheirs ? message == nil : message?.contains(refusal) == true, comment)
  }

  /// A server that was given one file holds it to the same.
  @Test func aPrivateFileThatIsNamedItselfIsServedToNobody() throws {
    let place = "sites/alice.example/\(Self.path)"
    try folder.write(good, to: place)
    give("sites/alice.example/.well-known", to: Self.alice)
    #expect(chmod(folder.path(place), 0o600) == 0)
    #expect(throws: LinkspanError.self) { try read(place) }
    #expect(chmod(folder.path(place), 0o644) == 0)
    #expect(try read(place).files.map(\.host) == ["alice.example"])
    // The person who runs a command once gets to see it, and nobody else.
    #expect(chmod(folder.path(place), 0o600) == 0)
    #expect(try SiteReader([folder.path("sites")], host: nil).files.map(\.host) == ["alice.example"])
  }

  /// `rsync --link-dest` between two releases that are switched by a link, and a volume of Kubernetes.
  @Test func treesOfOneOwnerAreServed() throws {
    try folder.write(good, to: "releases/1/\(Self.path)")
    try folder.write("", to: "releases/2/.well-known/README")
    #expect(link(folder.path("releases/1/\(Self.path)"), folder.path("releases/2/\(Self.path)")) == 0)
    for name in ["releases/1", "releases/2"] {
      give(name, name + "/.well-known", to: Self.bob)
      #expect(chmod(folder.path("\(name)/.well-known"), 0o750) == 0)
    }
    give("releases/1/\(Self.path)", to: Self.bob)
    #expect(chmod(folder.path("releases/1/\(Self.path)"), 0o600) == 0)
    try folder.link("sites/bob.example", to: "../releases/2")
    try folder.write(good, to: "sites/pod.example/.well-known/..2026_09_14/apple-app-site-association")
    #expect(
      chmod(folder.path("sites/pod.example/.well-known/..2026_09_14/apple-app-site-association"), 0o440) == 0)
    try folder.link("sites/pod.example/.well-known/..data", to: "..2026_09_14")
    try folder.link("sites/pod.example/\(Self.path)", to: "..data/apple-app-site-association")
    let reader = try read("sites")
    #expect(reader.files.map(\.host) == ["bob.example", "pod.example"], "\(reader.problems.map(\.message))")
  }

  // MARK: - However the folder is named

  /// The folder of a host by paths that do not end in its name.
  private func paths(of name: String) throws -> [String] {
    try folder.write("", to: "sites/\(name)/inner/README")
    try folder.link("current", to: "sites/\(name)")
    return [
      "sites/\(name)", "sites/\(name)/", "sites/\(name)/.", "sites/\(name)/./", "sites/\(name)/inner/..",
      "current", "current/.",
    ]
  }

  @Test func anEmptiedFolderIsNoSitesRootHoweverItIsNamed() throws {
    try folder.link("sites/alice.example/bob.example", to: folder.path("releases/bob.example"))
    give("sites/alice.example/bob.example", to: Self.alice)
    for path in try paths(of: "alice.example") {
      let reader = try read(path)
      #expect(reader.files.isEmpty && !reader.isWholeSite, "\(path)")
      #expect(reader.emptyHosts == ["alice.example"], "\(path)")
    }
  }

  @Test func aHostsFolderIsItsHostsHoweverItIsNamed() throws {
    try folder.write(good, to: "sites/alice.example/\(Self.path)")
    let known = try paths(of: "alice.example")
    for path in known + known.map({ $0 + "/.well-known" }) + ["sites/alice.example/.well-known/."] {
      let reader = try read(path)
      #expect(reader.files.map(\.host) == ["alice.example"] && !reader.hasBareFiles, "\(path)")
    }
    for path in ["current/\(Self.path)", "sites/alice.example/.well-known/./apple-app-site-association"] {
      #expect(try read(path).files.map(\.host) == ["alice.example"], "\(path)")
    }
  }

  @Test func aWatchSeesAHostsFolderHoweverItIsNamed() throws {
    for path in try paths(of: "alice.example") {
      let watch = try FolderWatch(sites: [folder.path(path)])
      #expect(!watch.take(), "\(path)")
      try folder.write(good, to: "sites/alice.example/apple-app-site-association")
      #expect(watch.take(), "\(path)")
    }
  }
}
