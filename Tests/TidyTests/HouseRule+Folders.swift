/// Rules about the folders inside a target.
///
/// A folder stands on another when a file in it names a type that only the other declares. Names are compared as
/// words, which is enough here: no two folders of a target declare the same top-level type.
let folderRules: [HouseRule] = [
  HouseRule(
    id: "folders-form-no-cycle",
    bad: [
      "Sources/Base/LinkspanCore/Lower/A.swift": "struct A { var b: B? }\n",
      "Sources/Base/LinkspanCore/Upper/B.swift": "struct B { var a: A? }\n",
    ],
    good: [
      "Sources/Base/LinkspanCore/Lower/A.swift": "struct A {}\n",
      "Sources/Base/LinkspanCore/Upper/B.swift": "struct B { var a: A? }\n// A comment may name B.\n",
    ]
  ) { cycles(in: $0, countsMembers: false) },

  // A member of an extension counts as well when its name stands without a dot before it in its own folder alone:
  // nothing else of the repository can be meant by it then.
  HouseRule(
    id: "members-form-no-cycle",
    bad: [
      "Sources/Base/LinkspanCore/Lower/A.swift": "struct A { var text: String { self.upperWords } }\n",
      "Sources/Base/LinkspanCore/Upper/A+Words.swift":
        "extension A {\n  var upperWords: String { \"\" }\n}\n",
    ],
    good: [
      "Sources/Base/LinkspanCore/Lower/A.swift":
        "struct A { var text: String { self.words } }\nfunc f(words: Int) {}\n",
      "Sources/Base/LinkspanCore/Upper/A+Words.swift": "extension A {\n  var words: String { \"\" }\n}\n",
    ]
  ) { cycles(in: $0, countsMembers: true) },
]

private func cycles(in repository: Repository, countsMembers: Bool) -> [Violation] {
  let files = repository.sources.map(FileWords.init)
  var homes: [Substring: Set<String>] = [:]
  if countsMembers {
    for file in files { for word in file.bare { homes[word, default: []].insert(file.place) } }
  }
  return Dictionary(grouping: files, by: \.target).sorted { $0.key < $1.key }.flatMap { target, files in
    FolderGraph(files, lone: { homes[$0]?.count == 1 }).cycles.map { cycle in
      let folders = cycle.folders.joined(separator: ", ")
      return Violation(
        path: "Sources/\(target)", line: 1,
        message:
          "the folders \(folders) stand on each other; for example \(cycle.examples.joined(separator: "; "))")
    }
  }
}

/// What one file declares and names.
private struct FileWords {
  let name: Substring
  let target: String
  /// The folder below the target's own, or "." for a file that lies beside the folders.
  let folder: String
  var place: String { "\(target)/\(folder)" }

  /// Types at the top level.
  private(set) var types: Set<Substring> = []
  /// Members of extensions that other files can see.
  private(set) var members: Set<Substring> = []
  /// Words with a capital letter that are no member of something.
  private(set) var named: Set<Substring> = []
  /// Words with a small letter behind a dot.
  private(set) var called: Set<Substring> = []
  /// Words with a small letter that stand without one: a declaration, a label, a local name.
  private(set) var bare: Set<Substring> = []

  init(_ file: SourceText) {
    name = file.name
    target = file.target ?? ""
    folder = file.folder
    var isInExtension = false
    for line in file.lines.map({ withoutText($0.code) }) {
      if let type = topLevelType(line) { types.insert(type) }
      if let first = line.utf8.first, first != UInt8(ascii: " "), first != UInt8(ascii: "}") {
        isInExtension = line.hasWord("extension ")
      }
      if isInExtension, let member = visibleMember(line) { members.insert(member) }
      read(line)
    }
  }

  /// Takes the words of a line.
  private mutating func read(_ line: Substring) {
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
      let isMember = before == UInt8(ascii: ".")
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): if !isMember { named.insert(line[start..<position]) }
      case UInt8(ascii: "a")...UInt8(ascii: "z"):
        if isMember { called.insert(line[start..<position]) } else { bare.insert(line[start..<position]) }
      default: break
      }
      before = byte
    }
  }
}

/// Which folder of one target names types and members of which other folder.
private struct FolderGraph {
  /// Folders that can be reached from each other, with one use for each arrow among them.
  struct Cycle {
    var folders: [String]
    var examples: [String]
  }

  /// For each folder, the folders it names, with the first place that does.
  private var arrows: [String: [String: String]] = [:]

  /// - Parameter lone: Whether a member's name stands without a dot in one folder alone.
  init(_ files: [FileWords], lone: (Substring) -> Bool) {
    var types: [Substring: Set<String>] = [:]
    var members: [Substring: Set<String>] = [:]
    for file in files {
      for name in file.types { types[name, default: []].insert(file.folder) }
      for name in file.members where lone(name) { members[name, default: []].insert(file.folder) }
    }
    for file in files {
      for word in file.named.sorted() { add(word, from: file, to: types[word]) }
      // A file beside the folders is the target's list of what they have.
      guard file.folder != "." else { continue }
      for word in file.called.sorted() { add(word, from: file, to: members[word]) }
    }
  }

  private mutating func add(_ word: Substring, from file: FileWords, to homes: Set<String>?) {
    guard let homes, homes.count == 1, let home = homes.first, home != file.folder,
      arrows[file.folder]?[home] == nil
    else { return }
    arrows[file.folder, default: [:]][home] = "\(file.folder) names \(word) of \(home) in \(file.name)"
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
    return parts.count > 4 ? String(parts[3]) : "."
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

/// The name that a line declares as a member of the extension around it, unless the member is private.
private func visibleMember(_ line: Substring) -> Substring? {
  guard line.hasPrefix("  "), !line.hasPrefix("   ") else { return nil }
  let kinds: Set<Substring> = ["var", "func", "let", "case"]
  var rest = line.split(separator: " ")[...]
  while let word = rest.popFirst() {
    if word == "private" || word == "fileprivate" { return nil }
    guard kinds.contains(word) else { continue }
    return rest.first.map { $0.prefix { $0.isLetter || $0.isNumber || $0 == "_" } }.flatMap {
      $0.isEmpty ? nil : $0
    }
  }
  return nil
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
  guard line.has("\"") else { return line }
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
