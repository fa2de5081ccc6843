import Foundation
import TestSupport
import Testing

/// Whatever an answer cites can be looked up with `linkspan rules`.
@Suite struct CitationTests {
  /// Commands that listen, wait or ask the network, and those that make files.
  private static let others: Set<String> = ["stand-in", "rehearse", "mcp", "init", "self-test"]

  /// Those of the documents and of the program's own help that need the files of `Examples` alone, and a few more.
  private static func commands(_ tool: Tool) throws -> [[String]] {
    let documents = try FileManager.default.contentsOfDirectory(
      at: Fixtures.root.appending(path: "Documentation"), includingPropertiesForKeys: nil)
    var found: [[String]] = []
    for url in documents + [Fixtures.root.appending(path: "README.md")] where url.pathExtension == "md" {
      for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
        guard line.hasPrefix("$ linkspan "), !line.contains(where: { "|<>*\\'".contains($0) }) else {
          continue
        }
        found.append(line.split(separator: " ").dropFirst(2).map(String.init))
      }
    }
    found += try CommandHelp.leaves(tool).flatMap(\.examples)
    found = found.filter { words in
      (words.contains { $0.hasPrefix("Examples/") } || words.contains("--matrix"))
        && !others.contains(words[0]) && !words.contains("--live") && !words.contains("--accept-errors")
    }
    let file = "Examples/site/bsky.app/.well-known/apple-app-site-association"
    found += ["arrival", "switcher", "push"].map { ["simulate", "--matrix", $0] }
    found += ["swcutil_show.txt", "swcutil_show-localized.txt", "swcd.log"].map {
      ["swcutil", "explain", "Tests/Fixtures/device/\($0)"]
    }
    found += [
      ["rules"], ["match", "https://bsky.app/profile/a", "--file", file],
      ["review", "Tests/Fixtures/review"],
      ["handoff", "decode", "4c000c0e0057cd3b3cbd48f29e6bf563f092"],
      ["handoff", "predict", "--team", "ABCDE12345", "--app", "Examples/app/Info.plist"],
      ["clip", "url", "https://example.com/shop/42", "--experiences", "Examples/clip/experiences.json5"],
      ["clip", "card", "Examples/clip/experiences.json5"],
    ]
    return Array(Set(found)).sorted { $0.joined(separator: " ") < $1.joined(separator: " ") }
  }

  /// Every command, as text and as JSON, and every story with its events.
  private static func citations(_ tool: Tool) throws -> Citations {
    for folder in ["Examples", "Tests/Fixtures/device", "Tests/Fixtures/review"] {
      let target = tool.folder.appending(path: folder)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: Fixtures.root.appending(path: folder), to: target)
    }
    let stories = try FileManager.default.contentsOfDirectory(
      atPath: Fixtures.root.appending(path: "Examples/stories").path
    ).filter { $0.hasSuffix(".json5") }
    var commands = try commands(tool)
    commands += (["story.json5"] + stories.map { "stories/\($0)" }).map {
      ["simulate", "Examples/\($0)", "--events"]
    }
    var citations = Citations()
    for words in commands {
      for words in words.contains("--json") || words.contains("--format")
        ? [words] : [words, words + ["--json"]]
      {
        citations.read(try tool.run(words).output, of: words.joined(separator: " "))
      }
    }
    return citations
  }

  @Test func everyCitationIsInTheCatalogue() throws {
    let tool = try Tool()
    let citations = try Self.citations(tool)
    #expect(citations.count > 5000)
    let identifiers = citations.commands.keys.sorted()
    #expect(identifiers.count > 200)
    // All at once; one by one only to say which.
    guard try tool.run(["rules"] + identifiers).status != 0 else { return }
    for identifier in identifiers where try tool.run("rules", identifier).status != 0 {
      Issue.record(
        "'\(citations.commands[identifier] ?? "")' cites '\(identifier)', which 'linkspan rules' does not know"
      )
    }
  }
}
