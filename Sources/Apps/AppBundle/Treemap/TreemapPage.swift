internal import CLinkspanResources
internal import LinkspanCore

/// The style of the picture.
enum TreemapStyle {
  static var text: String {
    let resource = linkspan_treemap_css()
    return String(decoding: UnsafeBufferPointer(start: resource.bytes, count: resource.count), as: UTF8.self)
  }
}

/// The answer about a clip's size as a report.
package struct TreemapPage {
  private let answer: ClipSizeAnswer
  private let name: String

  /// - Parameters:
  ///   - answer: Of a bundle, with its files, or of a size report.
  ///   - name: What the person calls it.
  package init(_ answer: ClipSizeAnswer, name: String) {
    self.answer = answer
    self.name = name
  }

  /// The picture by itself.
  package var svg: String { picture().svg }

  private func picture(isNarrow: Bool = false) -> TreemapPicture {
    let variant = answer.variants.first
    let size = variant.map { ", \(ThinningSizeText.words($0.uncompressed.upper)) uncompressed" } ?? ""
    return TreemapPicture(answer.files, title: name + size, isNarrow: isNarrow)
  }

  /// The page. The same answer gives the same bytes.
  package var html: String {
    var page = ReportPage(
      "Size of \(name)", verdict: "\(verdict)", standing, facts: facts,
      evidence: [variants] + chart + [levers, advice, findings], remedies: remedies)
    page.style = TreemapStyle.text
    return page.html
  }

  private var verdicts: [ClipVerdict] { answer.variants.map(answer.verdict) }

  private var standing: ReportPage.Standing {
    if answer.findings.count(of: .error) > 0 || verdicts.contains(.tooLarge) { return .bad }
    return verdicts.contains(.undecided) ? .doubtful : .good
  }

  private var verdict: String {
    let count = answer.variants.count
    let large = verdicts.filter { $0 == .tooLarge }.count
    let undecided = verdicts.filter { $0 == .undecided }.count
    let subject = count == 1 ? "The clip" : "Each of the \(count) variants"
    if large > 0 {
      return count == 1
        ? "The clip is too large\(limit)." : "\(large) of \(count) variants are too large\(limit)."
    }
    if undecided > 0 {
      return count == 1
        ? "It is undecided whether the clip fits\(limit)."
        : "\(undecided) of \(count) variants are undecided\(limit)."
    }
    return "\(subject) fits\(limit)."
  }

  private var limit: String {
    let limits = answer.rule.limits
    return limits.lowerBound == limits.upperBound
      ? ": the limit is \(ThinningSizeText.words(limits.lowerBound))"
      : ": the limit is \(ThinningSizeText.words(limits.lowerBound)) to \(ThinningSizeText.words(limits.upperBound)), "
        + "since the clip's minimum iOS is not known"
  }

  /// What Apple would write.
  private var facts: [Markup] {
    answer.variants.compactMap(answer.error).map { "\($0)" }
  }

  private var variants: ReportPage.Evidence {
    .table(
      ReportPage.Table(
        "Variants", columns: ["Variant", "Compressed", "Uncompressed", "Verdict"], counts: [1, 2],
        rows: answer.variants.map { variant in
          [
            variant.name, variant.compressed.map { ThinningSizeText.words($0.upper) } ?? "unknown",
            ThinningSizeText.words(variant.uncompressed.upper), Self.words(answer.verdict(variant)),
          ]
        }))
  }

  private static func words(_ verdict: ClipVerdict) -> String {
    verdict == .tooLarge ? "too large" : verdict.rawValue
  }

  /// A size report has no files, and so no picture.
  private var chart: [ReportPage.Evidence] {
    guard !answer.files.isEmpty else { return [] }
    return [
      .chart(
        ReportPage.Chart(
          "What takes the room", wide: Markup(stringLiteral: picture().element()),
          narrow: Markup(stringLiteral: picture(isNarrow: true).element()), data: files)),
      .table(parts),
    ]
  }

  /// Ours: as many as a person would look through.
  private static let fileLimit = 500

  private var files: ReportPage.Table {
    let sorted = answer.files.sorted { ($1.sizeBytes, $0.path) < ($0.sizeBytes, $1.path) }
    let caption =
      sorted.count > Self.fileLimit
      ? "The \(Self.fileLimit) largest files as a table" : "The files as a table"
    return ReportPage.Table(
      caption, columns: ["Size", "Kind", "File"], counts: [0],
      rows: sorted.prefix(Self.fileLimit).map {
        [ThinningSizeText.words($0.sizeBytes), $0.kind.rawValue, $0.path]
      })
  }

  private var parts: ReportPage.Table {
    let total = max(1, answer.files.reduce(0) { $0 + $1.sizeBytes })
    return ReportPage.Table(
      "Largest parts", columns: ["Size", "Share", "Kind", "Name", "Files"], counts: [0, 1, 4],
      rows: answer.parts.map { part in
        let tenths = part.sizeBytes * 1000 / total
        return [
          ThinningSizeText.words(part.sizeBytes), "\(tenths / 10).\(tenths % 10) %", part.kind.rawValue,
          part.name ?? "", "\(part.fileCount)",
        ]
      })
  }

  private var levers: ReportPage.Evidence {
    let rows = (answer.savings?.levers ?? []).map { lever in
      [ThinningSizeText.words(lever.savesBytes), Self.words(lever.name), "\(lever.files.count)"]
    }
    let total = answer.savings.map { savings in
      [[ThinningSizeText.words(savings.totalBytes), "all of them together", ""]]
    }
    return .table(
      ReportPage.Table(
        "What each remedy would save by itself, computed", columns: ["Saves", "Remedy", "Files"],
        counts: [0, 2],
        rows: rows + (total ?? [])))
  }

  private static func words(_ lever: SizeLever.Name) -> String {
    switch lever {
    case .zip: "zip: one archive, expanded at the first launch"
    case .symbols: "symbols: strip them from programs"
    case .slice: "slice: drop architectures that no device of today runs"
    case .duplicate: "duplicate: keep one of equal files"
    }
  }

  private var advice: ReportPage.Evidence {
    .table(
      ReportPage.Table(
        "What others report of remedies that only a build can measure",
        columns: ["Remedy", "Reported", "Source"],
        rows: SizeAdvice.all(under: answer.rule).map { [$0.lever, $0.reported, $0.source] }))
  }

  private var findings: ReportPage.Evidence {
    .table(
      ReportPage.Table(
        "Findings", columns: ["Severity", "Rule", "What"],
        rows: answer.findings.map { [$0.severity.rawValue, $0.rule, $0.message] }))
  }

  private var remedies: [Markup] {
    let saving = (answer.savings?.levers ?? []).filter { $0.savesBytes > 0 }.max {
      $0.savesBytes < $1.savesBytes
    }
    var steps = answer.findings.compactMap { finding in finding.wholeHelp.map { "\($0)" as Markup } }
    if let saving {
      steps.append(
        "'\(saving.name.rawValue)' saves most: \(ThinningSizeText.words(saving.savesBytes)). The table of remedies has the others."
      )
    } else if standing != .good {
      steps.append(
        "Take out what the clip does not need at its start; the tables show what others saved by which remedy."
      )
    }
    if standing == .doubtful, answer.rule.minimumOS == nil {
      steps.append("Give the clip's minimum iOS with --minimum-os: the limit depends on it.")
    }
    return steps
  }
}
