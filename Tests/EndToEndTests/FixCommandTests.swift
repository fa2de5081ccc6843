import Foundation
import LinkspanCore
import TestSupport
import Testing

@Suite struct FixCommandTests {
  static let broken =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a","exlude":true,},{"/":"/a*"}]}]}}"#
  static let mended =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a","exclude":true},{"/":"/a*"}]}]}}"#

  func text(_ tool: Tool, _ name: String) throws -> String {
    String(decoding: try Data(contentsOf: tool.folder.appending(path: name)), as: UTF8.self)
  }

  func entries(_ tool: Tool) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).filter { !$0.hasPrefix(".std") }
      .sorted()
  }

  @Test func mendsTheFileAndChecksWhatRemains() throws {
    let tool = try Tool()
    try tool.write(Self.broken, to: "file")
    let outcome = try tool.run("check", "file", "--fix")
    #expect(outcome.status == 0)
    #expect(
      outcome.output.hasPrefix(
        """
        file: 2 findings fixed; the original is kept as file.orig
          1:103  json.trailing-comma  There is a ',' after the last value.
          1:90  aasa.unknown-key  'exlude' is not a component key.
        1 file: no problems found
        Not checked:

        """))
    #expect(try text(tool, "file") == Self.mended)
    #expect(try text(tool, "file.orig") == Self.broken)
    #expect(try entries(tool) == ["file", "file.orig"])
    let again = try tool.run("check", "file", "--fix")
    #expect(again.status == 0 && again.output.hasPrefix("1 file: no problems found\n"))
  }

  @Test func whatRemainsDecides() throws {
    let tool = try Tool()
    try tool.write(Self.broken.replacing("ABCDE12345", with: "TEAMID"), to: "file")
    let outcome = try tool.run("check", "file", "--fix", "--json")
    #expect(outcome.status == 1)
    let document = try outcome.json()
    let fixed = try #require(document["fixed"] as? [[String: Any]])
    #expect(fixed.map { $0["rule"] as? String } == ["json.trailing-comma", "aasa.unknown-key"])
    let findings = try #require(document["findings"] as? [[String: Any]])
    #expect(findings.map { $0["rule"] as? String } == ["aasa.application-identifier"])
    #expect(findings.map { $0["fixable"] as? Bool } == [false])
  }

  @Test func aDryRunPrintsAPatchAndWritesNothing() throws {
    let tool = try Tool()
    let before = Self.broken.replacing(",\"components\"", with: ",\n\"components\"") + "\n"
    try tool.write(before, to: "site/example.com/.well-known/apple-app-site-association")
    let outcome = try tool.run("check", "site", "--fix", "--dry-run")
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
        --- a/site/example.com/.well-known/apple-app-site-association
        +++ b/site/example.com/.well-known/apple-app-site-association
        @@ -1,2 +1,2 @@
         {"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],
        -"components":[{"/":"/a","exlude":true,},{"/":"/a*"}]}]}}
        +"components":[{"/":"/a","exclude":true},{"/":"/a*"}]}]}}

        """)
    #expect(outcome.errors.contains("2 findings would be fixed\n"))
    #expect(outcome.errors.hasSuffix("Nothing was written. What would remain: no problems found.\n"))
    #expect(try text(tool, "site/example.com/.well-known/apple-app-site-association") == before)
    let json = try tool.run("check", "site", "--fix", "--dry-run", "--json").json()
    #expect(json["patch"] as? String == outcome.output)
    #expect((json["findings"] as? [Any])?.isEmpty == true)
  }

  /// Another program makes of the patch what --fix makes.
  @Test func gitTakesThePatch() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/git") else {
      print("skipped: git is not here, so no other program read the patch")
      return
    }
    let tool = try Tool()
    let before = "// one\n{\n" + Self.broken.dropFirst() + "\n// two"
    try tool.write(before, to: "a file")
    try tool.write(try tool.run("check", "a file", "--fix", "--dry-run").output, to: "patch")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/git")
    process.arguments = ["apply", "patch"]
    process.currentDirectoryURL = tool.folder
    process.environment = ["GIT_CEILING_DIRECTORIES": tool.folder.deletingLastPathComponent().path]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let patched = try text(tool, "a file")
    try tool.write(before, to: "a file")
    #expect(try tool.run("check", "a file", "--fix").status == 0)
    #expect(try text(tool, "a file") == patched)
  }

  @Test func keepsTheModeAndTheLink() throws {
    let tool = try Tool()
    try tool.write(Self.broken, to: "real")
    let real = tool.folder.appending(path: "real").path
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real)
    try FileManager.default.createSymbolicLink(
      atPath: tool.folder.appending(path: "link").path, withDestinationPath: "real")
    #expect(try tool.run("check", "link", "--fix").status == 0)
    #expect(try text(tool, "real") == Self.mended)
    #expect(try FileManager.default.attributesOfItem(atPath: real)[.posixPermissions] as? Int == 0o640)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: tool.folder.appending(path: "link").path)
        == "real")
    #expect(try entries(tool) == ["link", "real", "real.orig"])
    let copy = tool.folder.appending(path: "real.orig").path
    #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o640)
  }

  /// A file that is there already is never overwritten by a copy.
  @Test func theOriginalIsKeptUnderTheFirstFreeName() throws {
    let tool = try Tool()
    try tool.write("mine", to: "file.orig")
    for number in 2...3 {
      try tool.write(Self.broken, to: "file")
      let outcome = try tool.run("check", "file", "--fix", "--json")
      #expect(outcome.status == 0)
      let backups = try #require(try outcome.json()["backups"] as? [[String: String]])
      #expect(backups == [["file": "file", "backup": "file.orig.\(number)"]])
      #expect(try text(tool, "file.orig.\(number)") == Self.broken)
    }
    #expect(try text(tool, "file.orig") == "mine")
    try tool.write(Self.broken, to: "file")
    let outcome = try tool.run("check", "file", "--fix", "--no-backup", "--json")
    #expect((try outcome.json()["backups"] as? [Any])?.isEmpty == true)
    #expect(try entries(tool) == ["file", "file.orig", "file.orig.2", "file.orig.3"])
  }

  @Test func aFileThatIsNamedTwiceIsWrittenOnce() throws {
    let tool = try Tool()
    try tool.write(Self.broken, to: "file")
    try FileManager.default.createSymbolicLink(
      atPath: tool.folder.appending(path: "link").path, withDestinationPath: "file")
    #expect(try tool.run("check", "link", "file", "./file", "--fix").status == 0)
    #expect(try text(tool, "file") == Self.mended)
    #expect(try entries(tool) == ["file", "file.orig", "link"])
  }

  @Test func mendsTheSyntaxOfAStatementList() throws {
    let tool = try Tool()
    let statement =
      #"{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"web","site":"https://example.com"}}"#
    try tool.write("[\(statement),]", to: "assetlinks.json")
    let outcome = try tool.run("check", "assetlinks.json", "--fix")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(try text(tool, "assetlinks.json") == "[\(statement)]")
  }

  /// One page in the place of a file is no reason to leave a hundred files as they are.
  @Test func aForeignFileInAFolderIsLeftAndTheOthersAreMended() throws {
    let tool = try Tool()
    let path = ".well-known/apple-app-site-association"
    try tool.write(Self.broken, to: "site/example.com/\(path)")
    try tool.write("{\"compilerOptions\":{},}", to: "site/example.org/\(path)")
    let outcome = try tool.run("check", "site", "--fix")
    #expect(outcome.status == 1)
    #expect(
      outcome.output.contains(
        "site/example.org/\(path): left unchanged; it is not plainly an association file: it has the top-level key "
          + "'compilerOptions', which is not a service\n"), "\(outcome.output)")
    #expect(try text(tool, "site/example.com/\(path)") == Self.mended)
    #expect(try text(tool, "site/example.org/\(path)") == "{\"compilerOptions\":{},}")
  }

  /// The file itself is an error on the command line; the folder that it lies in is not. Each report names it.
  @Test func eachReportNamesAForeignFileOfAFolder() throws {
    let tool = try Tool()
    let path = "site/example.org/.well-known/apple-app-site-association"
    let foreign = "{\"compilerOptions\":{},\"applinks\":{\"details\":[]}}"
    try tool.write(foreign, to: path)
    let reason =
      "it is not plainly an association file: it has the top-level key 'compilerOptions', which is not a service"
    for flags in [["--fix"], ["--fix", "--dry-run"]] {
      let outcome = try tool.run(["check", "site"] + flags + ["--json"])
      #expect(outcome.status == 0, "\(outcome.output)")
      #expect(
        try outcome.json()["left_unchanged"] as? [[String: String]] == [["file": path, "reason": reason]])
    }
    for format in ["sarif", "junit", "github"] {
      let outcome = try tool.run("check", "site", "--fix", "--format", format)
      #expect(outcome.status == 0)
      #expect(outcome.errors.contains("\(path): left unchanged; \(reason)\n"), "\(outcome.errors)")
    }
    #expect(try tool.run("check", "site", "--fix").output.hasPrefix("\(path): left unchanged; \(reason)\n"))
    #expect(try tool.run("check", path, "--fix").status == 2)
    #expect(try text(tool, path) == foreign)
  }

  /// Entitlements that are no text in UTF-8 have no places to mend, whoever names them, and the answer says so.
  @Test func entitlementsOfAnotherFormAreLeftAsTheyAre() throws {
    let tool = try Tool()
    let xml =
      #"<?xml version="1.0"?><plist version="1.0"><dict><key>com.apple.developer.associated-domains</key><array>"#
      + "<string>applinks:https://example.com</string></array></dict></plist>"
    let property = try PropertyListSerialization.propertyList(from: Data(xml.utf8), format: nil)
    let binary = try PropertyListSerialization.data(fromPropertyList: property, format: .binary, options: 0)
    let wide = try #require(xml.data(using: .utf16))
    for (name, bytes) in [("Binary.entitlements", binary), ("Wide.entitlements", wide)] {
      let file = tool.folder.appending(path: name)
      try bytes.write(to: file)
      for arguments in [["check", name], ["check", name, "--app", name]] {
        let outcome = try tool.run(arguments + ["--fix"])
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("\(name): left unchanged; it is not XML in UTF-8"), "\(outcome)")
        #expect(try Data(contentsOf: file) == bytes)
      }
    }
  }

  @Test func doesNotTouchAFileItDoesNotChange() throws {
    let tool = try Tool()
    for text in [Self.mended, "{\"applinks\":{},\"webcredentials\":{\"apps\":[\"A.b\"],\"x\":,}}"] {
      try tool.write(text, to: "file")
      let path = tool.folder.appending(path: "file").path
      let before = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
      let outcome = try tool.run("check", "file", "--fix")
      #expect(outcome.output.contains("left unchanged") == (text != Self.mended))
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == before)
      #expect(try self.text(tool, "file") == text)
    }
  }

  @Test func mendsEntitlementsBesideTheSite() throws {
    let tool = try Tool()
    let entitlements = CheckTests.entitlements.replacing("applinks:example.com", with: "applink:Example.com/")
    try tool.write(entitlements, to: "app.entitlements")
    for host in ["example.com", "example.org"] {
      try tool.write(CheckTests.good, to: "site/\(host)/.well-known/apple-app-site-association")
    }
    #expect(try tool.run("check", "site", "--app", "app.entitlements").status == 1)
    #expect(try tool.run("check", "site", "--app", "app.entitlements", "--fix").status == 0)
    #expect(try text(tool, "app.entitlements") == CheckTests.entitlements)
  }

  @Test(arguments: [
    (
      ["check", "-", "--fix"],
      "'--fix' cannot write to standard input.\n  Save the text to a file, and name the file.\n"
    ),
    (
      ["check", "example.com", "--fix"],
      "'--fix' works on files; there is no file or folder 'example.com'.\n"
        + "  To fix what a host serves, name the file that is published there.\n"
    ),
    (["check", "file", "--dry-run"], "'--dry-run' goes with '--fix'.\n"),
    (["check", "file", "--no-backup"], "'--no-backup' goes with '--fix'.\n"),
    (
      ["check", "/dev/null", "--fix"],
      "'/dev/null' is not a regular file, so '--fix' cannot write to it.\n  Save the text to a file, and name the file.\n"
    ),
    (
      ["check", "file", "--fix", "--dry-run", "--format", "sarif"],
      "'--dry-run' prints a patch, and '--format sarif' cannot hold one.\n"
    ),
    (
      ["check", "file", "--format", "xml"],
      "'--format': expected text, json, sarif, junit, github or gitlab, got 'xml'.\n"
    ),
    (
      ["check", "file", "--json", "--format", "sarif"], "'--json' and '--format sarif' ask for two formats.\n"
    ),
  ])
  func wrongWordsSayTheWayOut(words: [String], message: String) throws {
    let tool = try Tool()
    try tool.write(Self.broken, to: "file")
    let outcome = try tool.run(words)
    #expect(outcome.status == 2 && outcome.output == "")
    #expect(outcome.errors.hasPrefix("linkspan check: error: " + message))
    #expect(try text(tool, "file") == Self.broken)
  }

  /// When one of several inputs cannot be read, none is written.
  @Test func writesNothingWhenItCannotAnswer() throws {
    let tool = try Tool()
    try tool.write(Self.broken, to: "file")
    try tool.write("<plist><dict><key>a</key></dict></plist>", to: "app.entitlements")
    #expect(try tool.run("check", "file", "--app", "app.entitlements", "--fix").status == 2)
    #expect(try text(tool, "file") == Self.broken)
  }

  /// One entry where the list of them belongs: no link opens the app before, and one does after.
  @Test func aListOfOneEntryIsMade() throws {
    let tool = try Tool()
    try tool.write(
      #"{"applinks":{"apps":[],"details":{"appID":"ABCDE12345.com.example.app","paths":["/a"]}}}"#, to: "file"
    )
    let words = ["match", "https://example.com/a", "--file", "file"]
    #expect(try tool.run(words).status == 1 && tool.run("check", "file").status == 1)
    let doctor = try tool.run("doctor", "file", "--json").json()["cause"] as? [String: Any]
    #expect(doctor?["id"] as? String == "no-apps" && doctor?["certainty"] as? String == "inferred")
    #expect(try tool.run("check", "file", "--fix").status == 0)
    #expect(try text(tool, "file").contains(#""details":[{"appID""#))
    #expect(try tool.run(words).status == 0)
  }
}
