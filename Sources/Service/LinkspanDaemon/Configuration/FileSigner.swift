/// The files that a host's association file is signed with.
package struct FileSigner: Hashable, Sendable {
  var host: String
  var p12: String?
  var passphraseFile: String?
  var certificate: String?
  var key: String?
  var chain: String?

  var files: [String] { [p12, passphraseFile, certificate, key, chain].compactMap { $0 } }
}
