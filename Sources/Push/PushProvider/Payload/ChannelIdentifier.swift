internal import LinkspanCore

/// The identifier of a broadcast channel, as `apns-channel-id` and `input-push-channel` have it.
package enum ChannelIdentifier {
  /// Ours; Apple says that it may have any size.
  private static let limitBytes = 512

  /// Whether a text can be one: Base64 of 1 to 512 bytes.
  ///
  /// - Source: Apple, "Sending channel management requests to APNs"; push notes, 5.1 and 6.
  package static func isOne(_ text: String) -> Bool {
    (1...limitBytes).contains(text.utf8.count) && Base64.bytes(of: text.utf8) != nil
  }
}
