internal import LinkspanCore

/// Which files are tests: what they forget to tidy ends with the test.
extension ReviewedFile {
  private static let libraries: Set<String> = ["Testing", "Quick", "Nimble"]

  /// Whether the file uses a library for tests, or lies in the folder of a target for tests.
  var isTest: Bool {
    let parts = source.name.split(separator: "/")
    let name = parts.last?.prefix { $0 != "." } ?? ""
    if name.hasSuffix("Tests"), name != "Tests" { return true }
    if parts.dropLast().contains(where: { $0.hasSuffix("Tests") && $0 != "Tests" || $0 == "__tests__" }) {
      return true
    }
    return tokens.indices.contains { index in
      guard tokens[index].kind == .word else { return false }
      // XCTest, XCTestCase, XCTAssertEqual …
      if tokens[index].text.hasPrefix("XCT") { return true }
      return Self.libraries.contains(tokens[index].text) && index > 0 && tokens[index - 1].isWord("import")
    }
  }
}
