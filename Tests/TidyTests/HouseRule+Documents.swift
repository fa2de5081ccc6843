/// Rules about documents and about files that others wrote.
let documentRules: [HouseRule] = [
  HouseRule(
    id: "readme-names-the-two-commands",
    bad: ["README.md": "make demo\n"], good: ["README.md": "make demo\nmake test\n"]
  ) { repository in
    let readme = repository.texts.first { $0.path == "README.md" }?.text ?? ""
    return ["make demo", "make test"].filter { !readme.contains($0) }.map {
      Violation(path: "README.md", line: 1, message: "name the command '\($0)'")
    }
  },

  HouseRule(
    id: "documents-name-real-targets",
    bad: ["README.md": "`make nonsense`\n", "Makefile": "test: ## t\n"],
    good: ["README.md": "`make test` and make sure\n", "Makefile": "test: ## t\n"]
  ) { repository in
    let makefile = repository.texts.first { $0.path == "Makefile" }
    let targets = Set((makefile?.lines ?? []).map { String($0.text.prefix { $0 != ":" }) })
    return repository.texts.filter { $0.path.hasSuffix(".md") && !$0.isFixture }.flatMap { file in
      file.lines.flatMap { line in
        line.text.split(separator: "`make ", omittingEmptySubsequences: false).dropFirst().compactMap {
          rest -> Violation? in
          let target = String(rest.prefix { $0.isLetter || $0 == "-" })
          if targets.contains(target) || target.isEmpty { return nil }
          return Violation(path: file.path, line: line.number, message: "the Makefile has no '\(target)'")
        }
      }
    }
  },

  HouseRule(
    id: "links-lead-somewhere",
    bad: ["Documentation/a.md": "# A\n\n[b](../b.md#two)\n", "b.md": "# One\n"],
    good: [
      "Documentation/a.md": "# A\n\n[b](../b.md#one-two) [c](https://example.com/x) [d](#a)\n",
      "b.md": "# `One` two!\n",
    ]
  ) { repository in
    repository.texts.filter { $0.path.hasSuffix(".md") && !$0.isFixture }.flatMap { file in
      links(in: file).compactMap { line, target -> Violation? in
        if target.contains("://") || target.hasPrefix("mailto:") { return nil }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? file.path : resolve(parts[0], from: file.path)
        guard repository.contains(path) else {
          return Violation(path: file.path, line: line, message: "there is no '\(path)' to link to")
        }
        guard parts.count == 2, let page = repository.files[path] ?? nil else { return nil }
        return anchors(of: SourceText(path: path, text: page)).contains(String(parts[1]))
          ? nil : Violation(path: file.path, line: line, message: "'\(path)' has no heading '#\(parts[1])'")
      }
    }
  },

  HouseRule(
    id: "style-sheets-are-well-formed",
    bad: ["Sources/A/a.css": "p { color: red; }\n@media print { p { margin 0; } }\n"],
    good: [
      "Sources/A/a.css":
        "/* } */\np::before { content: \"}\"; margin: 0 }\n@media print { p { margin: 0; } }\n"
    ]
  ) { repository in
    repository.texts.filter { $0.path.hasSuffix(".css") }.compactMap { file in
      StyleSheet(file.text).mistake.map { Violation(path: file.path, line: $0.line, message: $0.message) }
    }
  },

  HouseRule(
    id: "copied-files-name-their-source",
    bad: ["Tests/XTests/Fixtures/a.json": "{}", "Tests/XTests/Fixtures/SOURCES.md": "| `b.json` |\n"],
    good: [
      "Tests/XTests/Fixtures/aasa/a.json": "{}", "Tests/XTests/Fixtures/SOURCES.md": "| `aasa/a.json` |\n",
      "Examples/app/App.entitlements": "", "Examples/SOURCES.md": "| `app/App.entitlements` |\n",
    ]
  ) { repository in
    repository.files.keys.sorted().compactMap { path in
      var folders = path.split(separator: "/").dropLast().map(String.init)
      guard path.hasPrefix("Examples/") || (path.hasPrefix("Tests/") && folders.contains("Fixtures")),
        let name = path.split(separator: "/").last,
        name != "SOURCES.md", name != "README.md", !name.hasPrefix("LICENSE")
      else { return nil }
      while !folders.isEmpty {
        let folder = folders.joined(separator: "/")
        if let note = repository.files[folder + "/SOURCES.md"] ?? nil {
          if note.contains("`" + path.dropFirst(folder.count + 1) + "`") { return nil }
          break
        }
        folders.removeLast()
      }
      let message =
        "name it in the nearest SOURCES.md: where it is from and under which licence, or that it is ours"
      return Violation(path: path, line: 1, message: message)
    }
  },
]

/// The targets of the links of a page, outside its code blocks, with their lines.
private func links(in file: SourceText) -> [(line: Int, target: String)] {
  var found: [(line: Int, target: String)] = []
  var fenced = false
  for line in file.lines {
    if line.text.hasPrefix("```") { fenced.toggle() }
    if fenced { continue }
    for rest in line.text.split(separator: "](", omittingEmptySubsequences: false).dropFirst() {
      guard let end = rest.firstIndex(of: ")") else { continue }
      found.append((line.number, String(rest[..<end].prefix { $0 != " " })))
    }
  }
  return found
}

/// A relative path as a path from the root.
private func resolve(_ target: Substring, from path: String) -> String {
  var parts = path.split(separator: "/").dropLast()
  for part in target.split(separator: "/") where part != "." {
    if part == ".." { _ = parts.popLast() } else { parts.append(part) }
  }
  return parts.joined(separator: "/")
}

/// The anchors that a page's headings make: lower case, blanks as hyphens, other marks left out.
private func anchors(of file: SourceText) -> Set<String> {
  Set(
    file.lines.filter { $0.text.hasPrefix("#") }.map { line in
      let title = line.text.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
      return String(
        title.compactMap { character -> Character? in
          if character == " " { return "-" }
          return character.isLetter || character.isNumber || character == "-" || character == "_"
            ? character : nil
        })
    })
}
