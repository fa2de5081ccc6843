package import LinkspanCore

/// The answer about a clip's size: each variant against its limit, what takes the room, what would help.
package struct ClipSizeAnswer: Sendable {
  package struct Variant: Sendable {
    package let name: String
    package let devices: [ThinningReport.Device]
    package let isUniversal: Bool
    /// nil where nothing is compressed.
    package let compressed: ByteCount?
    package let uncompressed: ByteCount

    package init(
      name: String, devices: [ThinningReport.Device], isUniversal: Bool, compressed: ByteCount?,
      uncompressed: ByteCount
    ) {
      self.name = name
      self.devices = devices
      self.isUniversal = isUniversal
      self.compressed = compressed
      self.uncompressed = uncompressed
    }
  }

  /// The rule that variants are held to.
  package struct Rule: Sendable {
    /// The clip's own minimum iOS, its major release; nil when nobody says.
    package let minimumOS: Int?
    /// The same as it was written, such as `16.4`.
    package let release: String?
    package let invocation: ClipInvocation
    /// nil for the newest rules.
    package let day: String?

    package init(
      minimumOS: Int?, release: String? = nil, invocation: ClipInvocation, day: String? = nil
    ) {
      self.minimumOS = minimumOS
      self.release = release
      self.invocation = invocation
      self.day = day
    }

    /// The smallest and the largest limit that may apply.
    package var limits: ClosedRange<Int> {
      func limit(_ os: Int) -> Int { ClipSizeLimit.bytes(minimumOS: os, invocation, on: day) ?? 10_000_000 }
      guard let minimumOS else { return limit(14)...limit(.max) }
      return limit(minimumOS)...limit(minimumOS)
    }
  }

  package let variants: [Variant]
  package let rule: Rule
  /// Empty where only a report was read.
  package var parts: [SizePart] = []
  /// Empty where only a report was read.
  package var files: [SizedFile] = []
  /// nil where only a report was read.
  package var savings: SizeSavings?
  package var findings: [Finding] = []
  /// nil without an older build.
  package var comparison: ClipSizeComparison?

  package init(variants: [Variant], rule: Rule) {
    self.variants = variants
    self.rule = rule
  }

  package init(_ report: ThinningReport, rule: Rule) {
    self.init(
      variants: report.variants.map { variant in
        Variant(
          name: variant.name, devices: variant.devices, isUniversal: variant.isUniversal,
          compressed: variant.app.compressed, uncompressed: variant.app.uncompressed)
      }, rule: rule)
    findings = report.findings
  }

  package func verdict(_ variant: Variant) -> ClipVerdict {
    ClipVerdict(variant.uncompressed, limits: rule.limits)
  }

  /// What the verdict rests on: where several limits may apply, the one that decides all the same; nil where none does.
  package func limit(_ variant: Variant) -> Int? {
    switch verdict(variant) {
    case .fits: rule.limits.lowerBound
    case .tooLarge: rule.limits.upperBound
    case .undecided: rule.limits.lowerBound == rule.limits.upperBound ? rule.limits.lowerBound : nil
    }
  }

  /// What Apple would write; nil for a variant that is not known to be too large.
  package func error(_ variant: Variant) -> String? {
    guard verdict(variant) == .tooLarge else { return nil }
    let clip = variant.name.hasSuffix(".ipa") ? String(variant.name.dropLast(4)) : variant.name
    return ClipSizeError.text(
      clip: clip, isUniversal: variant.isUniversal, size: variant.uncompressed,
      limitBytes: rule.limits.upperBound)
  }

  /// Notes variants that are too large only because a megabyte is taken as a million bytes.
  ///
  /// Xcode's reports count so; of its limit Apple does not say, so the stricter reading decides.
  ///
  /// - Parameter file: What the person calls the input.
  package mutating func noteOtherReading(file: String) {
    let limit = rule.limits.upperBound / 1_000_000
    let close = variants.filter { verdict($0) == .tooLarge && $0.uncompressed.upper <= limit << 20 }
    guard !close.isEmpty else { return }
    findings.append(
      Finding(
        rule: "clip.binary-megabytes", severity: .note, at: .init(file: file),
        message: "\(close.count.counted("variant")) would fit if Apple counted "
          + "\(limit) MB as \(limit << 20) bytes.",
        help: "Which of the two Apple counts is documented nowhere, so \(limit * 1_000_000) decides here."))
  }

  package var isTooLarge: Bool { variants.contains { verdict($0) == .tooLarge } }
}
