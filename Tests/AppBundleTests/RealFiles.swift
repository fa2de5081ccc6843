import TestSupport

/// Files of real apps, when they lie beside the package.
enum RealFiles {
  static let arePresent = Fixtures.corpus != nil

  static let absence = Fixtures.corpusAbsence

  /// The files of one of the corpus's folders, in the order of its manifest.
  static func all(in folder: String) throws -> [(name: String, bytes: [UInt8])] {
    guard let corpus = Fixtures.corpus else { return [] }
    return try corpus.manifest(folder).map { ($0[0], try corpus.bytes("\(folder)/\($0[0])")) }
  }
}
