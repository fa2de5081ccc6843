/// A word as a shell reads it back.
package enum ShellWord {
  /// The word, in quotation marks where a shell would read it otherwise.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "/._-+:@%,=".utf8.contains(byte)
    }
    if isPlain, !word.isEmpty { return word }
    // An apostrophe ends the quotation, is escaped, and begins the next one.
    let inside = word.utf8.flatMap { $0 == 0x27 ? Array("'\\''".utf8) : [$0] }
    return "'" + String(decoding: inside, as: UTF8.self) + "'"
  }
}
