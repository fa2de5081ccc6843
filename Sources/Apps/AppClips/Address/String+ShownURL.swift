internal import HeldURLs
internal import LinkspanCore

extension String {
  /// A URL as answers show it: as it was written, without the user and password that a browser finds in it, also behind one
  /// slash, three or backslashes.
  package var shownURL: String {
    let shown = withoutUserInformation
    guard shown == self, utf8.contains(UInt8(ascii: "@")) else { return shown }
    let held = HeldURL(self)
    let masked = held.text.withoutUserInformation
    return held.fault == nil && masked != held.text ? masked : shown
  }
}
