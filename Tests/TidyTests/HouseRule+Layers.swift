/// Rules about who knows whom. The table `house` of Package.swift says it, and these hold the sources to it.
let layerRules: [HouseRule] = [
  HouseRule(
    id: "imports-are-declared",
    bad: package([("Upper", [("A", []), ("B", [])])], ["Sources/Upper/A/A.swift": "internal import B\n"]),
    good: package(
      [("Upper", [("A", ["B"]), ("B", [])])],
      ["Sources/Upper/A/A.swift": "package import B\nimport Synchronization\n"])
  ) { repository in
    let house = House(repository)
    let ours = Set(house.rooms.map(\.name))
    return repository.importing(house).flatMap { room, files in
      files.flatMap { file in
        file.imports.compactMap { line, module in
          guard ours.contains(module), module != room.name, !room.needs.contains(module) else { return nil }
          return Violation(
            path: file.text.path, line: line,
            message: "'\(room.name)' does not declare '\(module)': move the code, or add it in Package.swift")
        }
      }
    }
  },

  HouseRule(
    id: "what-is-declared-is-imported",
    bad: package([("Upper", [("A", ["B"]), ("B", [])])], ["Sources/Upper/A/A.swift": "// import B\n"]),
    good: package(
      [("Upper", [("A", ["B"]), ("B", ["C"]), ("C", [])])],
      [
        "Sources/Upper/A/A.swift": "import B\n", "Sources/Upper/B/b.c": "#include \"c.h\"\n",
        "Sources/Upper/C/include/c.h": "int c(void);\n",
      ])
  ) { repository in
    let house = House(repository)
    let programs = Set(house.rooms.filter(\.isProgram).map(\.name))
    return repository.importing(house).flatMap { room, files in
      let imported = Set(files.flatMap { $0.imports.map(\.module) })
      return room.needs.filter { !imported.contains($0) && !programs.contains($0) }.map {
        Violation(
          path: "Package.swift", line: room.line,
          message: "'\(room.name)' declares '\($0)' and does not import it")
      }
    }
  },

  HouseRule(
    id: "arrows-point-down-only",
    bad: package([("Upper", [("A", [])]), ("Lower", [("B", ["A"])])]),
    good: package([("Upper", [("A", ["B", "C"]), ("C", [])]), ("Lower", [("B", [])])])
  ) { repository in
    let house = House(repository)
    return house.rooms.flatMap { room in
      room.needs.compactMap { need in
        guard let floor = house.floor(of: need), !house.mayKnow(room.floor, floor) else { return nil }
        return Violation(
          path: "Package.swift", line: room.line,
          message: "'\(room.name)' of \(room.floor) may not know '\(need)' of \(floor)")
      }
    }
  },

  HouseRule(
    id: "no-cycle-between-targets",
    bad: package([("Upper", [("A", ["B"]), ("B", ["C"]), ("C", ["B"])])]),
    good: package([("Upper", [("A", ["B", "C"]), ("B", ["C"]), ("C", [])])])
  ) { repository in
    var left = House(repository).rooms
    while true {
      let open = Set(left.map(\.name))
      let free = left.filter { open.isDisjoint(with: $0.needs) }
      if free.isEmpty { break }
      left.removeAll { room in free.contains { $0.name == room.name } }
    }
    // What only stands on a cycle is not part of one.
    while let top = left.firstIndex(where: { room in !left.contains { $0.needs.contains(room.name) } }) {
      left.remove(at: top)
    }
    guard let first = left.first else { return [] }
    let names = left.map(\.name).joined(separator: ", ")
    return [
      Violation(path: "Package.swift", line: first.line, message: "\(names) need each other")
    ]
  },

  // Linked statically, it comes whole: 38 MB of Unicode tables in the binary.
  HouseRule(
    id: "the-program-reaches-no-foundation",
    bad: [
      "Package.swift":
        "Floor(\"F\", [Room(\"A\", needs: [\"B\"], kind: .program), Room(\"B\", needs: [\"C\"]), Room(\"C\")])",
      "Sources/F/C/C.swift": "public import Foundation\n",
    ],
    good: [
      "Package.swift":
        "Floor(\"F\", [Room(\"A\", needs: [\"B\"], kind: .program), Room(\"B\"), Room(\"C\", needs: [\"B\"])])",
      "Sources/F/B/B.swift": "internal import Dispatch\n",
      "Sources/F/C/C.swift": "public import Foundation\n",
    ]
  ) { repository in
    let house = House(repository)
    let ways = house.ways(from: house.rooms.filter(\.isProgram).map(\.name))
    return repository.importing(house).flatMap { room, files in
      guard let way = ways[room.name] else { return [Violation]() }
      return files.flatMap { file in
        file.imports.filter { isFoundation($0.module[...]) }.map {
          Violation(
            path: file.text.path, line: $0.line,
            message:
              "the program would link '\($0.module)' (\(way.joined(separator: " → "))): do without it, or cut the way"
          )
        }
      }
    }
  },

  HouseRule(
    id: "every-folder-has-its-row",
    bad: package(
      [("Upper", [("A", [])])], ["Sources/Upper/A/A.swift": "\n", "Sources/Upper/B/B.swift": "\n"]),
    good: package([("Upper", [("A", [])])], ["Sources/Upper/A/A.swift": "\n"])
  ) { repository in
    let rows = Set(House(repository).rooms.map { "Sources/\($0.floor)/\($0.name)" })
    let folders = Set(
      repository.files.keys.filter { $0.hasPrefix("Sources/") }.map {
        $0.split(separator: "/").prefix(3).joined(separator: "/")
      })
    return folders.subtracting(rows).sorted().map {
      Violation(path: $0, line: 1, message: "give the target a row in the table 'house' of Package.swift")
    }
  },

  HouseRule(
    id: "ten-floors-at-most",
    bad: package((0...10).map { ("F\($0)", [("A\($0)", [])]) }),
    good: package((0..<10).map { ("F\($0)", [("A\($0)", [])]) })
  ) { repository in
    let count = House(repository).floors.count
    guard count > 10 else { return [] }
    return [Violation(path: "Package.swift", line: 1, message: "\(count) floors; ten are enough")]
  },

  HouseRule(
    id: "every-target-has-its-role",
    bad: package(
      [("Upper", [("A", []), ("B", [])])], ["Documentation/ARCHITECTURE.md": "| Upper | `A` | a |\n"]),
    good: package(
      [("Upper", [("A", []), ("B", [])])], ["Documentation/ARCHITECTURE.md": "| Upper | `A`, `B` | a |\n"])
  ) { repository in
    guard let page = repository.texts.first(where: { $0.path == "Documentation/ARCHITECTURE.md" }) else {
      return []
    }
    return House(repository).rooms.compactMap { room in
      let isThere = page.lines.contains {
        $0.text.hasPrefix("| \(room.floor) | ") && $0.text.has("`\(room.name)`")
      }
      return isThere
        ? nil
        : Violation(path: page.path, line: 1, message: "the table of targets has no row for '\(room.name)'")
    }
  },

  HouseRule(
    id: "the-picture-shows-the-house",
    bad: package([("Upper", [("A", [])])], ["Documentation/ARCHITECTURE.md": "```text\n  Lower   A\n```\n"]),
    good: package([("Upper", [("A", [])])], ["Documentation/ARCHITECTURE.md": "```text\n  Upper   A\n```\n"])
  ) { repository in
    let picture = House(repository).picture
    guard let page = repository.texts.first(where: { $0.path == "Documentation/ARCHITECTURE.md" }) else {
      return []
    }
    let lines = page.lines.map { String($0.text) }
    let isShown = lines.indices.contains { lines[$0...].starts(with: picture) }
    if isShown { return [] }
    return [
      Violation(
        path: page.path, line: 1,
        message: "the first picture does not show the house; it is:\n" + picture.joined(separator: "\n"))
    ]
  },
]

