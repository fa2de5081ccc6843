internal import LinkspanCore

/// Releases of one platform, from the first to the last, both included.
package struct ReleaseRange: Hashable, Sendable {
  package var first: OSVersion
  /// nil: up to the newest.
  package var last: OSVersion?

  package init(first: OSVersion, last: OSVersion?) {
    self.first = first
    self.last = last
  }

  /// `iOS 9.0–12.5`, `iOS 17.4`, or `iOS 14.0 and later`.
  package var name: String {
    guard let last else { return "\(first.name) and later" }
    if last == first { return first.name }
    return "\(first.name)–\(last.name.drop { $0 != " " }.dropFirst())"
  }

  /// Reads `ios:17.4`, which means that release, `ios:15..26`, `ios:15..` and lists of them with commas.
  ///
  /// The end of a range stands for every release that begins so: `..13` includes 13.7.
  ///
  /// - Throws: ``OSVersionError`` with the fault and the expected form.
  package static func list(_ text: String) throws(OSVersionError) -> [ReleaseRange] {
    var ranges: [ReleaseRange] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let part = String(part)
      do throws(OSVersionError) {
        ranges.append(try ReleaseRange(part))
      } catch {
        throw OSVersionError(text: part, reason: error.reason, takesRanges: true)
      }
    }
    return ranges
  }

  private init(_ text: String) throws(OSVersionError) {
    guard let dots = text.firstRange(of: "..") else {
      let release = try OSVersion(text)
      self.init(first: release, last: release)
      return
    }
    let start = String(text[..<dots.lowerBound])
    let end = String(text[dots.upperBound...])
    if start.isEmpty || start.hasSuffix(":") {
      throw OSVersionError(text: text, reason: "the range names no first release")
    }
    let first = try OSVersion(start)
    guard !end.isEmpty else {
      self.init(first: first, last: nil)
      return
    }
    let last = try OSVersion(
      end.contains(":") ? end : "\(first.platform.rawValue):\(end)", endsRange: true)
    guard last.platform == first.platform else {
      throw OSVersionError(text: text, reason: "a range has one platform")
    }
    guard first <= last else {
      throw OSVersionError(text: text, reason: "the range ends before it begins")
    }
    self.init(first: first, last: last)
  }
}

extension ReleaseRange {
  /// Releases of a platform that read association files alike, oldest first, from the first with universal links; what
  /// neighbours read differently is in sections 6.2 to 6.4.
  ///
  /// iOS 9.3 changed where files are fetched from (F2) and which hosts an entry covers (E5), not what a file says.
  package static func periods(of platform: OSVersion.Platform) -> [ReleaseRange] {
    func periods(_ rows: [(first: [Int], last: [Int])]) -> [ReleaseRange] {
      func version(_ numbers: [Int]) -> OSVersion {
        OSVersion(platform, numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : 0)
      }
      return rows.map {
        ReleaseRange(first: version($0.first), last: $0.last.isEmpty ? nil : version($0.last))
      }
    }
    return switch platform {
    case .iOS:
      periods([([9, 0], [12, 5]), ([13, 0], [13, 4]), ([13, 5], [13, 7]), ([14, 0], [])])
    case .macOS:
      periods([
        ([10, 15], [10, 15, 4]), ([10, 15, 5], [10, 15, 5]), ([10, 15, 6], [10, 15, 7]), ([11, 0], []),
      ])
    case .tvOS:
      periods([([10, 0], [12, 4]), ([13, 0], [13, 3]), ([13, 4], [13, 4]), ([14, 0], [])])
    case .watchOS: periods([([7, 0], [])])
    case .visionOS: periods([([1, 0], [])])
    }
  }

  /// What this range and a period have in common.
  ///
  /// - Parameter next: The first release behind the period; nil where it is open.
  func part(in period: ReleaseRange, before next: OSVersion?) -> ReleaseRange? {
    guard first.platform == period.first.platform else { return nil }
    if let next, first >= next { return nil }
    if let last, last < period.first { return nil }
    let start = max(first, period.first)
    let end = [last, period.last].compactMap { $0 }.min()
    guard let end, end < start else { return ReleaseRange(first: start, last: end) }
    // A release behind the last one that the period is called by, such as 12.5.7.
    return ReleaseRange(first: start, last: last ?? start)
  }

  /// Whether all releases of another range are in this one.
  package func contains(_ other: ReleaseRange) -> Bool {
    guard first.platform == other.first.platform, first <= other.first else { return false }
    guard let last else { return true }
    return other.last.map { $0 <= last } ?? false
  }

  /// From the beginning of the one to the end of the other, whichever comes first.
  func joined(_ other: ReleaseRange) -> ReleaseRange {
    let end: OSVersion? = if let last, let end = other.last { max(last, end) } else { nil }
    return ReleaseRange(first: min(first, other.first), last: end)
  }
}
