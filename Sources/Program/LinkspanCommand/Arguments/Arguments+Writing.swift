package import HeldURLs

extension Flag {
  /// Where the text of a URL is written.
  package static let writtenIn = Flag(
    "--written-in", "PLACE", choices: HeldURL.Place.allCases.map { $0.rawValue },
    "Where the URL is written: page, or code of an app (page)")
}

extension Arguments {
  /// Where `--written-in` says that URLs are written: a page without the flag.
  package var writtenIn: HeldURL.Place { choice("--written-in") ?? .page }
}
