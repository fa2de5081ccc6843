/// What a command ends with: documented, tested, and the same everywhere.
package enum ExitStatus: Int32, Sendable {
  /// Done, or the answer is yes.
  case yes = 0
  /// The answer is no, or there are findings of severity error.
  case no = 1
  /// Could not answer: wrong usage, unreadable input, network.
  case failed = 2
}
