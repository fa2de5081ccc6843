package import LinkspanCore
package import LinkspanCrypto
internal import LinkspanFiles

/// Where a passphrase is, as a person says it.
extension PassphraseReader {
  package static let flags = [
    Flag(
      "--passphrase-file", "FILE",
      "A file whose first line is the passphrase; keep it unreadable to others"),
    Flag("--passphrase-env", "NAME", "The environment variable that holds the passphrase"),
  ]

  /// What the flags name, or nil without them.
  package static func named(_ arguments: Arguments) throws(LinkspanError) -> Passphrase? {
    switch (arguments.value("--passphrase-file"), arguments.value("--passphrase-env")) {
    case (nil, nil): return nil
    case (let file?, nil): return try read(file: file, mayBeOpen: true)
    case (nil, let name?): return try read(variable: name)
    case (.some, .some):
      throw arguments.usage("'--passphrase-file' and '--passphrase-env' cannot be combined")
    }
  }

  /// A warning, if the file that the flag names holds no secret any more.
  package static func warning(_ arguments: Arguments) -> String? {
    arguments.value("--passphrase-file").flatMap { warning(aboutFile: $0) }
  }
}
