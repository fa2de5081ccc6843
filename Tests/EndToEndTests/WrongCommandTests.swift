import Foundation
import LinkspanCore
import TestSupport
import Testing

/// Examples from the help of every command, with files that somebody needs where their output should go: no file is
/// overwritten, because nobody is there to be asked.
@Suite(.timeLimit(.minutes(10))) struct WrongCommandTests {
  /// `LINKSPAN_WRONG_COMMANDS=10000` runs as many.
  static let count = ProcessInfo.processInfo.environment["LINKSPAN_WRONG_COMMANDS"].flatMap(Int.init) ?? 100

  /// What runs until it is stopped, or sends something somewhere.
  private static let passedOver: Set<String> = [
    "serve", "stand-in cdn", "stand-in apns", "stand-in site", "rehearse", "apn push", "push send",
    "registry doctor",
  ]
  /// The words for the value of a flag that may be written to.
  private static let fileWords: Set<String> = ["OUT", "FILE", "FOLDER"]

  private struct Draw {
    var random: SeededGenerator
    let commands: [CommandHelp]
    let files: [String]

    private mutating func pick<Element>(_ list: [Element]) -> Element {
      list[Int(random.next() % UInt64(list.count))]
    }

    private mutating func chance(_ share: UInt64) -> Bool { random.next() % share == 0 }

    private mutating func value(of flag: CommandHelp.Flag) -> String {
      flag.value == "FOLDER" && chance(2) ? "." : pick(files)
    }

    /// An example whose outputs are files that are there, often with one more flag or another operand.
    mutating func words() -> [String] {
      let command = pick(commands)
      // Ours: a swarm of a thousand stories, or a fleet of millions, takes a minute and writes nothing else.
      var words = pick(command.examples).map { $0 == "1000" ? "1" : $0 }
      let flags = command.flags.filter { WrongCommandTests.fileWords.contains($0.value ?? "") }
      for place in words.indices.dropLast() {
        if let flag = flags.first(where: { $0.name == words[place] || $0.short == words[place] }),
          flag.value == "OUT" || chance(3)
        {
          words[place + 1] = value(of: flag)
        }
      }
      let others = flags.filter { !words.contains($0.name) && !words.contains($0.short ?? $0.name) }
      if !others.isEmpty, !chance(3) {
        let flag = pick(others)
        words += [flag.name, value(of: flag)]
      }
      let places = words.indices.filter { $0 >= command.words.count && !words[$0].hasPrefix("-") }
      if !places.isEmpty, chance(5) { words[pick(places)] = pick(files) }
      if command.flags.contains(where: { $0.name == "--fix" }), chance(2) { words.append("--fix") }
      return words
    }
  }

  private static let inputs = [
    ("apple-app-site-association", CheckTests.good), ("old.json", CheckTests.good),
    ("new.json", CheckTests.good),
    ("App.entitlements", CheckTests.entitlements), ("urls.txt", "https://example.com/a\n"),
    ("sitemap.xml", "https://example.com/a\n"),
    ("linkspan.json5", "{apps: [{id: 'ABCDE12345.com.example.app', routes: ['/buy/:id']}]}"),
    (
      "experiences.json5",
      "{clip: {bundle_id: 'com.example.app.Clip', domains: ['example.com']}, "
        + "advanced: [{url: 'https://example.com/shop', title: 'Shop'}]}"
    ),
    ("fleet.json5", "{devices: 10, days: 1, update: {released: '2026-03-02T01:00:00Z'}}"),
    ("codes.csv", "SVG File Name,URL\na.svg,https://example.com/a\n"),
    ("key.pem", "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n"),
  ]

  private static func folder() throws -> Tool {
    let tool = try ForeignFileTests.folder()
    for (name, text) in inputs { try tool.write(text, to: name) }
    for name in ["site", "stories", "story.json5", "links.txt", "app"] {
      try FileManager.default.createDirectory(
        at: tool.folder.appending(path: "Examples"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: Fixtures.root.appending(path: "Examples/\(name)"),
        to: tool.folder.appending(path: "Examples/\(name)"))
    }
    #expect(try tool.run("clip", "qr", "https://example.com/shop", "-o", "screen.png").status == 0)
    return tool
  }

  @Test func nothingIsOverwrittenWithoutAQuestion() throws {
    let tool = try Self.folder()
    let commands = try CommandHelp.leaves(tool).filter {
      !Self.passedOver.contains($0.words.joined(separator: " ")) && !$0.examples.isEmpty
    }
    #expect(commands.count > 40)
    let before = try FolderContent(tool.folder)
    let files = before.names.filter { !$0.hasPrefix("Examples") }.sorted()
    let seed: UInt64 = 27
    var draw = Draw(random: SeededGenerator(seed: seed), commands: commands, files: files)
    var refusals = 0
    for number in 0..<Self.count {
      let words = draw.words()
      let outcome = try tool.run(words)
      let after = try FolderContent(tool.folder)
      // What '--fix' has mended is kept beside the file.
      let changed = before.changed(in: after).filter { after.data($0 + ".orig") != before.data($0) }
      #expect(changed.isEmpty, "seed \(seed), command \(number): linkspan \(words.joined(separator: " "))")
      if outcome.status == 2, outcome.errors.contains("already exists and ") { refusals += 1 }
      try tool.restore(before, over: after)
    }
    #expect(refusals >= Self.count / 20, "few of the commands would have overwritten anything")
  }
}

extension Tool {
  /// Puts a folder's files back, and removes what was not there.
  fileprivate func restore(_ content: FolderContent, over present: FolderContent) throws {
    for name in present.names.subtracting(content.names) {
      let path = folder.appending(path: name).path
      // Gone with the folder that it was in.
      if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
    for name in content.changed(in: present) {
      try content.data(name).write(to: folder.appending(path: name))
    }
  }
}
