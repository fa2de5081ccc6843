internal import Glibc
internal import LinkspanCore

/// A question to the person at the terminal.
package enum Question {
  /// Ours: an answer is a word.
  private static let answerLimitBytes = 256

  /// Asks whether something is meant; only "y" and "yes" say so.
  ///
  /// - Returns: nil where no person can be asked, because standard input or standard error is no terminal.
  package static func isMeant(_ text: String) -> Bool? {
    guard isatty(0) == 1, isatty(2) == 1 else { return nil }
    Console.ask(text + " [y/N] ")
    var answer: [UInt8] = []
    while answer.count < answerLimitBytes {
      var byte: UInt8 = 0
      let count = read(0, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1, byte != 0x0A else { break }
      answer.append(byte)
    }
    let word = String(decoding: answer, as: UTF8.self).filter { !$0.isWhitespace }
    return ["y", "yes"].contains(ASCII.lowercased(word))
  }
}
