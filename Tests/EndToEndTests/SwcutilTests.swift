import Foundation
import LinkspanCore
import TestSupport
import Testing

@Suite struct SwcutilTests {
  /// Published runs of Apple's tool, each line for line; `|` stands for a line break there.
  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func printsWhatApplesToolPrinted() throws {
    let corpus = try #require(Fixtures.corpus)
    let tool = try Tool()
    var count = 0
    for row in try corpus.manifest("deeplinks") where row[6] != "-" {
      let rule = corpus.url.appending(path: "deeplinks/\(row[0])")
      let published = row[6].replacing(" | ", with: "\n").replacing(" |", with: "\n")
      let text = try String(contentsOf: rule, encoding: .utf8)
      for argument in [rule.path, text] {
        let outcome = try tool.run("swcutil", "match", "-u", row[1], "-j", argument)
        #expect(outcome.status == 0)
        #expect(outcome.output == published, "\(row[0])")
      }
      count += 1
    }
    print("corpus deeplinks: \(count) lines of swcutil match are equal")
    #expect(count >= 39)
  }

  /// The match vectors that runs of swcutil gave: what `verify` prints follows from the decision alone.
  @Test func verifiesEveryVectorOfTheSpecification() throws {
    let tool = try Tool()
    for row in try Fixtures.table("match-vectors.tsv") {
      let (app, url, verdict) = (row[1], row[2], row[3])
      let outcome = try tool.run("swcutil", "verify", "-d", "example.com", "-j", row[4], "-u", url)
      let line = "{ s = applinks, a = \(app), d = example.com }: Pattern \"\(url)\" "
      #expect(outcome.status == 0 && outcome.errors == "", "\(row[0])")
      #expect(outcome.output.contains(line + "matched.\n") == (verdict == "match"), "\(row[0])")
      #expect(outcome.output.contains(line + "blocked match.\n") == (verdict == "excluded"), "\(row[0])")
      #expect(!outcome.output.isEmpty)
    }
  }

  static let verifyUsage =
    "  Usage: linkspan swcutil verify [flags]; 'linkspan swcutil verify --help' describes it.\n"
  static let matchUsage =
    "  Usage: linkspan swcutil match [flags]; 'linkspan swcutil match --help' describes it.\n"

  static let wrongWords: [(words: [String], message: String)] = [
    (
      ["swcutil"],
      "linkspan swcutil: error: COMMAND is missing.\n"
        + "  Usage: linkspan swcutil COMMAND [flags]; 'linkspan swcutil --help' describes it.\n"
    ),
    (
      ["swcutil", "veriyf"],
      "linkspan swcutil: error: there is no 'swcutil veriyf'. Did you mean 'verify'?\n"
        + "  Run 'linkspan swcutil --help' for the list.\n"
    ),
    (
      ["swcutil", "dl", "-d", "example.com"],
      "linkspan swcutil: error: 'swcutil dl' is not here.\n"
        + "  It asks Apple's servers from a Mac; 'linkspan check HOST' says what they and the host answer.\n"
    ),
    (
      ["swcutil", "match", "-j", "{}"],
      "linkspan swcutil match: error: '-u' is missing.\n" + matchUsage
    ),
    (
      ["swcutil", "verify", "-u", "https://example.com/"],
      "linkspan swcutil verify: error: '-j' is missing.\n" + verifyUsage
    ),
    (
      ["swcutil", "verify", "-x"],
      "linkspan swcutil verify: error: there is no flag '-x'. The short ones are -d, -j, -u, -h.\n"
        + verifyUsage
    ),
    (
      ["swcutil", "match", "-u"],
      "linkspan swcutil match: error: '-u' needs a value: URL.\n" + matchUsage
    ),
    (
      ["swcutil", "match", "-u", "a", "--url=b"],
      "linkspan swcutil match: error: '--url' is given twice.\n" + matchUsage
    ),
    (
      ["swcutil", "match", "-u", "a", "-j", "{\"/\":}"],
      "linkspan swcutil match: error: -j:1:2: \"/\" has no value.\n"
    ),
    (
      ["swcutil", "match", "-u", "a", "-j", "nowhere"],
      "linkspan swcutil match: error: 'nowhere' cannot be read: No such file or directory.\n"
    ),
  ]

  @Test(arguments: wrongWords)
  func wrongWordsSayWhatAndWhatToDo(words: [String], message: String) throws {
    let outcome = try Tool().run(words)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors == message)
  }

  @Test(arguments: ["dl", "get", "openul", "reset", "watch", "developer-mode"])
  func theOtherCommandsOfApplesToolNameWhatToUse(word: String) throws {
    let outcome = try Tool().run("swcutil", word)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'linkspan "))
  }

  @Test(arguments: ["verify", "match"])
  func aUserAndPasswordAreNotPrinted(word: String) throws {
    let file =
      word == "match"
      ? #"{"/":"/a"}"#
      : #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#
    let words = ["swcutil", word, "-u", "https://ann:pa55@example.com/a", "-j", file]
    for more in [[], ["--json"]] {
      let outcome = try Tool().run(words + more)
      #expect(outcome.status == 0 && outcome.output.lowercased().contains("matched"), "\(outcome.output)")
      #expect(!outcome.output.contains("ann") && !outcome.output.contains("pa55"), "\(outcome.output)")
      if word == "verify" { #expect(outcome.output.contains("https://…@example.com/a")) }
    }
  }

  @Test func everyFormHasItsJSON() throws {
    let tool = try Tool()
    let match = try tool.run("swcutil", "match", "-u", "https://e.com/a", "-j", #"{"/":"/a"}"#, "--json")
    #expect(
      match.output
        == #"{"type":"swcutil-match","url":"https://e.com/a","index":0,"text":"Matched by pattern at index 0: {\n  \"/\" : \"/a\"\n}"}"#
        + "\n")
    let verify = try tool.run("swcutil", "verify", "-u", "https://e.com/a", "-j", "{}", "--json")
    #expect(
      verify.output
        == #"{"type":"swcutil-verify","domain":"e.com","url":"https://e.com/a","answers":[],"#
        + #""lines":["Input JSON did not match input URL."]}"# + "\n")
  }

  /// The help says what the tool does: 0 for every answer, and 2 where there is none.
  @Test func theHelpSaysWhenThereIsNoAnswer() throws {
    let help = try Tool().run("swcutil", "--help").output
    #expect(!help.contains("always 0") && help.contains("exit status is 2"), "\(help)")
    let rule = #"{"/":"/a"}"#
    for (url, file, status) in [
      ("https://e.test/a", rule, 0), ("https://e.test/b", rule, 0), ("https://e.test/a", "no-such-file", 2),
    ] as [(String, String, Int32)] {
      #expect(try Tool().run("swcutil", "match", "-u", url, "-j", file).status == status)
    }
  }
}
