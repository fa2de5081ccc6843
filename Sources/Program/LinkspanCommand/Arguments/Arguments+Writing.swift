package import HeldURLs
package import LinkspanCore

extension Flag {
  /// Where the text of a URL is written.
  package static let writtenIn = Flag(
    "--written-in", "PLACE", choices: HeldURL.Place.allCases.map { $0.rawValue },
    "Where the URL is written: page, or code of an app (page)")
}

extension Arguments {
  /// - Throws: A usage error for any other place.
  package func writtenIn() throws(LinkspanError) -> HeldURL.Place {
    guard let text = value("--written-in") else { return .page }
    guard let place = HeldURL.Place(rawValue: text) else {
      throw usage("'--written-in': expected page or code, got '\(text)'")
    }
    return place
  }
}
