import Foundation
import TestSupport
import Testing

/// A command overwrites the file that a flag names only where that holds what the command writes.
@Suite struct OutputTests {
  struct Output: Sendable, CustomTestStringConvertible {
    var words: [String]
    /// The same command about something else, so that it writes other bytes.
    var others: [String]
    /// What it writes, where that is not the value of the flag.
    var file = "out"

    var testDescription: String {
      words.prefix(2).joined(separator: " ") + " " + words.suffix(2).joined(separator: " ")
    }
  }

  private static let url = "https://example.com/shop"
  private static let matrix = ["simulate", "--matrix"]

  /// Every flag that names an output, except those of servers.
  static let outputs: [Output] = [
    Output(
      words: ["simulate", "story.json5", "--html", "out"],
      others: ["simulate", "other.json5", "--html", "out"]),
    Output(
      words: ["simulate", "story.json5", "--har", "out"], others: ["simulate", "other.json5", "--har", "out"]),
    Output(words: matrix + ["arrival", "--html", "out"], others: matrix + ["switcher", "--html", "out"]),
    Output(words: matrix + ["arrival", "--svg", "out"], others: matrix + ["switcher", "--svg", "out"]),
    Output(
      words: ["simulate", "--swarm", "1", "--plant", "negative-cache-ignored", "--shrunk", "out"],
      others: [
        "simulate", "--swarm", "1", "--seed", "2", "--plant", "negative-cache-ignored", "--shrunk", "out",
      ]),
    Output(
      words: ["coverage", "--file", "file", "--urls", "urls", "--html", "out"],
      others: ["coverage", "--file", "file", "--urls", "other-urls", "--html", "out"]),
    Output(
      words: ["check", "file", "--html", "out"], others: ["check", "other-file", "--html", "out"]),
    Output(
      words: ["diff", "file", "file", "--html", "out"],
      others: ["diff", "file", "other-file", "--html", "out"]),
    Output(
      words: ["doctor", "file", "--html", "out"], others: ["doctor", "other-file", "--html", "out"]),
    Output(
      words: ["forecast", "fleet.json5", "--csv", "out", "--svg", "out.svg", "--html", "out.html"],
      others: ["forecast", "small.json5", "--csv", "out", "--svg", "out.svg", "--html", "out.html"]),
    Output(
      words: ["clip", "qr", url, "-o", "out.svg"], others: ["clip", "qr", url + "s", "-o", "out.svg"],
      file: "out.svg"),
    Output(
      words: ["clip", "qr", url, "-o", "out.png"], others: ["clip", "qr", url + "s", "-o", "out.png"],
      file: "out.png"),
    Output(words: ["clip", "ndef", url, "-o", "out"], others: ["clip", "ndef", url + "s", "-o", "out"]),
    Output(
      words: ["clip", "card", "experiences.json5", "--svg", "out"],
      others: ["clip", "card", "experiences.json5", "--url", url + "/b", "--svg", "out"]),
    Output(
      words: ["cover", "screen.png", "-o", "out"],
      others: ["cover", "screen.png", "--radius", "3", "-o", "out"]),
    Output(
      words: ["generate", "routes.json5", "--output", "."],
      others: ["generate", "more.json5", "--output", "."],
      file: "apple-app-site-association"),
    Output(
      words: ["generate", "routes.json5", "--output", "."],
      others: ["generate", "more.json5", "--output", "."],
      file: "assetlinks.json"),
  ]

  private static func routes(_ route: String) -> String {
    "{apps: [{id: 'ABCDE12345.com.example.app', routes: ['\(route)'], package: 'com.example.app', "
      + "fingerprints: ['\(Array(repeating: "AB", count: 32).joined(separator: ":"))']}]}"
  }

