import Foundation
import LinkspanCore
import PushProvider
import TestSupport
import Testing

/// What the lint says of every real payload, reviewed: one line a file, one indented line a finding.
///
/// `LINKSPAN_UPDATE_SNAPSHOTS=1 swift test --filter PayloadCorpusTests` writes the file anew and keeps the comments,
/// which stand above the file they argue about.
@Suite struct PayloadCorpusTests {
  static let snapshot = Fixtures.root.appending(path: "Tests/Snapshots/apns.txt")

  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func isAsReviewed() throws {
    let corpus = try #require(Fixtures.corpus)
    let reviewed = (try? String(contentsOf: Self.snapshot, encoding: .utf8)) ?? ""
    var comments: [String: String] = [:]
    var pending = ""
    for line in reviewed.split(separator: "\n") {
      if line.hasPrefix("#") {
        pending += line + "\n"
      } else if !line.hasPrefix(" ") {
        comments[String(line.prefix { $0 != ":" })] = pending
        pending = ""
      }
    }
    var text = ""
    for name in try corpus.manifest("apns").map({ $0[0] }).sorted() {
      let source = PayloadSource(SourceText(name: name, bytes: try corpus.bytes("apns/\(name)")))
      let findings = PayloadChecker.findings(in: source)
      text += (comments[name] ?? "") + (findings.isEmpty ? "\(name): nothing\n" : "\(name):\n")
      for finding in findings {
        let place = finding.location.start.map { "\($0.line):\($0.column)" } ?? "-"
        text += "  \(place) \(finding.severity.rawValue) \(finding.rule)\n"
      }
    }
    if ProcessInfo.processInfo.environment["LINKSPAN_UPDATE_SNAPSHOTS"] == "1" {
      try Data(text.utf8).write(to: Self.snapshot)
      return
    }
    let first = zip(text.split(separator: "\n"), reviewed.split(separator: "\n")).first { $0 != $1 }
    #expect(
      text == reviewed,
      "Tests/Snapshots/apns.txt differs, first in '\(first.map { String($0.0) } ?? "at the end")'")
  }
}
