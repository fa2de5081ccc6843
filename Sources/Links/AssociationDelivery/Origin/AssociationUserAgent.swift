internal import LinkspanCore

/// The user agents of those who fetch association files, as servers saw them (T6): the one list of them.
package enum AssociationUserAgent {
  /// How the crawler of Apple's CDN begins.
  package static let crawlerPrefix: StaticString = "AASA-Bot"
  /// How a device begins that asks a host directly.
  package static let devicePrefixes: [StaticString] = ["com.apple.swcd", "swcd"]
  /// What filters and firewalls know a device by.
  package static let deviceMark = "CFNetwork"

  package static let crawler = "\(crawlerPrefix)/1.0.0"

  /// Safari of iOS 18's time. No rule that is known looks at its numbers.
  package static let browser =
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    + "Version/18.0 Safari/605.1.15"

  /// - Parameters:
  ///   - network: The version of CFNetwork.
  ///   - kernel: The version of Darwin.
  package static func device(network: String, kernel: String) -> String {
    "com.apple.swcd (unknown version) \(deviceMark)/\(network) Darwin/\(kernel)"
  }

  /// Whether it is the crawler's.
  package static func isCrawler(_ userAgent: String) -> Bool { userAgent.hasPrefix("\(crawlerPrefix)") }

  /// Whether filters take it for a device's.
  package static func isDevice(_ userAgent: String) -> Bool { userAgent.contains(deviceMark) }
}
