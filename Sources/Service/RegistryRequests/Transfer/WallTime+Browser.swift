internal import LinkspanCore

extension WallTime {
  /// Reads a date as JavaScript writes it, and the dashboard of Parse in its CSV:
  /// `Thu Jan 01 2026 01:00:00 GMT+0100 (Central European Standard Time)`.
  ///
  /// - Returns: nil for any other form.
  /// - Source: ECMA-262, "Date.prototype.toString"; parse-dashboard, `Browser.react.js`, export of rows.
  init?(browser text: String) {
    let words = text.split(separator: " ")
    guard words.count >= 6, let month = Self.monthNames.firstIndex(of: String(words[1])),
      words[5].utf8.count == 8, words[5].hasPrefix("GMT"),
      let zone = Int64(words[5].dropFirst(3))
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    guard let clock = WallTime("\(words[3])-\(number)-\(words[2])T\(words[4])Z") else { return nil }
    self = clock.advanced(by: .seconds(-(zone / 100 * 3_600 + zone % 100 * 60)))
  }
}
