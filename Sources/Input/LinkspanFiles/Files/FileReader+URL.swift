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

  /// What to say of a private key or a provider token itself where the name of its file is expected, as of a variable that CI
  /// fills. It is not repeated: errors end in logs.
  ///
  /// - Returns: nil for a path.
  package static func secretForFile(_ path: String) -> LinkspanError? {
    let isKey = path.contains("PRIVATE KEY-----") || path.bareKey != nil
    let isToken = path.hasPrefix("eyJ") && path.contains(".eyJ")
    guard isKey || isToken else { return nil }
    return LinkspanError(
      "a \(isKey ? "private key" : "token") stands where the name of its file is expected; it is not shown here.",
      help:
        "Write it into a file that only its user may read, and name that: every user of a machine sees arguments."
    )
  }
}
