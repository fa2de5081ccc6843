internal import LinkspanCore

/// The hidden field of a login page: when it was made, and a keyed hash that only this process can make.
///
/// Nothing is stored for a page, so no number of pages makes an earlier one void. A field may come back more than once:
/// what limits the tries is ``LoginGate``. That another site cannot send the form is ensured by the fields `Origin` and
/// `Sec-Fetch-Site`, as for every other form.
struct LoginForms: Sendable {
  /// Ours: a page that was left open over a working day still works.
  static let lifetime = Duration.seconds(12 * 3_600)

  private let key: [UInt8]

  /// - Parameter key: Random bytes of this process.
  init(key: [UInt8]) { self.key = key }

  /// The field's value.
  func token(at uptime: Duration) -> String {
    let time = String(uptime.wholeMilliseconds)
    return time + "." + ASCII.hexText(HMAC.digest(of: Array(time.utf8), key: key))
  }

  func isGood(_ token: String, at uptime: Duration) -> Bool {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let time = Int64(parts[0]),
      HMAC.proves(parts[1], Array(parts[0].utf8), key: key)
    else { return false }
    return uptime - .milliseconds(time) < Self.lifetime
  }
}
