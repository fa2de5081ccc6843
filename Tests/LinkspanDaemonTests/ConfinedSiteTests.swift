import Foundation
import LinkspanCore
import TestSupport
import Testing

@testable import LinkspanDaemon
@testable import LinkspanFiles
@testable import SiteInput

/// What a server reads lies in its host's folder, or where the operator's own links lead: whoever the server runs as.
@Suite struct ConfinedSiteTests {
  static let path = "/.well-known/apple-app-site-association"
  /// A user who owns a.example and nothing else; only root can give files away.
  static let tenant: uid_t = 54_321
  static let isRoot = geteuid() == 0
  static let needsRoot: Comment = "needs root, which can give files to another user"

  let secret = "root:$6$secret-digest:19000:0:99999:7:::\n"
  let good = PublicationChecksTests.good
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    try folder.write(good, to: "site/good.example\(Self.path)")
    try folder.write("", to: "site/a.example/.well-known/README")
    try folder.write(secret, to: "secret/.well-known/apple-app-site-association")
    try folder.write(secret, to: "secret/.well-known/apple-app-site-association.secret")
    try folder.write(good, to: "releases/7/a.example\(Self.path)")
  }

  private func reader(_ site: String = "site", linkRoots: String...) throws -> SiteReader {
    try SiteReader(
      [folder.path(site)], host: nil, passesOverProblems: true, refusesLargeFiles: true,
      links: .serving(linkRoots: linkRoots.map { folder.path($0) }))
  }

  /// The only problem, which is a.example's.
  private func problem(_ reader: SiteReader) throws -> String {
    #expect(reader.files.map(\.host) == ["good.example"] && reader.assetLinks.isEmpty)
    let problem = try #require(reader.problems.first)
    #expect(reader.problems.count == 1 && problem.host == "a.example")
    return problem.message
  }

  private func give(_ names: String..., to user: uid_t = ConfinedSiteTests.tenant) {
    for name in names { #expect(lchown(folder.path(name), user, user) == 0) }
  }

  private func giveFolderToTenant() { give("site/a.example", "site/a.example/.well-known") }

  // MARK: - Links of the operator

  @Test(arguments: [
    ("site/a.example\(path)", "secret\(path)"),
    ("site/a.example/.well-known/assetlinks.json", "secret\(path)"),
    ("site/a.example/.well-known", "secret/.well-known"), ("site/a.example", "secret"),
    ("site/a.example", "secret/.well-known"),
  ])
  func aLinkOutOfTheSiteIsAProblemOfItsHost(place: String, target: String) throws {
    try folder.link(place, to: folder.path(target))
    let message = try problem(reader())
    #expect(message.contains(" out of '\(folder.path("site"))"), "\(message)")
    #expect(message.contains("into no folder of '--link-root'"), "\(message)")
    #expect(!message.contains("secret"), "neither content nor names from outside are told")
  }

  @Test(arguments: [
    ("site/a.example\(path)", "releases/7/a.example\(path)"),
    ("site/a.example/.well-known", "releases/7/a.example/.well-known"),
    ("site/a.example", "releases/7/a.example"),
  ])
  func aLinkBelowALinkRootIsFollowed(place: String, target: String) throws {
    try folder.link(place, to: folder.path(target))
    #expect(try reader(linkRoots: "releases").files.map(\.host) == ["a.example", "good.example"])
    // The root may be a link itself, and a link may be relative and lead over another one.
    try folder.link("current", to: "releases/7")
    try folder.link("roots", to: "releases")
    let up = String(repeating: "../", count: place.split(separator: "/").count - 1)
    try folder.link(place, to: "\(up)current/\(target.dropFirst("releases/7/".count))")
    #expect(try reader(linkRoots: "roots").files.map(\.host) == ["a.example", "good.example"])
  }

  @Test func aLinkWithinTheSiteIsFollowed() throws {
    try folder.link("site/a.example\(Self.path)", to: "../../good.example\(Self.path)")
    try folder.link("site/b.example", to: folder.path("site/good.example"))
    let reader = try reader()
    #expect(reader.problems.isEmpty)
    #expect(reader.files.map(\.host) == ["a.example", "b.example", "good.example"])
    #expect(reader.files.allSatisfy { $0.source.bytes == Array(good.utf8) })
  }

  @Test func aSiteOfOneHostIsConfinedToo() throws {
    try folder.link("site/a.example\(Self.path)", to: folder.path("secret\(Self.path)"))
    for site in ["site/a.example", "site/a.example/.well-known"] {
      let error = try #require(throws: LinkspanError.self) { try reader(site) }
      #expect(error.message.contains("into no folder of '--link-root'"), "\(error.message)")
    }
  }

  /// Links in what a person names are theirs.
  @Test func theNamedFolderMayBeALink() throws {
    try folder.link("current", to: "site")
    #expect(try reader("current").files.map(\.host) == ["good.example"])
  }

  @Test func aLinkRootThatIsMissingIsNamed() throws {
    let error = try #require(throws: LinkspanError.self) { try reader(linkRoots: "nowhere") }
    #expect(
      error.message
        == "the folder '\(folder.path("nowhere"))' of '--link-root' cannot be opened: No such file or directory."
    )
  }

  /// Beside the folders of hosts there may be others, and links to them.
  @Test func aLinkThatIsNoHostIsPassedOver() throws {
    try folder.link("site/docs", to: folder.path("secret"))
    try folder.link("site/log", to: folder.path("secret\(Self.path)"))
    let reader = try reader()
    #expect(reader.problems.isEmpty && reader.files.map(\.host) == ["good.example"])
    #expect(reader.refusedLinks.map(\.place) == [folder.path("site/docs")])
  }

  // MARK: - Kubernetes

  /// A volume of a ConfigMap: real directories have a date, `..data` leads to the newest, names lead through it.
  @Test(arguments: ["site", "site/a.example/.well-known"])
  func aVolumeOfKubernetesIsServed(mount: String) throws {
    let inside = mount == "site" ? "a.example\(Self.path)" : "apple-app-site-association"
    try folder.write(good, to: "\(mount)/..2026_11_23/\(inside)")
    try folder.link("\(mount)/..data", to: "..2026_11_23")
    let name = String(inside.split(separator: "/")[0])
    try folder.link("\(mount)/\(name)", to: "..data/\(name)")
    #expect(chmod(folder.path(mount), 0o777) == 0)
    #expect(try reader().files.map(\.host) == ["a.example", "good.example"])
  }

  // MARK: - Links of a tenant

  @Test(
    .enabled(if: isRoot, needsRoot),
    arguments: [
      "secret/.well-known", "site/good.example/.well-known", "releases/7/a.example/.well-known", "nowhere",
      "",
    ])
  func aTenantsLinkLeadsNowhereElse(target: String) throws {
    try folder.link("site/a.example/.well-known", to: folder.path(target))
    giveFolderToTenant()
    let message = try problem(reader(linkRoots: "releases"))
    let site = folder.path("site/a.example")
    #expect(
      message.hasPrefix(
        "'\(site)\(Self.path)' leads over the symbolic link '\(site)/.well-known' of user \(Self.tenant) out of "
          + "'\(site)'. Only links of root and of the owner of '\(folder.path("site"))' may lead out of"),
      "the same for what is there and what isn't: \(message)")
  }

  @Test(.enabled(if: isRoot, needsRoot)) func aTenantsLinkMayStayInItsFolder() throws {
    try folder.write(good, to: "site/a.example/real/apple-app-site-association")
    for target in ["real", "../a.example/real", folder.path("site/a.example/real"), "./x/../real/."] {
      try folder.link("site/a.example/x", to: "real")
      try folder.link("site/a.example/.well-known", to: target)
      give("site/a.example", "site/a.example/.well-known", "site/a.example/x")
      let reader = try reader()
      #expect(
        reader.problems.isEmpty && reader.files.map(\.host) == ["a.example", "good.example"], "\(target)")
    }
  }

  /// A way is as trustworthy as its worst link, wherever that is.
  @Test(.enabled(if: isRoot, needsRoot)) func aTenantsLinkOverTheOperatorsLeadsNowhereElse() throws {
    try folder.link("site/a.example/release", to: folder.path("releases/7/a.example"))
    try folder.link("site/a.example/.well-known", to: "release/.well-known")
    #expect(try reader(linkRoots: "releases").problems.isEmpty)
    giveFolderToTenant()
    #expect(try problem(reader(linkRoots: "releases")).contains("of user \(Self.tenant)"))
    try folder.link("site/a.example/.well-known", to: folder.path("releases/7/a.example/.well-known"))
    #expect(try reader(linkRoots: "releases").problems.isEmpty)
    try folder.write(good, to: "releases/8/apple-app-site-association")
    try folder.link("releases/7/a.example/.well-known", to: "../../8")
    give("releases/7/a.example/.well-known")
    #expect(try problem(reader(linkRoots: "releases")).contains("of user \(Self.tenant)"))
  }

  /// In a directory that everybody may write.
  @Test(.enabled(if: isRoot, needsRoot)) func aTenantsLinkInTheSitesRootIsNotFollowed() throws {
    try folder.link("site/a.example", to: "good.example")
    give("site/a.example")
    #expect(try problem(reader()).contains("is a symbolic link of user \(Self.tenant)"))
  }

  /// Of the operator's links, one that somebody else may have named a second time counts as theirs.
  @Test(.enabled(if: isRoot, needsRoot)) func aLinkWithTwoNamesInATenantsFolderIsNotTrusted() throws {
    try folder.link("site/b.example", to: folder.path("releases/7/a.example"))
    try FileManager.default.removeItem(atPath: folder.path("site/a.example/.well-known"))
    #expect(link(folder.path("site/b.example"), folder.path("site/a.example/.well-known")) == 0)
    give("site/a.example")
    let reader = try reader(linkRoots: "releases")
    #expect(reader.problems.map(\.host) == ["a.example"])
    #expect(reader.problems.first?.message.contains("with several names") == true)
  }

  // MARK: - What is no file of the folder

  @Test func whatIsNoRegularFileIsRefusedByWhatItIs() throws {
    let place = folder.path("site/a.example\(Self.path)")
    #expect(mkfifo(place, 0o666) == 0)
    #expect(try problem(reader()).contains("is not a regular file"))
    #expect(unlink(place) == 0)
    if Self.isRoot {
      #expect(mknod(place, S_IFCHR | 0o666, 1 << 8 | 5) == 0)
      #expect(try problem(reader()).contains("is not a regular file"))
      #expect(unlink(place) == 0)
    }
    #expect(mkdir(place, 0o755) == 0)
    #expect(try problem(reader()).contains("is a directory; expected a file"))
  }

  @Test func nothingIsReadFromTheKernelsFileSystems() throws {
    for target in ["/proc/self/environ", "/proc/self/cwd/x", "/sys/kernel/uevent_seqnum"] {
      try folder.link("site/a.example\(Self.path)", to: target)
      let reader = try SiteReader(
        [folder.path("site")], host: nil, passesOverProblems: true, links: .serving(linkRoots: ["/"]))
      #expect(try problem(reader).contains("lies on a file system of the kernel"), "\(target)")
      let named = try SiteReader([folder.path("site")], host: nil, passesOverProblems: true)
      #expect(try problem(named).contains("lies on a file system of the kernel"), "\(target)")
    }
  }

  @Test(.enabled(if: isRoot, needsRoot)) func aFileWithSeveralNamesBelongsToTheFoldersOwner() throws {
    let place = "site/a.example\(Self.path)"
    #expect(link(folder.path("secret\(Self.path)"), folder.path(place)) == 0)
    giveFolderToTenant()
    #expect(try problem(reader()).contains("has 2 names (hard links)"))
    // As `rsync --link-dest` makes them.
    give(place)
    #expect(try reader().problems.isEmpty)
    // Somebody else's directory in the tenant's folder may be open to the tenant.
    give("site/a.example/.well-known", place, to: 0)
    #expect(
      try problem(reader()).contains("belongs to user 0, but '\(folder.path("site/a.example"))' to user"))
    // Users who may write there may have named what they may not read.
    give("site/a.example", to: 0)
    #expect(chmod(folder.path("site/a.example/.well-known"), 0o777) == 0)
    #expect(try reader().problems.isEmpty)
    #expect(chmod(folder.path(place), 0o640) == 0)
    #expect(try problem(reader()).contains("its directory is writable by users who cannot read the file"))
  }

  // MARK: - One file

  @Test func aFileThatIsNamedMayLeadAnywhereByALinkOfItsUser() throws {
    try folder.link("site/a.example\(Self.path)", to: folder.path("releases/7/a.example\(Self.path)"))
    #expect(try reader("site/a.example\(Self.path)").files.map(\.host) == ["a.example"])
  }

  @Test(.enabled(if: isRoot, needsRoot)) func aFileThatIsNamedLeadsNowhereByALinkOfATenant() throws {
    try folder.link("site/a.example\(Self.path)", to: folder.path("secret\(Self.path)"))
    giveFolderToTenant()
    give("site/a.example\(Self.path)")
    let error = try #require(throws: LinkspanError.self) { try reader("site/a.example\(Self.path)") }
    #expect(error.message.contains("of user \(Self.tenant)"), "\(error.message)")
  }

  // MARK: - Commands that run once

  @Test func aCommandFollowsLinksOfWhoRunsIt() throws {
    try folder.link("site/a.example\(Self.path)", to: folder.path("releases/7/a.example\(Self.path)"))
    let reader = try SiteReader([folder.path("site")], host: nil)
    #expect(reader.files.map(\.host) == ["a.example", "good.example"])
  }

  @Test(.enabled(if: isRoot, needsRoot)) func aCommandFollowsNoLinkOfATenant() throws {
    try folder.link("site/a.example\(Self.path)", to: folder.path("secret\(Self.path)"))
    giveFolderToTenant()
    give("site/a.example\(Self.path)")
    let reader = try SiteReader([folder.path("site")], host: nil, passesOverProblems: true)
    #expect(try problem(reader).contains("is a symbolic link of user \(Self.tenant) that leads out of"))
  }
}