extension Repository {
  /// The targets with their files.
  fileprivate func importing(_ house: House) -> [(room: House.Room, files: [ImportingFile])] {
    let code = texts.filter { ($0.isSwift || $0.isC) && !$0.path.contains(".docc/") }
    let folders = Dictionary(grouping: code) { file in
      let parts = file.path.split(separator: "/")
      return parts.prefix(parts.first == "Sources" ? 3 : 2).joined(separator: "/")
    }
    let headers = Dictionary(code.compactMap { file in file.target.map { (String(file.name), $0) } }) {
      first, _ in
      first
    }
    let rows =
      house.rooms.map { ("Sources/\($0.floor)/\($0.name)", $0) }
      + house.suites.map { ("Tests/\($0.name)", $0) }
    return rows.map { folder, room in
      (room, folders[folder, default: []].map { ImportingFile($0, headers) })
    }
  }
}

private struct ImportingFile {
  var text: SourceText
  var imports: [(line: Int, module: String)]

  /// - Parameter headers: The target of each header, by its name.
  init(_ text: SourceText, _ headers: [String: String]) {
    self.text = text
    imports = text.lines.compactMap { line in
      let module =
        text.isC
        ? line.text.wholeMatch(of: /#include "(.*)"/).flatMap { headers[String($0.1)] }
        : importedModule(line).map(String.init)
      return module.map { (line.number, $0) }
    }
  }
}

/// A repository whose Package.swift has these floors.
private func package(
  _ floors: [(String, [(name: String, needs: [String])])], _ files: [String: String] = [:]
) -> [String: String] {
  let rows = floors.map { floor, rooms in
    let rooms = rooms.map { room in
      "Room(\"\(room.name)\", needs: [\(room.needs.map { "\"\($0)\"" }.joined(separator: ", "))])"
    }
    return "Floor(\"\(floor)\", [\(rooms.joined(separator: ", "))])"
  }
  return files.merging(["Package.swift": rows.joined(separator: "\n")]) { first, _ in first }
}
