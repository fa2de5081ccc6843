package import LinkspanCore

/// The sizes of an exported app, one variant for each group of devices: from Xcode's text, or from the property
/// list beside it.
package struct ThinningReport: Sendable {
  /// One device of a variant.
  package struct Device: Hashable, Sendable {
    package let model: String
    /// nil in exports of Xcode 9, which named devices alone.
    package let osVersion: String?
  }

  package struct Sizes: Hashable, Sendable {
    package let compressed: ByteCount
    package let uncompressed: ByteCount
  }

  package struct Variant: Sendable {
    /// The file that was exported: `Clip.ipa`, `Clip-UUID.ipa`.
    package let name: String
    /// Empty for the universal variant.
    package let devices: [Device]
    package let isUniversal: Bool
    package let app: Sizes
    package let onDemand: Sizes
    package let both: Sizes
  }

  /// In the title: the product's name, which is not always the file's.
  package let productName: String
  package let variants: [Variant]
  /// What the numbers say against one another.
  package let findings: [Finding]

  /// - Parameter places: Where each variant's "App size" stands.
  init(productName: String, variants: [Variant], places: [Finding.Location], file: String) {
    self.productName = productName
    self.variants = variants
    var findings: [Finding] = []
    for (variant, place) in zip(variants, places) {
      for (name, path) in [("compressed", \Sizes.compressed), ("uncompressed", \Sizes.uncompressed)] {
        let sum = variant.app[keyPath: path] + variant.onDemand[keyPath: path]
        if sum.overlaps(variant.both[keyPath: path]) { continue }
        findings.append(
          Finding(
            rule: "thinning.wrong-sum", severity: .error, at: place,
            message: "The \(name) sizes of '\(variant.name)' do not add up: app and on-demand resources make "
              + "\(Self.shown(sum)), and together they are said to have \(Self.shown(variant.both[keyPath: path])).",
            help: "Xcode writes no such report. Check whether it was edited, or export it again."))
      }
    }
    if variants.count > 2, Set(variants.map(\.app.uncompressed)).count == 1,
      Set(variants.map(\.app.compressed)).count > 1
    {
      findings.append(
        Finding(
          rule: "thinning.one-size", severity: .warning, at: Finding.Location(file: file),
          message: "All \(variants.count) variants have the same uncompressed size.",
          help: "Xcode 10.1 wrote the universal variant's size for all. Export with another Xcode."))
    }
    self.findings = findings
  }

  private static func shown(_ count: ByteCount) -> String {
    count.isExact ? "\(count.lower) bytes" : "\(count.lower) to \(count.upper) bytes"
  }
}
