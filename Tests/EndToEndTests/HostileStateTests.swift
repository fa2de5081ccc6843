import Foundation
import Testing

/// The state belongs to the user that serves, and `rollback` runs as root: nothing in the state says where to write.
@Suite struct HostileStateTests {
  static let path = ServeTests.path
  let good = CheckTests.good
  var old: String { good.replacing("/a", with: "/old") }

  /// Two publications of example.com, the newer of which lies in the folder.
  private func tool() throws -> Tool {
    let tool = try Tool()
    for text in [old, good] {
      try tool.write(text, to: "site/example.com\(Self.path)")
      #expect(try PublishTests.Server(tool, ["site", "--state", "state"]).end() == 0)
    }
    return tool
  }

  private func rollBack(_ tool: Tool, _ more: String...) throws -> Tool.Outcome {
    try tool.run(["rollback", "example.com", "site", "--state", "state"] + more)
  }

  private func link(_ tool: Tool, _ name: String, to target: String) throws {
    let place = tool.folder.appending(path: name)
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: target)
  }

  private func plant(_ tool: Tool, _ bytes: String, _ members: (String) -> String) throws {
    let folder = "state/publications/example.com/00000003"
    try tool.write(bytes, to: "\(folder)/apple-app-site-association")
    let digest = try #require(
      tool.program("/usr/bin/sha256sum", ["\(folder)/apple-app-site-association"]).output.split(
        separator: " "
      )
      .first)
    let record =
      #"{"type":"publication","host":"example.com","number":3,"published_at":"2026-01-01T00:00:00Z","#
      + #""serves_root":false,"file":"\#(tool.folder.path)/elsewhere/planted","sha256":"\#(digest)"}"#
    try tool.write(members(record), to: "\(folder)/publication.json")
  }

  @Test func theStateDoesNotSayWhereToWrite() throws {
    let tool = try tool()
    try tool.write("untouched", to: "elsewhere/planted")
    try plant(tool, old.replacing("/old", with: "/planted")) { $0 }
    #expect(try rollBack(tool, "--to", "3").status == 0)
    #expect(try tool.text("elsewhere/planted") == "untouched")
    #expect(try tool.text("site/example.com\(Self.path)").contains("/planted"))
  }

  @Test func whatIsNoAssociationFileIsNotPutBack() throws {
    let tool = try tool()
    try plant(tool, "* * * * * root sh /tmp/x\n") { $0 }
    let outcome = try rollBack(tool, "--to", "3")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("publication 3 of 'example.com' is left out: "))
    #expect(outcome.errors.contains("is no association file."))
    #expect(outcome.errors.contains("error: there is no publication 3 of 'example.com'."))
    #expect(try tool.text("site/example.com\(Self.path)") == good)
  }

  @Test(arguments: [
    (#""host":"example.com""#, #""host":"other.example""#), (#""number":3"#, #""number":4"#),
    (#""published_at":"2026"#, #""published_at":"\u001b[2J"#),
  ])
  func aRecordThatDoesNotFitIsLeftOut(true good: String, planted: String) throws {
    let tool = try tool()
    try plant(tool, old) { $0.replacing(good, with: planted) }
    let outcome = try rollBack(tool, "--to", "3")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("00000003/publication.json' is not what was written there."))
    #expect(!outcome.errors.contains("\u{1B}"))
  }

  @Test(arguments: [
    "state/publications/example.com/00000001/apple-app-site-association",
    "state/publications/example.com/00000001/publication.json",
    "state/publications/example.com/00000001",
  ])
  func aLinkInTheStateIsNotFollowed(place: String) throws {
    let tool = try tool()
    let files = FileManager.default
    let url = tool.folder.appending(path: place)
    try files.moveItem(at: url, to: tool.folder.appending(path: "moved"))
    try link(tool, place, to: tool.folder.appending(path: "moved").path)
    let outcome = try rollBack(tool, "--to", "1")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("publication 1 of 'example.com' is left out: "), "\(outcome.errors)")
    #expect(try tool.text("site/example.com\(Self.path)") == good)
  }

  @Test func aFIFOInTheStateHoldsNothingUp() throws {
    let tool = try tool()
    let place = "state/publications/example.com/00000001/publication.json"
    try FileManager.default.removeItem(at: tool.folder.appending(path: place))
    #expect(mkfifo(tool.folder.appending(path: place).path, 0o644) == 0)
    #expect(try rollBack(tool, "--list").errors.contains("is a link or no regular file, and is not read."))
  }

  /// Where the file of the host lies, below the site.
  @Test(arguments: ["site/example.com", "site/example.com/.well-known", "site/example.com\(path)"])
  func nothingIsWrittenThroughALinkOutOfTheSite(place: String) throws {
    let tool = try tool()
    let moved = tool.folder.appending(path: "moved")
    try FileManager.default.moveItem(at: tool.folder.appending(path: place), to: moved)
    try link(tool, place, to: moved.path)
    let outcome = try rollBack(tool)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains("' leads out of 'site', and no link out of it is followed.")
        || outcome.errors.contains("is a symbolic link, and only a regular file is replaced."),
      "\(outcome.errors)")
    let inside = ["example.com": "moved/.well-known/", ".well-known": "moved/"][
      place.split(separator: "/").last!]
    let file = inside.map { $0 + "apple-app-site-association" } ?? "moved"
    #expect(try tool.text(file) == good)
  }

  @Test(arguments: ["../../etc", "_", ".", "a/b", "example.com\u{1B}"])
  func onlyAHostHasPublications(host: String) throws {
    let outcome = try tool().run("rollback", host, "site", "--state", "state")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("no device asks for a host '"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("\u{1B}"))
  }

  @Test func twoRollbacksGoBackTwo() throws {
    let tool = try Tool()
    let versions = ["/one", "/two", "/three"].map { good.replacing("/a", with: $0) }
    for text in versions {
      try tool.write(text, to: "site/example.com\(Self.path)")
      #expect(try PublishTests.Server(tool, ["site", "--state", "state"]).end() == 0)
    }
    #expect(try rollBack(tool).status == 0)
    #expect(try tool.text("site/example.com\(Self.path)") == versions[1])
    // A running server publishes what was put back, and that is no step of its own.
    #expect(try PublishTests.Server(tool, ["site", "--state", "state"]).end() == 0)
    #expect(try rollBack(tool).status == 0)
    #expect(try tool.text("site/example.com\(Self.path)") == versions[0])
    #expect(try PublishTests.Server(tool, ["site", "--state", "state"]).end() == 0)
    let end = try rollBack(tool)
    #expect(end.status == 2)
    #expect(end.errors.contains("is its oldest publication (number 5)"), "\(end.errors)")
    #expect(try rollBack(tool, "--to", "3").status == 0)
    #expect(try tool.text("site/example.com\(Self.path)") == versions[2])
  }

  // MARK: - Two users

  private static let canBecomeOthers = getuid() == 0 && Tool.installed("setpriv") != nil
  private static let needsRoot: Comment = "needs root and setpriv (Debian: util-linux)"

  /// The user that serves, and the one that owns the site: numbers that no list of users has.
  private let servingUser = "54321"
  private let siteUser = "54322"

  private func give(_ tool: Tool, _ name: String, to user: String) throws {
    #expect(try tool.program("/usr/bin/chown", ["-hR", "\(user):\(user)", name]).status == 0)
  }

  private func run(_ tool: Tool, as user: String, _ script: String) throws -> String {
    try tool.program(
      Tool.installed("setpriv")!,
      ["--reuid", user, "--regid", user, "--clear-groups", "/bin/sh", "-c", script]
    ).output
  }

  private func twoUsers() throws -> Tool {
    let tool = try tool()
    try give(tool, "state", to: servingUser)
    try give(tool, "site", to: siteUser)
    return tool
  }

  @Test(.enabled(if: canBecomeOthers, needsRoot))
  func rootWritesAsTheOwnerOfTheSite() throws {
    let tool = try twoUsers()
    let outcome = try rollBack(tool)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let owner = try tool.program("/usr/bin/stat", ["-c", "%u %a", "site/example.com\(Self.path)"]).output
    #expect(owner == "\(siteUser) 644\n")
    #expect(try tool.text("site/example.com\(Self.path)") == old)
  }

  /// What the user that serves plants is not written where only root could write.
  @Test(.enabled(if: canBecomeOthers, needsRoot))
  func theServingUserPlantsInVain() throws {
    let tool = try twoUsers()
    let secret = tool.folder.appending(path: "root-only")
    try FileManager.default.createDirectory(at: secret, withIntermediateDirectories: false)
    try tool.write(old, to: "root-only/file")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: secret.path)
    let folder = "state/publications/example.com"
    let planted = try run(
      tool, as: servingUser,
      """
      cp -r \(folder)/00000001 \(folder)/00000003 && cd \(folder)/00000003 && \
      sed -i 's/"number":1/"number":3/; s|{|{"file":"\(secret.path)/planted",|' publication.json && \
      rm -r ../00000002 && ln -s \(secret.path) ../00000002
      """)
    #expect(planted == "")
    let outcome = try rollBack(tool)
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("publication 2 of 'example.com' is left out: "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: secret.path) == ["file"])
    #expect(try tool.text("site/example.com\(Self.path)") == old)
  }

  /// And the owner of the site turns its directory to where only root could write, in vain as well.
  @Test(.enabled(if: canBecomeOthers, needsRoot))
  func theOwnerOfTheSitePlantsInVain() throws {
    let tool = try twoUsers()
    let target = tool.folder.appending(path: "root-only")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
    let planted = try run(
      tool, as: siteUser,
      "cd site/example.com && mv .well-known away && ln -s \(target.path) .well-known")
    #expect(planted == "")
    let outcome = try rollBack(tool)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains("' leads out of 'site', and no link out of it is followed."),
      "\(outcome.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == [])
  }
}
