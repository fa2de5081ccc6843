import LinkspanCore
import TestSupport
import Testing

@testable import LinkspanDaemon

/// Root may read what those who fill a site may not: no link leads it out of the site.
@Suite struct ConfinedSiteTests {
  static let path = "/.well-known/apple-app-site-association"
  let secret = "root:$6$secret-digest:19000:0:99999:7:::\n"
  let good = PublicationChecksTests.good
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    try folder.write(good, to: "site/good.example\(Self.path)")
    try folder.write("", to: "site/a.example/.well-known/README")
    try folder.write(secret, to: "secret/.well-known/apple-app-site-association")
    try folder.write(secret, to: "secret/.well-known/apple-app-site-association.secret")
  }

  private func reader(_ site: String = "site", staysInside: Bool = true) throws -> SiteReader {
    try SiteReader([folder.path(site)], host: nil, passesOverProblems: true, staysInside: staysInside)
  }

  @Test(arguments: [
    ("site/a.example\(path)", "secret\(path)"),
    ("site/a.example/.well-known/assetlinks.json", "secret\(path)"),
    ("site/a.example/.well-known", "secret/.well-known"), ("site/a.example", "secret"),
    ("site/a.example", "secret/.well-known"),
  ])
  func aLinkOutOfTheSiteIsAProblemOfItsHost(place: String, target: String) throws {
    try folder.link(place, to: folder.path(target))
    let reader = try reader()
    #expect(reader.files.map(\.host) == ["good.example"] && reader.assetLinks.isEmpty)
    let problem = try #require(reader.problems.first)
    #expect(reader.problems.count == 1 && problem.host == "a.example")
    #expect(problem.message.contains("leads out of '\(folder.path("site"))'"), "\(problem.message)")
    #expect(!problem.message.contains("secret"), "neither content nor names from outside are told")
    #expect(try self.reader(staysInside: false).problems.isEmpty, "others follow it")
  }

  @Test func aSiteOfOneHostIsConfinedToo() throws {
    try folder.link("site/a.example\(Self.path)", to: folder.path("secret\(Self.path)"))
    for site in ["site/a.example", "site/a.example/.well-known"] {
      let error = try #require(throws: DaemonError.self) { try reader(site) }
      #expect(error.message.contains("root follows no link out of a site"), "\(error.message)")
    }
  }

  @Test func aLinkWithinTheSiteIsFollowed() throws {
    try folder.link("site/a.example\(Self.path)", to: "../../good.example\(Self.path)")
    try folder.link("site/b.example", to: folder.path("site/good.example"))
    let reader = try reader()
    #expect(reader.problems.isEmpty)
    #expect(reader.files.map(\.host) == ["a.example", "b.example", "good.example"])
    #expect(reader.files.allSatisfy { $0.source.bytes == Array(good.utf8) })
  }

  /// Links in what a person names are theirs.
  @Test func theNamedFolderMayBeALink() throws {
    try folder.link("current", to: "site")
    #expect(try reader("current").files.map(\.host) == ["good.example"])
  }
}
