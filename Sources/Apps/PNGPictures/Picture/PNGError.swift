/// Why a picture cannot be read or written.
package struct PNGError: Error, Hashable, Sendable {
  /// In one sentence, with the file's name.
  package let message: String
  /// What to do.
  package let help: String

  init(_ message: String, help: String) {
    self.message = message
    self.help = help
  }
}
