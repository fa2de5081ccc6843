internal import AppBundle
internal import LinkspanCommand
internal import LinkspanCore

/// The answer about a clip's size for people.
struct ClipSizeText {
  private let answer: ClipSizeAnswer
  /// Ours: files of one lever, and parts, that are listed.
  private static let listedCount = 12

  init(_ answer: ClipSizeAnswer) { self.answer = answer }

  func print(on console: Console) {
    let style = console.style
    for variant in answer.variants {
      let verdict =
        switch answer.verdict(variant) {
        case .fits: style.paint("fits", .green)
        case .tooLarge: style.paint("too large", .red)
        case .undecided: style.paint("undecided", .yellow)
        }
      let compressed = variant.compressed.map { Self.shown($0) + " compressed, " } ?? ""
      let kind = variant.isUniversal ? " (universal)" : ""
      let excess = Self.excess(of: variant, answer).map { ", \($0)" } ?? ""
      console.print(
        "\(variant.name)\(kind): \(verdict), \(compressed)\(Self.shown(variant.uncompressed)) uncompressed\(excess)"
      )
      if let error = answer.error(variant) { console.print("  \(error)") }
      if answer.verdict(variant) == .undecided { console.print("  \(Self.doubt(of: variant, answer))") }
    }
    console.print("Limit: \(Self.limit(answer.rule))")
    if !answer.parts.isEmpty { console.print("Largest parts:") }
    for part in answer.parts.prefix(Self.listedCount) {
      let name = part.name ?? (part.fileCount.counted("file"))
      console.print("  \(Self.size(part.sizeBytes))  \(part.kind.rawValue), \(name)")
    }
    if answer.parts.count > Self.listedCount {
      console.print(
        "  \(answer.parts.count - Self.listedCount) smaller ones are not listed; --json lists all.")
    }
    if let savings = answer.savings { print(savings, on: console) }
    if let comparison = answer.comparison { print(comparison, on: console) }
    for finding in answer.findings { console.print(finding.text(style: style)) }
  }

  /// The limit, and what chooses it.
  private static func limit(_ rule: ClipSizeAnswer.Rule) -> String {
    let limits = rule.limits
    let kind = "\(rule.invocation.rawValue) invocations"
    guard let release = rule.release ?? rule.minimumOS.map({ "\($0).0" }) else {
      return
        "\(ThinningSizeText.words(limits.lowerBound)) to \(ThinningSizeText.words(limits.upperBound)) by the "
        + "clip's minimum iOS, for \(kind) (--invocation)"
    }
    return
      "\(ThinningSizeText.words(limits.upperBound)) for a clip from iOS \(release) on with \(kind) (--invocation)"
  }

  /// Why it is not known whether a variant fits.
  private static func doubt(of variant: ClipSizeAnswer.Variant, _ answer: ClipSizeAnswer) -> String {
    let (size, limits) = (variant.uncompressed, answer.rule.limits)
    let isRounded = [limits.lowerBound, limits.upperBound].contains { size.lower <= $0 && size.upper > $0 }
    return isRounded
      ? "The report's size is rounded, \(size.lower) to \(size.upper) bytes: app-thinning.plist or the .ipa decide."
      : "It is above the limit of some releases and below that of others: --minimum-os decides."
  }

  /// How far a variant is above the limit, where the words for both sizes are the same.
  private static func excess(of variant: ClipSizeAnswer.Variant, _ answer: ClipSizeAnswer) -> String? {
    let (size, limit) = (variant.uncompressed, answer.rule.limits.upperBound)
    guard answer.verdict(variant) == .tooLarge, size.isExact,
      ThinningSizeText.words(size.lower) == ThinningSizeText.words(limit)
    else { return nil }
    return "\((size.lower - limit).counted("byte")) above the limit"
  }

  private func print(_ savings: SizeSavings, on console: Console) {
    console.print("What each remedy would save by itself:")
    for lever in savings.levers {
      console.print("  \(Self.saving(lever.savesBytes))  \(lever.name.rawValue)")
      for file in lever.files.prefix(Self.listedCount) { console.print("             \(file)") }
      if lever.files.count > Self.listedCount {
        console.print("             and \(lever.files.count - Self.listedCount) more")
      }
    }
    console.print("  \(Self.saving(savings.totalBytes))  all of them together")
    console.print("Remedies that only a build can measure, as others report them:")
    for advice in SizeAdvice.all(under: answer.rule) {
      console.print("  \(advice.lever): \(advice.reported)\n    \(advice.source)")
    }
  }

  private func print(_ comparison: ClipSizeComparison, on console: Console) {
    console.print("Against \(comparison.name): \(Self.change(comparison.bytes))")
    let changes =
      comparison.parts
      + comparison.files.filter { file in
        !comparison.parts.contains { $0.name == file.name }
      }
    for change in changes.prefix(2 * Self.listedCount) {
      let state = change.oldBytes == nil ? " (new)" : change.newBytes == nil ? " (gone)" : ""
      console.print("  \(Self.change(change.bytes))  \(change.name)\(state)")
    }
    if changes.count > 2 * Self.listedCount {
      console.print(
        "  \(changes.count - 2 * Self.listedCount) smaller changes are not listed; --json has all.")
    }
  }

  /// With its sign, of one width.
  private static func change(_ bytes: Int) -> String {
    if bytes == 0 { return "   no change" }
    let text = (bytes > 0 ? "+" : "-") + ThinningSizeText.words(abs(bytes))
    return String(repeating: " ", count: max(0, 10 - text.count)) + text
  }

  private static func size(_ bytes: Int) -> String { column(ThinningSizeText.words(bytes)) }

  private static func saving(_ bytes: Int) -> String { bytes == 0 ? column("nothing") : size(bytes) }

  /// Of one width.
  private static func column(_ text: String) -> String {
    String(repeating: " ", count: max(0, 9 - text.count)) + text
  }

  private static func shown(_ count: ByteCount) -> String {
    count.isExact
      ? ThinningSizeText.words(count.lower)
      : "about " + ThinningSizeText.words((count.lower + count.upper + 1) / 2)
  }
}
