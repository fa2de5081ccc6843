import Foundation

/// Files of real apps, when they lie beside the package.
enum RealFiles {
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "../shared/corpus").standardizedFileURL

  static let arePresent = FileManager.default.fileExists(atPath: folder.path)

  static let absence = "the corpus of real files is not beside this package"

  /// The files of one of the corpus's folders, by name, without its manifest.
  static func all(in subfolder: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = folder.appending(path: subfolder)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0 != "MANIFEST.tsv" }
      .map { ($0, [UInt8](try Data(contentsOf: folder.appending(path: $0)))) }
  }
}