  static func folder() throws -> Tool {
    let tool = try Tool()
    for (name, host) in [("story.json5", "example.com"), ("other.json5", "example.org")] {
      try tool.write(
        "{start: '2026-09-14T08:00:00Z', sites: {'\(host)': {file: {applinks: {apps: [], details: "
          + "[{appID: 'ABCDE12345.com.example.app', paths: ['/a']}]}}}}, "
          + "apps: {shop: {identifier: 'ABCDE12345.com.example.app', domains: ['applinks:\(host)']}}, "
          + "devices: {phone: {os: ['ios:17.4']}}, links: ['https://\(host)/a'], "
          + "script: [{install: 'shop'}, {tap: 'all', from: 'messages'}]}", to: name)
    }
    try tool.write(CheckTests.good, to: "file")
    try tool.write(CheckTests.good.replacing("/buy/*", with: "/sell/*"), to: "other-file")
    try tool.write("https://example.com/a\n", to: "urls")
    try tool.write("https://example.com/b\n", to: "other-urls")
    try tool.write("{devices: 100, days: 1, update: {released: '2026-03-02T01:00:00Z'}}", to: "fleet.json5")
    try tool.write("{devices: 10, days: 1, update: {released: '2026-03-02T01:00:00Z'}}", to: "small.json5")
    try tool.write(
      "{clip: {bundle_id: 'com.example.app.Clip', domains: ['example.com']}, advanced: "
        + "[{url: '\(url)', title: 'Shop'}, {url: '\(url)/b', title: 'Other'}]}", to: "experiences.json5")
    try tool.write(routes("/buy/:id"), to: "routes.json5")
    try tool.write(routes("/help/:id"), to: "more.json5")
    #expect(try tool.run("clip", "qr", url, "-o", "screen.png").status == 0)
    return tool
  }

  private static func bytes(_ tool: Tool, _ name: String) throws -> Data {
    try Data(contentsOf: tool.folder.appending(path: name))
  }

  @Test(arguments: outputs)
  func aForeignFileStaysAndOwnOutputIsReplaced(_ output: Output) throws {
    let tool = try Self.folder()
    try tool.write("mine", to: output.file)
    let refused = try tool.run(output.words)
    #expect(refused.status == 2, "\(refused.output)")
    #expect(refused.errors.contains("' already exists and is not "), "\(refused.errors)")
    #expect(
      refused.errors.hasSuffix(
        "; it seems to be text. It was not changed.\n  Name another file, or add '--force' to overwrite this one.\n"
      ),
      "\(refused.errors)")
    #expect(try tool.text(output.file) == "mine")

