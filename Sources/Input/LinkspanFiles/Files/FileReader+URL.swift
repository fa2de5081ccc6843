package import LinkspanCore

extension LinkspanError {
  /// What to say of a URL where a file is expected and no file has that name: no command fetches what it reads as a file.
  ///
  /// - Returns: nil for a path.
  package static func urlForFile(_ path: String) -> LinkspanError? {
    let scheme = ASCII.lowercased(String(path.prefix { $0 != "/" }))
    guard scheme == "https:" || scheme == "http:" else { return nil }
    return LinkspanError(
      "is a URL; expected a file", at: path,
      help:
        "Save it with 'curl -o FILE URL' and name FILE. 'linkspan check URL' and 'linkspan doctor URL' ask its host."
    )
  }
}
