internal import LinkspanCore

/// An operating system and its version, written `ios:17.4`.
package struct OSVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  package enum Platform: String, Hashable, Sendable, CaseIterable {
    case iOS = "ios"
    case macOS = "macos"
    case tvOS = "tvos"
    case watchOS = "watchos"
    case visionOS = "visionos"

    /// As Apple writes it.
    package var name: String {
      switch self {
      case .iOS: "iOS"
      case .macOS: "macOS"
      case .tvOS: "tvOS"
      case .watchOS: "watchOS"
      case .visionOS: "visionOS"
      }
    }
  }

  package let platform: Platform
  package let major: Int
  package let minor: Int
  package let patch: Int

  package init(_ platform: Platform, _ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
    self.platform = platform
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// Reads `ios:17.4`, `macos:10.15.5`, or a bare `17.4` for iOS; `ipados` reads as iOS.
  ///
  /// - Throws: ``OSVersionError`` with the fault and the expected form.
  package init(_ text: String) throws(OSVersionError) { try self.init(text, endsRange: false) }

  /// - Parameter endsRange: Whether it stands for every release that begins so: `13` for 13.7 as well.
  init(_ text: String, endsRange: Bool) throws(OSVersionError) {
    let parts = ASCII.lowercased(text).split(separator: ":", omittingEmptySubsequences: false)
    let name = parts.count == 1 ? "ios" : String(parts[0])
    guard parts.count <= 2, let platform = Platform(rawValue: name == "ipados" ? "ios" : name) else {
      throw OSVersionError(text: text, reason: "the platform must be one of \(Self.platformList)")
    }
    if text.contains("..") {
      throw OSVersionError(text: text, reason: "expected one release, got a range")
    }
    if parts.last!.isEmpty { throw OSVersionError(text: text, reason: "the version is missing") }
    var numbers: [Int] = []
    for part in parts.last!.split(separator: ".", omittingEmptySubsequences: false) {
      guard part.utf8.allSatisfy(ASCII.isDigit), let number = Int(part), number < 1000 else {
        throw OSVersionError(text: text, reason: "'\(part)' is not a version number")
      }
      numbers.append(number)
    }
    guard (1...3).contains(numbers.count) else {
      throw OSVersionError(text: text, reason: "a version has one to three numbers")
    }
    numbers += endsRange ? [.max, .max] : [0, 0]
    if let reason = Self.unknownRelease(platform, major: numbers[0]) {
      throw OSVersionError(text: text, reason: reason)
    }
    self.init(platform, numbers[0], numbers[1], numbers[2])
  }

  /// Apple numbers releases by the year since 2025 (WWDC25): 26 followed 18, or what the platform had.
  private static let firstNumberedByYear = 26
  /// The newest release whose behaviour was seen, in published runs of swcutil.
  private static let newest = 27

  /// Why there is no release of that number; nil when there is one.
  private static func unknownRelease(_ platform: Platform, major: Int) -> String? {
    let lastBefore =
      switch platform {
      case .iOS, .tvOS: 18
      case .macOS: 15
      case .watchOS: 11
      case .visionOS: 2
      }
    if major > newest { return "the newest known release is \(platform.name) \(newest)" }
    if major > lastBefore, major < firstNumberedByYear {
      return "\(platform.name) \(firstNumberedByYear) followed \(platform.name) \(lastBefore)"
    }
    return nil
  }

  private static var platformList: String { Platform.allCases.map { $0.rawValue }.joined(separator: ", ") }

  /// `ios:17.4`: the form that is read back.
  package var description: String { "\(platform.rawValue):\(number)" }

  /// `iOS 17.4`: the form people read.
  package var name: String { "\(platform.name) \(number)" }

  private var number: String {
    if minor == .max { return "\(major)" }
    return patch == 0 || patch == .max ? "\(major).\(minor)" : "\(major).\(minor).\(patch)"
  }

  /// Platform by platform, then by number.
  package static func < (left: OSVersion, right: OSVersion) -> Bool {
    (left.platform.rawValue, left.major, left.minor, left.patch)
      < (right.platform.rawValue, right.major, right.minor, right.patch)
  }

  /// Whether this release is the given one or a later one.
  func isAtLeast(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) -> Bool {
    (self.major, self.minor, self.patch) >= (major, minor, patch)
  }
}

/// Why a text names no release.
package struct OSVersionError: Error, Hashable, Sendable, CustomStringConvertible {
  package let text: String
  package let reason: String
  /// Whether ranges of releases are understood where it was written.
  package var takesRanges = false

  package var description: String {
    takesRanges
      ? "'\(text)' is not a release or a range of releases: \(reason). Write platform:version or "
        + "platform:first..last, such as ios:17.4 or ios:15..26."
      : "'\(text)' is not an OS version: \(reason). Write platform:version, such as ios:17.4 or macos:14."
  }
}