    let first = try tool.run(output.words + ["--force"])
    #expect(first.status <= 1, "\(first.errors)")
    let written = try Self.bytes(tool, output.file)
    #expect(written != Data("mine".utf8))
    let second = try tool.run(output.others)
    #expect(second.status <= 1, "\(second.errors)")
    #expect(try Self.bytes(tool, output.file) != written)
    #expect(try tool.run(output.words).status == first.status)
    #expect(try Self.bytes(tool, output.file) == written)
  }

  /// As `mktemp` leaves it: nothing would be missed.
  @Test func anEmptyFileIsNoReasonToAsk() throws {
    let tool = try Self.folder()
    try tool.write("", to: "out")
    #expect(try tool.run("clip", "ndef", Self.url, "-o", "out").status == 0)
    #expect(try !Self.bytes(tool, "out").isEmpty)
  }

  /// A screenshot is a PNG too, and so is another command's picture.
  @Test(arguments: [
    ["cover", "screen.png", "-o", "screen.png"], ["clip", "qr", url, "-o", "cover.png"],
    ["simulate", "story.json5", "--html", "coverage.html"],
    ["forecast", "fleet.json5", "--svg", "matrix.svg"],
  ])
  func theOutputOfAnotherCommandIsForeign(words: [String]) throws {
    let tool = try Self.folder()
    #expect(try tool.run("cover", "screen.png", "-o", "cover.png").status == 0)
    #expect(
      try tool.run("coverage", "--file", "file", "--urls", "urls", "--html", "coverage.html").status == 0)
    #expect(try tool.run("simulate", "--matrix", "arrival", "--svg", "matrix.svg").status == 0)
    let before = try FolderContent(tool.folder)
    let outcome = try tool.run(words)
    #expect(outcome.status == 2, "\(outcome.output)")
    #expect(try FolderContent(tool.folder) == before)
  }

  /// A story and a fleet are there to be edited; then they are a person's own.
  @Test func aDocumentThatWasEditedStays() throws {
    let tool = try Tool()
    let words = ["simulate", "--swarm", "1", "--plant", "negative-cache-ignored", "--shrunk", "out.json5"]
    #expect(try tool.run(words).status == 1)
    #expect(try tool.run(words).status == 1)
    try tool.write(try tool.text("out.json5") + "// mine\n", to: "out.json5")
    let edited = try tool.text("out.json5")
    #expect(try tool.run(words).status == 2)
    #expect(try tool.text("out.json5") == edited)
    // Without a name it takes one of its own, and the next one where that is taken.
    let unnamed = Array(words.dropLast(2))
    try tool.write("mine", to: "swarm-1.json5")
    #expect(try tool.run(unnamed).status == 1)
    #expect(try tool.text("swarm-1.json5") == "mine")
    #expect(try tool.text("swarm-1.2.json5").contains("Breaks the invariant"))
  }

  /// Files that people write as well have no form by which a command would know its own: only the same bytes go over them.
  @Test func whatPeopleWriteAsWellIsOverwrittenBySameBytesOnly() throws {
    let tool = try Self.folder()
    let codes = ["clip", "codes", "urls", "--write", "connect", "-o", "codes.csv"]
    for _ in 1...2 {
      #expect(try tool.run(codes).status == 0)
      #expect(try tool.run("init", "own.json5").status == 0)
    }
    try tool.write("https://example.com/c\n", to: "urls")
    try tool.write("{}", to: "own.json5")
    let before = try FolderContent(tool.folder)
    #expect(try tool.run(codes).status == 2)
    #expect(try tool.run("init", "own.json5").status == 2)
    #expect(try FolderContent(tool.folder) == before)
    #expect(try tool.run(codes + ["--force"]).status == 0)
    #expect(try tool.run("init", "own.json5", "--force").status == 0)
    #expect(try tool.text("own.json5").contains("sites:"))
  }

  /// A published file has no room for a mark, but the command has a layout of its own.
  @Test func aFileThatSomebodyWroteIsNotGenerated() throws {
    let tool = try Self.folder()
    for text in [
      CheckTests.good, "{\"applinks\":{\"details\":[]}}",
      "{\n  \"applinks\": {\n    \"details\": []\n  }\n}\n",
    ] {
      try tool.write(text, to: "site/apple-app-site-association")
      let outcome = try tool.run("generate", "routes.json5", "--output", "site")
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.contains("it seems to be an association file. It was not changed."),
        "\(outcome.errors)")
      #expect(try tool.text("site/apple-app-site-association") == text)
      #expect(
        !FileManager.default.fileExists(atPath: tool.folder.appending(path: "site/assetlinks.json").path))
    }
  }

  @Test func twoFlagsCannotNameOneFile() throws {
    let tool = try Self.folder()
    try tool.write("", to: "out")
    let outcome = try tool.run("simulate", "--matrix", "arrival", "--svg", "out", "--html", "./out")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'--svg' and '--html' name the same file './out'"), "\(outcome.errors)")
  }

  @Test func aServerLooksBeforeItListens() throws {
    let tool = try Self.folder()
    for words in [
      ["serve", "file", "--host", "example.com", "--listen", "127.0.0.1:0", "--write-certificate", "urls"],
      ["stand-in", "cdn", "--listen", "127.0.0.1:0", "--write-certificate", "urls"],
      ["stand-in", "cdn", "--listen", "127.0.0.1:0", "--plain", "--har", "urls"],
      ["stand-in", "apns", "--listen", "127.0.0.1:0", "--record", "urls"],
    ] {
      let outcome = try tool.run(words)
      #expect(outcome.status == 2, "\(words)")
      #expect(outcome.errors.contains("'urls' already exists and is not "), "\(outcome.errors)")
    }
    #expect(try tool.text("urls") == "https://example.com/a\n")
  }

  @Test(.enabled(if: PlayedTerminal.isThere, Comment(rawValue: PlayedTerminal.isMissing)))
  func theTerminalAsks() throws {
    let tool = try Self.folder()
    let words = ["clip", "ndef", Self.url, "-o", "out"]
    try tool.write("mine", to: "out")
    let no = try PlayedTerminal.run(tool, words, typing: "no\n")
    #expect(no.status == 2)
    #expect(no.text.contains("it seems to be text. Overwrite it? [y/N] "), "\(no.text)")
    #expect(try tool.text("out") == "mine")
    #expect(try PlayedTerminal.run(tool, words, typing: "y\n").status == 0)
    #expect(try Self.bytes(tool, "out") != Data("mine".utf8))
  }
}
