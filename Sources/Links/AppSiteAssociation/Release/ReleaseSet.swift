package import LinkspanCore

/// The releases that a question is about: what an app ships to.
package struct ReleaseSet: Hashable, Sendable {
  /// In each of them all releases read every file alike. Platform by platform, oldest first; never empty.
  package let periods: [ReleaseRange]
  /// The place of each of them among those of its platform.
  private let places: [Int]

  /// What counts where nobody names releases. Our choice: an app of 2026 seldom ships to less, and what matters on older
  /// ones only is noise to it.
  package static let standard = ReleaseSet([ReleaseRange(first: OSVersion(.iOS, 15), last: nil)])

  package static let allOfIOS = ReleaseSet(ReleaseRange.periods(of: .iOS))

  /// Every release of a platform that has universal links.
  package static func all(of platform: OSVersion.Platform) -> ReleaseSet {
    ReleaseSet(ReleaseRange.periods(of: platform))
  }

  package init(_ ranges: [ReleaseRange]) {
    precondition(!ranges.isEmpty, "a question is about some release")
    var periods: [ReleaseRange] = []
    var places: [Int] = []
    for platform in OSVersion.Platform.allCases {
      // Before the first with universal links no file is read, which is a period too.
      let before = ReleaseRange(first: OSVersion(platform, 0), last: nil)
      let all = [before] + ReleaseRange.periods(of: platform)
      for (place, period) in all.enumerated() {
        let next = place + 1 < all.count ? all[place + 1].first : nil
        let parts = ranges.compactMap { $0.part(in: period, before: next) }
        guard var part = parts.dropFirst().reduce(parts.first, { $0?.joined($1) }) else { continue }
        if let next, part.last.map({ $0 >= next }) ?? true { part.last = part.first }
        periods.append(part)
        places.append(place)
      }
    }
    self.periods = periods
    self.places = places
  }

  /// Reads what `--os` was given: releases, ranges and lists of them.
  ///
  /// - Throws: ``OSVersionError`` with the fault and the expected form.
  package init(_ texts: [String]) throws(OSVersionError) {
    var ranges: [ReleaseRange] = []
    for text in texts { ranges += try ReleaseRange.list(text) }
    self.init(ranges)
  }

  /// The periods, neighbours joined where nothing tells them apart.
  func joined(_ areAlike: (OSVersion, OSVersion) -> Bool) -> [ReleaseRange] {
    var joined: [ReleaseRange] = []
    for index in periods.indices {
      if index > 0, follows(index), let last = joined.last, areAlike(last.first, periods[index].first) {
        joined[joined.count - 1] = last.joined(periods[index])
      } else {
        joined.append(periods[index])
      }
    }
    return joined
  }

  /// Whether a period follows the one before it in the set without a release between them.
  private func follows(_ index: Int) -> Bool {
    periods[index].first.platform == periods[index - 1].first.platform
      && places[index] == places[index - 1] + 1
  }

  /// The releases that an answer holds for.
  ///
  /// - Parameter ranges: Each of one or more periods of this set.
  /// - Returns: nil when they are none.
  package func held(_ ranges: [ReleaseRange]) -> HeldReleases? {
    let held = periods.indices.filter { index in ranges.contains { $0.contains(periods[index]) } }
    var spans: [ReleaseRange] = []
    for (count, index) in held.enumerated() {
      if count > 0, held[count - 1] == index - 1, follows(index) {
        spans[spans.count - 1] = spans[spans.count - 1].joined(periods[index])
      } else {
        spans.append(periods[index])
      }
    }
    guard let first = spans.first else { return nil }
    func span(_ range: ReleaseRange) -> HeldReleases.Span {
      HeldReleases.Span(from: range.first.description, to: range.last?.description)
    }
    return HeldReleases(
      first: span(first), others: spans.dropFirst().map(span),
      name: held.count == periods.count ? nil : spans.map { $0.name }.joined(separator: ", "))
  }

  /// All of them, as an answer says it that holds for all.
  package var whole: HeldReleases? { held(periods) }

  /// As people read it.
  package var name: String { joined { _, _ in true }.map { $0.name }.joined(separator: ", ") }
}
