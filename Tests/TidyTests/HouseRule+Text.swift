/// Rules about text of every kind.
let textRules: [HouseRule] = [
  .lines(
    "no-tab-or-trailing-blank",
    bad: ["a.md": "one \ntwo\n"],
    good: ["a.md": "one\ntwo\n", "Makefile": "all:\n\ttrue\n", "Tests/X/Fixtures/a.json": "{}\t \n"],
    in: { $0.texts.filter { !$0.isFixture } }
  ) { line, file in
    if line.text.last?.isWhitespace == true { return "remove the blanks at the end of the line" }
    let keepsTabs = file.name == "Makefile" || file.path.hasSuffix(".tsv")
    return line.text.has("\t") && !keepsTabs ? "write blanks instead of the tab" : nil
  },

  HouseRule(
    id: "ends-in-a-line-feed", bad: ["a.md": "one"], good: ["a.md": "one\n", "empty": ""]
  ) { repository in
    repository.texts.filter { !$0.isFixture && !$0.text.isEmpty && $0.text.utf8.last != 0x0A }.map {
      Violation(path: $0.path, line: $0.lines.count, message: "end the file with a line feed")
    }
  },

  .lines(
    "no-carriage-return",
    bad: ["a.md": "one\r\n"], good: ["a.md": "one\n", "Tests/X/Fixtures/a.json": "{}\r\n"],
    in: { $0.texts.filter { !$0.isFixture } }
  ) { line, _ in
    line.text.utf8.contains(0x0D) ? "end lines with a line feed only" : nil
  },

  .lines(
    "no-path-of-one-machine",
    bad: ["a.md": "see " + machinePath("root", "x") + "\n"],
    good: ["a.md": "https://example.com" + machinePath("home", "x") + " \"" + machinePath("home", "*\"\n")],
    in: { $0.texts.filter { !$0.isFixture } }
  ) { line, _ in
    for folder in ["work", "root", "home"] {
      var rest = line.text
      while let range = rest.firstRange(of: machinePath(folder, "")) {
        let before =
          range.lowerBound > line.text.startIndex
          ? line.text[line.text.index(before: range.lowerBound)] : " "
        rest = rest[range.upperBound...]
        let isStart = !(before.isLetter || before.isNumber || ".*-_}".contains(before))
        if isStart, let after = rest.first, after.isLetter || after == "." {
          return "'\(machinePath(folder, ""))' is a folder of one machine; name the file from the root"
        }
      }
    }
    return nil
  },

  .lines(
    "no-unfinished-word",
    bad: ["Sources/Base/LinkspanCore/A.swift": "// " + "TO" + "DO: later\n"],
    good: ["Sources/Base/LinkspanCore/A.swift": "// XX" + "XX is a placeholder\n"],
    in: { repository in
      let folders = ["Sources/", "Tests/", "Scripts/", "Benchmarks/", "Fuzz/"]
      return repository.texts.filter { file in
        !file.isFixture && folders.contains { file.path.hasPrefix($0) }
      }
    }
  ) { line, _ in
    for word in ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"] where line.text.has(word) {
      if line.text.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).contains(
        Substring(word))
      {
        return "'\(word)': finish it, or open an issue and leave the word out"
      }
    }
    return nil
  },
]

/// Written in two parts, so that the rule does not find its own samples.
private func machinePath(_ folder: String, _ rest: String) -> String { "/" + folder + "/" + rest }
