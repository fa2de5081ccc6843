package import LinkspanCore

/// An activity as an app, or a browser, makes it current.
package struct UserActivity: Hashable, Sendable {
  /// The type of web pages in a browser, of universal links and of App Clips.
  ///
  /// - Source: Apple, "NSUserActivityTypeBrowsingWeb".
  package static let browsingWeb = "NSUserActivityTypeBrowsingWeb"

  package var type: String
  package var webpageURL: String?
  package var userInfo: ActivityValue = .dictionary([])
  package var isEligibleForHandoff = true
  /// When it is no longer offered; nil for never.
  package var expires: WallTime?
  /// The bytes that the sender offers through continuation streams; nil when it supports none.
  package var streamBytes: Int?
  /// Whether the sender's delegate is asked to bring `userInfo` up to date before each transfer.
  package var needsSave = false

  package init(type: String, webpageURL: String? = nil) {
    self.type = type
    self.webpageURL = webpageURL
  }

  /// A page in a browser.
  package static func page(_ url: String) -> UserActivity { UserActivity(type: browsingWeb, webpageURL: url) }

  /// The host of ``webpageURL`` in lower case, without user and port; nil without one.
  package var webpageHost: String? {
    guard let rest = webpageURL?.split(separator: "://", maxSplits: 1).dropFirst().first else { return nil }
    let authority = rest.prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@").last?.prefix { $0 != ":" }
    return host.map { ASCII.lowercased($0) }
  }

  /// Warnings about what is allowed and unwise.
  package var warnings: [String] {
    let size = userInfo.serialisedBytes
    guard size > ActivityValue.advisedBytes else { return [] }
    return [
      "userInfo has at least \(size) bytes; Apple advises at most \(ActivityValue.advisedBytes), and more belongs into a "
        + "continuation stream"
    ]
  }
}
