import Foundation

/// A command as its `--help` describes it, for tests that go through all of them.
struct CommandHelp {
  struct Flag {
    var name: String
    /// With one dash, where it has one.
    var short: String?
    /// The word for its value; nil for a flag that takes none.
    var value: String?
  }

  /// What a person types behind `linkspan`.
  var words: [String]
  var flags: [Flag]
  /// The words of each example that needs no shell and fits on a line, without the program's name.
  var examples: [[String]]

  /// Every command that is no group of others.
  static func leaves(_ tool: Tool) throws -> [CommandHelp] {
    let names = try tool.run("help", "--all", environment: ["COLUMNS": "400"]).lines
      .filter { $0.hasPrefix("  ") }.compactMap { $0.split(separator: " ").first.map(String.init) }
    return try names.flatMap { try leaves(tool, [$0]) }
  }

  private static func leaves(_ tool: Tool, _ words: [String]) throws -> [CommandHelp] {
    let text = try tool.run(words + ["--help", "--all"], environment: ["COLUMNS": "400"]).output
    let inner = listed(text)
    guard inner.isEmpty else { return try inner.flatMap { try leaves(tool, words + [$0]) } }
    return [CommandHelp(words: words, flags: flags(text), examples: examples(text))]
  }

  /// The first words of the lines below "Commands:".
  private static func listed(_ text: String) -> [String] {
    section("Commands:", of: text).compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  private static func flags(_ text: String) -> [Flag] {
    section("Flags:", of: text).compactMap { line in
      let short = line.split(separator: ",").first.map { $0.filter { $0 != " " } }
      let words = line.split(separator: " ", omittingEmptySubsequences: false).drop { !$0.hasPrefix("--") }
      guard let name = words.first else { return nil }
      let value = words.dropFirst().first { !$0.isEmpty }.map(String.init)
      let takesValue = words.dropFirst().first?.isEmpty == false
      return Flag(
        name: String(name), short: short?.count == 2 ? short : nil, value: takesValue ? value : nil)
    }
  }

  private static func examples(_ text: String) -> [[String]] {
    section("Examples:", of: text).filter { line in
      line.hasPrefix("  linkspan ") && !line.contains { "|<>*\\".contains($0) }
    }.map { line in
      line.split(separator: " ").dropFirst().map { $0.filter { $0 != "'" } }
    }
  }

  /// The indented lines below a heading; a line that goes on with the one before it is indented deeper.
  private static func section(_ heading: String, of text: String) -> [Substring] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != heading }
    return lines.dropFirst().prefix { $0.hasPrefix("  ") }.filter { !$0.hasPrefix("    ") }
  }
}

/// Every file below a folder with its bytes, those of tests' own streams apart.
struct FolderContent: Equatable {
  private var files: [String: Data] = [:]

  init(_ folder: URL) throws {
    let manager = FileManager.default
    for case let name as String in manager.enumerator(atPath: folder.path) ?? .init()
    where !name.hasPrefix(".std") {
      var isFolder: ObjCBool = false
      let path = folder.appending(path: name)
      _ = manager.fileExists(atPath: path.path, isDirectory: &isFolder)
      files[name] = isFolder.boolValue ? Data() : try Data(contentsOf: path)
    }
  }

  var names: Set<String> { Set(files.keys) }

  func data(_ name: String) -> Data { files[name] ?? Data() }

  /// The names of files that are not the same in another folder, or not there.
  func changed(in other: FolderContent) -> [String] {
    files.filter { other.files[$0.key] != $0.value }.map(\.key).sorted()
  }
}
