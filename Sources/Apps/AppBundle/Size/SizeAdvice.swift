package import LinkspanCore

/// A remedy whose effect only a build can show, with what others reported of it.
package struct SizeAdvice: Sendable {
  package let lever: String
  /// What was reported, as a range or a case.
  package let reported: String
  package let source: String

  /// Those that can help a clip under a rule: a later minimum only where a larger limit comes with it.
  package static func all(under rule: ClipSizeAnswer.Rule) -> [SizeAdvice] {
    let own = rule.minimumOS.map {
      ClipSizeAnswer.Rule(minimumOS: $0, invocation: rule.invocation, day: rule.day)
    }
    let best = ClipSizeAnswer.Rule(minimumOS: .max, invocation: rule.invocation, day: rule.day)
    let gains = own.map { $0.limits.upperBound < best.limits.upperBound } ?? true
    return gains ? remedies + [laterMinimum] : remedies
  }

  private static let remedies = [
    SizeAdvice(
      lever: "-Osize for Swift (SWIFT_OPTIMIZATION_LEVEL)", reported: "5 % to 30 % of the code",
      source: "https://www.swift.org/blog/osize/"),
    SizeAdvice(
      lever: "Leave files out of the clip's target, with an APP_CLIP compilation condition",
      reported: "an app of 140 MB led to a clip below 10 MB",
      source: "https://developer.apple.com/documentation/appclip/creating-an-app-clip-with-xcode"),
    SizeAdvice(
      lever: "Drop a dependency", reported: "5.6 MB for one payment library, 2.8 MB for its slim form",
      source: "https://github.com/stripe/stripe-ios/issues/1719"),
  ]

  private static let laterMinimum = SizeAdvice(
    lever: "Raise the clip's minimum iOS",
    reported: "15 MB from iOS 16, 100 MB from iOS 17 for digital invocations",
    source: "https://developer.apple.com/help/app-store-connect/reference/maximum-build-file-sizes")

  package var json: JSON {
    .object([
      ("lever", .string(lever)), ("reported", .string(reported)), ("source", .string(source)),
    ])
  }
}
