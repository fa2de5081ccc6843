import Foundation
import Testing

/// `rollback` as root, where others own the state and the site: each can reach no further than before.
@Suite struct RollbackUsersTests {
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

  @Test(arguments: ["../../etc", "_", ".", "a/b", "example.com\u{1B}"])
  func onlyAHostHasPublications(host: String) throws {
    let outcome = try tool().run("rollback", host, "site", "--state", "state")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("no device asks for a host '"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("\u{1B}"))
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
      outcome.errors.contains(
        "'site/example.com/.well-known' is a symbolic link that leads out of 'site/example.com', and only the host's"
      ),
      "\(outcome.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == [])
  }
}
