/// The files that a host's association file is signed with.
package struct FileSigner: Hashable, Sendable {
  package var host: String
  package var p12: String?
  package var passphraseFile: String?
  package var certificate: String?
  package var key: String?
  package var chain: String?

  package var files: [String] { [p12, passphraseFile, certificate, key, chain].compactMap { $0 } }
}
