import Foundation
import TestSupport
import Testing

/// Names of files that are not UTF-8, as an archive from an old system leaves them: each command says so, and passes none over.
@Suite struct FileNameTests {
  private static let said = "n\u{FFFD}"

  /// Makes `FOLDER/n\xFF` and what `ending` adds to the name.
  private func make(_ tool: Tool, _ folder: String, _ ending: String, isFolder: Bool = false) throws
    -> [CChar]
  {
    let bytes = Array("\(tool.folder.path)/\(folder)/n".utf8) + [0xFF] + Array(ending.utf8) + [0]
    let name = bytes.map { CChar(bitPattern: $0) }
    if isFolder {
      #expect(mkdir(name, 0o755) == 0)
    } else {
      close(open(name, O_WRONLY | O_CREAT, 0o644))
    }
    return name
  }

  @Test func aHostsFolderIsNamed() throws {
    let tool = try Tool()
    try tool.write(CheckTests.good, to: "site/example.com/.well-known/apple-app-site-association")
    let name = try make(tool, "site", ".example", isFolder: true)
    defer { rmdir(name) }
    let checked = try tool.run("check", "site")
    #expect(checked.status == 0, "\(checked.errors)")
    #expect(
      checked.output.contains("folders whose names are not hosts: \(Self.said).example"), "\(checked.output)")
    let served = try tool.run("serve", "site", "--dry-run", "--plain", "--listen", "127.0.0.1:0")
    #expect(served.status == 0)
    #expect(
      served.errors.contains("not served: The name of 'site/\(Self.said).example' is not UTF-8. Rename it."),
      "\(served.errors)")
    // The server is not there, and the folder is read before.
    try tool.write("token", to: "token")
    let published = try tool.run(
      "publish", "site", "--to", "http://127.0.0.1:1", "--token-file", "token")
    #expect(
      published.errors.contains(
        "not published: The name of 'site/\(Self.said).example' is not UTF-8. Rename it."),
      "\(published.errors)")
  }

  @Test func aStoryAndAFileOfABundleAreNamed() throws {
    let tool = try Tool()
    try tool.write("", to: "stories/keep")
    try tool.write("", to: "Clip.app/keep")
    for (folder, ending, words) in [
      ("stories", ".json5", ["simulate", "stories"]), ("Clip.app", "", ["clip", "size", "Clip.app"]),
    ] {
      let name = try make(tool, folder, ending)
      defer { unlink(name) }
      let outcome = try tool.run(words)
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.contains(
          "The name of '\(folder)/\(Self.said)\(ending)' is not UTF-8.\n  Rename it.\n"),
        "\(outcome.errors)")
    }
  }

  /// What is asked, the content of the file that is named last, and the command that the answer offers for it.
  struct Offer: Sendable {
    let words: [String]
    let content: String?
    let command: String
  }

  private static let plist =
    #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>a</string></dict></plist>"#

  static let offers: [Offer] = [
    Offer(
      words: ["match", "https://example.com/", "--file"], content: "// {}", command: "linkspan check "),
    Offer(words: ["init", "--from"], content: "{}", command: "linkspan check "),
    Offer(words: ["diff", "good"], content: "[]", command: "linkspan check "),
    Offer(words: ["generate", "request", "--output"], content: nil, command: "mkdir -p "),
    Offer(words: ["inspect"], content: plist, command: "linkspan check --app "),
    Offer(words: ["init"], content: nil, command: "linkspan serve --config "),
    Offer(words: ["init", "--fleet"], content: nil, command: "linkspan forecast "),
    Offer(words: ["init", "--from", "good"], content: nil, command: "linkspan generate "),
  ]

  @Test(arguments: offers)
  func theNextCommandHasTheNameQuoted(offer: Offer) throws {
    let tool = try Tool()
    let name = "it's Büro 1.json"
    try tool.write(CheckTests.good, to: "good")
    try tool.write("{apps:[{id:'ABCDE12345.com.example.app',routes:['/a']}]}", to: "request")
    if let content = offer.content { try tool.write(content, to: name) }
    let outcome = try tool.run(offer.words + [name])
    let text = outcome.output + outcome.errors
    #expect(text.contains(offer.command + #"'it'\''s Büro 1.json'"#), "\(text)")
  }
}
