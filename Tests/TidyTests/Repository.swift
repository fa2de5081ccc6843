import Foundation

/// The files of a repository as values, so that a rule can be shown a good and a bad one in memory.
struct Repository: Sendable {
  /// Every file, by its path from the root; nil for one that is not text.
  var files: [String: String?]

  init(_ files: [String: String?]) { self.files = files }

  /// The paths of every text file, sorted, with their text.
  var texts: [SourceText] {
    files.sorted { $0.key < $1.key }.compactMap { path, text in
      text.map { SourceText(path: path, text: $0) }
    }
  }

  /// The Swift files below `Sources/`, without the steps of tutorials, which belong to no target.
  var sources: [SourceText] {
    texts.filter { $0.path.hasPrefix("Sources/") && $0.isSwift && !$0.path.contains(".docc/") }
  }

  func contains(_ path: String) -> Bool {
    files[path] != nil || files.keys.contains { $0.hasPrefix(path + "/") }
  }

  /// The repository this file was compiled from.
  static let here: Repository = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().standardizedFileURL.path()
    let notOurs: Set<String> = [".git", ".build"]
    var files: [String: String?] = [:]
    let paths = FileManager.default.enumerator(atPath: root)
    while let path = paths?.nextObject() as? String {
      if notOurs.contains(String(path.split(separator: "/").last ?? "")) {
        paths?.skipDescendants()
        continue
      }
      guard let bytes = FileManager.default.contents(atPath: root + "/" + path) else { continue }
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: root + "/" + path, isDirectory: &isFolder)
      if isFolder.boolValue { continue }
      files[path] = .some(bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self))
    }
    return Repository(files)
  }()
}

/// One text file.
struct SourceText: Sendable {
  var path: String
  var text: String

  var isSwift: Bool { path.hasSuffix(".swift") }
  var isC: Bool { path.hasSuffix(".c") || path.hasSuffix(".h") }

  /// Inputs of tests, and association files, keep the bytes they were found with.
  var isFixture: Bool {
    let folders = path.split(separator: "/").dropLast()
    return folders.contains("Fixtures") || folders.contains("Corpus")
      || path.hasSuffix(".well-known/apple-app-site-association")
  }

  var name: Substring { path.split(separator: "/").last ?? "" }

  /// The lines without their line feeds; a final line feed begins no further line.
  var lines: [Line] {
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.enumerated().map { Line(number: $0.offset + 1, text: Substring($0.element)) }
  }

  /// The target a file below `Sources/FLOOR/` belongs to.
  var target: String? {
    let parts = path.split(separator: "/")
    return parts.first == "Sources" && parts.count > 3 ? String(parts[2]) : nil
  }
}

/// One line, numbered from 1.
struct Line: Sendable {
  var number: Int
  var text: Substring

  /// The line without its line comment. A `//` behind a quotation mark is taken for text.
  var code: Substring {
    guard let slashes = text.firstRange(of: "//") else { return text }
    let before = text[..<slashes.lowerBound]
    return before.contains("\"") ? text : before
  }
}
