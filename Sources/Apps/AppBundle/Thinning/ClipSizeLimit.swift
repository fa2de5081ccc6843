/// How people come to a clip, which decides how large it may be.
package enum ClipInvocation: String, CaseIterable, Sendable {
  /// Also by App Clip Codes, QR codes and NFC tags.
  case physical
  /// Only by links on screens: a website, a banner, Spotlight.
  case digital
  /// By the demo link that Apple makes.
  case demo
}

/// How large a clip may be, by its own minimum iOS, and since when.
package struct ClipSizeLimit: Sendable {
  /// The day from which we know of the rule, as `2025-06-09`.
  package let since: String
  /// The first major release of iOS as the clip's minimum.
  package let minimumOS: Int
  package let invocations: Set<ClipInvocation>
  package let bytes: Int

  /// The newest last. Sizes are decimal, the stricter reading: Apple's reports are, of its limit it does not say.
  ///
  /// - Source: Apple, "Choosing the right functionality for your App Clip", "Maximum build file sizes" and "App
  ///   Clips updates". The days are those of the announcements; that of the first 100 MB without a demo link is
  ///   the latest possible one.
  package static let all: [ClipSizeLimit] = [
    ClipSizeLimit(
      since: "2020-06-22", minimumOS: 14, invocations: Set(ClipInvocation.allCases), bytes: 10_000_000),
    ClipSizeLimit(
      since: "2022-06-06", minimumOS: 16, invocations: Set(ClipInvocation.allCases), bytes: 15_000_000),
    ClipSizeLimit(since: "2023-06-05", minimumOS: 17, invocations: [.digital], bytes: 50_000_000),
    ClipSizeLimit(since: "2025-06-09", minimumOS: 17, invocations: [.digital, .demo], bytes: 100_000_000),
  ]

  /// App Clips exist since iOS 14 (AC14, documented).
  package static let firstMinimumOS = 14

  /// The limit for a clip; nil before there were clips.
  ///
  /// - Parameters:
  ///   - minimumOS: The major release; those before 14 count as 14.
  ///   - day: `2026-01-31`, or nil for the newest rules.
  package static func bytes(minimumOS: Int, _ invocation: ClipInvocation, on day: String? = nil) -> Int? {
    all.filter { limit in
      limit.minimumOS <= max(firstMinimumOS, minimumOS) && limit.invocations.contains(invocation)
        && day.map { limit.since <= $0 } ?? true
    }.map(\.bytes).max()
  }
}

/// Whether a variant may be submitted.
package enum ClipVerdict: String, Sendable {
  case fits
  case tooLarge
  /// The sizes are rounded, or the minimum iOS is not known, and the answer hangs on that.
  case undecided

  /// - Parameter limits: The smallest and the largest limit that may apply.
  package init(_ size: ByteCount, limits: ClosedRange<Int>) {
    if size.upper <= limits.lowerBound {
      self = .fits
    } else if size.lower > limits.upperBound {
      self = .tooLarge
    } else {
      self = .undecided
    }
  }
}

/// What App Store Connect writes about a clip that is too large.
package enum ClipSizeError {
  /// - Source: observed. Messages about 10 MB name the variant, later ones the main bundle and its size
  ///   (Apple's developer forums, thread 740061).
  package static func text(clip: String, isUniversal: Bool, size: ByteCount, limitBytes: Int) -> String {
    let limit = limitBytes / 1_000_000
    let start = "ITMS-90865: Thinned app clip size is too large - "
    if limit <= 10 {
      let variant = isUniversal ? "universal variant" : "variant"
      return start
        + "The size of the \(variant) app clip /Payload/\(clip).app exceeds the maximum allowable size "
        + "of \(limit)MB."
    }
    let shown = ThinningSizeText.text(size.upper)
    return start
      + "The main bundle of the \(clip) App Clip is \(shown), which exceeds the maximum allowable size "
      + "of \(limit) MB after app thinning. Please ensure the main bundle of any App Clip variant is less than "
      + "\(limit) MB."
  }
}
