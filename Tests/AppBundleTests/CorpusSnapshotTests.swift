import AppBundle
import AppSiteAssociation
import AssetLinks
import AssociationCheck
import Foundation
import LinkspanCore
import TestSupport
import Testing

/// What the checker says of every real file, reviewed: one line a file, one indented line a finding.
///
/// `LINKSPAN_UPDATE_SNAPSHOTS=1 swift test --filter CorpusSnapshotTests` writes the files anew and keeps the
/// comments, which stand above the file they argue about. Whoever changes them reads the difference.
@Suite struct CorpusSnapshotTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    var name: String
    var suffix: String?
    var check: @Sendable (SourceText) -> [Finding]
    var testDescription: String { name }
  }

  static let kinds = [
    Kind(name: "aasa", suffix: ".json") { text in
      AssociationChecker.findings(in: AssociationSource(text), on: .allOfIOS)
    },
    Kind(name: "assetlinks", suffix: nil) { text in
      // Google's suite is made of questions, and the lists in it are checked as it asks them.
      text.name.hasSuffix(".pb")
        ? suiteFindings(in: text) : StatementChecker.findings(in: StatementSource(text))
    },
    Kind(name: "entitlements", suffix: nil) { text in
      do throws(PropertyListError) {
        return EntitlementChecker.check(try Entitlements(text.bytes, name: text.name))
      } catch {
        return [error.finding]
      }
    },
  ]

  /// The statement lists inside a file of Google's suite, which are JSON in strings of one quoted text.
  static func suiteFindings(in text: SourceText) -> [Finding] {
    let source = String(decoding: text.bytes, as: UTF8.self)
    var findings: [Finding] = []
    var body: String?
    var start = 0
    func close() {
      guard let list = body else { return }
      body = nil
      for finding in StatementChecker.findings(in: StatementSource(SourceText(name: text.name, list))) {
        var finding = finding
        // The line of the file the list begins in, and the place inside the list.
        finding.location.start = SourcePosition(line: start, column: finding.location.start?.column ?? 1)
        findings.append(finding)
      }
    }
    for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let trimmed = line.drop { $0 == " " }
      let opens = ["body: '", "assets_statements: '"].first { trimmed.hasPrefix($0) }
      if opens != nil { (body, start) = ("", index + 1) }
      guard body != nil, !trimmed.hasPrefix("#") else { continue }
      let rest = trimmed.dropFirst(opens.map { $0.count - 1 } ?? 0)
      guard rest.hasPrefix("'"), let end = rest.lastIndex(of: "'") else {
        close()
        continue
      }
      body! += rest[rest.index(after: rest.startIndex)..<end].replacing("\\'", with: "'")
    }
    return findings
  }

  static func url(of kind: Kind) -> URL {
    Fixtures.root.appending(path: "Tests/Snapshots/\(kind.name).txt")
  }

  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)), arguments: kinds)
  func isAsReviewed(_ kind: Kind) throws {
    let corpus = try #require(Fixtures.corpus)
    let reviewed = (try? String(contentsOf: Self.url(of: kind), encoding: .utf8)) ?? ""
    var comments: [String: [String]] = [:]
    var pending: [String] = []
    for line in reviewed.split(separator: "\n").map(String.init) {
      if line.hasPrefix("#") {
        pending.append(line)
      } else if !line.hasPrefix(" ") {
        comments[String(line.prefix { $0 != ":" })] = pending
        pending = []
      }
    }

    let names = try corpus.manifest(kind.name).map { $0[0] }
      .filter { name in kind.suffix.map { name.hasSuffix($0) } ?? true }.sorted()
    var text = ""
    var totals: [Finding.Severity: Int] = [:]
    for name in names {
      let source = SourceText(name: name, bytes: try corpus.bytes("\(kind.name)/\(name)"))
      let findings = kind.check(source).inReadingOrder()
      for comment in comments[name] ?? [] { text += comment + "\n" }
      text += findings.isEmpty ? "\(name): nothing\n" : "\(name):\n"
      for finding in findings {
        let place = finding.location.start.map { "\($0.line):\($0.column)" } ?? "-"
        text += "  \(place) \(finding.severity.rawValue) \(finding.rule)\n"
        totals[finding.severity, default: 0] += 1
      }
    }
    let counts = Finding.Severity.allCases.map { "\(totals[$0] ?? 0) \($0.rawValue)s" }
    print("snapshot \(kind.name): \(names.count) files, \(counts.joined(separator: ", "))")
    if ProcessInfo.processInfo.environment["LINKSPAN_UPDATE_SNAPSHOTS"] == "1" {
      try Data(text.utf8).write(to: Self.url(of: kind))
      return
    }
    let (new, old) = (text.split(separator: "\n"), reviewed.split(separator: "\n"))
    let first = zip(new, old).first { $0 != $1 }
    #expect(
      text == reviewed,
      """
      Tests/Snapshots/\(kind.name).txt has \(old.count) lines, the checker makes \(new.count); the first that \
      differs is '\(first.map { String($0.0) } ?? "at the end")'. Update it with LINKSPAN_UPDATE_SNAPSHOTS=1 and \
      read the difference
      """)
  }
}
