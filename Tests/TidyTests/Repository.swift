import Foundation

/// The files of a repository as values, so that a rule can be shown a good and a bad one in memory.
struct Repository: Sendable {
  /// Every file, by its path from the root; nil for one that is not text.
  let files: [String: String?]
  /// The paths of every text file, sorted, with their text.
  let texts: [SourceText]
  /// The Swift files below `Sources/`, without the steps of tutorials, which belong to no target.
  let sources: [SourceText]

  init(_ files: [String: String?]) {
    self.files = files
    texts = files.sorted { $0.key < $1.key }.compactMap { path, text in
      text.map { SourceText(path: path, text: $0) }
    }
    sources = texts.filter { $0.path.hasPrefix("Sources/") && $0.isSwift && !$0.path.contains(".docc/") }
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
  let path: String
  let text: String
  /// The lines without their line feeds; a final line feed begins no further line.
  let lines: [Line]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines.enumerated().map { Line(number: $0.offset + 1, text: Substring($0.element)) }
  }

  var isSwift: Bool { path.hasSuffix(".swift") }
  var isC: Bool { path.hasSuffix(".c") || path.hasSuffix(".h") }

  /// Inputs of tests, and association files, keep the bytes they were found with.
  var isFixture: Bool {
    let folders = path.split(separator: "/").dropLast()
    return folders.contains("Fixtures") || folders.contains("Corpus")
      || path.hasSuffix(".well-known/apple-app-site-association")
  }

  var name: Substring { path.split(separator: "/").last ?? "" }

  /// The target a file below `Sources/FLOOR/` belongs to.
  var target: String? {
    let parts = path.split(separator: "/")
    return parts.first == "Sources" && parts.count > 3 ? String(parts[2]) : nil
  }
}

/// One line, numbered from 1.
struct Line: Sendable {
  let number: Int
  let text: Substring
  /// The line without its line comment. A `//` behind a quotation mark is taken for text.
  let code: Substring

  init(number: Int, text: Substring) {
    self.number = number
    self.text = text
    code = Self.code(of: text)
  }

  private static func code(of text: Substring) -> Substring {
    let (bytes, slash) = (text.utf8, UInt8(ascii: "/"))
    var place = bytes.firstIndex(of: slash)
    while let first = place {
      let next = bytes.index(after: first)
      if next < bytes.endIndex, bytes[next] == slash {
        let before = text[..<first]
        return before.utf8.contains(UInt8(ascii: "\"")) ? text : before
      }
      place = bytes[next...].firstIndex(of: slash)
    }
    return text
  }
}
