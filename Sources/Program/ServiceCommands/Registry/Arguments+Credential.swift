internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

extension Arguments {
  /// The credential for a server's API, of `--token-file` or else the environment; nil without either. It is never an argument,
  /// which every user of the machine could read.
  ///
  /// - Throws: That the file cannot be read, or has none.
  func credential() throws(LinkspanError) -> String? {
    guard let file = value("--token-file") else {
      return ProcessEnvironment.value("LINKSPAN_TOKEN").flatMap { $0.isEmpty ? nil : $0 }
    }
    let text = String(decoding: try SecretFile.bytes(file, warningOf: "credential"), as: UTF8.self)
    // An editor may have put a byte order mark or an empty line before it.
    let token = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.prefix { !$0.isWhitespace }
    guard !token.isEmpty else {
      throw LinkspanError(
        "'\(file)' has no credential.", help: "Write into it what 'linkspan token create' prints.")
    }
    return String(token)
  }
}
