import Foundation
import LinkspanCore
import SourceReview
import TestSupport
import Testing

/// Samples of code as apps have it, each with the mistake of one rule, or with none: `=== cold-start NAME`, `=== ok NAME`.
///
/// A line `--- FILE` begins another file of a sample; a comment `ALLOW RULE` says what else is found there, and rightly.
@Suite struct ReviewSampleTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    /// nil for a sample in which nothing is wrong.
    let rule: String?
    var files: [(name: String, text: String)]

    var testDescription: String { name }

    var allowed: Set<String> {
      let words = files.flatMap { $0.text.split(whereSeparator: \.isWhitespace) }
      return Set(zip(words, words.dropFirst()).filter { $0.0 == "ALLOW" }.map { "review.\($0.1)" })
    }
  }

  static let samples: [Sample] = {
    let folder = Fixtures.root.appending(path: "Tests/Fixtures/review-samples")
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    return names.flatMap { name in
      read((try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? "")
    }
  }()

  private static func read(_ text: String) -> [Sample] {
    var samples: [Sample] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.split(separator: " ")
      if line.hasPrefix("=== "), words.count > 2 {
        let file = words.count > 3 ? String(words[3]) : "A.swift"
        samples.append(
          Sample(
            name: String(words[2]), rule: words[1] == "ok" ? nil : "review.\(words[1])", files: [(file, "")]))
      } else if line.hasPrefix("--- "), words.count == 2, !samples.isEmpty {
        samples[samples.count - 1].files.append((String(words[1]), ""))
      } else if !samples.isEmpty {
        let last = samples.count - 1
        samples[last].files[samples[last].files.count - 1].text += line + "\n"
      }
    }
    return samples
  }

  @Test(arguments: samples)
  func findsTheMistakeAndNothingElse(_ sample: Sample) {
    let sources = sample.files.map { SourceText(name: $0.name, $0.text) }
    var index = ReviewIndex()
    for source in sources { index.add(source) }
    let found = index.groups().flatMap { group in
      let files = group.files.compactMap { number in
        SourceLanguage(path: sources[number].name).map { ReviewedFile(sources[number], $0) }
      }
      return SourceReview(files, of: index).findings
    }
    if let rule = sample.rule {
      #expect(found.contains { $0.rule == rule }, "\(sample.name): \(rule) is missed")
    }
    let others = found.filter { $0.rule != sample.rule && !sample.allowed.contains($0.rule) }
    #expect(others.isEmpty, "\(sample.name): \(others.map { $0.text() })")
  }

  @Test func thereAreSamplesOfBothKinds() {
    #expect(Self.samples.count(where: { $0.rule != nil }) > 100)
    #expect(Self.samples.count(where: { $0.rule == nil }) > 100)
    #expect(Set(Self.samples.map(\.name)).count == Self.samples.count)
  }
}
