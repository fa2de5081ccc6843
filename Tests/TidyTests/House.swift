/// The targets, their floors and their needs, as Package.swift lists them.
struct House: Sendable {
  struct Room: Sendable {
    var name: String
    var floor: String
    var needs: [String]
    /// Whether it is the program, whose tests need it without an import.
    var isProgram: Bool
    /// The line of Package.swift.
    var line: Int
  }

  struct Floor: Sendable {
    var name: String
    var beside: [String]
    var rooms: [Room]
  }

  /// From the top floor down.
  private(set) var floors: [Floor] = []
  private(set) var suites: [Room] = []

  var rooms: [Room] { floors.flatMap(\.rooms) }

  /// Reads the rows that begin with `Floor(`, `Room(` and `Suite(` and have a name.
  init(_ repository: Repository) {
    guard let package = repository.texts.first(where: { $0.path == "Package.swift" }) else { return }
    for row in Row.all(in: package) {
      switch row.kind {
      case "Floor": floors.append(Floor(name: row.name, beside: row["beside"], rooms: []))
      case "Room":
        if !floors.isEmpty { floors[floors.count - 1].rooms.append(row.room(on: floors.last!.name)) }
      default: suites.append(row.room(on: "Tests"))
      }
    }
  }

  /// A way to each target that some targets need, directly or through others, from the first of them to it.
  func ways(from targets: [String]) -> [String: [String]] {
    var ways = Dictionary(uniqueKeysWithValues: targets.map { ($0, [$0]) })
    var open = targets
    while let name = open.popLast() {
      for need in rooms.first(where: { $0.name == name })?.needs ?? [] where ways[need] == nil {
        ways[need] = ways[name, default: []] + [need]
        open.append(need)
      }
    }
    return ways
  }

  func floor(of target: String) -> String? { rooms.first { $0.name == target }?.floor }

  /// Whether what stands on one floor may know what stands on the other.
  func mayKnow(_ upper: String, _ lower: String) -> Bool {
    guard let above = floors.firstIndex(where: { $0.name == upper }),
      let below = floors.firstIndex(where: { $0.name == lower })
    else { return false }
    return above == below || above < below && !floors[above].beside.contains(lower)
  }

  /// The floors as Documentation/ARCHITECTURE.md shows them: those that stand beside each other share a line.
  var picture: [String] {
    var drawn: Set<String> = []
    let width = floors.map { ([$0.name] + $0.beside).joined(separator: " | ").count }.max() ?? 0
    return floors.flatMap { floor -> [String] in
      guard drawn.insert(floor.name).inserted else { return [] }
      let together = floors.filter { $0.name == floor.name || floor.beside.contains($0.name) }
      drawn.formUnion(together.map(\.name))
      let title = together.map(\.name).joined(separator: " | ")
      let names = together.map {
        $0.rooms.map(\.name).filter { !Self.isLibraryOfC($0) }.joined(separator: "  ")
      }
      return Self.wrapped(
        names.joined(separator: "  |  "), behind: title + String(repeating: " ", count: width - title.count))
    }
  }

  /// Named after a library in C, such as `CZlib`.
  static func isLibraryOfC(_ name: String) -> Bool {
    let start = name.utf8.prefix(2)
    return start.count == 2 && start.allSatisfy { UInt8(ascii: "A") <= $0 && $0 <= UInt8(ascii: "Z") }
      && start.first == UInt8(ascii: "C")
  }

  private static func wrapped(_ text: String, behind title: String) -> [String] {
    let indent = String(repeating: " ", count: title.count)
    var lines: [String] = []
    var line = "  \(title)  "
    for word in text.split(separator: "  ") {
      if line.count + word.count > 100 {
        lines.append(line)
        line = "  \(indent)  "
      }
      line += " \(word) "
    }
    return (lines + [line]).map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}

/// A call such as `Room("LinkspanCLI", needs: ["LinkspanCore"], kind: .program)` in Package.swift.
private struct Row {
  var kind: String
  var name: String
  var line: Int
  /// What follows the name, up to the next row.
  var rest: Substring

  static func all(in package: SourceText) -> [Row] {
    let shape = /\b(Floor|Room|Suite)\(\s*"(\w+)"/
    let starts = Array(package.text.matches(of: shape))
    return starts.enumerated().map { index, start in
      let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : package.text.endIndex
      let line = package.text[..<start.range.lowerBound].utf8.count { $0 == UInt8(ascii: "\n") } + 1
      return Row(
        kind: String(start.1), name: String(start.2), line: line,
        rest: package.text[start.range.upperBound..<end])
    }
  }

  /// The texts of a list behind a label.
  subscript(label: String) -> [String] {
    guard let start = rest.firstRange(of: "\(label): [") else { return [] }
    let list = rest[start.upperBound...].prefix { $0 != "]" }
    return list.matches(of: /"(\w+)"/).map { String($0.1) }
  }

  func room(on floor: String) -> House.Room {
    House.Room(
      name: name, floor: floor, needs: self["needs"], isProgram: rest.contains("kind: .program"), line: line)
  }
}
