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
    let listed = Set(try Self.rows().filter { $0.count == 2 }.map { "\($0[0]): \($0[1])" })
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

  @Test func namesTestsThatExist() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let sources = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    for row in try Self.rows() where row.count == 3 && row[2].hasPrefix("`") {
      let parts = row[2].dropFirst().dropLast().split(separator: ".")
      #expect(sources.contains("struct \(parts[0]) "), "\(row[2])")
      #expect(sources.contains("func \(parts[1])("), "\(row[2])")
    }
  }
}
