/// The bound on a function's lines, its first and last included.
private let longestFunction = 70
/// The bound on a target's lines, tables and comments included.
private let largestTarget = 8_000

/// Rules about what a reader has to hold in mind, and about what nobody calls.
let sizeRules: [HouseRule] = [
  HouseRule(
    id: "no-long-function",
    bad: ["Sources/Base/LinkspanCore/A.swift": function(lines: longestFunction + 1)],
    good: ["Sources/Base/LinkspanCore/A.swift": function(lines: longestFunction)]
  ) { repository in
    repository.sources.flatMap { file in
      longFunctions(in: file).map {
        Violation(
          path: file.path, line: $0, message: "more than \(longestFunction) lines: split it by subject")
      }
    }
  },

  HouseRule(
    id: "no-large-target",
    bad: ["Sources/Base/LinkspanCore/A.swift": String(repeating: "b()\n", count: largestTarget + 1)],
    good: [
      "Sources/Base/LinkspanCore/A.swift": String(repeating: "b()\n", count: largestTarget),
      "Sources/Base/LinkspanCrypto/A.swift": "b()\n",
    ]
  ) { repository in
    var counts: [String: Int] = [:]
    for file in repository.sources where file.isSwift {
      if let target = file.target { counts[target, default: 0] += file.lines.count }
    }
    return counts.filter { $0.value > largestTarget }.sorted { $0.key < $1.key }.map { target, count in
      Violation(
        path: "Package.swift", line: 1,
        message: "'\(target)' has \(count) lines, more than \(largestTarget): split it by subject")
    }
  },

  HouseRule(
    id: "no-unused-declaration",
    bad: ["Sources/Base/LinkspanCore/A.swift": "package func lonely() {}\n"],
    good: [
      "Sources/Base/LinkspanCore/A.swift": "package func used() {}\n",
      "Sources/Program/LinkspanCLI/B.swift": "used()\n",
      "Sources/Library/Linkspan/C.swift": "public func forTheApp() {}\n",
    ]
  ) { repository in
    var uses: [Substring: Int] = [:]
    let users = repository.texts.filter { file in
      file.isSwift && ["Sources/", "Fuzz/", "Benchmarks/"].contains { file.path.hasPrefix($0) }
    }
    for file in users {
      for line in file.lines {
        for word in identifiers(line.code) { uses[word, default: 0] += 1 }
      }
    }
    return repository.sources.flatMap { file in
      file.lines.compactMap { line in
        guard let name = declaredName(line.code), uses[name] == 1, requirements[String(name)] == nil,
          !line.code.hasWord("public")
        else { return nil }
        return Violation(
          path: file.path, line: line.number,
          message:
            "nothing but its declaration uses '\(name)' (a test alone doesn't count): remove it, or use it")
      }
    }
  },
]

/// Names that a protocol of the standard library asks for, which no code of ours calls.
private let requirements: [String: String] = [
  "appendLiteral": "StringInterpolationProtocol",
  "customMirror": "CustomReflectable",
  "debugDescription": "CustomDebugStringConvertible",
  "enqueue": "TaskExecutor",
  "minimumResolution": "Clock",
]

/// A function of that many lines.
private func function(lines: Int) -> String {
  "func a() {\n" + String(repeating: "  b()\n", count: lines - 2) + "}\n"
}

/// The first lines of functions that are too long. The formatter puts the closing brace below the first letter.
private func longFunctions(in file: SourceText) -> [Int] {
  var long: [Int] = []
  var start: (line: Int, indentation: Int)?
  for line in file.lines {
    let indentation = line.text.prefix { $0 == " " }.count
    let text = line.text.dropFirst(indentation)
    if let open = start, open.indentation == indentation, text.hasPrefix("}") {
      if line.number - open.line + 1 > longestFunction { long.append(open.line) }
      start = nil
    }
    if start == nil, beginsFunction(text), !text.hasSuffix("}") { start = (line.number, indentation) }
  }
  return long
}

private let modifiers: Set<Substring> = [
  "public", "package", "internal", "private", "fileprivate", "final", "indirect", "nonisolated", "static",
  "mutating", "class", "override", "lazy", "consuming", "borrowing", "weak", "unowned",
]

private func beginsFunction(_ text: Substring) -> Bool {
  for word in text.split(separator: " ") {
    if modifiers.contains(word) || word.hasPrefix("@") { continue }
    return word == "func" || word.hasPrefix("init(") || word.hasPrefix("init?(") || word.hasPrefix("init<")
      || word == "deinit"
  }
  return false
}

/// The name that a line declares, if it declares one.
private func declaredName(_ line: Substring) -> Substring? {
  let kinds: Set<Substring> = [
    "func", "var", "let", "struct", "class", "enum", "protocol", "actor", "typealias",
  ]
  var before: Substring = ""
  for word in line.split(separator: " ") {
    if kinds.contains(before), before != "class" || !kinds.contains(word) {
      let name = word.drop { $0 == "`" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      return name.isEmpty ? nil : name
    }
    guard kinds.contains(word) || modifiers.contains(word) || word.hasPrefix("@") || word == "private(set)"
    else {
      return nil
    }
    before = word
  }
  return nil
}

/// The identifiers of a line.
private func identifiers(_ line: Substring) -> [Substring] {
  line.utf8.split { !$0.isWordByte }.map { Substring($0) }
}
