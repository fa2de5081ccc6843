import Foundation
import TestSupport
import Testing

/// Publishing by the built binary: what is noticed, refused, remembered and put back.
@Suite struct PublishTests {
  static let path = ServeTests.path
  let good = CheckTests.good

  /// A running server whose lines are read one by one.
  final class Server {
    let process: Process
    let output = Pipe()
    private(set) var port = 0

    init(_ tool: Tool, _ arguments: [String]) throws {
      process = tool.process(["serve"] + arguments + ["--plain", "--listen", "127.0.0.1:0", "--json"])
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      port = try #require(next("listening")["port"] as? Int)
    }

    deinit { if process.isRunning { process.terminate() } }

    /// The next line of this type; others are passed over.
    func next(_ type: String) throws -> [String: Any] {
      while true {
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty,
          byte != Data([0x0A])
        {
          line += byte
        }
        let object = try #require(JSONSerialization.jsonObject(with: line) as? [String: Any])
        if object["type"] as? String == type { return object }
      }
    }

    func end(_ signal: Int32 = SIGTERM) -> Int32 {
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  func served(_ tool: Tool, _ server: Server, _ host: String = "example.com") throws -> String {
    try ServeTests().curl(
      tool, "-H", "Host: \(host)", "http://127.0.0.1:\(server.port)\(Self.path)")
  }

  @Test func aChangedFileIsLiveWithoutASignal() throws {
    let tool = try Tool()
    try tool.write(good, to: "site/example.com\(Self.path)")
    let server = try Server(tool, ["site"])
    let other = good.replacing("/a", with: "/b")
    try tool.write(other, to: "site/example.com\(Self.path)")
    let outcome = try server.next("publication")
    #expect(outcome["outcome"] as? String == "changed")
    #expect((outcome["differences"] as? [String])?.count == 2)
    #expect(try served(tool, server) == other)
    #expect(server.end() == 0)
  }

  @Test func aNewHostIsNoticed() throws {
    let tool = try Tool()
    try tool.write(good, to: "site/example.com\(Self.path)")
    let server = try Server(tool, ["site"])
    try tool.write(good, to: "elsewhere/www.example.com\(Self.path)")
    try FileManager.default.moveItem(
      at: tool.folder.appending(path: "elsewhere/www.example.com"),
      to: tool.folder.appending(path: "site/www.example.com"))
    let outcome = try server.next("publication")
    #expect(outcome["outcome"] as? String == "published")
    #expect(outcome["host"] as? String == "www.example.com")
    #expect(try served(tool, server, "www.example.com") == good)
  }

  @Test func aBrokenFileLeavesTheOldOneLive() throws {
    let tool = try Tool()
    try tool.write(good, to: "site/example.com\(Self.path)")
    let server = try Server(tool, ["site"])
    try tool.write("{", to: "site/example.com\(Self.path)")
    let outcome = try server.next("publication")
    #expect(outcome["outcome"] as? String == "refused")
    #expect(outcome["served"] as? Bool == true)
    #expect(try served(tool, server) == good)
  }

  @Test func aStartWithABrokenFolderServesWhatWasLast() throws {
    let tool = try Tool()
    try tool.write(good, to: "site/example.com\(Self.path)")
    #expect(try Server(tool, ["site", "--state", "state"]).end(SIGKILL) == SIGKILL)
    try tool.write("{", to: "site/example.com\(Self.path)")
    let server = try Server(tool, ["site", "--state", "state"])
    #expect(try served(tool, server) == good)
  }

  @Test func aHostThatWasTakenAwayDoesNotComeBackWithABrokenFolder() throws {
    let tool = try Tool()
    let files = FileManager.default
    let (site, away) = (tool.folder.appending(path: "site"), tool.folder.appending(path: "away"))
    for host in ["a.example", "b.example"] { try tool.write(CheckTests.good, to: "site/\(host)\(Self.path)") }
    #expect(try Server(tool, ["site", "--state", "state"]).end() == 0)
    try files.removeItem(at: site.appending(path: "b.example"))
    #expect(try Server(tool, ["site", "--state", "state"]).end() == 0)
    try files.moveItem(at: site, to: away)
    var server = try Server(tool, ["site", "--state", "state"])
    #expect(try served(tool, server, "a.example") == CheckTests.good)
    #expect(try served(tool, server, "b.example") == "no such host here\n")
    #expect(server.end() == 0)
    // Published again, it is remembered again.
    try files.moveItem(at: away, to: site)
    try tool.write(CheckTests.good, to: "site/b.example\(Self.path)")
    #expect(try Server(tool, ["site", "--state", "state"]).end() == 0)
    try files.moveItem(at: site, to: away)
    server = try Server(tool, ["site", "--state", "state"])
    #expect(try served(tool, server, "b.example") == CheckTests.good)
    #expect(server.end() == 0)
  }

  @Test func anUnfinishedPublicationIsNone() throws {
    let tool = try Tool()
    try tool.write(good, to: "site/example.com\(Self.path)")
    #expect(try Server(tool, ["site", "--state", "state"]).end() == 0)
    // What a death in the middle leaves: a folder under another name, and one whose file is torn.
    try tool.write("{", to: "state/publications/example.com/.unfinished/apple-app-site-association")
    try tool.write("{", to: "state/publications/example.com/00000002/apple-app-site-association")
    try tool.write("{", to: "site/example.com\(Self.path)")
    let server = try Server(tool, ["site", "--state", "state"])
    #expect(try served(tool, server) == good)
  }

  @Test func aRollbackIsPublished() throws {
    let tool = try Tool()
    try tool.write(good, to: "site/example.com\(Self.path)")
    let server = try Server(tool, ["site", "--state", "state"])
    try tool.write(good.replacing("/a", with: "/b"), to: "site/example.com\(Self.path)")
    _ = try server.next("publication")
    let outcome = try tool.run("rollback", "EXAMPLE.com", "--state", "state", "--json")
    #expect(outcome.status == 0)
    #expect(try outcome.json()["number"] as? Int == 1)
    #expect(try outcome.json()["served"] as? Bool == true)
    #expect(try served(tool, server) == good)
    #expect(try tool.text("site/example.com\(Self.path)") != good, "the folder stays as it is")
    let list = try tool.run("rollback", "example.com", "--state", "state", "--list", "--json")
    #expect(list.lines.count == 3)
    let standing = try list.json(line: 0)["standing"] as? [String: Any]
    #expect(standing?["kind"] as? String == "rollback" && standing?["since"] is String)
    #expect(try list.json(line: 1)["standing"] is NSNull)
    // A pin is marked where its publication is, and its end as well.
    func newest() throws -> String {
      try tool.run("rollback", "example.com", "--state", "state", "--list").lines[0]
    }
    #expect(try newest().contains("rolled back by "))
    #expect(try tool.run("rollback", "example.com", "--state", "state", "--pin").status == 0)
    #expect(try newest().contains("newest  rolled back to 1  pinned by "))
    #expect(try tool.run("rollback", "example.com", "--state", "state", "--release").status == 0)
    #expect(try !newest().contains(" by "))
  }

  /// The server knows whether it may be served again: by its flags, which 'rollback' has not.
  @Test(arguments: [true, false])
  func whatWasServedWithErrorsIsServedAgainWhereErrorsAreAccepted(accepts: Bool) throws {
    let tool = try Tool()
    try tool.write("{", to: "site/example.com\(Self.path)")
    var server = try Server(tool, ["site", "--state", "state", "--accept-errors"])
    try tool.write(good, to: "site/example.com\(Self.path)")
    _ = try server.next("publication")
    if !accepts {
      #expect(server.end() == 0)
      server = try Server(tool, ["site", "--state", "state"])
    }
    let outcome = try tool.run("rollback", "example.com", "--state", "state", "--to", "1")
    #expect(outcome.status == (accepts ? 0 : 2), "\(outcome.output)\(outcome.errors)")
    #expect(try served(tool, server) == (accepts ? "{" : good))
  }

  @Test func theHistoryKeepsTheLastOnes() throws {
    let tool = try Tool()
    for pattern in ["/a", "/b", "/c", "/d"] {
      try tool.write(good.replacing("/a", with: pattern), to: "site/example.com\(Self.path)")
      #expect(try Server(tool, ["site", "--state", "state", "--history", "2"]).end() == 0)
    }
    let list = try tool.run("rollback", "example.com", "--state", "state", "--list", "--json")
    #expect(try (0..<list.lines.count).map { try list.json(line: $0)["number"] as? Int } == [4, 3])
  }

  @Test func aDryRunSaysWhatWouldBePublishedAndWritesNothing() throws {
    let tool = try Tool()
    try tool.write(good, to: "site/example.com\(Self.path)")
    try tool.write("{", to: "site/www.example.com\(Self.path)")
    let outcome = try tool.run("serve", "site", "--dry-run", "--state", "state", "--json")
    #expect(outcome.status == 1)
    let kinds = try (0..<outcome.lines.count).map { try outcome.json(line: $0)["outcome"] as? String }
    #expect(kinds == ["published", "refused"])
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "state").path))
  }

  @Test(arguments: [["serve", "site", "--dry-run"], ["rollback", "example.com", "--list"]])
  func aFileIsNoState(words: [String]) throws {
    let tool = try Tool()
    try tool.write(good, to: "site/example.com\(Self.path)")
    try tool.write("", to: "state")
    let outcome = try tool.run(words + ["--state", "state"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("error: the state 'state' is not a directory.\n"), "\(outcome.errors)")
  }

  @Test func aConfigurationFileSaysWhatFlagsWouldSay() throws {
    let tool = try Tool()
    try tool.write(good, to: "conf/site/example.com\(Self.path)")
    try tool.write(
      "{ sites: 'site', server: { plain: true, state: 'state', history: 3 } }", to: "conf/linkspan.json5")
    let outcome = try tool.run("serve", "--config", "conf/linkspan.json5", "--dry-run")
    #expect(outcome.status == 0)
    #expect(outcome.output == "example.com: published\n")
  }

  @Test func aMistakeInTheConfigurationHasLineAndColumn() throws {
    let tool = try Tool()
    try tool.write("{\n  sites: 'site',\n  server: { lisen: '127.0.0.1:1' },\n}", to: "linkspan.json5")
    let outcome = try tool.run("serve", "--config", "linkspan.json5")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("linkspan.json5:3:13: error[configuration.unknown-key]"))
    #expect(outcome.errors.contains("Did you mean 'listen'?"))
  }
}
