/// What a frame says about its activity (B.3).
package struct ActivityOptions: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let webpageURL = ActivityOptions(rawValue: 0x01)
  package static let fileProviderURL = ActivityOptions(rawValue: 0x02)
  package static let cloudDocument = ActivityOptions(rawValue: 0x04)
  package static let pasteboard = ActivityOptions(rawValue: 0x08)
  package static let pasteboardVersion = ActivityOptions(rawValue: 0x10)
  package static let automaticPull = ActivityOptions(rawValue: 0x20)
  package static let moreActivities = ActivityOptions(rawValue: 0x40)
  package static let notActive = ActivityOptions(rawValue: 0x80)

  /// Each bit with its name in the program's output, and how well its meaning is established.
  package static let all: [(option: ActivityOptions, name: String, evidence: Evidence)] = [
    (.webpageURL, "webpage-url", .observed), (.fileProviderURL, "file-provider-url", .observed),
    (.cloudDocument, "cloud-document", .observed), (.pasteboard, "pasteboard", .observed),
    (.pasteboardVersion, "pasteboard-version", .observed),
    (.automaticPull, "automatic-pull", .observed), (.moreActivities, "more-activities", .secondHand),
    (.notActive, "not-active", .secondHand),
  ]

  package init?(name: String) {
    guard let row = Self.all.first(where: { $0.name == name }) else { return nil }
    self = row.option
  }

  package var names: [String] { Self.all.filter { contains($0.option) }.map(\.name) }
}
