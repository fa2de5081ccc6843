import Foundation
import Testing

@Suite("The list of abuse")
struct AbuseListTests {
  /// The cells of the rows of Documentation/abuse.md.
  static func rows() throws -> [[String]] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "Documentation/abuse.md"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
  }

  @Test func namesEveryCaseOfTheTableWithItsAnswer() throws {
    // A row of two cells is an answer and the cases that get it.
    let listed = Set(
      try Self.rows().filter { $0.count == 2 }.flatMap { row in
        row[1].components(separatedBy: ", ").map { name in "\(name): \(row[0])" }
      })
    let codes: [UInt32: String] = [
      1: "PROTOCOL_ERROR", 2: "INTERNAL_ERROR", 3: "FLOW_CONTROL_ERROR", 5: "STREAM_CLOSED",
      6: "FRAME_SIZE_ERROR", 9: "COMPRESSION_ERROR", 11: "ENHANCE_YOUR_CALM",
    ]
    for abuse in HTTP2Abuse.all {
      let answer =
        switch abuse.answer {
        case .goaway(let code): "GOAWAY \(codes[code] ?? "\(code)")"
        case .reset(let code): "RST_STREAM \(codes[code] ?? "\(code)")"
        case .status(let status): "\(status)"
        }
      #expect(listed.contains("\(abuse.name): \(answer)"))
    }
    for abuse in HTTP1Abuse.all { #expect(listed.contains("\(abuse.name): \(abuse.status)")) }
  }

  /// A cell names tests as `Suite.test`, and further ones of the same suite as `.test`.
  @Test func namesTestsThatExist() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
    var sources = Data()
    for case let file as URL in files where file.pathExtension == "swift" {
      sources += try Data(contentsOf: file)
    }
    func sourcesContain(_ text: String) -> Bool { sources.range(of: Data(text.utf8)) != nil }
    for row in try Self.rows() where row.count == 3 && row[2].hasPrefix("`") {
      var suite: Substring = ""
      for name in row[2].matches(of: /`([A-Za-z0-9]*)\.([A-Za-z0-9]+)`/) {
        if !name.1.isEmpty { suite = name.1 }
        let (hasSuite, hasTest) = (sourcesContain("struct \(suite) "), sourcesContain("func \(name.2)("))
        #expect(hasSuite && hasTest, "\(suite).\(name.2)")
      }
      #expect(!suite.isEmpty, "\(row[2])")
    }
  }
}
