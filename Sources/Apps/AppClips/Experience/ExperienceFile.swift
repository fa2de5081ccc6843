package import LinkspanCore

/// What App Store Connect and a developer's device know of an app's clip: everything that decides which card appears.
package struct ExperienceFile: Sendable {
  package struct App: Sendable {
    package var bundleIdentifier: String?
    package var name: String?
    /// The number in the App Store's links.
    package var storeIdentifier: String?
  }

  package struct Clip: Sendable {
    package var bundleIdentifier: String?
    package var minimumOS = ClipRelease.first
    /// Whether the clip is in the App Store.
    package var isReleased = true
    /// The hosts of its `appclips:` entries; nil where the file does not say.
    package var domains: [String]?
  }

  package let source: SourceText
  package internal(set) var app = App()
  package internal(set) var clip = Clip()
  package internal(set) var experiences: [Experience] = []
  /// What is wrong with the file: its form, its texts, its URLs.
  package internal(set) var findings: [Finding] = []
  /// What may stand at the places of the file, for editors and schemas.
  package internal(set) var choices: [(range: Range<Int>, choice: DocumentChoice)] = []

  package func location(_ range: Range<Int>) -> Finding.Location { .init(source, range) }
}

/// One experience: a URL, and what the card says.
package struct Experience: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// With the link that Apple makes.
    case standard = "default"
    /// The default experience on a website of one's own.
    case website
    /// With the demo link that Apple makes.
    case demo
    /// Registered for a URL of its own.
    case advanced
    /// Kept in a device's developer settings.
    case local
    /// One of TestFlight's three.
    case testFlight = "testflight"
  }

  package let kind: Kind
  package let address: ClipAddress
  package var title: String?
  package var subtitle: String?
  package var action: CardAction?
  /// As written, from the file's folder.
  package var image: String?
  /// The bytes of the URL, or where an experience without one of its own stands.
  package let range: Range<Int>

  /// As answers call it.
  package var name: String { "\(kind.rawValue) \(address.shown)" }
}

/// The button of a card.
package enum CardAction: String, CaseIterable, Sendable {
  case open = "OPEN"
  case view = "VIEW"
  case play = "PLAY"

  /// What the button says in English.
  package var label: String {
    switch self {
    case .open: "Open"
    case .view: "View"
    case .play: "Play"
    }
  }
}

/// A release of iOS as far as clips go by it.
package struct ClipRelease: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// App Clips exist since iOS 14 (AC14, documented).
  package static let first = ClipRelease(major: 14, minor: 0)

  package let major: Int
  package let minor: Int

  package init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Reads `16`, `16.4`, `16.4.1`, with or without `ios:` before it.
  package init?(_ text: String) {
    let numbers = (text.hasPrefix("ios:") ? text.dropFirst(4) : text[...])
      .split(separator: ".", omittingEmptySubsequences: false)
      .map { $0.utf8.allSatisfy(ASCII.isDigit) ? Int($0) : nil }
    guard (1...3).contains(numbers.count), numbers.allSatisfy({ $0.map { (0...99).contains($0) } == true }),
      let major = numbers[0]
    else { return nil }
    self.major = major
    minor = numbers.count > 1 ? numbers[1] ?? 0 : 0
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  package var description: String { "iOS \(major).\(minor)" }
}
