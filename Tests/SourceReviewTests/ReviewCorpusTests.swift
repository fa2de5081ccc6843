import Foundation
import LinkspanCore
import SourceReview
import Testing

/// How much the review finds of what is wrong, and how much of what it reports is wrong, over the corpus of this seed.
@Suite struct ReviewCorpusTests {
  static let newRules: Set<String> = Set(ReviewCorpus.recipes.map(\.rule))

  /// As the command reviews a folder: the index says which files are in memory together.
  private static func found(_ sample: ReviewCorpus.Sample) -> [Finding] {
    let sources = sample.files.map { SourceText(name: $0.name, $0.text) }
    var index = ReviewIndex()
    for source in sources { index.add(source) }
    return index.groups().flatMap { group in
      let files = group.files.compactMap { number in
        SourceLanguage(path: sources[number].name).map { ReviewedFile(sources[number], $0) }
      }
      return SourceReview(files, of: index).findings
    }.filter { newRules.contains($0.rule) }
  }

  @Test(arguments: [UInt64(1), 31, 2026]) func findsNearlyAllAndLittleElse(seed: UInt64) {
    var corpus = ReviewCorpus(seed: seed)
    var (hits, misses, wrong) = (0, 0, 0)
    var reasons: [String] = []
    for sample in corpus.samples(1_000) {
      let rules = Self.found(sample).map(\.rule)
      if let rule = sample.rule {
        if rules.contains(rule) {
          hits += 1
        } else {
          misses += 1
          reasons.append("missed \(sample.recipe)")
        }
      }
      let others = rules.filter { $0 != sample.rule }
      wrong += others.count
      if !others.isEmpty { reasons.append("wrong \(others) in \(sample.files.map(\.text).joined())") }
    }
    let shown = Set(reasons).sorted().prefix(12).joined(separator: "\n")
    #expect(100 * hits >= 98 * (hits + wrong), "seed \(seed): \(hits) right, \(wrong) wrong\n\(shown)")
    #expect(100 * hits >= 90 * (hits + misses), "seed \(seed): \(hits) found, \(misses) missed\n\(shown)")
  }

  /// With the corpus in a folder, other tools can be measured as well.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["LINKSPAN_REVIEW_CORPUS"] != nil))
  func writesTheCorpus() throws {
    let folder = try #require(ProcessInfo.processInfo.environment["LINKSPAN_REVIEW_CORPUS"])
    var corpus = ReviewCorpus(seed: 31)
    for (number, sample) in corpus.samples(200).enumerated() {
      let place = URL(filePath: folder).appending(path: "\(number)-\(sample.rule ?? "good")")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      for file in sample.files { try Data(file.text.utf8).write(to: place.appending(path: file.name)) }
    }
  }
}
