import Foundation
import Testing

/// `linkspan inspect`, on bundles that Python's zipfile packs.
@Suite struct InspectTests {
  static let info = """
    <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>CFBundleIdentifier</key>
    <string>com.example.app</string><key>CFBundleShortVersionString</key><string>1.2</string>
    <key>MinimumOSVersion</key><string>16.0</string><key>CFBundleURLTypes</key><array><dict>
    <key>CFBundleURLSchemes</key><array><string>example</string></array></dict></array></dict></plist>
    """

  /// Packs files of the tool's folder.
  static func pack(_ tool: Tool, _ archive: String, _ more: String = "") throws {
    let python = Process()
    python.executableURL = URL(filePath: "/usr/bin/env")
    python.arguments = [
      "python3", "-c",
      """
      import os, sys, zipfile
      with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
          for folder, _, files in os.walk("Payload"):
              for file in files:
                  archive.write(os.path.join(folder, file))
          \(more)
      """, archive,
    ]
    python.currentDirectoryURL = tool.folder
    try python.run()
    python.waitUntilExit()
    #expect(python.terminationStatus == 0)
  }

  /// One line says what is wrong, one what to do.
  @Test(arguments: [["inspect", "x"], ["clip", "size", "x"], ["check", "site", "--app", "x"]])
  func aBrokenPropertyListHasALineForTheErrorAndOneForTheHelp(words: [String]) throws {
    let tool = try Tool()
    try tool.write("bplist00broken", to: "x")
    try tool.write("{}", to: "site")
    let outcome = try tool.run(words)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.hasSuffix(
        """
        error: x: The binary property list ends after 14 bytes, before its trailer.
          Check that the file was saved or copied completely.

        """), "\(outcome.errors)")
  }

  @Test func readsAnArchive() throws {
    let tool = try Tool()
    try tool.write(Self.info, to: "Payload/App.app/Info.plist")
    try Self.pack(tool, "App.ipa")
    let outcome = try tool.run("inspect", "App.ipa", "--json")
    // No device installs it without its program.
    #expect(outcome.status == 1 && outcome.output.contains(#""rule":"bundle.no-program","severity":"error""#))
    #expect(outcome.lines.count == 1)
    let answer = try outcome.json()
    #expect(answer["type"] as? String == "inspect")
    #expect(answer["kind"] as? String == "ipa")
    #expect(answer["bundle_identifier"] as? String == "com.example.app")
    #expect(answer["minimum_os"] as? String == "16.0")
    #expect(answer["url_schemes"] as? [String] == ["example"])
    #expect(answer["size_bytes"] as? Int == Self.info.utf8.count)
    #expect(answer["signature"] is NSNull)
  }

  @Test func readsAFolder() throws {
    let tool = try Tool()
    try tool.write(Self.info, to: "App.app/Info.plist")
    let outcome = try tool.run("inspect", "App.app/")
    #expect(outcome.status == 1 && outcome.output.contains("error[bundle.no-program]"))
    #expect(outcome.lines.first == "App.app: app")
    #expect(outcome.output.contains("identifier        com.example.app\n"))
  }

  @Test func aPasswordIsNotPrinted() throws {
    let tool = try Tool()
    try tool.write(
      """
      <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
      <key>com.apple.developer.associated-domains</key><array>
      <string>applinks:ann:qzqz@example.com</string><string>applinks:https://ann:qzqz@example.com</string>
      </array></dict></plist>
      """, to: "a.entitlements")
    for words in [
      ["inspect"], ["inspect", "--json"], ["check"], ["check", "--json"], ["check", "--format", "sarif"],
    ] {
      let outcome = try tool.run(words + ["a.entitlements"])
      #expect(outcome.status == 1)
      #expect(!(outcome.output + outcome.errors).contains("qz"), "\(outcome.output)")
      #expect(!(outcome.output + outcome.errors).contains("……"), "\(outcome.output)")
    }
  }

  @Test func aHostileArchiveIsRefused() throws {
    let tool = try Tool()
    try tool.write(Self.info, to: "Payload/App.app/Info.plist")
    try Self.pack(tool, "App.ipa", "archive.writestr('../up', 'x')")
    let outcome = try tool.run("inspect", "App.ipa")
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("error[bundle.unsafe-path]: The entry '../up' leads out of the archive."))
  }

  @Test(arguments: [
    ("nothing", "nothing: error[bundle.unreadable]: The file cannot be read: No such file"),
    ("text", "neither a bundle nor a program"),
    (".", "It contains no app"),
  ])
  func whatIsNoBundleIsSaid(_ path: String, _ words: String) throws {
    let tool = try Tool()
    try tool.write("text", to: "text")
    let outcome = try tool.run("inspect", path)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(!outcome.errors.contains(#"\n"#))
  }

  /// A clip behind a link is not measured, and it is said.
  @Test(arguments: [["inspect"], ["clip", "size"], ["check"]])
  func aLinkInAFolderIsNotPassedOverInSilence(words: [String]) throws {
    let tool = try Tool()
    try tool.write(Self.info, to: "App.app/Info.plist")
    try tool.write(Self.info, to: "Clip.app/Info.plist")
    let clips = tool.folder.appending(path: "App.app/AppClips")
    try FileManager.default.createDirectory(at: clips, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: clips.appending(path: "Clip.app").path, withDestinationPath: "../../Clip.app")
    let outcome = try tool.run(words + ["App.app"])
    let line =
      "App.app/AppClips/Clip.app: warning[bundle.unfollowed-link]: A symbolic link is not followed, "
      + "and what it leads to was not checked."
    #expect(outcome.output.contains(line), "\(outcome.output)")
  }

  /// Text and JSON name one team: the signature's, or else that of its entitlements.
  @Test func theTeamIsOne() throws {
    let tool = try Tool()
    let entitlements = Self.list(
      "<key>com.apple.developer.team-identifier</key><string>ABCDE12345</string>")
    let program = SignedProgram.bytes("com.example.app", team: nil, entitlements: entitlements)
    try Data(program).write(to: tool.folder.appending(path: "App"))
    let text = try tool.run("inspect", "App").output
    #expect(text.contains("team              ABCDE12345\n"), "\(text)")
    #expect(try tool.run("inspect", "App", "--json").json(line: 0)["team"] as? String == "ABCDE12345")
  }

  private static func list(_ pairs: String) -> String {
    #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>"# + pairs + "</dict></plist>"
  }

  @Test func entitlementsAreInspectedByThemselves() throws {
    let tool = try Tool()
    let content = Self.list(
      "<key>com.apple.developer.associated-domains</key><array><string>applinks:example.com</string></array>"
        + "<key>com.apple.developer.team-identifier</key><string>ABCDE12345</string>")
    try tool.write(content, to: "App.entitlements")
    let outcome = try tool.run("inspect", "App.entitlements", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let answer = try outcome.json()
    #expect(answer["kind"] as? String == "entitlements")
    #expect(answer["associated_domains"] as? [String] == ["applinks:example.com"])
    #expect(answer["team"] as? String == "ABCDE12345")
    #expect(answer["signature"] is NSNull)
    #expect(answer["size_bytes"] as? Int == content.utf8.count)
    let text = try tool.run("inspect", "App.entitlements")
    #expect(text.output.contains("domains           applinks:example.com\n"))
  }

  @Test func whatIsWrongInEntitlementsIsFoundAsByCheck() throws {
    let tool = try Tool()
    try tool.write(
      Self.list(
        "<key>com.apple.developer.associated-domains</key><array><string>applinks:https://example.com</string></array>"
      ), to: "App.entitlements")
    let outcome = try tool.run("inspect", "App.entitlements", "--json")
    let checked = try tool.run("check", "App.entitlements", "--json")
    #expect(outcome.status == 1 && checked.status == 1)
    func rules(_ outcome: Tool.Outcome) throws -> [String] {
      (try outcome.json()["findings"] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String }
    }
    #expect(try rules(outcome) == rules(checked))
    #expect(try !rules(outcome).isEmpty)
  }

  @Test func anInfoPlistByItselfIsNotInspected() throws {
    let tool = try Tool()
    try tool.write(Self.info, to: "Info.plist")
    let outcome = try tool.run("inspect", "Info.plist")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'Info.plist' is an Info.plist, and only entitlements are inspected"))
    #expect(outcome.errors.contains("'linkspan check --app Info.plist'"))
  }
}
