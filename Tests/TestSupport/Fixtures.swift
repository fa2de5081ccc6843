package import Foundation

/// Where tests find files: copied ones in the project, and the corpus beside it when it is there.
package enum Fixtures {
  package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A file under `Tests/Fixtures`.
  package static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: root.appending(path: "Tests/Fixtures/\(name)")))
  }

  /// The rows of a table under `Tests/Fixtures`, without its heading.
  package static func table(_ name: String) throws -> [[String]] {
    try rows(root.appending(path: "Tests/Fixtures/\(name)"))
  }

  private static func rows(_ url: URL) throws -> [[String]] {
    try String(contentsOf: url, encoding: .utf8).split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// The Swift files below a folder of `Sources`, by their paths from it; fails where there are none.
  package static func sources(_ folder: String) throws -> [String: String] {
    let url = root.appending(path: "Sources/\(folder)")
    var texts: [String: String] = [:]
    let files = FileManager.default.enumerator(atPath: url.path)
    while let name = files?.nextObject() as? String {
      guard name.hasSuffix(".swift") else { continue }
      texts[name] = try String(contentsOf: url.appending(path: name), encoding: .utf8)
    }
    if texts.isEmpty { throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: url.path]) }
    return texts
  }

  /// Why tests over real files are skipped where they are not here.
  package static let corpusAbsence = "../shared/corpus, the folder of real files, is not beside this package"

  /// The folder of real inputs beside the project, or nil.
  package static let corpus: Corpus? = {
    let url = root.deletingLastPathComponent().appending(path: "shared/corpus")
    return FileManager.default.fileExists(atPath: url.path) ? Corpus(url: url) : nil
  }()

  package struct Corpus: Sendable {
    package let url: URL

    package func manifest(_ folder: String) throws -> [[String]] {
      try rows(url.appending(path: "\(folder)/MANIFEST.tsv"))
    }

    package func bytes(_ path: String) throws -> [UInt8] {
      Array(try Data(contentsOf: url.appending(path: path)))
    }
  }
}
