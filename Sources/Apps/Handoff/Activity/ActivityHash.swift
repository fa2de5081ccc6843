internal import LinkspanCore
internal import LinkspanCrypto

/// The seven bytes that stand for an activity on the air.
///
/// SHA-512 of `team:type` in lower case, folded to seven bytes, the two top bits replaced by the kind.
///
/// - Source: rule B.4; verified on seven published hashes of Apple's own activities, whose team is
///   empty. That a team stands in front is second-hand.
package struct ActivityHash: Hashable, Sendable, CustomStringConvertible {
  package static let byteCount = 7

  package let bytes: [UInt8]

  /// All zero: nothing is offered (B.3).
  package static let nothing = ActivityHash(bytes: [UInt8](repeating: 0, count: byteCount))

  /// - Parameter bytes: ``byteCount`` bytes.
  package init(bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount, "an activity hash has \(Self.byteCount) bytes")
    self.bytes = bytes
  }

  /// - Parameters:
  ///   - team: The team identifier; empty for Apple's own apps.
  ///   - activityType: As in `NSUserActivityTypes`, or `type:dynamicPart`.
  package init(team: String, activityType: String) {
    var folded = Self.folded(Self.text(team: team, activityType: activityType))
    folded[0] = folded[0] & 0x3F | Self.userActivity
    bytes = folded
  }

  /// The hash of a page in a browser: that of its host, of the kind for browsing.
  ///
  /// - Source: rule B.4, second-hand; no published frame has a host that is known.
  package init(browsingHost host: String) {
    var folded = ActivityHash.folded(ASCII.lowercased(host))
    folded[0] = folded[0] & 0x3F | Self.browsing
    bytes = folded
  }

  /// What is hashed. Two types that differ in case only are the same on the air.
  package static func text(team: String, activityType: String) -> String {
    "\(team):\(activityType)".lowercased()
  }

  package var isNothing: Bool { bytes.allSatisfy { $0 == 0 } }

  package var description: String { ASCII.hexText(bytes) }

  /// The kind bits of a normal user activity.
  private static let userActivity: UInt8 = 0x80
  /// The kind bits of a page in a browser.
  private static let browsing: UInt8 = 0x40

  private static func folded(_ text: String) -> [UInt8] {
    var folded = [UInt8](repeating: 0, count: byteCount)
    for (index, byte) in DigestAlgorithm.sha512.digest(of: Array(text.utf8)).enumerated() {
      folded[index % byteCount] ^= byte
    }
    return folded
  }
}

extension ActivityHash {
  /// Hashes of Apple's own activities that were published and met here (B.4).
  package static let knownTypes = [
    "com.apple.notes.activity.edit-note", "com.apple.mail.mailbox", "com.apple.mail.message",
    "com.apple.mail.compose", "com.apple.calendar.continuity.date_selection",
    "com.apple.calendar.continuity.event_selection", "com.apple.continuitypasteboard",
  ]

  /// How well the hash of a type is established: by a published frame for Apple's known ones only.
  ///
  /// - Parameter team: Empty for Apple's own apps.
  package static func evidence(team: String, activityType: String) -> Evidence {
    team.isEmpty && knownTypes.contains(activityType.lowercased()) ? .verified : .inferred
  }

  /// Whether the type is named like those of Apple's own apps, whose team is empty.
  package static func isApples(_ activityType: String) -> Bool {
    activityType.lowercased().hasPrefix("com.apple.")
  }

  /// Whether the text stands for a notification: kind 4 on the air, which only others read out of Apple's program, and
  /// whose hash is therefore not computed here (B.4).
  package static func isNotification(_ activityType: String) -> Bool {
    activityType.hasPrefix("NOTIFICATION#")
  }

  /// The activity among Apple's known ones and those given that has this hash.
  package func activity(among candidates: [(team: String, activityType: String)]) -> (
    team: String, activityType: String
  )? {
    (candidates + Self.knownTypes.map { ("", $0) }).first {
      ActivityHash(team: $0.team, activityType: $0.activityType) == self
    }
  }
}
