/// Rules about the folders inside a target.
///
/// A folder stands on another when a file in it names a type that only the other declares. Names are compared as
/// words, which is enough here: no two folders of a target declare the same top-level type.
let folderRules: [HouseRule] = [
  HouseRule(
    id: "folders-form-no-cycle",
    bad: [
      "Sources/LinkspanCore/Lower/A.swift": "struct A { var b: B? }\n",
      "Sources/LinkspanCore/Upper/B.swift": "struct B { var a: A? }\n",
    ],
    good: [
      "Sources/LinkspanCore/Lower/A.swift": "struct A {}\n",
      "Sources/LinkspanCore/Upper/B.swift": "struct B { var a: A? }\n// A comment may name B.\n",
    ]
  ) { repository in
    Dictionary(grouping: repository.sources) { $0.target ?? "" }.sorted { $0.key < $1.key }
      .flatMap { target, files in
        FolderGraph(files).cycles.map { cycle in
          let folders = cycle.folders.joined(separator: ", ")
          return Violation(
            path: "Sources/\(target)", line: 1,
            message:
              "the folders \(folders) stand on each other; for example \(cycle.examples.joined(separator: "; "))"
          )
        }
      }
  }
]

/// Which folder of one target names types of which other folder.
struct FolderGraph {
  /// Folders that can be reached from each other, with one use for each arrow among them.
  struct Cycle {
    var folders: [String]
    var examples: [String]
  }

  /// For each folder, the folders it names, with the first place that does.
  private var arrows: [String: [String: String]] = [:]

  init(_ files: [SourceText]) {
    var homes: [Substring: Set<String>] = [:]
    let code = files.map { file in
      (file: file, folder: file.folder, lines: file.lines.map { withoutText($0.code) })
    }
    for (_, folder, lines) in code {
      for line in lines {
        if let name = topLevelType(line) { homes[name, default: []].insert(folder) }
      }
    }
    for (file, folder, lines) in code {
      for line in lines {
        for word in words(line) {
          guard let home = homes[word], home.count == 1, let other = home.first, other != folder else {
            continue
          }
          if arrows[folder]?[other] == nil {
            arrows[folder, default: [:]][other] = "\(folder) names \(word) of \(other) in \(file.name)"
          }
        }
      }
    }
  }

  var cycles: [Cycle] {
    var left = Set(arrows.keys)
    var cycles: [Cycle] = []
    for folder in arrows.keys.sorted() where left.contains(folder) {
      let group = reached(from: folder).filter { reached(from: $0).contains(folder) }.sorted()
      left.subtract(group)
      guard group.count > 1 else { continue }
      let examples = group.flatMap { from in group.compactMap { arrows[from]?[$0] } }
      cycles.append(Cycle(folders: group, examples: examples))
    }
    return cycles
  }

  private func reached(from start: String) -> Set<String> {
    var seen: Set<String> = []
    var next = [start]
    while let folder = next.popLast() {
      for other in arrows[folder, default: [:]].keys where seen.insert(other).inserted { next.append(other) }
    }
    return seen
  }
}

extension SourceText {
  /// The folder below the target's own, or "." for a file that lies beside the folders.
  fileprivate var folder: String {
    let parts = path.split(separator: "/")
    return parts.count > 3 ? String(parts[2]) : "."
  }
}

/// The name that a line without indentation declares as a type.
private func topLevelType(_ line: Substring) -> Substring? {
  guard let first = line.utf8.first, first != UInt8(ascii: " ") else { return nil }
  let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
  var rest = line.split(separator: " ")[...]
  while let word = rest.popFirst() {
    if word == "private" || word == "fileprivate" || word == "extension" || word == "func" { return nil }
    if kinds.contains(word) { return rest.first?.prefix { $0.isLetter || $0.isNumber || $0 == "_" } }
  }
  return nil
}

/// The words of a line that begin with a capital letter and are no member of something.
private func words(_ line: Substring) -> [Substring] {
  var found: [Substring] = []
  let text = line.utf8
  var position = text.startIndex
  var before: UInt8 = 0
  while position < text.endIndex {
    let byte = text[position]
    guard byte.isWordByte else {
      before = byte
      position = text.index(after: position)
      continue
    }
    let start = position
    while position < text.endIndex, text[position].isWordByte { position = text.index(after: position) }
    if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte), before != UInt8(ascii: ".") {
      found.append(line[start..<position])
    }
    before = byte
  }
  return found
}

extension UInt8 {
  /// Whether the byte is an ASCII letter, a digit or an underscore.
  var isWordByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

/// The line without what is in quotation marks, which names no type.
private func withoutText(_ line: Substring) -> Substring {
  guard line.contains("\"") else { return line }
  var kept: [UInt8] = []
  var isText = false
  var before: UInt8 = 0
  for byte in line.utf8 {
    if byte == UInt8(ascii: "\""), before != UInt8(ascii: "\\") {
      isText.toggle()
    } else if !isText {
      kept.append(byte)
    }
    before = byte
  }
  return Substring(decoding: kept, as: UTF8.self)
}
